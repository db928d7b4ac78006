"""What may be done to a clock: the data of each event, with the dates that follow from it.

Each function checks, reckons on a calendar and returns what to record; clocks.fold() makes the
clock after it. Pure functions of the clock, what is asked, and a calendar.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from timers import reckoning, spans
from timers.calendars import Calendar
from timers.clocks import (
    RESUME,
    ClockRefused,
    ClockState,
    Dates,
    Terms,
    applied,
    encode_dates,
)
from timers.reckoning import When, counts_days, day_of, moment_of
from timers.spans import Span

HOLIDAYS_TOLD = 12  # at most so many free days are named with a date
PAUSES = 200  # of one clock: its checkpoint carries them all


def started(
    terms: Terms,
    *,
    start: When,
    at: datetime,
    calendar: Calendar,
    name_of_calendar: str = "",
    limit: Span | None = None,
    before: ClockState | None = None,
) -> dict[str, Any]:
    """Start a clock; again, once it was stopped."""
    if before is not None and not before.is_stopped:
        raise ClockRefused(
            f"The clock “{terms.name}” is {before.word} already. Stop it before it starts again."
        )
    if limit is not None and counts_days(limit) != counts_days(terms.limit):
        raise ClockRefused(
            f"The clock “{terms.name}” is declared in {terms.limit.unit}; {limit.unit} differ."
        )
    data = {
        "name": terms.name,
        "start": start,
        "calendar": name_of_calendar or terms.calendar,
        "limit": (limit or terms.limit).encode(),
    }
    if terms.target is not None:
        data["target"] = terms.target.encode()
    if terms.warn:
        data["warn"] = [span.encode() for span in terms.warn]
    if terms.after_pause != RESUME:
        data["after_pause"] = terms.after_pause
    if terms.ends_on_working_day:
        data["ends_on_working_day"] = True
    return _dated(None, "clock.started", data, at, calendar)


def paused(
    state: ClockState,
    terms: Terms | None,
    *,
    since: When,
    reason: str,
    at_most: Span | None,
    at: datetime,
    calendar: Calendar,
) -> dict[str, Any]:
    """Let it stand still. Raises ClockRefused for a clock that does not run."""
    _require_open(state)
    if state.is_paused:
        raise ClockRefused(f"The clock “{state.name}” is paused already. Resume it first.")
    if len(state.pauses) >= PAUSES:
        raise ClockRefused(f"The clock “{state.name}” was paused {PAUSES} times; it takes no more.")
    cap = terms.pause_at_most if terms else None
    if at_most and cap and _is_longer(at_most, cap, since, calendar):
        raise ClockRefused(
            f"The clock “{state.name}” is paused for at most {cap.words()} at a time; "
            f"{at_most.words()} are more."
        )
    at_most = at_most or cap
    _require_past(since, at, calendar, "A pause cannot begin")
    if day_of(since, calendar) < day_of(state.start, calendar):
        raise ClockRefused(f"A pause of “{state.name}” cannot begin before the clock did.")
    last = state.pauses[-1] if state.pauses else None
    if last is not None and last.until is not None and _earlier(since, last.until, calendar):
        raise ClockRefused(
            f"A pause of “{state.name}” cannot begin before the one before it ended. Correct "
            "that one first."
        )
    data: dict[str, Any] = {"name": state.name, "since": since, "reason": reason}
    if at_most is not None:
        data["at_most"] = at_most.encode()
    return _dated(state, "clock.paused", data, at, calendar)


def resumed(
    state: ClockState, *, until: When, at: datetime, calendar: Calendar, reason: str = ""
) -> dict[str, Any]:
    """Let it go on. Raises ClockRefused for a clock that is not paused."""
    _require_open(state)
    pause = state.pause
    if pause is None:
        raise ClockRefused(f"The clock “{state.name}” is not paused.")
    if _earlier(until, pause.since, calendar):
        raise ClockRefused(f"The pause of “{state.name}” cannot end before it began.")
    _require_past(until, at, calendar, "A pause cannot end")
    data: dict[str, Any] = {"name": state.name, "until": until}
    if reason:
        data["reason"] = reason
    return _dated(state, "clock.resumed", data, at, calendar)


def extended(
    state: ClockState,
    terms: Terms | None,
    *,
    by: Span | None,
    reason: str,
    at: datetime,
    calendar: Calendar,
) -> dict[str, Any]:
    """Give it more time, as often as its terms allow. Raises ClockRefused."""
    _require_open(state)
    most = terms.extensions if terms else 0
    if state.extended >= most:
        raise ClockRefused(
            f"The clock “{state.name}” was extended {state.extended} times, and its terms allow "
            f"{most}."
            if most
            else f"The terms of the clock “{state.name}” allow no extension."
        )
    if state.has_passed:
        raise ClockRefused(
            f"The limit of the clock “{state.name}” has passed; what is over cannot be extended."
        )
    by = by or (terms.extend_by if terms else None)
    assert by is not None  # terms with extensions say by how much
    if counts_days(by) != counts_days(state.limit):
        raise ClockRefused(
            f"The clock “{state.name}” is in {state.limit.unit}; it cannot be extended by "
            f"{by.unit}."
        )
    cap = terms.extend_by if terms else None
    if cap is not None and _is_longer(by, cap, state.start, calendar):
        raise ClockRefused(
            f"The clock “{state.name}” is extended by at most {cap.words()}; {by.words()} are more."
        )
    data = {"name": state.name, "by": by.encode(), "reason": reason}
    return _dated(state, "clock.extended", data, at, calendar)


def stopped(state: ClockState, *, until: When, at: datetime, calendar: Calendar) -> dict[str, Any]:
    """What it measured is done. Raises ClockRefused for a clock that was stopped before."""
    _require_open(state)
    return _dated(state, "clock.stopped", {"name": state.name, "until": until}, at, calendar)


def corrected(
    state: ClockState,
    *,
    pause: int,
    since: When | None,
    until: When | None,
    reason: str,
    at: datetime,
    calendar: Calendar,
) -> dict[str, Any]:
    """Set the days of a pause right; `since` None: it never was. Raises ClockRefused."""
    _require_open(state)
    if not 0 <= pause < len(state.pauses):
        raise ClockRefused(
            f"The clock “{state.name}” has {len(state.pauses)} pauses; there is none with number "
            f"{pause + 1}."
        )
    is_last = pause == len(state.pauses) - 1
    if since is not None:
        _require_past(since, at, calendar, "A pause cannot begin")
        if until is not None:
            _require_past(until, at, calendar, "A pause cannot end")
        if until is None and not is_last:
            raise ClockRefused("Only the last pause can be without an end.")
        if until is not None and _earlier(until, since, calendar):
            raise ClockRefused("A pause cannot end before it began.")
        if day_of(since, calendar) < day_of(state.start, calendar):
            raise ClockRefused("A pause cannot begin before the clock did.")
        if pause and _earlier(since, state.pauses[pause - 1].until or since, calendar):
            raise ClockRefused("The pause would begin before the one before it ended.")
        if not is_last and until and _earlier(state.pauses[pause + 1].since, until, calendar):
            raise ClockRefused("The pause would end after the next one began.")
    data = {"name": state.name, "pause": pause, "since": since, "until": until, "reason": reason}
    return _dated(state, "clock.corrected", data, at, calendar)


def recomputed(
    state: ClockState, *, why: str, at: datetime, calendar: Calendar
) -> dict[str, Any] | None:
    """The dates on the calendar as it is now; None when they are the same."""
    if state.is_stopped:
        return None
    dates = reckon(state, calendar)
    if replace(dates, holidays=state.dates.holidays) == state.dates:
        return None
    data = {"name": state.name, "why": why}
    return _dated(state, "clock.recomputed", data, at, calendar)


def _dated(
    state: ClockState | None, type: str, data: dict[str, Any], at: datetime, calendar: Calendar
) -> dict[str, Any]:
    after = applied(state, type, data, at)
    if state is not None and state.limit_at is not None:
        data.setdefault("was", state.limit_at)
    return {**data, "dates": encode_dates(reckon(after, calendar))}


def _is_longer(one: Span, other: Span, since: When, calendar: Calendar) -> bool:
    """Whether a span from a point on ends later than another."""
    return _end_of_pause(since, one, calendar)[1] > _end_of_pause(since, other, calendar)[1]


def _require_past(when: When, at: datetime, calendar: Calendar, what: str) -> None:
    if day_of(when, calendar) > day_of(at, calendar):
        raise ClockRefused(f"{what} in the future; it is recorded once it does.")


def _require_open(state: ClockState) -> None:
    if state.is_stopped:
        raise ClockRefused(f"The clock “{state.name}” was stopped; nothing more happens to it.")


def _earlier(one: When, other: When, calendar: Calendar) -> bool:
    """Whether one lies before the other; a bare date is as early and as late as its day."""
    if isinstance(one, datetime) and isinstance(other, datetime):
        return one < other
    return day_of(one, calendar) < day_of(other, calendar)


# -- reckoning


def reckon(state: ClockState, calendar: Calendar) -> Dates:
    """The dates of a clock on a calendar: a pure function of what was put in."""
    pause = state.pause if not state.is_stopped else None
    ends: tuple[When | None, datetime | None] = (None, None)
    if pause is not None:
        if pause.at_most is None or "pause" in state.passed:
            return Dates()
        ends = _end_of_pause(pause.since, pause.at_most, calendar)
    gaps = [
        (one.since, one.until if one.until is not None else (ends[0] or state.stopped or one.since))
        for one in state.pauses
    ]
    on, limit_at, rolled_from = _end(state, state.spans, gaps, calendar)
    target_at = _end(state, [state.target], gaps, calendar)[1] if state.target else None
    begun = moment_of(state.start, calendar)
    warnings = [reckoning.before(limit_at, span, calendar) for span in state.warn]
    return Dates(
        limit_on=on,
        limit_at=limit_at,
        target_at=target_at,
        warn_at=tuple(max(one, begun) for one in warnings),
        pause_ends_at=ends[1],
        pause_until=ends[0],
        holidays=_holidays(state, on, rolled_from, calendar),
        rolled_from=rolled_from,
    )


def _end(
    state: ClockState,
    counted: Sequence[Span],
    gaps: Sequence[tuple[When, When]],
    calendar: Calendar,
) -> tuple[date | None, datetime, date | None]:
    """The last day, the instant, and the free day from which the limit had to move."""
    if not counts_days(state.limit):
        moments = [(moment_of(a, calendar), moment_of(b, calendar)) for a, b in gaps]
        start = moment_of(state.start, calendar)
        return None, reckoning.last_moment(start, counted, moments, calendar), None
    days = [(day_of(a, calendar), day_of(b, calendar)) for a, b in gaps]
    day = reckoning.last_day(day_of(state.start, calendar), counted, days, calendar)
    moved_from = None
    if state.ends_on_working_day and not calendar.is_working(day):
        moved_from, day = day, reckoning.rolled(day, calendar)
    return day, reckoning.end_of(day, counted, calendar), moved_from


def _end_of_pause(since: When, at_most: Span, calendar: Calendar) -> tuple[When, datetime]:
    """With what a pause ends that takes as long as it may, and when."""
    if counts_days(at_most):
        day = reckoning.last_day(day_of(since, calendar), [at_most], [], calendar)
        return day, reckoning.end_of_day(day, calendar)
    moment = reckoning.last_moment(moment_of(since, calendar), [at_most], [], calendar)
    return moment, moment


def _holidays(
    state: ClockState, on: date | None, rolled_from: date | None, calendar: Calendar
) -> tuple[tuple[date, str], ...]:
    """The named free days that made this limit what it is."""
    if on is None:
        return ()
    if any(isinstance(span, spans.WorkingDays) for span in state.spans):
        start = day_of(state.start, calendar)
        return tuple(reckoning.free_days_between(start, on, calendar, most=HOLIDAYS_TOLD))
    if rolled_from is not None:
        before = date.fromordinal(rolled_from.toordinal() - 1)
        return tuple(reckoning.free_days_between(before, on, calendar, most=HOLIDAYS_TOLD))
    return ()
