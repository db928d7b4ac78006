"""Tables: cases and events as CSV, and both in one workbook of Excel.

A row of cases has its facts, and for each step when it was entered first and the days spent in it.
"""

from __future__ import annotations

import csv
import io
import json
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import IO, Any, ClassVar

import xlsxwriter
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audit.codec import utc_text
from cases.sentences import say
from processes.exports.formats import Asked, Written, lines_of
from processes.exports.gathering import Gathered
from processes.exports.texts import fitting, harmless, shown
from processes.exports.values import single
from processes.kinds import kind_of
from processes.plain import plain

EXCEL_ROWS = 1_048_576  # of a sheet, its head among them
EXCEL_FIRST = date(1900, 3, 1)  # before it, Excel's calendar is wrong or has no days
EXCEL_DIGITS = 15  # of a number; more would be rounded

CASE_COLUMNS = (
    *("reference", "kind", "title", "step", "team", "caseworker", "opened_at", "closed_at"),
    *("outcome", "outcome_reason", "waiting_on", "waiting_until", "parent", "source", "source_key"),
)
EVENT_COLUMNS = (
    *("reference", "number", "type", "activity", "lifecycle", "happened_at", "recorded_at"),
    *("actor", "on_behalf", "sentence", "detail", "data", "hash"),
)


def case_columns(kinds: Sequence[str]) -> list[str]:
    """The columns of a table of cases of these kinds. What several kinds have is one column."""
    facts: dict[str, None] = {}
    steps: dict[str, None] = {}
    for name in kinds:
        model = kind_of(name).model
        facts |= dict.fromkeys(f"fact.{one.attname}" for one in model.fact_fields())
        steps |= dict.fromkeys(f"step.{one}" for one, _label in model.Step.choices)  # type: ignore[attr-defined]
    spans = [f"{one}.{what}" for one in steps for what in ("entered_at", "days")]
    return [*CASE_COLUMNS, *facts, *spans]


def case_row(one: Gathered, columns: Sequence[str]) -> list[Any]:
    """The cells of one case."""
    case = one.case
    held: dict[str, Any] = {name: getattr(case, name, None) for name in CASE_COLUMNS}
    held["team"] = str(case.team) if case.team_id else None
    held["caseworker"] = one.caseworker or None
    held["parent"] = case.parent.reference if case.parent_id else None
    held |= {f"fact.{name}": value for name, value in one.facts().items()}
    for step, (first, days) in _steps_of(one).items():
        held |= {f"step.{step}.entered_at": first, f"step.{step}.days": days}
    return [_cell(held.get(name)) for name in columns]


def _steps_of(one: Gathered) -> dict[str, tuple[datetime, Decimal]]:
    """By step: when it was entered first, and the days spent in it until now or the end."""
    entries = [
        (event.data["step"], event.recorded_at)
        for event in one.events
        if event.type == "step.entered"
    ]
    end = one.case.closed_at or (one.events[-1].recorded_at if one.events else None)
    found: dict[str, tuple[datetime, Decimal]] = {}
    for (step, at), (_next, left) in zip(entries, [*entries[1:], ("", end)], strict=True):
        first, days = found.get(step, (at, Decimal(0)))
        span = max((left - at).total_seconds(), 0) if left else 0
        found[step] = (first, days + round(Decimal(span) / 86400, 3))
    return found


def event_rows(one: Gathered) -> Iterator[list[Any]]:
    """The cells of each event of a case."""
    for event, activity in zip(one.events, one.activities, strict=True):
        title, line = say(event, one.words)
        yield [
            one.case.reference,
            event.number,
            event.type,
            activity.name,
            activity.lifecycle,
            event.happened_at,
            event.recorded_at,
            one.staff.resource(event.actor),
            one.staff.resource(event.on_behalf) if event.on_behalf else None,
            title,
            line or None,
            json.dumps(plain(event.data), ensure_ascii=False, separators=(",", ":")),
            bytes(event.hash).hex(),
        ]


def _cell(value: Any) -> Any:
    return None if value in (None, "", [], {}) else single(value)


# -- CSV


