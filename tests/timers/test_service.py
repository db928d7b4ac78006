"""The loop that fires timers and makes the rounds, against a real database."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, connections, transaction

from tests.timers.conftest import NINE
from timers import clock, due, heartbeat, service
from timers.models import Service, SweepRun, Timer
from timers.service import Sweep

pytestmark = pytest.mark.django_db(transaction=True)

PATIENCE_SECONDS = 10.0  # for a loaded machine; what is asserted happens in milliseconds


class Firing:
    """Stands for the engine: takes what is due, deletes it and notes the cases, in one commit."""

    def __init__(self) -> None:
        self.cases: list[int] = []
        self.fired = threading.Condition()
        self.error: Exception | None = None

    def __call__(self, limit: int) -> int:
        if self.error is not None:
            error, self.error = self.error, None
            raise error
        with transaction.atomic(), connection.cursor() as cursor:
            rows = due.take_due(cursor, clock.now(), limit)
            due.remove(cursor, [row.id for row in rows])
        with self.fired:
            self.cases += [row.case_id for row in rows]
            self.fired.notify_all()
        return len(rows)

    def wait_for(self, *cases: int) -> None:
        with self.fired:
            assert self.fired.wait_for(lambda: self.cases == list(cases), PATIENCE_SECONDS), (
                f"fired {self.cases}, not {cases}"
            )


@contextmanager
def running(fire: Callable[[int], int], *sweeps: Sweep) -> Iterator[None]:
    stop = threading.Event()

    def serve() -> None:
        try:
            service.run(fire, sweeps, stop)
        finally:
            connections.close_all()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(PATIENCE_SECONDS)
        assert not thread.is_alive()


def eventually(condition: Callable[[], Any]) -> Any:
    until = clock.monotonic() + PATIENCE_SECONDS
    while not (found := condition()):
        assert clock.monotonic() < until, "it never happened"
        clock.sleep(0.01)
    return found


def test_what_is_due_is_fired_in_due_order_and_what_is_not_stays(at_nine: Any, set_timer: Any):
    for case_id, minutes in [(1, -1), (2, -3), (3, -2), (4, 10)]:
        set_timer(case_id, minutes=minutes)
    fire = Firing()

    with running(fire):
        fire.wait_for(2, 3, 1)

    assert list(Timer.objects.values_list("case_id", flat=True)) == [4]


def test_a_timer_that_is_due_soon_fires_at_once_though_the_service_sleeps(set_timer: Any):
    fire = Firing()
    with running(fire):
        eventually(lambda: Service.objects.exists())
        clock.sleep(0.1)  # now it sleeps for a second

        began = clock.monotonic()
        row = due.TimerRow(7, 1, 1, "command", clock.now() + timedelta(milliseconds=50))
        with connection.cursor() as cursor:
            due.insert(cursor, [row])
        fire.wait_for(7)

        assert clock.monotonic() - began < 0.9
        assert clock.now() >= row.due_at


def test_timers_that_came_due_while_no_service_ran_fire_when_one_does(at_nine: Any, set_timer: Any):
    set_timer(1, minutes=5)
    at_nine.advance(days=30)
    fire = Firing()

    with running(fire):
        fire.wait_for(1)


def test_turning_the_clock_of_a_demo_wakes_the_service(settings: Any):
    settings.LONGCASE_DEMO = True
    fire = Firing()
    try:
        with running(fire):
            with connection.cursor() as cursor:
                due.insert(
                    cursor, [due.TimerRow(1, 1, 1, "command", clock.now() + timedelta(days=9))]
                )
            clock.turn(10 * 86_400)
            fire.wait_for(1)
    finally:
        clock._remember(skew=timedelta(), offset=timedelta())


def test_an_error_while_firing_ends_neither_timers_nor_rounds(at_nine: Any, set_timer: Any):
    set_timer(1)
    fire = Firing()
    fire.error = RuntimeError("a bug")
    rounds: list[str] = []

    with running(fire, Sweep(name="a", every_seconds=60, run=lambda: rounds.append("a"))):
        fire.wait_for(1)

    assert rounds == ["a"]


def test_a_timer_that_cannot_fire_does_not_keep_the_service_busy(at_nine: Any, set_timer: Any):
    set_timer(1)
    calls: list[int] = []

    def fire(limit: int) -> int:
        calls.append(limit)
        return 0  # its case is locked, say

    with running(fire):
        clock.sleep(0.5)

    assert 1 <= len(calls) <= 3


# --- Sweeps ----------------------------------------------------------------------------------


def test_the_error_of_a_sweep_stops_no_other_and_is_kept():
    rounds: list[str] = []

    def fail() -> None:
        rounds.append("broken")
        raise ValueError("no such folder")

    sweeps = [
        Sweep(name="broken", every_seconds=0.05, run=fail),
        Sweep(name="sound", every_seconds=0.05, run=lambda: rounds.append("sound")),
    ]
    with running(lambda limit: 0, *sweeps):
        eventually(lambda: rounds.count("sound") >= 2 and rounds.count("broken") >= 2)

    broken, sound = SweepRun.objects.order_by("name")
    assert (broken.last_success_at, broken.last_error) == (None, "ValueError: no such folder")
    assert broken.last_run_at and sound.last_success_at and not sound.last_error


def test_a_sweep_that_fails_in_a_transaction_stops_no_other():
    rounds: list[str] = []

    def fail() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT 1/0")

    with running(
        lambda limit: 0,
        Sweep(name="broken", every_seconds=60, run=fail),
        Sweep(name="sound", every_seconds=60, run=lambda: rounds.append("sound")),
    ):
        eventually(lambda: rounds)

    assert "division by zero" in SweepRun.objects.get(name="broken").last_error


def test_of_two_services_one_makes_each_round():
    rounds: list[str] = []
    sweep = Sweep(name="a", every_seconds=60, run=lambda: rounds.append("a"))

    with running(lambda limit: 0, sweep), running(lambda limit: 0, sweep):
        eventually(lambda: rounds)
        clock.sleep(0.3)

    assert rounds == ["a"]


def test_a_sweep_that_stopped_or_only_fails_is_found_late():
    # Given a service that made its rounds, one of which fails
    with running(
        lambda limit: 0,
        Sweep(name="broken", every_seconds=1, run=lambda: 1 / 0),
        Sweep(name="sound", every_seconds=1, run=lambda: None),
    ):
        eventually(lambda: SweepRun.objects.filter(name="sound", last_success_at__isnull=False))
    assert not SweepRun.objects.late().exists()

    # When quarter of an hour passes without it
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE timers_sweep SET known_since_at = known_since_at - interval '15 minutes', "
            "last_success_at = last_success_at - interval '15 minutes'"
        )

    # Then both are late, and how long ago the last success was is known
    broken, sound = SweepRun.objects.late().order_by("name")
    assert broken.silent_for is None
    assert sound.silent_for >= timedelta(minutes=15)

    # And when the service is back, the sound one catches up
    with running(lambda limit: 0, Sweep(name="sound", every_seconds=1, run=lambda: None)):
        eventually(lambda: [run.name for run in SweepRun.objects.late()] == ["broken"])


# --- Signs of life -----------------------------------------------------------------------------


def test_a_service_shows_that_it_lives_and_leaves_in_good_order():
    with running(lambda limit: 0):
        (row,) = eventually(lambda: list(Service.objects.with_silence()))
        assert row.kind == "clock"
        assert row.silent_for < heartbeat.DEAD_AFTER
        assert heartbeat.living("clock") == 1

    assert not Service.objects.exists()


def test_a_killed_service_falls_silent_and_is_forgotten_after_a_day():
    beat = heartbeat.Heartbeat("worker")
    beat.beat(connection, "advancing 5 cases")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE timers_service SET seen_at = seen_at - interval '21 seconds'")
    assert heartbeat.living("worker") == 0
    assert Service.objects.get().doing == "advancing 5 cases"

    with connection.cursor() as cursor:
        cursor.execute("UPDATE timers_service SET seen_at = seen_at - interval '1 day'")
    heartbeat.Heartbeat("clock").stop()

    assert not Service.objects.exists()


def test_beating_often_writes_seldom(django_assert_num_queries: Any):
    beat = heartbeat.Heartbeat("worker")

    with django_assert_num_queries(2):
        beat.beat(connection, "idle")
        beat.beat(connection, "idle")
        beat.beat(connection, "busy")


def test_a_turned_clock_makes_nobody_look_dead():
    beat = heartbeat.Heartbeat("worker")
    beat.beat(connection)

    with clock.turned(NINE + timedelta(days=10_000)):
        assert heartbeat.living("worker") == 1


# --- O3: the database restarts -----------------------------------------------------------------


def break_all_connections() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def test_when_all_connections_break_the_service_goes_on_by_itself(at_nine: Any, set_timer: Any):
    set_timer(1)
    fire = Firing()
    rounds: list[str] = []
    sweep = Sweep(name="a", every_seconds=0.05, run=lambda: rounds.append("a"))
    with running(fire, sweep):
        fire.wait_for(1)

        break_all_connections()
        before = len(rounds)
        set_timer(2)

        fire.wait_for(1, 2)
        eventually(lambda: len(rounds) > before)


def test_a_database_that_only_reads_for_a_while_is_survived(at_nine: Any, set_timer: Any):
    """As after a fail-over: every write fails, then works again."""
    name = connection.settings_dict["NAME"]
    fire = Firing()
    sweep = Sweep(name="a", every_seconds=0.05, run=lambda: None)
    with running(fire, sweep):
        eventually(lambda: Service.objects.exists())
        with connection.cursor() as cursor:
            cursor.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
        try:
            break_all_connections()
            clock.sleep(1.5)
        finally:
            with connection.cursor() as cursor:
                cursor.execute("SET default_transaction_read_only = off")
                cursor.execute(f'ALTER DATABASE "{name}" RESET default_transaction_read_only')
                cursor.execute("RESET default_transaction_read_only")
        break_all_connections()

        set_timer(1)
        fire.wait_for(1)
