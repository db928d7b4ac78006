"""Tables as CSV, the form in which people keep them: one file a version.

table,who_judges
title,Who judges and who decides
hit policy,UNIQUE
version,1
valid from,2026-01-01

rule,if amount,then decider,because
type,money > 0,"text underwriter, senior underwriter",
1,<= 50000,underwriter,One person is enough
2,> 50000,senior underwriter,Credit policy 4.1
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from processes.decisions.build import Cell, Draft, build
from processes.decisions.errors import BadTable
from processes.decisions.tables import TableVersion

BYTES = 1_000_000
_HEAD = ("table", "title", "hit policy", "aggregation", "version", "valid from")


def read_csv(path: Path) -> TableVersion:
    """The table of a file. Raises BadTable with line and column."""
    return parse_csv(text_of(path), file=path.name)


def text_of(path: Path) -> str:
    """The text of a file, its line ends alike everywhere. Raises BadTable."""
    size = path.stat().st_size
    if size > BYTES:
        raise BadTable(f"it has {size:,} bytes; a table has at most {BYTES:,}", file=path.name)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadTable(f"it is not UTF-8 ({error.reason})", file=path.name) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def parse_csv(text: str, *, file: str) -> TableVersion:
    draft = Draft(file=file, text=text)
    rows = _rows(text, file)
    columns = _read_head(draft, rows)
    if columns is None:
        raise BadTable("there is no row that begins with “rule”: the columns", file=file)
    _read_columns(draft, columns, next(rows, []))
    for row in rows:
        _read_rule(draft, columns, row)
    return build(draft)


def _rows(text: str, file: str) -> Iterator[list[Cell]]:
    """The rows that are not empty, each cell with its place."""
    reader = csv.reader(io.StringIO(text), strict=True)
    line = 1
    try:
        for row in reader:
            cells = [Cell(one.strip(), line, at) for at, one in enumerate(row, start=1)]
            line = reader.line_num + 1
            if any(cell.text for cell in cells):
                yield cells
    except csv.Error as error:
        raise BadTable(f"it is no CSV: {error}", file=file, line=line) from None


def _read_head(draft: Draft, rows: Iterator[list[Cell]]) -> list[Cell] | None:
    """The lines above the rules. Gives the row of the columns."""
    for row in rows:
        key = row[0].text.lower()
        if key == "rule":
            return row
        if key not in _HEAD:
            words = f"“{row[0].text}” is not known here; there are {', '.join(_HEAD)}, rule"
            raise draft.wrong(words, row[0])
        value = row[1] if len(row) > 1 else Cell("", row[0].line, 2)
        if key == "title":
            draft.title = value.text
        else:
            name = {"table": "name", "valid from": "valid_from", "hit policy": "hit_policy"}
            setattr(draft, name.get(key, key), value)
    return None


def _read_columns(draft: Draft, columns: list[Cell], types: list[Cell]) -> None:
    if not types or types[0].text.lower() != "type":
        place = types[0] if types else columns[0]
        raise draft.wrong("under the columns stands a row “type” with the type of each", place)
    for cell in columns[1:]:
        role, _, name = cell.text.partition(" ")
        type_ = _at(types, cell)
        if role == "if":
            draft.inputs.append((Cell(name.strip(), cell.line, cell.column), type_, ""))
        elif role == "then":
            draft.outputs.append((Cell(name.strip(), cell.line, cell.column), type_, ""))
        elif cell.text not in ("because", ""):
            words = f"“{cell.text}” is no column; write “if NAME”, “then NAME” or “because”"
            raise draft.wrong(words, cell)


def _at(row: list[Cell], column: Cell) -> Cell:
    """The cell of a row under this column; empty where the row is shorter."""
    if column.column <= len(row):
        return row[column.column - 1]
    return Cell("", row[0].line, column.column)


def _read_rule(draft: Draft, columns: list[Cell], row: list[Cell]) -> None:
    if extra := [cell for cell in row[len(columns) :] if cell.text]:
        words = f"“{extra[0].text}” stands under no column; quote cells that hold commas"
        raise draft.wrong(words, extra[0])
    tests, results, because = [], [], ""
    for column in columns[1:]:
        cell = _at(row, column)
        if column.text.startswith("if "):
            tests.append(cell)
        elif column.text.startswith("then "):
            results.append(cell)
        elif column.text == "because":
            because = cell.text
        elif cell.text:
            raise draft.wrong(f"“{cell.text}” stands under no column", cell)
    draft.rules.append((row[0], tests, results, because))
