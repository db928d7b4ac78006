"""Timers of cases: once, never early, after downtime too, and never after they were cancelled."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection

from cases.actors import Actor
from cases.errors import TaskNotOpen
from cases.models import Case, Notice, Task
from processes.acts import tasks
from processes.engine.wake import WORK_CHANNEL
from processes.work import firing
from processes.work.drain import Drain
from processes.work.inline import Inline
from tests.processes.conftest import SERVICE, Trials, at_once, effects
from tests.trial import steps
from timers import clock
from timers.models import Timer
from timers.spans import days

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_timer_is_never_early_and_fires_once(trials: Trials) -> None:
    case = trials.open("nap")
    due_at = Timer.objects.get().due_at
    trials.engine.turned.set(due_at - timedelta(microseconds=1))
    assert firing.fire(10) == 0
    trials.engine.turned.set(due_at)
    assert [firing.fire(10), firing.fire(10)] == [1, 0]
    fired = [e for e in trials.events(case) if e.type == "timer.fired"]
    assert [e.data["due_at"] for e in fired] == [due_at]


def test_a_timer_fires_once_however_many_services_fire(trials: Trials) -> None:
    cases = [trials.open("race") for _ in range(20)]
    trials.engine.turned.advance(days=2)
    for _ in range(5):  # a service that finds a case held leaves its timer for the next round
        at_once([lambda: firing.fire(7)] * 4)
    assert not Timer.objects.exists()
    assert [trials.fresh(case).result for case in cases] == ["1"] * 20
    assert [trials.count(case, "timer.fired") for case in cases] == [1] * 20


def test_workers_help_while_more_is_due_than_the_timer_service_takes(
    trials: Trials, monkeypatch: Any
) -> None:
    # Given seven due timers, of which the service takes two at once, and a worker that listens
    monkeypatch.setattr(firing, "HELPING", 2)
    cases = [trials.open("race") for _ in range(7)]
    drain = Drain()
    listener = threading.Thread(target=drain._listen, daemon=True)
    listener.start()
    try:
        wait(lambda: listening() == 1)
        trials.engine.turned.advance(days=2)

        # When the service finds as many as it may take, it calls; when it finds fewer, it does not
        assert firing.serve(2) == 2
        wait(lambda: drain.timers_wait)

        # Then the worker fires the rest, and stops helping at the first batch that is not full
        drain._fire_timers()
        assert not drain.timers_wait
        assert not Timer.objects.exists()
        assert [trials.count(case, "timer.fired") for case in cases] == [1] * 7
        drain.results.get(timeout=5)
        assert firing.serve(2) == 0
        drain._fire_timers()
        assert drain.results.empty() and not drain.timers_wait
    finally:
        drain.stop.set()
        listener.join()


def test_a_worker_fires_what_nobody_fires(trials: Trials) -> None:
    """The timer service is dead or frozen, and so calls nobody."""
    case = trials.open("race")
    trials.engine.turned.advance(days=2, seconds=5)
    drain = Drain()
    drain._seen = clock.monotonic()
    drain._sweep_if_due()
    assert drain.timers_wait
    drain._fire_timers()
    assert not drain.timers_wait and trials.count(case, "timer.fired") == 1
    drain._swept = 0.0
    drain._sweep_if_due()
    assert not drain.timers_wait


def wait(holds: Callable[[], bool]) -> None:
    for _ in range(500):
        if holds():
            return
        clock.sleep(0.01)
    raise TimeoutError("It did not come to that in five seconds.")


def listening() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
            "AND query LIKE %s",
            [f"LISTEN {WORK_CHANNEL}%"],
        )
        return int(cursor.fetchone()[0])


def test_after_downtime_each_timer_fires_late_and_once(trials: Trials) -> None:
    """Nobody was there for a whole month; reminders come as one, not as a burst."""
    case = trials.open("reminders")
    trials.engine.turned.advance(days=45)
    trials.settle()
    assert trials.fresh(case).result == "late"
    assert effects().count("reminder") <= 1


def test_reminders_come_weekly_until_the_deadline(trials: Trials) -> None:
    case = trials.open("reminders")
    trials.engine.advance(days=30)
    assert effects() == ["reminder"] * 4
    assert trials.fresh(case).result == "late"


# -- cancelled timers


def test_a_cancelled_timer_stays_cancelled_after_a_restart(trials: Trials) -> None:
    # Given a payment that came, so that its chase timer is cancelled
    case = trials.open("chase")
    trials.send(case, "payment")
    cancelled = trials.last(case, "wait.cancelled")
    assert cancelled.data["commands"] == [2] and cancelled.recorded_at == clock.now()

    # When another worker and timer service come up, and the day passes
    with Inline(trials.engine.turned) as restarted:
        restarted.advance(days=30)

    # Then nothing fires and nothing is sent
    assert "timer.fired" not in trials.types(case)
    assert effects() == [] and not Timer.objects.exists()


def test_a_reminder_day_without_a_timer_service_is_made_up_once(trials: Trials) -> None:
    # Given three cases whose reminder is due on the same day, when no service runs
    first, second, third = (trials.open("reminded") for _ in range(3))
    trials.engine.turned.advance(days=23, hours=2)
    trials_without_engine = Trials()
    trials_without_engine.send(third, "answer")

    # When it runs again a day later, three times
    trials.engine.turned.advance(days=1)
    for _ in range(3):
        trials.settle()

    # Then the two open cases were reminded once, with the days that were really left
    assert sorted(effects()) == ["reminder 5", "reminder 5"]
    assert [trials.count(case, "timer.fired") for case in (first, second, third)] == [1, 1, 0]


# -- escalation and approval in the same second


def test_an_approval_and_an_escalation_at_once_take_exactly_one_path(
    trials: Trials, people: Any
) -> None:
    cases = [trials.open("escalation") for _ in range(40)]
    for case in cases:
        trials.claim(case, people.milan)
    trials.engine.turned.advance(days=2)
    told: list[str] = []
    approved: list[int] = []
    lock = threading.Lock()

    def approve() -> None:
        for task in list(Task.objects.filter(name="first").order_by("pk")):
            try:
                tasks.complete_task(
                    task_id=task.pk, outcome="approve", reason="", actor=Actor.of(people.milan)
                )
                with lock:
                    approved.append(task.case_id)
            except TaskNotOpen as refusal:
                told.append(str(refusal))

    def escalate() -> None:
        for _ in range(40):
            firing.fire(2)

    at_once([approve, escalate])
    trials.settle()

    for case in cases:
        after = trials.fresh(case)
        won = "approved" if after.closed_at else "escalated"
        assert (case.pk in approved) == (won == "approved")
        if won == "escalated":
            assert [w["name"] for w in after.waits] == ["escalated"]
            assert "task.completed" not in trials.types(case)
        else:
            assert "timer.fired" not in trials.types(case)
        assert after.stopped_at is None
    assert len(approved) + len(told) == 40
    assert all("withdrawn" in refusal or "closed" in refusal for refusal in told)


# -- overdue work


def test_finished_work_is_not_reported_overdue(trials: Trials, people: Any) -> None:
    # Given two reviews due on Friday, one done on Wednesday, one cancelled on Thursday
    done, gone = trials.open("review"), trials.open("review")
    trials.engine.advance(days=2)
    trials.decide(done, people.milan)
    trials.engine.advance(days=1)
    trials.withdraw(gone)

    # When Friday passes
    trials.engine.advance(days=8)

    # Then no one is told, and nothing is overdue
    assert not Notice.objects.filter(role="supervisor").exists()
    assert not Task.objects.filter(overdue_at__isnull=False).exists()


def test_an_overdue_review_is_told_to_the_supervisors_once(trials: Trials) -> None:
    case = trials.open("review")
    trials.engine.advance(days=20)
    assert Notice.objects.filter(role="supervisor").count() == 1
    assert trials.count(case, "task.overdue") == 1
    assert Task.objects.get().is_open


# -- local times


def test_a_day_over_the_night_of_the_clock_change_keeps_the_local_time(trials: Trials) -> None:
    """27 March 2027, 09:00 in Amsterdam, and one day: 09:00 local, 23 hours later."""
    trials.engine.turned.set(datetime(2027, 3, 27, 8, 0, tzinfo=UTC))
    case = trials.open("spring")
    trials.send(case, "begin")
    assert Timer.objects.get().due_at == datetime(2027, 3, 28, 7, 0, tzinfo=UTC)
    trials.engine.advance(hours=23)
    assert trials.fresh(case).result == "2027-03-28T07:00:00+00:00"


def test_a_local_time_that_does_not_exist_is_the_first_instant_that_does(trials: Trials) -> None:
    """02:30 on the night the clocks skip from 02:00 to 03:00 in Amsterdam."""
    trials.engine.turned.set(datetime(2027, 3, 27, 1, 30, tzinfo=UTC))  # 02:30 local
    case = trials.open("spring")
    trials.send(case, "begin")
    assert Timer.objects.get().due_at == datetime(2027, 3, 28, 1, 0, tzinfo=UTC)  # 03:00 local
    trials.engine.advance(days=2)
    assert trials.count(case, "timer.fired") == 1
    # And on the next day it is back at its usual local time
    assert days(1).after(datetime(2027, 3, 28, 0, 30, tzinfo=UTC)) == datetime(
        2027, 3, 29, 0, 0, tzinfo=UTC
    ) - timedelta(minutes=30)


# -- a new version of the code


def test_a_new_version_moves_no_running_timer(
    trials: Trials, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Given a case on day 12 of a version that writes after 5 days and waits 30
    versions = dict(steps.trial.codes["trying"])
    monkeypatch.setitem(steps.trial.codes, "trying", versions)
    old = trials.open("letter_first")
    trials.engine.advance(days=12)
    assert effects() == ["letter"]

    # When a version is deployed that writes after 10 and waits 60
    steps.trial.step("trying", version=2)(steps.trying_later)
    new = trials.open("letter_first")
    trials.engine.advance(days=19)

    # Then the old case ends on day 30, with no second letter, and the new one has 60 days
    assert trials.fresh(old).result == "day 30"
    assert effects() == ["letter", "later letter"]
    assert trials.fresh(new).is_open
    trials.engine.advance(days=41)
    assert trials.fresh(new).result == "day 60"
    from tests.histories import sound

    sound.check_all()
    trials.is_checked = False


# -- one bad case


def test_a_timer_whose_case_cannot_be_written_holds_back_no_other(
    trials: Trials, poison: None
) -> None:
    bad = trials.open("poison_after_a_day")
    good = [trials.open("race") for _ in range(3)]
    trials.engine.advance(days=2)
    assert [trials.fresh(case).result for case in good] == ["1"] * 3
    assert trials.fresh(bad).stopped_at is not None
    assert trials.count(bad, "timer.fired") == 1


def test_a_timer_whose_case_is_held_is_left_for_the_next_round(trials: Trials) -> None:
    from processes.engine.turn import Turn

    held, free = trials.open("race"), trials.open("race")
    trials.engine.turned.advance(days=2)
    with Turn() as turn:
        turn.lock([held.pk], wait=True)
        assert at_once([lambda: firing.fire(10)]) == [1]
    assert trials.fresh(free).result == "1" and trials.fresh(held).is_open
    trials.settle()
    assert trials.fresh(held).result == "1"


def messages() -> int:
    """How many messages lie with the broker, also of tests before this one."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('pgmq.q_wake'), to_regclass('pgmq.q_long')")
        count = 0
        for table in filter(None, cursor.fetchone()):
            cursor.execute(f"SELECT count(*) FROM {table}")
            count += cursor.fetchone()[0]
    return count


def test_a_month_of_waiting_is_one_row_and_no_message(trials: Trials) -> None:
    before = messages()
    trials.open("patience")
    assert Timer.objects.count() == 1
    assert messages() == before
    assert Case.objects.count() == 1
    assert SERVICE.person is None
