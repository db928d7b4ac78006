"""When spans end: local times that do not exist (T6), month ends (M1), free days (M2)."""

from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timers import spans
from timers.calendars import Calendar, CalendarNeverOpens, default
from timers.spans import days, hours, minutes, months, seconds, working_days, working_hours

AMSTERDAM = ZoneInfo("Europe/Amsterdam")
CALENDAR = Calendar("NL", zone=AMSTERDAM)


def local(*parts: int, fold: int = 0) -> datetime:
    return datetime(*parts, tzinfo=AMSTERDAM, fold=fold)  # type: ignore[misc,arg-type]


# --- T6: the clocks skip 02:00-03:00 on 28 March 2027 ----------------------------------------


def test_a_local_time_that_does_not_exist_becomes_the_first_that_does():
    due = days(1).after(local(2027, 3, 27, 2, 30), CALENDAR)

    assert due == datetime(2027, 3, 28, 1, tzinfo=UTC)
    assert due.astimezone(AMSTERDAM).time() == time(3)


def test_a_case_timer_for_that_local_time_is_the_same_instant():
    assert CALENDAR.at(date(2027, 3, 28), time(2, 30)) == datetime(2027, 3, 28, 1, tzinfo=UTC)


@pytest.mark.parametrize("wall", [time(2), time(2, 0, 1), time(2, 59, 59, 999_999)])
def test_every_skipped_time_becomes_that_one_instant(wall: time):
    assert CALENDAR.at(date(2027, 3, 28), wall) == datetime(2027, 3, 28, 1, tzinfo=UTC)


def test_next_day_same_local_time_is_23_hours_later_when_the_clocks_skip_one():
    start = local(2027, 3, 27, 9)

    due = days(1).after(start, CALENDAR)

    assert due.astimezone(AMSTERDAM).time() == time(9)
    assert due - start.astimezone(UTC) == timedelta(hours=23)


def test_the_day_after_all_are_back_at_their_usual_time():
    due = days(2).after(local(2027, 3, 27, 2, 30), CALENDAR)

    assert due.astimezone(AMSTERDAM).replace(tzinfo=None) == datetime(2027, 3, 29, 2, 30)


def test_of_a_local_time_that_exists_twice_it_is_the_first():
    due = days(1).after(local(2027, 10, 30, 2, 30), CALENDAR)

    assert due == datetime(2027, 10, 31, 0, 30, tzinfo=UTC)


def test_hours_are_elapsed_time_whatever_the_clocks_do():
    assert hours(24).after(local(2027, 3, 27, 9), CALENDAR) == local(2027, 3, 28, 10)


def test_a_day_that_a_country_skipped_whole_ends_at_the_next():
    apia = Calendar("WS", zone=ZoneInfo("Pacific/Apia"))  # there was no 30 December 2011

    assert apia.at(date(2011, 12, 30), time(12)) == datetime(2011, 12, 30, 10, tzinfo=UTC)


@given(
    st.datetimes(min_value=datetime(1990, 1, 1), max_value=datetime(2060, 1, 1)),
    st.timezones(),
    st.integers(0, 400),
)
def test_days_never_fail_and_never_run_backwards(naive: datetime, zone: ZoneInfo, count: int):
    calendar = Calendar("NL", zone=zone)
    start = naive.replace(tzinfo=UTC)

    dues = [days(n).after(start, calendar) for n in (count, count + 1)]

    assert start <= dues[0] <= dues[1]


# --- M1: monthly from the 31st ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        (31, ["02-28", "03-31", "04-30", "05-31", "06-30", "07-31"]),
        (30, ["02-28", "03-30", "04-30", "05-30", "06-30", "07-30"]),
    ],
)
def test_months_are_counted_from_the_anchor(first: int, expected: list[str]):
    anchor = local(2027, 1, first, 12)

    dues = [months(n).after(anchor, CALENDAR).astimezone(AMSTERDAM) for n in range(1, 7)]

    assert [f"{due:%m-%d}" for due in dues] == expected
    assert {due.time() for due in dues} == {time(12)}


def test_months_cross_years_and_leap_days():
    assert months(12).after(local(2028, 2, 29, 9), CALENDAR) == local(2029, 2, 28, 9)
    assert months(1).after(local(2027, 12, 31, 9), CALENDAR) == local(2028, 1, 31, 9)


# --- M2: working days from a free day --------------------------------------------------------


@pytest.mark.parametrize("received", [26, 27, 28, 29])
def test_day_one_is_the_first_working_day_after_receipt(received: int):
    """Saturday, Sunday and Easter Monday, 29 March 2027, are free."""
    due = working_days(5).after(local(2027, 3, received, 14), CALENDAR)

    assert due == local(2027, 4, 5, 17)


@given(
    st.datetimes(min_value=datetime(2026, 1, 1), max_value=datetime(2028, 1, 1)),
    st.timedeltas(min_value=timedelta(), max_value=timedelta(days=9)),
    st.integers(1, 15),
)
def test_a_later_receipt_is_never_due_earlier(naive: datetime, later: timedelta, count: int):
    received = naive.replace(tzinfo=UTC)

    one = working_days(count).after(received, CALENDAR)
    other = working_days(count).after(received + later, CALENDAR)

    assert one <= other
    assert one > received


