"""Is a table sound: does each set of facts meet a rule, and do rules not contradict each other?

All columns together make a space; the rules are boxes in it. A gap is a part of the space without
a box, told in the words of its columns. Rules that meet the same parts are walked together, so the
work grows with the differences between rules and not with the size of the space.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from processes.decisions.cells import (
    ANYTHING,
    Cut,
    Stretch,
    Type,
    meet,
    shown,
    tidied,
)
from processes.decisions.tables import (
    ANY,
    COLLECT,
    FIRST,
    PRIORITY,
    RULE_ORDER,
    UNIQUE,
    Column,
    Rule,
    TableVersion,
)

GAPS = 20  # told at most
PARTS = 200_000  # looked at, at most: past that a table says that it is too large to be checked


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a table. `grave` where the table could not answer."""

    words: str
    grave: bool = True
    line: int = 0


class TooLarge(Exception):
    """The table has too many different parts to be looked at one by one."""


def findings(table: TableVersion) -> list[Finding]:
    """Gaps, contradictions and rules that never come into play."""
    table = _tidied(table)
    found = [*_contradictions(table), *_never(table)]
    if table.hit_policy in (COLLECT, RULE_ORDER):
        return found  # no rule is an answer there: nothing is collected
    try:
        found += [Finding(f"no rule for {words}") for words in gaps(table)]
    except TooLarge:
        found.append(Finding("it has too many different parts to look for gaps", grave=False))
    return found


def _contradictions(table: TableVersion) -> Iterator[Finding]:
    if table.hit_policy not in (UNIQUE, ANY):
        return
    for one, other in combinations(table.rules, 2):
        if table.hit_policy == ANY and one.outputs == other.outputs:
            continue
        if (words := overlap(table, one, other)) is not None:
            yield Finding(
                f"rules {one.number} and {other.number} both fit {words}", line=other.line
            )


def overlap(table: TableVersion, one: Rule, other: Rule) -> str | None:
    """Where two rules of a tidied table both fit, in words; None where they never do."""
    told = []
    for column, first, second in zip(table.inputs, one.tests, other.tests, strict=True):
        if not first.meets(second, column.kind):
            return None
        parts = [p for p in parts_of(column, [first, second]) if p.fits(first) and p.fits(second)]
        told.append((column, parts))
    return _in_words(told) or "anything"


def _never(table: TableVersion) -> Iterator[Finding]:
    """Rules that an earlier, wider one always goes before."""
    if table.hit_policy not in (FIRST, PRIORITY):
        return
    for place, rule in enumerate(table.rules):
        for other in table.rules if table.hit_policy == PRIORITY else table.rules[:place]:
            if other is rule or not _covers(table, other, rule):
                continue
            if table.hit_policy == PRIORITY and not _goes_before(table, other, rule):
                continue
            words = f"rule {rule.number} never comes into play: rule {other.number} goes before it"
            yield Finding(words, grave=False, line=rule.line)
            break


def _goes_before(table: TableVersion, other: Rule, rule: Rule) -> bool:
    return (table.rank(other), other.number) < (table.rank(rule), rule.number)


def _covers(table: TableVersion, wide: Rule, narrow: Rule) -> bool:
    return all(
        all(part.fits(first) for part in parts_of(column, [first, second]) if part.fits(second))
        for column, first, second in zip(table.inputs, wide.tests, narrow.tests, strict=True)
    )


# -- gaps


@dataclass(frozen=True, slots=True)
class Part:
    """A part of one column that no test divides: a stretch, a value, all others, or nothing."""

    stretch: Stretch | None = None
    sample: Any = None  # a value of it; for stretches None
    others: tuple[Any, ...] = ()  # it is every text but these
    is_null: bool = False

    def fits(self, test: Any) -> bool:
        if test.anything:
            return True
        if self.is_null:
            return bool(test.null)
        if self.stretch is not None:
            return any(_holds(stretch, self.stretch) for stretch in test.stretches)
        return bool((self.sample in test.values) != test.but)


def _holds(wide: Stretch, narrow: Stretch) -> bool:
    (start, end), (low, high) = wide, narrow
    begins = start is None or (low is not None and start <= low)
    return begins and (end is None or (high is not None and high <= end))


