"""A file of cases, as CSV or as JSON lines: read whole, or refused whole with the line and why.

A column of a CSV is a fact, unless it is one of `OF_THE_CASE`; `facts.title` is a fact called
title. An empty cell says nothing. What looks like a formula is text and stays it, as all else.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from cases.errors import Invalid
from processes import exactjson

CSV, JSON_LINES = FORMATS = ("csv", "jsonl")
ENCODINGS = ("utf-8", "windows-1252", "utf-16")
OF_THE_CASE = ("kind", "title", "team", "external_reference")
SEPARATORS = (";", ",", "\t")
COLUMNS = 200


class Row(NamedTuple):
    """One row as the file has it, and the line where it begins."""

    line: int
    data: Any


class Unreadable(Invalid):
    """A file that cannot be read to its end; none of it is carried out."""

    def __init__(self, why: str, *, line: int | None = None, filename: str = "") -> None:
        if line is None:
            sentence = _("“%(file)s” cannot be read: %(why)s") % {"file": filename, "why": why}
        else:
            sentence = _("“%(file)s” cannot be read. Line %(line)s: %(why)s") % {
                "file": filename,
                "line": line,
                "why": why,
            }
        super().__init__(sentence, {"file": sentence})
        self.line = line


def rows_of(
    content: bytes, *, filename: str, form: str = "", encoding: str = "", most: int
) -> list[Row]:
    """The rows of a file. Its form is told by its name unless it is said, its encoding by its
    first bytes, else it is UTF-8. Raises Unreadable."""
    form = form or (CSV if filename.lower().endswith((".csv", ".txt")) else JSON_LINES)
    text = _text(content, filename=filename, encoding=encoding)
    found: list[Row] = []
    for row in _csv(text, filename) if form == CSV else _json_lines(text, filename):
        if len(found) == most:
            raise Unreadable(
                _("a job has at most %(most)s rows; send the rest as another.") % {"most": most},
                line=row.line,
                filename=filename,
            )
        found.append(row)
    if not found:
        raise Unreadable(_("there is no row in it."), filename=filename)
    return found


def _text(content: bytes, *, filename: str, encoding: str) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    elif content.startswith(b"\xef\xbb\xbf") or encoding in ("", "utf-8"):
        encoding = "utf-8-sig"
    try:
        text = content.decode("cp1252" if encoding == "windows-1252" else encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise Unreadable(
            _("it is not in %(encoding)s. Save it as UTF-8, or say its encoding: %(known)s.")
            % {"encoding": encoding.removesuffix("-sig"), "known": ", ".join(ENCODINGS)},
            line=None if encoding == "utf-16" else line,
            filename=filename,
        ) from None
    if "\0" in text:
        raise Unreadable(
            _("there is a NUL character, as no text has."),
            line=text.count("\n", 0, text.index("\0")) + 1,
            filename=filename,
        )
    return text


# -- CSV


def _csv(text: str, filename: str) -> Iterator[Row]:
    skipped = 0
    separator = ""
    first = text.split("\n", 1)[0].rstrip("\r")
    if first.lower().startswith("sep=") and first[4:] in SEPARATORS:  # as Excel writes it
        separator, skipped = first[4:], 1
        text = text.partition("\n")[2]
    separator = separator or _separator(text)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    names: list[str] = []
    line = 1
    try:
        for cells in lines:
            at, line = line + skipped, lines.line_num + 1
            if not any(cell.strip() for cell in cells):
                continue
            if not names:
                names = _names(cells, line=at, filename=filename)
            elif any(cell.strip() for cell in cells[len(names) :]):
                raise Unreadable(
                    _("it has %(n)s cells, and the first line names %(names)s columns.")
                    % {"n": len(cells), "names": len(names)},
                    line=at,
                    filename=filename,
                )
            else:
                yield Row(at, _of_cells(names, cells))
    except csv.Error as error:
        raise Unreadable(
            _("the quotes do not fit (%(why)s).") % {"why": error},
            line=line + skipped,
            filename=filename,
        ) from error


def _separator(text: str) -> str:
    """The sign that stands most often in the first line, outside of quotes."""
    outside = "".join(text.lstrip("\r\n").split("\n", 1)[0].split('"')[::2])
    return max(SEPARATORS, key=outside.count) if any(s in outside for s in SEPARATORS) else ","


def _names(cells: list[str], *, line: int, filename: str) -> list[str]:
    names = [cell.strip() for cell in cells]
    while names and not names[-1]:
        names.pop()
    why = ""
    if len(names) > COLUMNS:
        why = _("it names more than %(most)s columns.") % {"most": COLUMNS}
    elif "" in names:
        why = _("column %(n)s has no name.") % {"n": names.index("") + 1}
    elif twice := sorted({one for one in names if names.count(one) > 1}):
        why = _("“%(name)s” is named twice.") % {"name": twice[0]}
    elif "title" not in names:
        why = _("the first line names the columns, and there is no “title” among them.")
    if why:
        raise Unreadable(why, line=line, filename=filename)
    return names


def _of_cells(names: list[str], cells: list[str]) -> dict[str, Any]:
    data: dict[str, Any] = {"facts": {}}
    for name, cell in zip(names, cells, strict=False):
        said = cell.strip(" ")
        if not said:
            continue
        if name in OF_THE_CASE:
            data[name] = said
        else:
            data["facts"][name.removeprefix("facts.")] = said
    return data


# -- JSON lines


def _json_lines(text: str, filename: str) -> Iterator[Row]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            data = exactjson.loads(line)
        except (ValueError, RecursionError) as error:
            why = _("it is no JSON (%(why)s).") % {"why": error}
            raise Unreadable(why, line=number, filename=filename) from error
        if not isinstance(data, dict):
            why = _("each line is one object: {…}.")
            raise Unreadable(why, line=number, filename=filename)
        yield Row(number, data)
