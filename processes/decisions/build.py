"""From cells as they were written to a table that can decide, whatever the file was."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from processes.decisions.cells import ANYTHING, Type, Unreadable, read_test, read_type, shown
from processes.decisions.errors import BadTable
from processes.decisions.tables import (
    AGGREGATIONS,
    COLLECT,
    HIT_POLICIES,
    PRIORITY,
    Column,
    Rule,
    TableVersion,
)

RULES = 2_000  # of one table, at most
COLUMNS = 40
_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Cell:
    """A text and where it stands."""

    text: str
    line: int = 0
    column: int = 0


@dataclass(slots=True)
class Draft:
    """A table as a file has it, not yet understood."""

    file: str
    text: str
    name: Cell = Cell("")
    title: str = ""
    version: Cell = Cell("1")
    valid_from: Cell = Cell("")
    hit_policy: Cell = Cell("UNIQUE")
    aggregation: Cell = Cell("")
    inputs: list[tuple[Cell, Cell, str]] = field(default_factory=list)  # name, type, label
    outputs: list[tuple[Cell, Cell, str]] = field(default_factory=list)
    # the number where rules are numbered, tests, outputs, because
    rules: list[tuple[Cell, list[Cell], list[Cell], str]] = field(default_factory=list)

    def wrong(self, words: str, cell: Cell) -> BadTable:
        return BadTable(words, file=self.file, line=cell.line, column=cell.column)


def build(draft: Draft) -> TableVersion:
    """Understand a draft. Raises BadTable at the first cell that is wrong."""
    if not _NAME.fullmatch(draft.name.text):
        raise draft.wrong(
            f"“{draft.name.text}” is no name of a table; use small letters, digits and _",
            draft.name,
        )
    policy = _policy(draft)
    inputs, outputs = _columns(draft, draft.inputs), _columns(draft, draft.outputs)
    if not outputs:
        raise draft.wrong("the table has no output: a column “then NAME”", draft.name)
    if clash := {one.name for one in inputs} & {one.name for one in outputs}:
        raise draft.wrong(f"{', '.join(clash)} is both an input and an output", draft.name)
    _check_policy(draft, policy, outputs)
    if not draft.rules:
        raise draft.wrong("the table has no rules", draft.name)
    if len(draft.rules) > RULES:
        raise draft.wrong(f"the table has more than {RULES} rules", draft.rules[RULES][0])
    return TableVersion(
        name=draft.name.text,
        title=draft.title or draft.name.text.replace("_", " ").capitalize(),
        version=draft.version.text,
        valid_from=_day(draft),
        hit_policy=policy,
        aggregation=draft.aggregation.text,
        inputs=inputs,
        outputs=outputs,
        rules=tuple(
            _rule(draft, number, one, inputs, outputs)
            for number, one in enumerate(draft.rules, start=1)
        ),
        digest=hashlib.sha256(draft.text.encode()).hexdigest(),
        text=draft.text,
        file=draft.file,
    )


def _policy(draft: Draft) -> str:
    words = draft.hit_policy.text.upper().replace("_", " ").strip()
    short = {"U": "UNIQUE", "F": "FIRST", "A": "ANY", "P": "PRIORITY", "C": "COLLECT"}
    short["R"] = "RULE ORDER"
    words = short.get(words, words)
    if words not in HIT_POLICIES:
        known = ", ".join(HIT_POLICIES)
        raise draft.wrong(f"“{words}” is no hit policy; there are {known}", draft.hit_policy)
    return words


def _check_policy(draft: Draft, policy: str, outputs: Sequence[Column]) -> None:
    how = draft.aggregation
    if how.text and how.text not in AGGREGATIONS:
        known = ", ".join(AGGREGATIONS)
        raise draft.wrong(f"“{how.text}” sums nothing up; there are {known}", how)
    if how.text and policy != COLLECT:
        raise draft.wrong(f"{how.text} goes with COLLECT alone", how)
    if how.text and len(outputs) != 1:
        raise draft.wrong(f"{how.text} needs exactly one output", how)
    if how.text in ("SUM", "MIN", "MAX") and (
        not outputs[0].kind.is_ordered or (how.text == "SUM" and outputs[0].kind.name == "date")
    ):
        raise draft.wrong(f"{how.text} needs numbers, not {outputs[0].kind.name}", how)
    if policy == PRIORITY and not any(one.priorities for one in outputs):
        raise draft.wrong(
            "PRIORITY needs an output that lists its values, the most important first",
            draft.hit_policy,
        )


def _day(draft: Draft) -> date:
    if not draft.valid_from.text:
        return date.min
    try:
        return date.fromisoformat(draft.valid_from.text)
    except ValueError:
        words = f"“{draft.valid_from.text}” is no date; write 2026-05-01"
        raise draft.wrong(words, draft.valid_from) from None


def _columns(draft: Draft, cells: list[tuple[Cell, Cell, str]]) -> tuple[Column, ...]:
    if len(cells) > COLUMNS:
        raise draft.wrong(f"the table has more than {COLUMNS} columns", cells[COLUMNS][0])
    found: list[Column] = []
    for name, type_, label in cells:
        if not _NAME.fullmatch(name.text):
            words = f"“{name.text}” is no name of a fact; use small letters, digits and _"
            raise draft.wrong(words, name)
        if any(one.name == name.text for one in found):
            raise draft.wrong(f"there are two columns “{name.text}”", name)
        try:
            kind = read_type(type_.text)
        except Unreadable as error:
            raise draft.wrong(f"“{name.text}”: {error}", type_) from None
        found.append(Column(name.text, kind, label, _priorities(kind)))
    return tuple(found)


def _priorities(kind: Type) -> tuple[Any, ...]:
    """The values of an output in the order in which they are listed."""
    if kind.allowed is None or kind.is_ordered or kind.allowed.but:
        return ()
    parts = re.findall(r'"(?:[^"\\]|\\.)*"|[^,]+', kind.allowed.text)
    plain = Type(kind.name)
    return tuple(value for part in parts if (value := plain.read(part)) is not None)


def _rule(
    draft: Draft,
    number: int,
    cells: tuple[Cell, list[Cell], list[Cell], str],
    inputs: tuple[Column, ...],
    outputs: tuple[Column, ...],
) -> Rule:
    named, tests, results, because = cells
    if named.text and named.text != str(number):
        raise draft.wrong(f"this is rule {number}, and is called “{named.text}”", named)
    try:
        at, said = named, "the rule"
        found_tests = []
        for column, cell in zip(inputs, tests, strict=True):
            at, said = cell, f"“{column.name}”"
            test = read_test(cell.text, column.kind)
            _check_possible(column, test)
            found_tests.append(replace(test, text="-") if test == ANYTHING else test)
        found_outputs = []
        for column, cell in zip(outputs, results, strict=True):
            at, said = cell, f"“{column.name}”"
            empty = cell.text.strip() in ("", "-", "null")
            found_outputs.append(None if empty else column.kind.read(cell.text))
    except Unreadable as error:
        raise draft.wrong(f"{said}: {error}", at) from None
    return Rule(number, tuple(found_tests), tuple(found_outputs), because, named.line)


def _check_possible(column: Column, test: Any) -> None:
    kind = column.kind
    if kind.allowed is not None and not kind.is_ordered:
        for value in sorted(test.values):
            if not kind.allowed.holds(value):
                raise Unreadable(f"{shown(value)} never occurs; it must be {kind.words()}")
    if not test.meets(ANYTHING, kind):
        raise Unreadable(f"“{test.text}” fits nothing that occurs; it must be {kind.words()}")
