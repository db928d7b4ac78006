"""Tests of tables as rows of CSV: facts in, answer out, kept beside the tables.

    on,if amount,then decider,rule
    2026-03-01,50000,underwriter,1
    2026-03-01,50000.01,senior underwriter,2

A file `who_judges.rows.csv` tests the table `who_judges`. `on` and `rule` may be left out; a rule
`none` says that the table has no answer. Of a table that collects, an output is its values with
semicolons between them, and `rule` its numbers.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from processes.decisions.cells import Unreadable, shown
from processes.decisions.csvfile import text_of
from processes.decisions.errors import BadTable, NoDecision
from processes.decisions.library import ROWS, load
from processes.decisions.tables import Decision, DecisionTable, TableVersion


@dataclass(frozen=True, slots=True)
class RowResult:
    """What became of one row: `wrong` is empty where the table said what was expected."""

    file: str
    line: int
    table: str
    version: str = ""
    rules: tuple[int, ...] = ()
    wrong: str = ""


def check_folder(folder: Path) -> list[RowResult]:
    """Every row of every file of rows in this folder. Raises BadTable for what cannot be read."""
    tables = load(folder)
    return [one for path in sorted(folder.glob(f"*{ROWS}")) for one in check_file(path, tables)]


def check_file(path: Path, tables: dict[str, DecisionTable]) -> Iterator[RowResult]:
    name = path.name.removesuffix(ROWS)
    if name not in tables:
        known = ", ".join(sorted(tables)) or "none"
        raise BadTable(f"there is no table “{name}” beside it, only: {known}", file=path.name)
    table = tables[name]
    reader = csv.DictReader(io.StringIO(text_of(path)), strict=True, skipinitialspace=True)
    _check_columns(path, table, reader.fieldnames or [])
    try:
        for row in reader:
            if any(isinstance(value, str) and value.strip() for value in row.values()):
                yield _check_row(path, reader.line_num, table, row)
    except csv.Error as error:
        raise BadTable(f"it is no CSV: {error}", file=path.name, line=reader.line_num) from None


def untested(table: TableVersion, results: list[RowResult]) -> list[int]:
    """The rules of a version that no row met."""
    met = {
        number
        for one in results
        if one.table == table.name and one.version == table.version
        for number in one.rules
    }
    return [rule.number for rule in table.rules if rule.number not in met]


def _check_columns(path: Path, table: DecisionTable, names: Any) -> None:
    known = {"on", "rule", "because", ""}
    for version in table.versions:
        known |= {f"if {one.name}" for one in version.inputs}
        known |= {f"then {one.name}" for one in version.outputs}
        if version.aggregation:
            known.add(f"then {version.outputs[0].name}")
    for column, name in enumerate(names, start=1):
        if name.strip() not in known:
            words = f"“{name}” is no column of “{table.name}”; it has {', '.join(sorted(known))}"
            raise BadTable(words, file=path.name, line=1, column=column)


def _check_row(path: Path, line: int, table: DecisionTable, row: dict[Any, Any]) -> RowResult:
    if row.get(None):
        raise BadTable("there are more cells than columns", file=path.name, line=line)
    cells = {str(name).strip(): (text or "").strip() for name, text in row.items()}
    try:
        day = date.fromisoformat(cells["on"]) if cells.get("on") else None
    except ValueError:
        words = f"on: “{cells['on']}” is no date; write 2026-05-01"
        raise BadTable(words, file=path.name, line=line) from None
    version = table.on(day) if day is not None else table.newest
    facts = {}
    for column in version.inputs:
        text = cells.get(f"if {column.name}", "")
        try:
            facts[column.name] = column.kind.read(text)
        except Unreadable as error:
            words = f"“{column.name}”: {error}"
            raise BadTable(words, file=path.name, line=line) from None
    try:
        decision = version.decide(facts)
    except NoDecision as error:
        wrong = "" if cells.get("rule") == "none" else str(error)
        return RowResult(path.name, line, table.name, version.version, (), wrong)
    wrong = "; ".join(_differences(version, decision, cells))
    return RowResult(path.name, line, table.name, version.version, tuple(decision.rules), wrong)


def _differences(version: TableVersion, decision: Decision, cells: dict[str, str]) -> Iterator[str]:
    wanted = cells.get("rule", "")
    came = "; ".join(str(number) for number in decision.rules)
    if wanted and _parts(wanted) != _parts(came):
        yield f"rule {wanted} was expected, {came or 'none'} came"
    for column in version.outputs:
        key = f"then {column.name}"
        if key not in cells or (wanted == "none"):
            continue
        try:
            expected, found = _expected(version, column, cells[key], decision)
        except Unreadable as error:
            yield f"{column.name}: {error}"
            continue
        if expected != found:
            yield f"{column.name}: {_words(expected)} was expected, {_words(found)} came"


def _expected(version: TableVersion, column: Any, text: str, decision: Decision) -> tuple[Any, Any]:
    if version.aggregation:
        kind = column.kind if version.aggregation != "COUNT" else None
        return (kind.read(text) if kind and text else _number(text)), decision.outputs
    if isinstance(decision.outputs, list):
        found = [one[column.name] for one in decision.outputs]
        return [column.kind.read(one) for one in _parts(text)], found
    return (column.kind.read(text) if text not in ("", "-") else None), decision[column.name]


def _number(text: str) -> Any:
    from decimal import Decimal

    return Decimal(text) if text else None


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(";") if part.strip()]


def _words(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(shown(one) for one in value) or "nothing"
    return shown(value)
