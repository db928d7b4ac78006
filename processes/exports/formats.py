"""The formats of an export. Each is written in two moves, so that work that broke off goes on.

`gather` writes some cases into a part, ready for the format; `finish` makes the file of all parts.
Neither holds more in memory than one case and what all cases share, such as the names of columns.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, Any, ClassVar, Protocol, cast

from processes.exports.gathering import NAMES, Gathered, Staff


@dataclass(frozen=True, slots=True)
class Asked:
    """What an export is to be: the choices that formats know, and what it says of itself."""

    number: int
    kinds: tuple[str, ...]  # of the cases in it
    count: int
    made_at: datetime
    reason: str
    by: str  # who asked
    told: str  # which cases, in words
    people: str = NAMES
    bom: bool = True
    separator: str = ","
    # The references of those of some cases that are in the export too.
    members: Callable[[Iterable[int]], dict[int, str]] = field(default=lambda ids: {})

    def staff(self) -> Staff:
        return Staff(self.people)


class Written(Protocol):
    """A part that was written: some cases, and what its format noted of them."""

    @property
    def notes(self) -> dict[str, Any]: ...

    def open(self) -> Any: ...  # a context manager of a binary file


class Format(Protocol):
    """How cases become a file."""

    name: ClassVar[str]
    title: ClassVar[Any]
    media_type: ClassVar[str]

    @property
    def ending(self) -> str: ...

    def gather(self, cases: Iterable[Gathered], out: IO[bytes], asked: Asked) -> dict[str, Any]:
        """Write these cases as a part; what the end must know of it."""
        ...

    def finish(self, parts: Sequence[Written], out: IO[bytes], asked: Asked) -> None:
        """Write the file of all parts."""
        ...


@contextmanager
def packed(out: IO[bytes]) -> Iterator[IO[bytes]]:
    """A file within `out` that takes less room; the same bytes for the same content."""
    with gzip.GzipFile(filename="", mode="wb", fileobj=out, compresslevel=5, mtime=0) as file:
        yield cast(IO[bytes], file)


def lines_of(parts: Sequence[Written]) -> Iterator[bytes]:
    """Each line of all parts, in order."""
    for part in parts:
        with part.open() as file:
            yield from file


def file_of(form: Format, count: int) -> tuple[str, str]:
    """The ending and the media type of the file; formats with a file a case pack many in a ZIP."""
    from processes.exports.zips import OneEach

    if count != 1 and isinstance(form, OneEach):
        return f"{form.ending}.zip", "application/zip"
    return form.ending, form.media_type


def formats() -> dict[str, Format]:
    """All formats, by name."""
    from processes.exports import jsonlines, ocel, pdf, sheets, xes

    known: list[Format] = [
        jsonlines.JsonLines(),
        ocel.OcelJson(),
        ocel.OcelSqlite(),
        xes.Xes(),
        xes.XesPacked(),
        sheets.CsvOfCases(),
        sheets.CsvOfEvents(),
        sheets.Workbook(),
        pdf.CaseFiles(),
    ]
    return {one.name: one for one in known}
