"""Business clocks in sentences: why a date is what it is, how long ours, how long theirs.

    Limit 12 Mar 2027: 8 weeks from 4 Jan 2027, plus 9 days in which it stood still (papers are
    missing), and 5 Mar is a free day (Founders' Day).

Made from the clock alone: what was put in and what was reckoned. No calendar is asked, so a date
of last year explains itself as it did then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from cases import dates
from cases.words import capitalised
from timers import calendars, reckoning, spans
from timers.calendars import Calendar
from timers.clocks import ClockState, Pause, Terms
from timers.reckoning import When, counts_days
from timers.spans import Days, Span, WorkingDays


@dataclass(frozen=True, slots=True)
class ClockView:
    """A clock as a page and the API show it."""

    name: str
    title: str
    state: str  # running, paused, stopped
    level: str  # late, near, or empty
    limit: str
    words: str  # in 12 days, stands still, kept
    sentence: str
    target: str
    ours: str
    theirs: str
    kept: bool | None  # None while it is open, and for a time that others have
    of_others: bool
    pauses: list[tuple[int, str, str, str]]  # number from 0, days, how long, reason
    extended: int
    may_extend: bool
    stood: ClockState


def view_of(
    state: ClockState, *, title: str, now: datetime, terms: Terms | None = None
) -> ClockView:
    """All that is said of a clock."""
    calendar = calendars.named(state.calendar)
    due = dates.due(state.limit_at, now) if state.limit_at else None
    ours, theirs = shares(state, calendar, now)
    kept = None
    of_others = terms is not None and not terms.ours
    if state.is_stopped and of_others:
        words = _("over")
    elif state.is_stopped:
        kept = not state.has_passed and _kept(state, calendar)
        words = _("kept") if kept else _("missed")
    elif state.is_paused:
        words = _("stands still")
    else:
        words = due.words if due else ""
    return ClockView(
        name=state.name,
        title=title,
        state=state.word,
        level="" if due is None or of_others or not state.is_running else due.level,
        limit=due.day if due else _("open"),
        words=words,
        sentence=sentence(state, calendar, now),
        target=dates.day(state.target_at, now) if state.target_at else "",
        ours=ours,
        theirs=theirs,
        kept=kept,
        of_others=of_others,
        pauses=[
            (number, _from_to(pause, calendar, now), length_of(state, pause, calendar, now), reason)
            for number, pause in enumerate(state.pauses)
            for reason in [pause.reason]
        ],
        extended=state.extended,
        may_extend=terms is not None
        and state.extended < terms.extensions
        and not (state.has_passed or state.is_stopped),
        stood=state,
    )


def as_data(view: ClockView) -> dict[str, Any]:
    """A clock for the API: plain data, with its sentence."""
    state = view.stood
    return {
        "name": view.name,
        "title": view.title,
        "state": view.state,
        "started": state.start,
        "limit_on": state.dates.limit_on,
        "limit_at": state.limit_at,
        "target_at": state.target_at,
        "limit_has_passed": state.has_passed,
        "kept": view.kept,
        "extended": state.extended,
        "pauses": [
            {"since": one.since, "until": one.until, "reason": one.reason} for one in state.pauses
        ],
        "ours": view.ours,
        "theirs": view.theirs,
        "explanation": view.sentence,
    }


# -- the sentence


def sentence(state: ClockState, calendar: Calendar, now: datetime) -> str:
    """Why the limit is what it is."""
    parts = [
        _("%(span)s from %(day)s")
        % {"span": span_words(state.limit), "day": _day(state.start, calendar, now)}
    ]
    for pause in state.pauses:
        parts.append(
            _("plus %(span)s in which it stood still (%(reason)s)")
            % {"span": length_of(state, pause, calendar, now), "reason": pause.reason}
        )
    for extension in state.extensions:
        parts.append(
            _("plus %(span)s of extension (%(reason)s)")
            % {"span": span_words(extension.by), "reason": extension.reason}
        )
    if state.dates.rolled_from is not None and not state.dates.holidays:
        parts.append(
            _("and %(day)s is no working day") % {"day": dates.day(state.dates.rolled_from, now)}
        )
    parts += [free_day(day, name, now) for day, name in state.dates.holidays]
    reasons = ", ".join(parts)
    if state.limit_at is None:
        said = _("The limit is open while the clock stands still: %(reasons)s.")
        return said % {"reasons": reasons}
    limit = {"day": _limit_words(state, calendar, now), "reasons": reasons}
    if state.is_paused:
        return _("Limit %(day)s if the pause takes as long as it may: %(reasons)s.") % limit
    return _("Limit %(day)s: %(reasons)s.") % limit


def task_sentence(data: Mapping[str, Any], now: datetime) -> str:
    """Why something is due when it is, from the event that asked for it; empty where it was not
    counted on a calendar."""
    if "span" not in data or data.get("due_at") is None:
        return ""
    parts = [
        _("%(span)s from %(day)s")
        % {"span": spans.decode(data["span"]).words(), "day": dates.day(data["counted_from"], now)}
    ]
    parts += [free_day(day, name, now) for day, name in data.get("holidays", ())]
    said = {"day": dates.day(data["due_at"], now), "reasons": ", ".join(parts)}
    return _("Due %(day)s: %(reasons)s.") % said


def free_day(day: date, name: str, now: datetime) -> str:
    return _("and %(day)s is a free day (%(name)s)") % {"day": dates.day(day, now), "name": name}


def span_words(span: Span) -> str:
    """A span as people say it: eight weeks rather than 56 days."""
    if isinstance(span, Days) and span.amount and span.amount % 7 == 0:
        weeks = int(span.amount) // 7
        return ngettext("%(n)s week", "%(n)s weeks", weeks) % {"n": weeks}
    return span.words()


def _limit_words(state: ClockState, calendar: Calendar, now: datetime) -> str:
    assert state.limit_at is not None
    if state.dates.limit_on is not None:
        return dates.day(state.dates.limit_on, now)
    return dates.moment(state.limit_at)


def _day(when: When, calendar: Calendar, now: datetime) -> str:
    return dates.day(reckoning.day_of(when, calendar), now)


def _from_to(pause: Pause, calendar: Calendar, now: datetime) -> str:
    since = _day(pause.since, calendar, now)
    if pause.until is None:
        return _("since %(day)s") % {"day": since}
    until = _day(pause.until, calendar, now)
    return _("%(since)s to %(until)s") % {"since": since, "until": until}


# -- how long ours, how long theirs


def length_of(state: ClockState, pause: Pause, calendar: Calendar, now: datetime) -> str:
    """How long a pause takes, in the units of its clock: as long as it may while it lasts."""
    until = pause.until or state.dates.pause_until or state.stopped or now
    return _amount(state, pause.since, until, calendar)


def shares(state: ClockState, calendar: Calendar, now: datetime) -> tuple[str, str]:
    """How long the clock ran and how long it stood still, so far or in all."""
    end: When = state.stopped if state.stopped is not None else now
    pauses = [(one.since, one.until if one.until is not None else end) for one in state.pauses]
    if not counts_days(state.limit):
        gone = _time(state.start, end, calendar)
        stood = sum((_time(a, b, calendar) for a, b in pauses), timedelta())
        return _duration(gone - stood), _duration(stood)
    count = _working_days if isinstance(state.limit, WorkingDays) else _days
    passed = count(state.start, end, calendar)
    still = sum(count(a, b, calendar) for a, b in pauses)
    return _in_days(state, passed - still), _in_days(state, still)


def _amount(state: ClockState, since: When, until: When, calendar: Calendar) -> str:
    if not counts_days(state.limit):
        return _duration(_time(since, until, calendar))
    count = _working_days if isinstance(state.limit, WorkingDays) else _days
    return _in_days(state, count(since, until, calendar))


def _in_days(state: ClockState, count: int) -> str:
    if isinstance(state.limit, WorkingDays):
        return ngettext("%(n)s working day", "%(n)s working days", count) % {"n": count}
    return ngettext("%(n)s day", "%(n)s days", count) % {"n": count}


def _days(since: When, until: When, calendar: Calendar) -> int:
    return (reckoning.day_of(until, calendar) - reckoning.day_of(since, calendar)).days


def _working_days(since: When, until: When, calendar: Calendar) -> int:
    """The working days after the first day, up to and including the last."""
    day, last = reckoning.day_of(since, calendar), reckoning.day_of(until, calendar)
    count = 0
    while day < last:
        day += timedelta(days=1)
        count += calendar.is_working(day)
    return count


def _time(since: When, until: When, calendar: Calendar) -> timedelta:
    begun, ended = reckoning.moment_of(since, calendar), reckoning.moment_of(until, calendar)
    return max(ended - begun, timedelta())


def _duration(length: timedelta) -> str:
    hours = round(length / timedelta(hours=1), 1)
    whole = int(hours) if hours == int(hours) else hours
    return ngettext("%(n)s hour", "%(n)s hours", 1 if whole == 1 else 2) % {"n": whole}


def _kept(state: ClockState, calendar: Calendar) -> bool:
    """Whether it was stopped in time."""
    if state.limit_at is None or state.stopped is None:
        return True
    if isinstance(state.stopped, datetime):
        return state.stopped <= state.limit_at
    return state.stopped <= reckoning.day_of(state.limit_at, calendar)


# -- events


def told(type: str, data: Mapping[str, Any], title: str) -> tuple[str, str]:
    """An event of a clock as a title and a line: what was done, why, and how far the limit went."""
    lines = [capitalised(str(data.get("reason") or data.get("why") or ""))]
    if "unchanged" in data:
        lines = [_("Nothing changed: it stood so already.")]
    elif "dates" in data:
        lines.append(_shift(data))
    return _(_TITLES.get(type, type)) % {"clock": title}, " ".join(
        line if line.endswith((".", "?", "!")) else f"{line}." for line in lines if line
    )


def _shift(data: Mapping[str, Any]) -> str:
    found = data["dates"]
    on = found.get("limit_on") or found.get("limit_at")
    if on is None:
        return _("The limit is open until the clock goes on")
    said = _("Limit %(day)s") % {"day": dates.day(on)}
    was = data.get("was")
    if was is None:
        return said
    days = dates.days_between(was, found["limit_at"])
    if not days:
        return said
    if days > 0:
        later = ngettext("%(n)s day later", "%(n)s days later", days) % {"n": days}
    else:
        later = ngettext("%(n)s day earlier", "%(n)s days earlier", -days) % {"n": -days}
    return f"{said}, {later}"


_TITLES = {
    "clock.started": gettext_noop("%(clock)s begins"),
    "clock.paused": gettext_noop("%(clock)s paused"),
    "clock.resumed": gettext_noop("%(clock)s goes on"),
    "clock.extended": gettext_noop("%(clock)s extended"),
    "clock.stopped": gettext_noop("%(clock)s ends"),
    "clock.corrected": gettext_noop("A pause of %(clock)s set right"),
    "clock.recomputed": gettext_noop("%(clock)s reckoned again"),
    "clock.warned": gettext_noop("%(clock)s is near its limit"),
    "clock.target_passed": gettext_noop("%(clock)s has passed its target"),
    "clock.limit_passed": gettext_noop("%(clock)s has passed"),
    "clock.pause_passed": gettext_noop("%(clock)s is paused longer than it may be"),
}