def test_receipt_just_before_and_after_local_midnight_are_different_days():
    # 23:30 UTC on Thursday is already Friday in Amsterdam.
    late = datetime(2027, 5, 13, 23, 30, tzinfo=UTC)

    assert working_days(1).after(late, CALENDAR) == local(2027, 5, 18, 17)  # 17 May: Whit Monday
    assert working_days(1).after(late - timedelta(hours=2), CALENDAR) == local(2027, 5, 14, 17)


def test_the_organisations_own_free_days_count_too():
    closed = Calendar("NL", zone=AMSTERDAM, free_days=[date(2027, 5, 7)])

    assert working_days(1).after(local(2027, 5, 4, 9), closed) == local(2027, 5, 5, 17)
    assert working_days(2).after(local(2027, 5, 4, 9), closed) == local(2027, 5, 10, 17)


def test_a_calendar_that_never_opens_says_so():
    start = date(2027, 1, 1)
    shut = Calendar("NL", free_days=[start + timedelta(days=n) for n in range(800)])

    with pytest.raises(CalendarNeverOpens):
        working_days(1).after(local(2027, 1, 1, 9), shut)


@pytest.mark.parametrize(
    ("start", "span", "due"),
    [
        (local(2027, 3, 23, 10), working_hours(4), local(2027, 3, 23, 14)),
        (local(2027, 3, 23, 16), working_hours(4), local(2027, 3, 24, 12)),
        (local(2027, 3, 23, 7), working_hours(8), local(2027, 3, 23, 17)),
        (local(2027, 3, 23, 18), working_hours(1), local(2027, 3, 24, 10)),
        (local(2027, 3, 25, 16), working_hours(1.5), local(2027, 3, 30, 9, 30)),  # over Easter
        (local(2027, 3, 27, 12), working_hours(20), local(2027, 4, 1, 13)),
        (local(2027, 3, 27, 12), working_hours(0), local(2027, 3, 30, 9)),
    ],
)
def test_working_hours_run_only_while_the_organisation_is_open(
    start: datetime, span: spans.Span, due: datetime
):
    assert span.after(start, CALENDAR) == due


# --- The calendar of the settings ------------------------------------------------------------


def test_the_default_calendar_is_the_organisations(settings: Any):
    settings.TIME_ZONE = "Europe/Berlin"
    settings.LONGCASE_HOLIDAYS = "DE-BY"
    settings.LONGCASE_FREE_DAYS = ["2027-01-07"]
    settings.LONGCASE_OPENING_HOURS = ("08:00", "16:30")

    calendar = default()

    assert not calendar.is_working(date(2027, 1, 6))  # Epiphany, free in Bavaria
    assert not calendar.is_working(date(2027, 1, 7))
    assert working_days(1).after(datetime(2027, 1, 5, 9, tzinfo=UTC)) == datetime(
        2027, 1, 8, 15, 30, tzinfo=UTC
    )


def test_public_holidays_weekends_and_ordinary_days():
    christmas, saturday, ordinary = date(2026, 12, 25), date(2026, 12, 19), date(2026, 12, 23)

    assert [CALENDAR.is_working(day) for day in (christmas, saturday, ordinary)] == [
        False,
        False,
        True,
    ]
    assert CALENDAR.add_working_days(ordinary, 2) == date(2026, 12, 28)


# --- Spans as values -------------------------------------------------------------------------

EACH = [
    seconds(1.5),
    minutes(2),
    hours(3),
    days(30),
    working_days(5),
    working_hours(8),
    months(1),
]


@pytest.mark.parametrize("span", EACH, ids=lambda span: span.unit)
def test_a_span_survives_being_recorded(span: spans.Span):
    assert spans.decode(span.encode()) == span


def test_spans_of_different_kinds_are_never_equal():
    assert all(one != other for one, other in pairwise(kind(5) for kind in spans.KINDS.values()))
    assert days(5) == days(5)
    assert len({days(5), days(5), working_days(5)}) == 2


@pytest.mark.parametrize("data", [{}, {"weeks": 1}, {"days": 1, "hours": 2}])
def test_other_data_is_no_span(data: dict[str, int]):
    with pytest.raises(ValueError, match="no span"):
        spans.decode(data)


def test_spans_speak_to_people():
    assert [span.words() for span in EACH] == [
        "1.5 seconds",
        "2 minutes",
        "3 hours",
        "30 days",
        "5 working days",
        "8 working hours",
        "1 month",
    ]


@pytest.mark.parametrize("make", [days, working_days, months])
def test_whole_units_refuse_fractions_and_truth(make: Any):
    for amount in (1.5, True, "5"):
        with pytest.raises(TypeError):
            make(amount)


def test_spans_do_not_run_backwards():
    for span in (lambda: days(-1), lambda: working_days(0), lambda: seconds(float("nan"))):
        with pytest.raises(ValueError, match="at least"):
            span()


@pytest.mark.parametrize("span", EACH, ids=lambda span: span.unit)
def test_a_moment_without_a_zone_is_no_beginning(span: spans.Span):
    with pytest.raises(ValueError, match="no time zone"):
        span.after(datetime(2027, 1, 1), CALENDAR)


@pytest.mark.parametrize("span", EACH, ids=lambda span: span.unit)
def test_ends_are_given_in_utc(span: spans.Span):
    assert span.after(local(2027, 1, 5, 9), CALENDAR).tzinfo is UTC
