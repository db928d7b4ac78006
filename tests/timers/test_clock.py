from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection

from timers import clock

NINE = datetime(2027, 1, 4, 9, tzinfo=UTC)
SECOND = timedelta(seconds=1)


@pytest.fixture(autouse=True)
def a_clock_of_its_own() -> Iterator[None]:
    yield
    clock._remember(skew=timedelta(), offset=timedelta())
    clock._refreshed_at = float("-inf")


def close(one: datetime, other: datetime) -> bool:
    return abs(one - other) < SECOND * 5


# --- In one process ------------------------------------------------------------------------


def test_now_is_an_aware_moment_in_utc():
    assert clock.now().utcoffset() == timedelta()


def test_a_turned_clock_stands_until_it_is_moved():
    with clock.turned(NINE) as time:
        assert clock.now() == NINE == clock.now()

        time.advance(days=30, hours=1)
        assert clock.now() == NINE + timedelta(days=30, hours=1)

        time.set(NINE)
        assert clock.now() == NINE

    assert close(clock.now(), datetime.now(UTC))


def test_turns_within_turns_end_one_by_one():
    with clock.turned(NINE):
        with clock.turned(NINE + SECOND):
            assert clock.now() == NINE + SECOND
        assert clock.now() == NINE


def test_a_clock_is_fixed_again_after_an_error():
    with pytest.raises(RuntimeError), clock.turned(NINE):
        raise RuntimeError

    assert close(clock.now(), datetime.now(UTC))


def test_a_moment_without_a_zone_is_refused():
    with pytest.raises(ValueError, match="no time zone"):
        clock.turned(datetime(2027, 1, 4))


# --- The installation ----------------------------------------------------------------------


def test_turning_moves_the_whole_installation_and_adds_up(db: None, settings: Any):
    settings.LONGCASE_DEMO = True

    clock.turn(86_400)
    ahead = clock.turn(3_600)

    assert close(ahead, datetime.now(UTC) + timedelta(days=1, hours=1))
    assert clock.offset() == timedelta(days=1, hours=1)


def test_other_processes_learn_of_the_turn_when_they_refresh(db: None):
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO timers_turn VALUES (1, 7200)")
    assert close(clock.now(), datetime.now(UTC))

    clock.refresh(connection)

    assert close(clock.now(), datetime.now(UTC) + timedelta(hours=2))


def test_real_cases_keep_real_time(db: None, settings: Any):
    settings.LONGCASE_DEMO = False

    with pytest.raises(clock.ClockNotTurnable, match="LONGCASE_DEMO"):
        clock.turn(60)

    clock.refresh(connection)
    assert clock.offset() == timedelta()


def test_the_clock_is_never_turned_back(db: None, settings: Any):
    settings.LONGCASE_DEMO = True

    with pytest.raises(ValueError, match="only turns ahead"):
        clock.turn(-1)


def test_asking_again_within_a_second_costs_no_query(db: None, django_assert_num_queries: Any):
    with django_assert_num_queries(1):
        clock.refresh_if_stale(connection)
        clock.refresh_if_stale(connection)


# --- The difference to the database --------------------------------------------------------


def test_on_the_same_machine_there_is_no_skew(db: None):
    clock.refresh(connection)

    assert clock.skew() == timedelta()


@pytest.mark.parametrize(("ahead", "skew"), [(10, 10), (-10, -10), (0.03, 0)])
def test_a_machine_follows_the_clock_of_the_database(
    db: None, monkeypatch: Any, ahead: float, skew: float
):
    """The machine's own clock is not where the database's is."""

    class Elsewhere(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:  # type: ignore[override]
            return datetime.now(tz) - timedelta(seconds=ahead)

    monkeypatch.setattr(clock, "datetime", Elsewhere)

    clock.refresh(connection)

    # Within the round trip: the part of the difference that it can explain is not corrected.
    assert abs(clock.skew() - timedelta(seconds=skew)) < timedelta(seconds=0.5)
    assert (clock.skew() == timedelta()) == (skew == 0)
    assert close(clock.now(), datetime.now(UTC))


@pytest.mark.parametrize(
    ("measured", "doubt", "corrected"),
    [(300, 100, 200), (-300, 100, -200), (60, 20, 0), (49, 0, 0), (-20, 0, 0), (100, 200, 0)],
)
def test_only_what_the_round_trip_cannot_explain_is_corrected(
    measured: int, doubt: int, corrected: int
):
    milli = timedelta(milliseconds=1)

    assert clock._cautious(measured * milli, doubt=doubt * milli) == corrected * milli
