"""When a clock's time is up: counting days and hours on a calendar, less those that do not count.

Pure functions. A *gap* is a time that does not count, because the clock was paused:

- For a clock in days (calendar or working days, months) it is a pair of local days: the days after
  the first, up to and including the second, do not count. The day of receipt does not count and
  the day after it is day one; so the day on which a pause begins counts and the day on which it
  ends does not. Paused on the 14th and resumed on the 23rd are nine days.
- For a clock in hours, minutes or seconds it is a pair of moments.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from timers.calendars import Calendar
from timers.spans import Days, Hours, Minutes, Months, Seconds, Span, WorkingDays, WorkingHours

When = date | datetime  # a bare date stays a date
DayGap = tuple[date, date]
TimeGap = tuple[datetime, datetime]

DAY_SPANS = (Days, WorkingDays, Months)
_ELAPSED = {Seconds: 1, Minutes: 60, Hours: 3600}
_ONE_DAY = timedelta(days=1)
_ONE_SECOND = timedelta(seconds=1)


def counts_days(span: Span) -> bool:
    """Whether a span ends on a day, rather than at an instant."""
    return isinstance(span, DAY_SPANS)


def day_of(when: When, calendar: Calendar) -> date:
    """The day on the organisation's wall calendar; a bare date is one already."""
    return calendar.local(_aware(when)).date() if isinstance(when, datetime) else when


def moment_of(when: When, calendar: Calendar) -> datetime:
    """The instant; a bare date begins at midnight of the organisation."""
    return _aware(when) if isinstance(when, datetime) else calendar.at(when, time())


def _aware(moment: datetime) -> datetime:
    """A moment in UTC, where an hour is an hour: wall clocks skip and repeat some."""
    if moment.tzinfo is None:
        raise ValueError(f"{moment!r} has no time zone, so it is no moment. Give a date for a day.")
    return moment.astimezone(UTC)


def end_of_day(day: date, calendar: Calendar) -> datetime:
    """The last second of a day, as the organisation's wall clock shows it."""
    return calendar.at(day + _ONE_DAY, time()) - _ONE_SECOND


def add_months(day: date, count: int) -> date:
    """The same day that many months later; where there is none, the last one of that month."""
    years, month = divmod(day.month - 1 + count, 12)
    year, month = day.year + years, month + 1
    return date(year, month, min(day.day, monthrange(year, month)[1]))