class _Csv(ABC):
    """Text for any program. A cell that a spreadsheet would take for a formula begins with an
    apostrophe; numbers are never texts."""

    media_type: ClassVar[str] = "text/csv"

    @abstractmethod
    def columns(self, asked: Asked) -> Sequence[str]:
        """The heads of the columns."""

    @abstractmethod
    def rows(self, one: Gathered, columns: Sequence[str]) -> Iterable[Sequence[Any]]:
        """The rows of one case."""

    def gather(self, cases: Iterable[Gathered], out: IO[bytes], asked: Asked) -> dict[str, Any]:
        columns = self.columns(asked)
        for one in cases:
            for row in self.rows(one, columns):
                out.write(_csv_line([_csv_text(cell) for cell in row], asked.separator))
        return {}

    def finish(self, parts: Sequence[Written], out: IO[bytes], asked: Asked) -> None:
        if asked.bom:
            out.write(b"\xef\xbb\xbf")
        out.write(_csv_line(self.columns(asked), asked.separator))
        for part in parts:
            with part.open() as file:
                while piece := file.read(1 << 16):
                    out.write(piece)


class CsvOfCases(_Csv):
    name: ClassVar[str] = "csv-cases"
    title: ClassVar[Any] = gettext_lazy("CSV of cases: facts, steps, dates")
    ending: ClassVar[str] = "cases.csv"

    def columns(self, asked: Asked) -> Sequence[str]:
        return case_columns(asked.kinds)

    def rows(self, one: Gathered, columns: Sequence[str]) -> Iterable[Sequence[Any]]:
        return [case_row(one, columns)]


class CsvOfEvents(_Csv):
    name: ClassVar[str] = "csv-events"
    title: ClassVar[Any] = gettext_lazy("CSV of events")
    ending: ClassVar[str] = "events.csv"

    def columns(self, asked: Asked) -> Sequence[str]:
        return EVENT_COLUMNS

    def rows(self, one: Gathered, columns: Sequence[str]) -> Iterable[Sequence[Any]]:
        return event_rows(one)


def _csv_line(cells: Sequence[str], separator: str) -> bytes:
    line = io.StringIO()
    csv.writer(line, delimiter=separator).writerow(cells)
    return line.getvalue().encode()


def _csv_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime):
        return timezone.localtime(value).isoformat(timespec="seconds")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, int | float):
        return str(value)
    return harmless(shown(str(value), keep="\t\r\n"))


# -- Excel


class Workbook:
    """Sheets of cases and of events, with a sheet that tells what they are and what did not fit."""

    name: ClassVar[str] = "xlsx"
    title: ClassVar[Any] = gettext_lazy("Excel: cases and events")
    ending: ClassVar[str] = "xlsx"
    media_type: ClassVar[str] = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

    def gather(self, cases: Iterable[Gathered], out: IO[bytes], asked: Asked) -> dict[str, Any]:
        columns = case_columns(asked.kinds)
        for one in cases:
            out.write(_kept("c", case_row(one, columns)))
            for row in event_rows(one):
                out.write(_kept("e", row))
        return {}

    def finish(self, parts: Sequence[Written], out: IO[bytes], asked: Asked) -> None:
        with tempfile.TemporaryFile(prefix="longcase-export-") as file:
            book = _Book(file)
            book.add(_("Cases"), case_columns(asked.kinds), _rows_of(parts, "c"))
            book.add(_("Events"), EVENT_COLUMNS, _rows_of(parts, "e"))
            book.tell(_("About"), asked)
            book.close()
            file.seek(0)
            while piece := file.read(1 << 20):
                out.write(piece)


