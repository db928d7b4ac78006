"""Spans of time that cannot be mixed up: working_days(5) is not days(5).

Each says when it ends after a moment, by the organisation's calendar and time zone:

- seconds, minutes, hours: elapsed time, whatever the clocks on the wall do.
- days, months: the same local time, that many calendar days or months later. A month without
  that day ends on its last: 31 January + 1 month is 28 February. Count from the anchor, never
  from the last result: months(2) after 31 January is 31 March.
- working_days: day one is the first working day after receipt; the end is closing time on the
  last one.
- working_hours: only opening hours count.

A local time that does not exist, because the clocks skip it, becomes the first instant that does;
of a time that exists twice, it is the first.
"""

from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, ClassVar

from django.utils.translation import ngettext

from timers import calendars
from timers.calendars import Calendar


@dataclass(frozen=True, slots=True)
class Span:
    """A number of units of one kind."""

    amount: float

    unit: ClassVar[str]
    least: ClassVar[int] = 0
    whole: ClassVar[bool] = True

    def __post_init__(self) -> None:
        wanted = int if self.whole else (int, float)
        if isinstance(self.amount, bool) or not isinstance(self.amount, wanted):
            raise TypeError(
                f"{self.unit}({self.amount!r}): the amount is a number, whole for days."
            )
        if not self.least <= self.amount < float("inf"):
            raise ValueError(f"{self.unit}({self.amount!r}): the amount is at least {self.least}.")

    def after(self, moment: datetime, calendar: Calendar | None = None) -> datetime:
        """The moment, in UTC, at which this span ends when it begins at `moment`."""
        if moment.tzinfo is None:
            raise ValueError(f"{moment!r} has no time zone, so it is no moment.")
        return self._after(moment.astimezone(UTC), calendar or calendars.default())

    def words(self) -> str:
        """This span for people, in their language: 5 working days."""
        return _words(self.unit, self.amount)

    def encode(self) -> dict[str, float]:
        """This span as plain data: {"working_days": 5}."""
        return {self.unit: self.amount}

    def _after(self, moment: datetime, calendar: Calendar) -> datetime:
        raise NotImplementedError


class Seconds(Span):
    __slots__ = ()
    unit, whole = "seconds", False

    def _after(self, moment: datetime, calendar: Calendar) -> datetime:
        return moment + timedelta(seconds=self.amount)


class Minutes(Span):
    __slots__ = ()
    unit, whole = "minutes", False

    def _after(self, moment: datetime, calendar: Calendar) -> datetime:
        return moment + timedelta(minutes=self.amount)


class Hours(Span):
    __slots__ = ()
    unit, whole = "hours", False

    def _after(self, moment: datetime, calendar: Calendar) -> datetime:
        return moment + timedelta(hours=self.amount)


class Days(Span):
    __slots__ = ()
    unit = "days"

    def _after(self, moment: datetime, calendar: Calendar) -> datetime:
        if not self.amount:
            return moment
        local = calendar.local(moment)
        return calendar.at(local.date() + timedelta(days=self.amount), local.time())


class Months(Span):
    __slots__ = ()
    unit = "months"

    def _after(self, moment: datetime, calendar: Calendar) -> datetime:
        if not self.amount:
            return moment
        local = calendar.local(moment)
        years, month = divmod(local.month - 1 + int(self.amount), 12)
        year, month = local.year + years, month + 1
        day = min(local.day, monthrange(year, month)[1])
        return calendar.at(date(year, month, day), local.time())


class WorkingDays(Span):
    __slots__ = ()
    unit, least = "working_days", 1  # after none, the end would depend on whether today is free

    def _after(self, moment: datetime, calendar: Calendar) -> datetime:
        last = calendar.add_working_days(calendar.local(moment).date(), int(self.amount))
        return calendar.at(last, calendar.closes)


class WorkingHours(Span):
    __slots__ = ()
    unit, whole = "working_hours", False

    def _after(self, moment: datetime, calendar: Calendar) -> datetime:
        left = timedelta(hours=self.amount)
        day = calendar.local(moment).date()
        if not calendar.is_working(day):
            day = calendar.next_working_day(day)
        while True:
            opens, closes = calendar.hours_of(day)
            begins = max(opens, moment)
            if begins < closes and begins + left <= closes:
                return begins + left
            left -= max(closes - begins, timedelta())
            day = calendar.next_working_day(day)


KINDS: dict[str, type[Span]] = {
    kind.unit: kind for kind in (Seconds, Minutes, Hours, Days, WorkingDays, WorkingHours, Months)
}


def seconds(amount: float) -> Seconds:
    """So many seconds of elapsed time, whatever the clocks on the wall do."""
    return Seconds(amount)


def minutes(amount: float) -> Minutes:
    """So many minutes of elapsed time."""
    return Minutes(amount)


def hours(amount: float) -> Hours:
    """So many hours of elapsed time."""
    return Hours(amount)


def days(amount: int) -> Days:
    """Calendar days; for days on which the organisation works, working_days()."""
    return Days(amount)


def working_days(amount: int) -> WorkingDays:
    """So many working days of the calendar; the end is closing time on the last one."""
    return WorkingDays(amount)


def working_hours(amount: float) -> WorkingHours:
    """So many opening hours of the calendar."""
    return WorkingHours(amount)


def months(amount: int) -> Months:
    """So many calendar months; a month without that day ends on its last."""
    return Months(amount)


def decode(data: Mapping[str, Any]) -> Span:
    """The span that encode() gave. Raises ValueError for anything else."""
    match list(data.items()):
        case [(unit, amount)] if unit in KINDS:
            return KINDS[unit](amount)
    raise ValueError(f"{dict(data)!r} is no span; a span looks like {{'working_days': 5}}.")


def _words(unit: str, amount: float) -> str:
    count = int(amount) if amount == int(amount) else 2  # languages have no plural of 1.5
    match unit:
        case "seconds":
            text = ngettext("%(n)s second", "%(n)s seconds", count)
        case "minutes":
            text = ngettext("%(n)s minute", "%(n)s minutes", count)
        case "hours":
            text = ngettext("%(n)s hour", "%(n)s hours", count)
        case "days":
            text = ngettext("%(n)s day", "%(n)s days", count)
        case "working_days":
            text = ngettext("%(n)s working day", "%(n)s working days", count)
        case "working_hours":
            text = ngettext("%(n)s working hour", "%(n)s working hours", count)
        case _:
            text = ngettext("%(n)s month", "%(n)s months", count)
    return text % {"n": amount if isinstance(amount, int) else f"{amount:g}"}
