"""A decision table: versions valid from a date, rules in rows, one answer that explains itself.

WHO_JUDGES.decide(on=day, amount=case.amount)
# → outputs {"decider": "senior underwriter"}, rules [2], because "amount over 50,000 → …"
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from processes.decisions.cells import Test, Type, Unreadable, Value, shown
from processes.decisions.errors import NoDecision

UNIQUE, FIRST, ANY, PRIORITY = "UNIQUE", "FIRST", "ANY", "PRIORITY"
COLLECT, RULE_ORDER = "COLLECT", "RULE ORDER"
HIT_POLICIES = (UNIQUE, FIRST, ANY, PRIORITY, COLLECT, RULE_ORDER)
AGGREGATIONS = ("SUM", "MIN", "MAX", "COUNT")

Outputs = dict[str, Value | int | None]


@dataclass(frozen=True, slots=True)
class Column:
    """One input or output of a table."""

    name: str
    kind: Type
    label: str = ""
    priorities: tuple[Value, ...] = ()  # of an output: its values, the most important first

    @property
    def title(self) -> str:
        return self.label or self.name.replace("_", " ")


@dataclass(frozen=True, slots=True)
class Rule:
    """One row. `number` is what people call it; it counts from 1 within its table."""

    number: int
    tests: tuple[Test, ...]
    outputs: tuple[Value | None, ...]
    because: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Decision:
    """What a table said, and everything needed to say why years later."""

    table: str
    title: str
    version: str
    digest: str
    rules: list[int]
    inputs: dict[str, Any]
    outputs: Any  # a mapping; for COLLECT a list of them, or a number where it is summed up
    because: str

    def data(self) -> dict[str, Any]:
        """What history keeps of it."""
        return {
            "title": self.title,
            "version": self.version,
            "digest": self.digest,
            "rules": self.rules,
            "inputs": self.inputs,
            "outputs": self.outputs,
            "because": self.because,
        }

    @classmethod
    def recorded(cls, data: Mapping[str, Any]) -> Decision:
        """A decision as history has it."""
        return cls(
            table=data["name"],
            title=data["title"],
            version=data["version"],
            digest=data["digest"],
            rules=list(data["rules"]),
            inputs=dict(data["inputs"]),
            outputs=data["outputs"],
            because=data["because"],
        )

    def __getitem__(self, name: str) -> Any:
        """One output. Of a table that collects: the list of it, without repetition."""
        if isinstance(self.outputs, list):
            return list(dict.fromkeys(one[name] for one in self.outputs))
        return self.outputs[name]


@dataclass(frozen=True, slots=True)
class TableVersion:
    """The rules of a table as they are from a day on."""

    name: str
    title: str
    version: str
    valid_from: date
    hit_policy: str
    inputs: tuple[Column, ...]
    outputs: tuple[Column, ...]
    rules: tuple[Rule, ...]
    digest: str
    text: str = field(repr=False)
    file: str = ""
    aggregation: str = ""

    @property
    def has_first_day(self) -> bool:
        return self.valid_from > date.min

    def __str__(self) -> str:
        return f"table “{self.name}”, version {self.version}"

    def decide(self, facts: Mapping[str, Any]) -> Decision:
        """The answer for these facts. Raises NoDecision, saying what is missing or too much."""
        given = self.take(facts)
        found = [rule for rule in self.rules if self._fits(rule, given)]
        chosen, outputs = self._answer(found, given)
        return Decision(
            table=self.name,
            title=self.title,
            version=self.version,
            digest=self.digest,
            rules=[rule.number for rule in chosen],
            inputs=given,
            outputs=outputs,
            because="; ".join(self.explain(rule) for rule in chosen),
        )

    def take(self, facts: Mapping[str, Any]) -> dict[str, Value | None]:
        """The facts as values of the columns. Raises NoDecision naming what does not fit."""
        names = [column.name for column in self.inputs]
        if odd := sorted(set(facts) - set(names)):
            raise NoDecision(f"{self} takes {', '.join(names)}, and was given {', '.join(odd)}.")
        given = {}
        for column in self.inputs:
            if column.name not in facts:
                raise NoDecision(f"{self} needs {column.name}, which was not given.")
            try:
                given[column.name] = column.kind.take(facts[column.name])
            except Unreadable as error:
                raise NoDecision(f"{self}, {column.name}: {error}.") from None
        return given

    def _fits(self, rule: Rule, given: Mapping[str, Value | None]) -> bool:
        return all(
            test.holds(given[column.name])
            for column, test in zip(self.inputs, rule.tests, strict=True)
        )

    def _answer(self, found: list[Rule], given: Mapping[str, Any]) -> tuple[list[Rule], Any]:
        if self.hit_policy in (COLLECT, RULE_ORDER):
            every = [self.outputs_of(rule) for rule in found]
            return found, self._summed(every) if self.aggregation else every
        if not found:
            raise NoDecision(f"{self} has no rule for {self.facts_in_words(given)}.")
        rule = found[0]
        if len(found) > 1:
            numbers = ", ".join(str(one.number) for one in found)
            what = f"{self}: rules {numbers} all fit {self.facts_in_words(given)}"
            if self.hit_policy == UNIQUE:
                raise NoDecision(f"{what}, and only one may.")
            if self.hit_policy == ANY and any(one.outputs != rule.outputs for one in found):
                raise NoDecision(f"{what}, and do not say the same.")
            if self.hit_policy == PRIORITY:
                rule = min(found, key=self.rank)
        return [rule], self.outputs_of(rule)

    def _summed(self, every: list[Outputs]) -> Any:
        if self.aggregation == "COUNT":
            return len(every)
        values: list[Any] = [one[self.outputs[0].name] for one in every]
        values = [one for one in values if one is not None]
        if self.aggregation == "SUM":
            return sum(values, 0 if self.outputs[0].kind.name == "whole" else Decimal(0))
        if not values:
            return None
        return min(values) if self.aggregation == "MIN" else max(values)

    def rank(self, rule: Rule) -> tuple[int, ...]:
        """How important the outputs of a rule are: the least rank goes first."""
        return tuple(
            column.priorities.index(value) if value in column.priorities else len(column.priorities)
            for column, value in zip(self.outputs, rule.outputs, strict=True)
        )

    def outputs_of(self, rule: Rule) -> Outputs:
        """What a rule says, by column; a whole number as an int, so that months() takes it."""
        return {
            column.name: int(value)
            if column.kind.name == "whole" and isinstance(value, Decimal)
            else value
            for column, value in zip(self.outputs, rule.outputs, strict=True)
        }

    # -- words

    def conditions(self, rule: Rule) -> list[str]:
        """The conditions of a rule, each in words; none for a rule that always fits."""
        return [
            in_words(column, test)
            for column, test in zip(self.inputs, rule.tests, strict=True)
            if not test.anything
        ]

    def results(self, rule: Rule) -> list[str]:
        one = len(self.outputs) == 1
        return [
            shown(value)
            if one and not isinstance(value, bool)
            else f"{column.title} {shown(value)}"
            for column, value in zip(self.outputs, rule.outputs, strict=True)
            if value is not None
        ]

    def explain(self, rule: Rule) -> str:
        """“rule 2: amount over 50,000 → senior underwriter”"""
        when = " and ".join(self.conditions(rule)) or "always"
        return f"rule {rule.number}: {when} → {', '.join(self.results(rule)) or 'nothing'}"

    def facts_in_words(self, given: Mapping[str, Any]) -> str:
        told = [f"{c.title} {shown(given[c.name])}" for c in self.inputs]
        return " and ".join(told) or "no facts"


def in_words(column: Column, test: Test) -> str:
    """One condition: “amount over 50,000”, “region north or south”, “not secured”."""
    kind, title = column.kind, column.title
    if test.null and not test.stretches and not test.values and not test.but:
        return f"no {title}"
    if kind.name == "yes/no":
        fitting = [one for one in (True, False) if test.holds(one)]
        said = title if fitting == [True] else f"not {title}"
        said = said if len(fitting) == 1 else f"{title} yes or no"
    elif kind.is_ordered:
        said = f"{title} {' or '.join(kind.stretch_words(one) for one in test.stretches)}"
    else:
        values = " or ".join(shown(one) for one in sorted(test.values))
        said = f"{title} {'other than ' if test.but else ''}{values}".strip()
        said = f"any {title}" if test.but and not test.values else said
    return f"{said} or no {title}" if test.null else said


class DecisionTable:
    """A table with all its versions. Raises NoDecision for a day before the first one."""

    def __init__(
        self, versions: Sequence[TableVersion], *, owner: str = "", folder: Path | None = None
    ) -> None:
        self.versions = sorted(versions, key=lambda one: one.valid_from)
        self.name = self.versions[0].name
        self.owner = owner  # the kind whose rules these are: "loan"
        self.folder = folder

    def __repr__(self) -> str:
        return f"<DecisionTable {self.owner}:{self.name}>"

    @property
    def newest(self) -> TableVersion:
        return self.versions[-1]

    @property
    def title(self) -> str:
        return self.newest.title

    def on(self, day: date) -> TableVersion:
        """The version that is valid on this day."""
        valid = [one for one in self.versions if one.valid_from <= day]
        if not valid:
            first = self.versions[0].valid_from
            raise NoDecision(f"Table “{self.name}” is valid from {shown(first)}, not on {day}.")
        return valid[-1]

    def decide(self, *, on: date | None = None, **facts: Any) -> Decision:
        """The answer of the version of that day, or of the newest one."""
        return (self.on(on) if on is not None else self.newest).decide(facts)