class _Book:
    """A workbook whose rows go to disk as they come."""

    def __init__(self, file: IO[bytes]) -> None:
        options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
        self.book = xlsxwriter.Workbook(file, options)
        bold = {"bold": True}
        self.head = self.book.add_format(bold)
        self.day = self.book.add_format({"num_format": "yyyy-mm-dd"})
        self.moment = self.book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        self.notes: list[str] = []
        self.cut = 0
        self.long = 0

    def add(self, title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Rows under a head; what a sheet cannot hold goes on in the next."""
        sheet, at, number = self._sheet(title, columns), 1, 1
        for row in rows:
            if at == EXCEL_ROWS:
                number += 1
                sheet, at = self._sheet(f"{title} {number}", columns), 1
            for place, value in enumerate(row):
                if value is not None:
                    self._write(sheet, at, place, value)
            at += 1
        if number > 1:
            told = {"title": title, "n": number, "rows": EXCEL_ROWS}
            note = _("“%(title)s” goes over %(n)s sheets: one holds %(rows)s rows.") % told
            self.notes.append(note)

    def _sheet(self, title: str, columns: Sequence[str]) -> Any:
        sheet = self.book.add_worksheet(title[:31])
        sheet.freeze_panes(1, 1)
        for place, name in enumerate(columns):
            sheet.set_column(place, place, 20)
            sheet.write_string(0, place, name, self.head)
        return sheet

    def _write(self, sheet: Any, row: int, place: int, value: Any) -> None:
        if isinstance(value, bool):
            sheet.write_boolean(row, place, value)
        elif isinstance(value, int | float | Decimal):
            self._number(sheet, row, place, value)
        elif isinstance(value, datetime):
            local = timezone.localtime(value).replace(tzinfo=None)
            if local.date() < EXCEL_FIRST:
                sheet.write_string(row, place, local.isoformat(sep=" ", timespec="seconds"))
            else:
                sheet.write_datetime(row, place, local, self.moment)
        elif isinstance(value, date):
            if value < EXCEL_FIRST:
                sheet.write_string(row, place, value.isoformat())
            else:
                sheet.write_datetime(row, place, value, self.day)
        else:
            self._text(sheet, row, place, str(value))

    def _number(self, sheet: Any, row: int, place: int, value: Any) -> None:
        digits = len(str(value).lstrip("-").replace(".", "").strip("0"))
        if digits > EXCEL_DIGITS:  # Excel would round it
            self.long += 1
            sheet.write_string(
                row, place, format(value, "f") if value.__class__ is Decimal else str(value)
            )
            return
        sheet.write_number(row, place, value)

    def _text(self, sheet: Any, row: int, place: int, text: str) -> None:
        note = _(" […cut here: Excel holds no more; all of it is in the export as JSON lines]")
        fits = fitting(shown(text, keep="\t\n"), note)
        self.cut += fits.endswith(note)
        sheet.write_string(row, place, fits)

    def tell(self, title: str, asked: Asked) -> None:
        """The sheet that says what the others are."""
        sheet = self.book.add_worksheet(title[:31])
        sheet.set_column(0, 0, 24)
        sheet.set_column(1, 1, 90)
        zone = timezone.get_default_timezone_name()
        lines = [
            (_("Export"), f"Longcase {asked.number}"),
            (_("Cases"), asked.told),
            (_("Asked for by"), asked.by),
            (_("Why"), asked.reason),
            (_("Made"), utc_text(asked.made_at)),
            (_("Dates and times"), _("in %(zone)s") % {"zone": zone}),
            *((_("Note"), note) for note in self.notes),
        ]
        if self.cut:
            note = _("%(n)s texts were too long for a cell and end with a note.") % {"n": self.cut}
            lines.append((_("Note"), note))
        if self.long:
            note = _("%(n)s numbers have more digits than Excel keeps, and stand as text.")
            lines.append((_("Note"), note % {"n": self.long}))
        for row, (name, value) in enumerate(lines):
            sheet.write_string(row, 0, name, self.head)
            sheet.write_string(row, 1, fitting(shown(value), "…"))

    def close(self) -> None:
        self.book.close()


# -- rows kept between the two moves


def _kept(sort: str, row: Sequence[Any]) -> bytes:
    cells = json.dumps([_tagged(one) for one in row], ensure_ascii=False, separators=(",", ":"))
    return f"{sort}{cells}\n".encode()


def _tagged(value: Any) -> Any:
    if value is None or isinstance(value, str | bool):
        return str.__str__(value) if isinstance(value, str) else value
    if isinstance(value, int | Decimal):
        return ["n", format(value, "f") if isinstance(value, Decimal) else str(value)]
    if isinstance(value, float):
        return ["f", value]
    if isinstance(value, datetime):
        return ["t", value.isoformat()]
    return ["d", value.isoformat()]


_READ: dict[str, Callable[[Any], Any]] = {
    "n": Decimal,
    "f": float,
    "t": datetime.fromisoformat,
    "d": date.fromisoformat,
}


def _rows_of(parts: Sequence[Written], sort: str) -> Iterator[list[Any]]:
    start = sort.encode()
    for line in lines_of(parts):
        if line.startswith(start):
            cells = json.loads(line[1:])
            yield [_READ[one[0]](one[1]) if isinstance(one, list) else one for one in cells]
