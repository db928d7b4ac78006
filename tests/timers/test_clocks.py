"""Clocks against a slow oracle that steps from day to day, or from minute to minute.

The oracle knows nothing of spans, gaps or merging: it walks, and asks of each day or minute
whether it counts.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from timers import clocks, clockwork
from timers.calendars import Calendar
from timers.clocks import ClockRefused, ClockState, Terms
from timers.spans import Span, days, hours, minutes, months, working_days, working_hours

AMSTERDAM = ZoneInfo("Europe/Amsterdam")
CALENDAR = Calendar("NL", zone=AMSTERDAM, free_days={date(2027, 6, 1): "Outing"})
FAR = datetime(2200, 1, 1, tzinfo=UTC)  # events are recorded then, so nothing lies in the future

some_day = st.dates(date(2025, 1, 1), date(2029, 12, 31))
# Which days a clock stands still, as lengths of turns: run, stand, run, stand…
turns = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 25)), max_size=4)
day_spans = st.one_of(
    st.builds(days, st.integers(0, 120)),
    st.builds(working_days, st.integers(1, 60)),
    st.builds(months, st.integers(0, 14)),
)


def clock_with(
    limit: Span, start: Any, pauses: list[tuple[Any, Any]], *, rolls: bool = False, by: Any = ()
) -> ClockState:
    """A clock that lived through these pauses and extensions, event by event."""
    extension = max(by, key=lambda span: span.amount, default=None)
    terms = Terms(
        name="c",
        title="Clock",
        limit=limit,
        ends_on_working_day=rolls,
        extend_by=extension,
        extensions=len(by),
    )
    told: list[tuple[str, dict[str, Any]]] = []

    def happen(type: str, data: dict[str, Any]) -> ClockState:
        told.append((type, data))
        return clocks.fold(state, type, data, FAR)

    state: Any = None
    state = happen(
        "clock.started", clockwork.started(terms, start=start, at=FAR, calendar=CALENDAR)
    )
    for since, until in pauses:
        data = clockwork.paused(
            state, None, since=since, reason="r", at_most=None, at=FAR, calendar=CALENDAR
        )
        state = happen("clock.paused", data)
        state = happen(
            "clock.resumed", clockwork.resumed(state, until=until, at=FAR, calendar=CALENDAR)
        )
    for span in by:
        state = happen(
            "clock.extended",
            clockwork.extended(state, terms, by=span, reason="r", at=FAR, calendar=CALENDAR),
        )
    # A fold of its events without a calendar, and through a checkpoint, is the same clock
    again: Any = None
    for type, data in told:
        again = clocks.fold(again, type, data, FAR)
        again = clocks.decode(clocks.encode(again))
    assert again == state
    assert clockwork.recomputed(state, why="", at=FAR, calendar=CALENDAR) is None
    return state


def pauses_from(start: date, lengths: list[tuple[int, int]]) -> list[tuple[date, date]]:
    found, day = [], start
    for run, stand in lengths:
        since = day + timedelta(days=run)
        day = since + timedelta(days=stand)
        found.append((since, day))
    return found


# -- the oracle of days


def stands(day: date, pauses: list[tuple[date, date]]) -> bool:
    return any(since < day <= until for since, until in pauses)


def month_later(day: date, count: int) -> date:
    year, month = day.year, day.month
    for _ in range(count):
        year, month = (year, month + 1) if month < 12 else (year + 1, 1)
    return date(year, month, min(day.day, monthrange(year, month)[1]))


def slow_days(start: date, limit: Span, pauses: list[tuple[date, date]]) -> date:
    """Walk from day to day until enough of them counted."""
    left = int(limit.amount)
    if limit.unit == "months":
        left = (month_later(start, left) - start).days
    day = start
    while left:
        day += timedelta(days=1)
        if stands(day, pauses):
            continue
        if limit.unit == "working_days" and not works(day):
            continue
        left -= 1
    return day


def works(day: date) -> bool:
    from tests.timers.holiday_laws import free_days

    return day.weekday() < 5 and day not in free_days("NL", day.year) and day != date(2027, 6, 1)


@settings(max_examples=300, deadline=None)
@given(start=some_day, limit=day_spans, lengths=turns)
def test_a_clock_in_days_ends_where_a_walk_ends(
    start: date, limit: Span, lengths: list[tuple[int, int]]
) -> None:
    pauses = pauses_from(start, lengths)
    state = clock_with(limit, start, pauses)
    assert state.dates.limit_on == slow_days(start, limit, pauses)


@settings(max_examples=100, deadline=None)
@given(start=some_day, limit=st.builds(days, st.integers(0, 90)), lengths=turns)
def test_a_limit_on_a_free_day_moves_to_the_next_working_day(
    start: date, limit: Span, lengths: list[tuple[int, int]]
) -> None:
    pauses = pauses_from(start, lengths)
    state = clock_with(limit, start, pauses, rolls=True)
    day = slow_days(start, limit, pauses)
    rolled = day
    while not works(rolled):
        rolled += timedelta(days=1)
    assert state.dates.limit_on == rolled
    assert state.dates.rolled_from == (day if rolled != day else None)


@settings(max_examples=150, deadline=None)
@given(start=some_day, limit=day_spans, lengths=turns, more=st.integers(1, 60))
def test_extensions_go_on_where_the_limit_lay(
    start: date, limit: Span, lengths: list[tuple[int, int]], more: int
) -> None:
    by: Span = type(limit)(more) if limit.unit != "months" else months(more % 6 + 1)
    pauses = pauses_from(start, lengths)
    state = clock_with(limit, start, pauses, by=[by])
    whole = type(limit)(limit.amount + by.amount)  # of one unit: counted from the anchor
    assert state.dates.limit_on == slow_days(start, whole, pauses)


@settings(max_examples=100, deadline=None)
@given(start=some_day, lengths=turns, limit=st.builds(days, st.integers(0, 120)))
def test_a_limit_is_the_last_second_of_its_day_where_the_office_is(
    start: date, limit: Span, lengths: list[tuple[int, int]]
) -> None:
    state = clock_with(limit, start, pauses_from(start, lengths))
    assert state.limit_at is not None and state.dates.limit_on is not None
    there = state.limit_at.astimezone(AMSTERDAM)
    assert (there.date(), there.hour, there.minute, there.second) == (
        state.dates.limit_on,
        23,
        59,
        59,
    )
    after = (state.limit_at + timedelta(seconds=1)).astimezone(AMSTERDAM)
    assert after.date() == state.dates.limit_on + timedelta(days=1)


@settings(max_examples=150, deadline=None)
@given(start=some_day, lengths=turns, limit=day_spans, place=st.integers(0, 3))
def test_a_corrected_pause_leaves_the_clock_as_if_it_had_been_right_at_once(
    start: date, limit: Span, lengths: list[tuple[int, int]], place: int
) -> None:
    pauses = pauses_from(start, lengths)
    if place >= len(pauses):
        return
    state = clock_with(limit, start, pauses)
    since, until = pauses[place]
    shorter = since + (until - since) // 2
    told = clockwork.corrected(
        state, pause=place, since=since, until=shorter, reason="r", at=FAR, calendar=CALENDAR
    )
    right = [*pauses[:place], (since, shorter), *pauses[place + 1 :]]
    after = clocks.fold(state, "clock.corrected", told, FAR)
    assert after.dates.limit_on == slow_days(start, limit, right)
    told = clockwork.corrected(
        state, pause=place, since=None, until=None, reason="r", at=FAR, calendar=CALENDAR
    )
    after = clocks.fold(state, "clock.corrected", told, FAR)
    assert after.dates.limit_on == slow_days(start, limit, pauses[:place] + pauses[place + 1 :])


@given(start=some_day, lengths=turns, limit=day_spans)
def test_a_later_start_never_ends_earlier(
    start: date, limit: Span, lengths: list[tuple[int, int]]
) -> None:
    """Without months, whose 31st ends with the 30th; with them, never before it."""
    later = start + timedelta(days=1)
    one, other = clock_with(limit, start, []), clock_with(limit, later, [])
    assert one.limit_at is not None and other.limit_at is not None
    assert one.limit_at <= other.limit_at


# -- the oracle of minutes


def slow_minutes(start: datetime, wanted: int, pauses: list[Any], *, only_open: bool) -> datetime:
    """Walk from minute to minute until enough of them counted."""
    moment, left = start, wanted
    while left:
        stood = any(since <= moment < until for since, until in pauses)
        there = moment.astimezone(AMSTERDAM)
        opened = works(there.date()) and 9 <= there.hour < 17
        if not stood and (opened or not only_open):
            left -= 1
        moment += timedelta(minutes=1)
    return moment


moments = st.builds(
    lambda day, minute: (
        datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(minutes=minute)
    ),
    st.dates(date(2027, 1, 1), date(2027, 12, 31)),
    st.integers(0, 1439),
)
minute_turns = st.lists(st.tuples(st.integers(0, 900), st.integers(0, 2500)), max_size=3)


def minute_pauses(start: datetime, lengths: list[tuple[int, int]]) -> list[Any]:
    found, moment = [], start
    for run, stand in lengths:
        since = moment + timedelta(minutes=run)
        moment = since + timedelta(minutes=stand)
        found.append((since, moment))
    return found


@settings(max_examples=60, deadline=None)
@given(start=moments, quarters=st.integers(1, 60), lengths=minute_turns)
def test_a_clock_in_working_hours_ends_where_a_walk_ends(
    start: datetime, quarters: int, lengths: list[tuple[int, int]]
) -> None:
    pauses = minute_pauses(start, lengths)
    state = clock_with(working_hours(quarters / 4), start, pauses)
    assert state.limit_at == slow_minutes(start, quarters * 15, pauses, only_open=True)


@settings(max_examples=60, deadline=None)
@given(start=moments, amount=st.integers(1, 3000), lengths=minute_turns)
def test_a_clock_in_minutes_ends_where_a_walk_ends(
    start: datetime, amount: int, lengths: list[tuple[int, int]]
) -> None:
    pauses = minute_pauses(start, lengths)
    state = clock_with(minutes(amount), start, pauses)
    assert state.limit_at == slow_minutes(start, amount, pauses, only_open=False)


# -- warnings


@settings(max_examples=100, deadline=None)
@given(start=some_day, limit=st.integers(10, 90), ahead=st.integers(1, 8))
def test_a_warning_in_working_days_leaves_that_many_of_them(
    start: date, limit: int, ahead: int
) -> None:
    terms = Terms(name="c", title="", limit=days(limit), warn=(working_days(ahead),))
    told = clockwork.started(terms, start=start, at=FAR, calendar=CALENDAR)
    state = clocks.fold(None, "clock.started", told, FAR)
    (warned,) = state.dates.warn_at
    there = warned.astimezone(AMSTERDAM)
    assert state.dates.limit_on is not None
    if there.hour != 9:  # the term is shorter than the warning: it comes at the start
        assert there.date() == start
        return
    assert works(there.date())
    day, left = there.date(), 0
    while day < state.dates.limit_on:
        day += timedelta(days=1)
        left += works(day) or day == state.dates.limit_on
    assert left == ahead


# -- known dates


@pytest.mark.parametrize(
    ("start", "limit", "ends"),
    [
        (date(2027, 1, 31), months(1), date(2027, 2, 28)),
        (date(2028, 1, 31), months(1), date(2028, 2, 29)),
        (date(2027, 1, 31), months(2), date(2027, 3, 31)),
        (date(2027, 1, 30), months(1), date(2027, 2, 28)),
        (date(2027, 3, 26), working_days(5), date(2027, 4, 5)),  # Easter Monday is 29 March
        (date(2027, 3, 27), working_days(5), date(2027, 4, 5)),
        (date(2027, 3, 29), working_days(5), date(2027, 4, 5)),
        (date(2027, 1, 4), days(56), date(2027, 3, 1)),
    ],
)
def test_known_ends(start: date, limit: Span, ends: date) -> None:
    assert clock_with(limit, start, []).dates.limit_on == ends


@pytest.mark.parametrize(
    ("day", "ends"),
    [
        (31, [(2, 28), (3, 31), (4, 30), (5, 31), (6, 30), (7, 31)]),
        (30, [(2, 28), (3, 30), (4, 30), (5, 30), (6, 30), (7, 30)]),
    ],
)
def test_monthly_from_the_31st_counts_from_the_anchor(
    day: int, ends: list[tuple[int, int]]
) -> None:
    """Also when it is reached by extensions of a month each."""
    found = [clock_with(months(n), date(2027, 1, day), []).dates.limit_on for n in range(1, 7)]
    assert found == [date(2027, *end) for end in ends]
    extended = clock_with(months(1), date(2027, 1, day), [], by=[months(1)])
    assert extended.dates.limit_on == date(2027, *ends[1])


def test_the_night_of_the_clock_change_is_a_day_like_any_other() -> None:
    spring = clock_with(hours(24), datetime(2027, 3, 27, 9, tzinfo=AMSTERDAM), [])
    assert spring.limit_at == datetime(2027, 3, 28, 10, tzinfo=AMSTERDAM).astimezone(UTC)
    day = clock_with(days(1), datetime(2027, 3, 27, 9, tzinfo=AMSTERDAM), [])
    assert day.limit_at == datetime(2027, 3, 28, 23, 59, 59, tzinfo=AMSTERDAM)
    autumn = clock_with(days(1), date(2027, 10, 30), [])
    assert autumn.limit_at == datetime(2027, 10, 31, 23, 59, 59, tzinfo=AMSTERDAM)


def test_a_day_ends_at_midnight_of_the_office_wherever_one_looks() -> None:
    """14 September, entered at half past midnight in Amsterdam, while it is still the 13th in
    New York and past ten in the morning in Auckland."""
    entered = datetime(2027, 9, 14, 0, 30, tzinfo=AMSTERDAM)
    for seen_from in ("America/New_York", "Pacific/Auckland", "UTC"):
        state = clock_with(days(0), entered.astimezone(ZoneInfo(seen_from)), [])
        assert state.dates.limit_on == date(2027, 9, 14)
        assert state.limit_at == datetime(2027, 9, 14, 23, 59, 59, tzinfo=AMSTERDAM)


# -- terms that clash


@pytest.mark.parametrize(
    ("terms", "says"),
    [
        ({"limit": days(5), "target": hours(3)}, "target is in hours and the limit in days"),
        ({"limit": hours(5), "extend_by": months(1)}, "extend_by is in months"),
        ({"limit": days(5), "extensions": 1}, "extensions=1 needs extend_by"),
        ({"limit": days(5), "after_pause": "stop"}, "it is 'resume' or 'alert'"),
        ({"limit": days(5), "name": "a:b"}, "no colon"),
    ],
)
def test_terms_that_clash_are_refused(terms: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Terms(**{"name": "c", "title": "", **terms})


def test_a_limit_of_another_sort_is_refused() -> None:
    terms = Terms(name="c", title="", limit=days(5))
    with pytest.raises(ClockRefused, match="declared in days; hours differ"):
        clockwork.started(terms, start=date(2027, 1, 1), at=FAR, calendar=CALENDAR, limit=hours(4))


def test_a_moment_without_a_zone_is_no_moment() -> None:
    with pytest.raises(ValueError, match="has no time zone"):
        clock_with(days(5), datetime(2027, 1, 1, 9), [])
