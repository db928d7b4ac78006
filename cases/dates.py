"""Moments in words, in the organisation's time zone: "in 4 days", "overdue 3 days", "12 days"."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.utils import timezone
from django.utils.dateformat import format as date_format
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

NEAR_DAYS = 5  # from here on a due date is shown as near


@dataclass(frozen=True, slots=True)
class Due:
    """A due moment as the pages show it: the date, the words under it, and how pressing it is."""

    at: datetime
    day: str
    words: str
    level: str  # late, near, or empty


def local_date(moment: datetime) -> date:
    """The day of this moment where the organisation works."""
    return timezone.localtime(moment).date()


def day(moment: datetime | date, now: datetime | None = None) -> str:
    """ "4 Dec", with its year when that is another one than now's or when there is no now."""
    there = local_date(moment) if isinstance(moment, datetime) else moment
    near = now is not None and local_date(now).year == there.year
    return _written(there, "j M" if near else "j M Y")


def _written(at: date, pattern: str) -> str:
    """A date in the reader's language: "4 Dec 2026", in Dutch "4 dec. 2026"."""
    if (get_language() or "").startswith("nl"):  # small, and with a point where it is cut short
        pattern = pattern.replace("M", "b" if at.month == 5 else r"b\.")
    return date_format(at, pattern)


def weekday(moment: datetime) -> str:
    """ "Fri 4 Dec 2026"."""
    return _written(local_date(moment), "D j M Y")


def moment(at: datetime) -> str:
    """ "26 Nov 2026 10:14"."""
    return _written(timezone.localtime(at), "j M Y H:i")


def clock_time(at: datetime) -> str:
    """ "10:14"."""
    return date_format(timezone.localtime(at), "H:i")


def due(at: datetime, now: datetime, *, near_until: datetime | None = None) -> Due:
    """How a due moment is told. It is late once it has passed, though it be the same day. It is
    near within NEAR_DAYS, or before `near_until` where a calendar says so."""
    days = (local_date(at) - local_date(now)).days
    if at < now:
        level = "late"
        late = -days
        words = (
            ngettext("overdue %(n)s day", "overdue %(n)s days", late) % {"n": late}
            if late
            else _("overdue since %(time)s") % {"time": clock_time(at)}
        )
    else:
        is_near = days <= NEAR_DAYS if near_until is None else at < near_until
        level = "near" if is_near else ""
        if days == 0:
            words = _("today at %(time)s") % {"time": clock_time(at)}
        elif days == 1:
            words = _("tomorrow")
        else:
            words = _in(days)
    return Due(at, day(at, now), words, level)


def _in(days: int) -> str:
    """In days while people plan by days; in months and years what lies far ahead."""
    if days >= 730:
        years = round(days / 365.25)
        return ngettext("in about %(n)s year", "in about %(n)s years", years) % {"n": years}
    if days >= 120:
        months = round(days / 30.44)
        return ngettext("in about %(n)s month", "in about %(n)s months", months) % {"n": months}
    return ngettext("in %(n)s day", "in %(n)s days", days) % {"n": days}


def span(since: datetime, now: datetime) -> str:
    """How long something has lasted: "12 days", "3 hours", "less than a minute"."""
    days = (local_date(now) - local_date(since)).days
    passed = max(now - since, timedelta())
    if days and passed >= timedelta(hours=12):
        return ngettext("%(n)s day", "%(n)s days", days) % {"n": days}
    minutes = int(passed.total_seconds() // 60)
    if minutes >= 60:
        hours = minutes // 60
        return ngettext("%(n)s hour", "%(n)s hours", hours) % {"n": hours}
    if minutes:
        return ngettext("%(n)s minute", "%(n)s minutes", minutes) % {"n": minutes}
    return _("less than a minute")


def days_between(first: datetime, last: datetime) -> int:
    """Whole calendar days from the first moment to the last."""
    return (local_date(last) - local_date(first)).days


def from_to(first: datetime, last: datetime | None, now: datetime) -> str:
    """ "19–21 Oct", "21 Oct – 6 Nov", "21 Oct": the days that something took."""
    begin = local_date(first)
    end = local_date(last) if last else begin
    if begin == end:
        return day(first, now)
    if (begin.year, begin.month) == (end.year, end.month):
        return f"{begin.day}–{day(end, now)}"
    return f"{day(begin, now)} – {day(end, now)}"