def merged(gaps: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Gaps in order, without overlaps and without empty ones."""
    found: list[tuple[Any, Any]] = []
    for since, until in sorted(gap for gap in gaps if gap[0] < gap[1]):
        if found and since <= found[-1][1]:
            found[-1] = (found[-1][0], max(until, found[-1][1]))
        else:
            found.append((since, until))
    return found


def joined(spans: Sequence[Span]) -> list[Span]:
    """Neighbours of one unit as one span: a month and a month are two months from the anchor."""
    found: list[Span] = []
    for span in spans:
        if found and type(found[-1]) is type(span):
            found[-1] = type(span)(found[-1].amount + span.amount)
        else:
            found.append(span)
    return found


def last_day(
    start: date, spans: Sequence[Span], gaps: Sequence[DayGap], calendar: Calendar
) -> date:
    """The day on which these spans, one after the other, are used up."""
    gaps = merged(gaps)
    day = start
    for span in joined(spans):
        amount = int(span.amount)
        if isinstance(span, WorkingDays):
            day = _working_days_after(day, amount, gaps, calendar)
        else:
            if isinstance(span, Months):
                amount = (add_months(day, amount) - day).days
            day = _pass_over(day, timedelta(days=amount), gaps)
    return day


def last_moment(
    start: datetime, spans: Sequence[Span], gaps: Sequence[TimeGap], calendar: Calendar
) -> datetime:
    """The instant at which these spans, one after the other, are used up."""
    gaps = merged(gaps)
    moment = start
    for span in joined(spans):
        if isinstance(span, WorkingHours):
            moment = _working_hours_after(moment, span, gaps, calendar)
        else:
            length = timedelta(seconds=span.amount * _ELAPSED[type(span)])
            moment = _pass_over(moment, length, gaps)
    return moment


def end_of(day: date, spans: Sequence[Span], calendar: Calendar) -> datetime:
    """When a last day is over: at closing time where working days are counted, else at midnight."""
    if isinstance(spans[-1], WorkingDays):
        return calendar.at(day, calendar.closes)
    return end_of_day(day, calendar)


def rolled(day: date, calendar: Calendar) -> date:
    """This day, or the next working day when it is free."""
    return day if calendar.is_working(day) else calendar.next_working_day(day)


def before(limit_at: datetime, span: Span, calendar: Calendar) -> datetime:
    """When to warn, this long before a limit: days before at opening time, hours to the second."""
    day = calendar.local(limit_at).date()
    amount = int(span.amount)
    match span:
        case Days():
            return calendar.at(day - timedelta(days=amount), calendar.opens)
        case Months():
            return calendar.at(add_months(day, -amount), calendar.opens)
        case WorkingDays():
            for _ in range(amount):
                day = calendar.previous_working_day(day)
            return calendar.at(day, calendar.opens)
        case WorkingHours():
            return _working_hours_before(limit_at, span, calendar)
    return limit_at - timedelta(seconds=span.amount * _ELAPSED[type(span)])


def _pass_over(at: Any, length: timedelta, gaps: Sequence[tuple[Any, Any]]) -> Any:
    """The point that lies `length` after a point, where gaps do not count."""
    end = at + length
    for since, until in gaps:
        if since >= end:
            break
        if until > at:
            end += until - max(since, at)
    return end


def _working_days_after(day: date, count: int, gaps: Sequence[DayGap], calendar: Calendar) -> date:
    for _ in range(count):
        day = calendar.next_working_day(day)
        while (gap := _gap_at(day, gaps)) is not None:
            day = calendar.next_working_day(gap[1])
    return day


def _gap_at(day: date, gaps: Sequence[DayGap]) -> DayGap | None:
    return next((gap for gap in gaps if gap[0] < day <= gap[1]), None)


def _working_hours_after(
    moment: datetime, span: Span, gaps: Sequence[TimeGap], calendar: Calendar
) -> datetime:
    left = timedelta(hours=span.amount)
    day = calendar.local(moment).date()
    if not calendar.is_working(day):
        day = calendar.next_working_day(day)
    while True:
        opens, closes = calendar.hours_of(day)
        begins = max(opens, moment)
        end = _pass_over(begins, left, gaps)
        if begins < closes and end <= closes:
            return end
        left -= _counted(begins, closes, gaps)
        day = calendar.next_working_day(day)


def _counted(begins: datetime, closes: datetime, gaps: Sequence[TimeGap]) -> timedelta:
    """How much of an opening counts."""
    if begins >= closes:
        return timedelta()
    out = timedelta()
    for since, until in gaps:
        out += max(min(until, closes) - max(since, begins), timedelta())
    return closes - begins - out


def _working_hours_before(moment: datetime, span: Span, calendar: Calendar) -> datetime:
    left = timedelta(hours=span.amount)
    day = calendar.local(moment).date()
    if not calendar.is_working(day):
        day = calendar.previous_working_day(day)
    while True:
        opens, closes = calendar.hours_of(day)
        ends = min(closes, moment)
        if ends - left >= opens:
            return ends - left
        left -= max(ends - opens, timedelta())
        day = calendar.previous_working_day(day)


def free_days_between(
    after: date, upto: date, calendar: Calendar, *, most: int
) -> list[tuple[date, str]]:
    """Named free days in a stretch that are no plain weekend: what a sentence must tell."""
    found: list[tuple[date, str]] = []
    day = after
    while day < upto and len(found) < most:
        day += _ONE_DAY
        name = calendar.name_of_free_day(day)
        if name and not calendar.is_weekend(day):
            found.append((day, name))
    return found