def parts_of(column: Column, tests: Iterable[Any]) -> list[Part]:
    """The column cut at each place where one of the tests changes its mind."""
    kind, tests = column.kind, list(tests)
    limit = kind.allowed or ANYTHING
    found: list[Part] = []
    if kind.is_ordered:
        found += [Part(stretch=one) for one in _stretches(kind, tests)]
    elif kind.name == "yes/no":
        found += [Part(sample=one) for one in (True, False) if limit.holds(one)]
    else:
        named = {value for test in tests for value in test.values}
        named |= limit.values
        found += [Part(sample=one) for one in sorted(named) if limit.holds(one)]
        if limit.anything or limit.but:
            found.append(Part(sample="\0", others=tuple(sorted(named))))
    if kind.optional:
        found.append(Part(is_null=True))
    return found


def _stretches(kind: Type, tests: list[Any]) -> list[Stretch]:
    limits = kind.allowed.stretches if kind.allowed is not None else ((None, None),)
    cuts: set[Cut] = set()
    for stretch in [s for test in tests for s in test.stretches] + list(limits):
        cuts.update(cut for cut in tidied(stretch, kind) if cut is not None)
    edges: list[Cut | None] = [None, *sorted(cuts), None]
    pieces = [(low, high) for low, high in zip(edges, edges[1:], strict=False)]
    return list(meet(pieces, [tidied(one, kind) for one in limits]))


def gaps(table: TableVersion) -> list[str]:
    """Each part of the space without a rule, in words. Raises TooLarge."""
    table = _tidied(table)
    budget = [PARTS]
    known: dict[tuple[int, frozenset[int]], list[list[tuple[Column, list[Part]]]]] = {}

    def look(depth: int, rules: frozenset[int]) -> list[list[tuple[Column, list[Part]]]]:
        if not rules:
            return [[]]  # whatever the columns further on hold
        if depth == len(table.inputs):
            return []
        key = (depth, rules)
        if key in known:
            return known[key]
        column = table.inputs[depth]
        parts = parts_of(column, (table.rules[n].tests[depth] for n in rules))
        budget[0] -= len(parts) * len(rules)
        if budget[0] < 0:
            raise TooLarge
        alike: dict[frozenset[int], list[Part]] = {}
        for part in parts:
            left = frozenset(n for n in rules if part.fits(table.rules[n].tests[depth]))
            alike.setdefault(left, []).append(part)
        found = []
        for left, some in alike.items():
            whole = len(some) == len(parts)
            for rest in look(depth + 1, left):
                found.append(rest if whole else [(column, some), *rest])
                if len(found) > GAPS:
                    break
        known[key] = found
        return found

    found = look(0, frozenset(range(len(table.rules))))
    told = [_in_words(one) or "anything" for one in found[:GAPS]]
    return told + (["more"] if len(found) > GAPS else [])


def _tidied(table: TableVersion) -> TableVersion:
    """The same table with the cuts of its tests where values can be."""

    def tidy(rule: Rule) -> Rule:
        tests = tuple(
            replace(test, stretches=tuple(tidied(s, column.kind) for s in test.stretches))
            for column, test in zip(table.inputs, rule.tests, strict=True)
        )
        return replace(rule, tests=tests)

    return replace(table, rules=tuple(tidy(rule) for rule in table.rules))


def _in_words(told: list[tuple[Column, list[Part]]]) -> str:
    return " and ".join(
        f"{column.title} {' or '.join(_part_words(column, parts))}"
        for column, parts in told
        if any(part != Part(stretch=(None, None)) for part in parts)
    )


def _part_words(column: Column, parts: list[Part]) -> Iterator[str]:
    for stretch in joined([p.stretch for p in parts if p.stretch is not None]):
        yield column.kind.stretch_words(stretch)
    for part in parts:
        if part.is_null:
            yield "missing"
        elif part.others:
            yield "other than " + ", ".join(shown(one) for one in part.others)
        elif part.stretch is None:
            yield "anything" if part.sample == "\0" else shown(part.sample)


def joined(stretches: list[Stretch]) -> list[Stretch]:
    """Neighbouring stretches as one. They come in their order."""
    found: list[Stretch] = []
    for low, high in stretches:
        if found and low is not None and found[-1][1] == low:
            found[-1] = (found[-1][0], high)
        else:
            found.append((low, high))
    return found
