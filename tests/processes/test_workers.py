"""What holds for real workers and timer services, when they are killed, frozen and restarted."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction

from audit.read import events_of
from cases.models import Case
from processes.acts.cases import get_case, move_case, open_case
from processes.models import Activity, Incident, Worker
from tests.fixtures.installation import Installation
from tests.histories import sound
from tests.processes.conftest import SERVICE
from timers.models import Timer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def open_far(script: str, seconds: float = 0) -> Case:
    return open_case(
        kind="trial",
        facts={"script": script, "amount": f"{seconds:.2f}"},
        title=script,
        actor=SERVICE,
    )


def all_closed(cases: list[Case]) -> bool:
    ids = [case.pk for case in cases]
    return not Case.objects.filter(pk__in=ids, closed_at=None).exists()


def count(case: Case, type: str) -> int:
    return [event.type for event in events_of(case.pk)].count(type)


def broker_messages() -> int:
    """How many messages wait, but for the call to count what happened, which no case waits for."""
    found = 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT queue_name FROM pgmq.list_queues()")
        for (queue,) in cursor.fetchall():
            cursor.execute(
                f'SELECT count(*) FROM pgmq."q_{queue}" '
                "WHERE message -> 'headers' ->> 'task' <> 'processes.insight.catching'"
            )
            found += cursor.fetchone()[0]
    return found


def test_a_month_long_timer_outlives_restarts_and_needs_no_message(
    installation: Installation,
) -> None:
    # Given a case that waits a month, and workers and services that are restarted meanwhile
    case = open_far("far_sleep")
    installation.start("short", "clock")
    time.sleep(0.5)
    assert broker_messages() == 0
    installation.kill_all()
    Worker.objects.all().delete()

    # When its time comes, with two services to see it
    Timer.objects.update(due_at=events_of(case.pk)[-1].recorded_at - timedelta(seconds=1))
    installation.start("short", "clock", "clock")
    installation.wait(lambda: get_case(case.pk).closed_at, "the end of the case")
    time.sleep(0.5)

    # Then it has fired once, with one effect
    assert count(case, "timer.fired") == 1
    assert len(installation.effects("done")) == 1
    sound.check_all()


def test_a_frozen_worker_is_turned_away_when_it_wakes_up(installation: Installation) -> None:
    installation.start("long", "long", "clock", "short")
    case = open_far("far_long", 3)
    untouched = open_far("far_silent", 5)
    installation.wait(
        lambda: [e for e in installation.effects("piece") if e["key"] == f"{case.pk}.1.1"],
        "the first piece of work",
    )

    # Given a worker that is frozen in the middle of its work
    (first, *_) = [e for e in installation.effects("piece") if e["key"] == f"{case.pk}.1.1"]
    os.kill(first["pid"], signal.SIGSTOP)
    pieces = len([e for e in installation.effects("piece") if e["pid"] == first["pid"]])

    # When another has taken over and finished, and the first wakes up
    installation.wait(lambda: get_case(case.pk).closed_at, "another worker to finish")
    os.kill(first["pid"], signal.SIGCONT)
    time.sleep(1.5)

    # Then there is one result, of the second, and the first has stopped at its next report
    assert get_case(case.pk).result == "attempt 2"
    assert count(case, "activity.completed") == 1 and count(case, "activity.attempt_lost") == 1
    after = [e for e in installation.effects() if e["pid"] == first["pid"] and e["attempt"] == 1]
    assert (
        len([e for e in after if e["kind"] == "piece" and e["key"] == first["key"]]) <= pieces + 1
    )
    assert not [e for e in after if e["kind"] == "done" and e["key"] == first["key"]]

    # And work that is only long, more than twice its lease, was never taken over
    installation.wait(lambda: get_case(untouched.pk).closed_at, "the undisturbed work")
    assert get_case(untouched.pk).result == "attempt 1"
    assert count(untouched, "activity.attempt_lost") == 0
    sound.check_all()


def test_an_activity_that_kills_its_worker_each_time_harms_no_other(
    installation: Installation,
) -> None:
    # Given one that kills its worker at once, and healthy ones behind it
    bad = open_far("far_kill")
    good = [open_far("far_work", 0.05) for _ in range(50)]

    # When two workers run, and are started again when they die
    installation.restart_what_dies()
    installation.start("short", "short", "long", "clock")
    installation.wait(lambda: get_case(bad.pk).stopped_at, "the bad one to be given up", 120)
    installation.wait(lambda: all_closed(good), "the healthy ones", 60)

    # Then it was tried five times and no more, and says why
    assert len(installation.effects("killing")) == 5
    assert "The worker was lost" in Incident.objects.get().came
    assert {get_case(case.pk).result for case in good} == {"done"}
    sound.check_all()


def test_a_rolling_restart_finishes_all_and_uses_up_no_activity(
    installation: Installation,
) -> None:
    # Given more long activities than the workers can hold
    installation.start("long", "long", "clock", "short")
    cases = [open_far("far_long", 2) for _ in range(8)]
    installation.wait(lambda: len(installation.effects("begun")) >= 4, "work to be under way")

    # When all are asked to stop, killed after their grace, and the new version starts
    installation.ask_to_stop(grace_seconds=1)
    Worker.objects.all().delete()
    installation.start("long", "long", "clock", "short")

    # Then all are done, none is left without an owner, and none has failed
    installation.wait(lambda: all_closed(cases), "all to be finished", 60)
    assert not Activity.objects.exists() and not Incident.objects.exists()
    assert all(count(case, "activity.completed") == 1 for case in cases)
    sound.check_all()


def test_kill_9_of_everything_loses_and_doubles_nothing(installation: Installation) -> None:
    cases: list[Case] = []
    for _ in range(2):
        begun = len(installation.effects("begun"))
        cases += [open_far("far_checks", 0.05) for _ in range(30)]
        installation.start("short", "short")
        installation.wait(
            lambda begun=begun: len(installation.effects("begun")) > begun + 20, "some work"
        )
        installation.kill_all()
        Worker.objects.all().delete()
    # What was lost twice is suspected, and gets a process of its own
    installation.start("short", "short", "long", "clock")
    installation.wait(lambda: all_closed(cases), "all cases")
    assert {get_case(case.pk).result for case in cases} == {"done done done done"}
    sound.check_all()  # each command settled once, among others


def test_three_checks_that_finish_together_start_the_next_step_once(
    installation: Installation,
) -> None:
    cases = [open_far("far_checks") for _ in range(60)]
    installation.start("short", "short", "short")
    installation.wait(lambda: all_closed(cases), "all cases")
    done = Counter(e["key"] for e in installation.effects("done"))
    assert len(done) == 240 and set(done.values()) == {1}
    assert {get_case(case.pk).result for case in cases} == {"done done done done"}
    sound.check_all()


def test_a_worker_never_sees_work_that_is_not_committed(installation: Installation) -> None:
    installation.start("short", "clock")
    with transaction.atomic():
        case = open_far("far_work")
        time.sleep(1.5)
        assert installation.effects() == []
    with pytest.raises(RuntimeError), transaction.atomic():
        open_far("far_work")
        raise RuntimeError("an error at the end")
    installation.wait(lambda: get_case(case.pk).closed_at, "the work")
    time.sleep(1.2)
    assert [e["key"] for e in installation.effects("done")] == [f"{case.pk}.1.1"]
    assert Case.objects.count() == 1
    assert not Incident.objects.exists()


def test_withdrawing_a_case_reaches_the_activity_that_runs(installation: Installation) -> None:
    installation.start("long", "clock", "short")
    case = open_far("far_long", 10)
    installation.wait(lambda: len(installation.effects("piece")) >= 3, "the third piece")
    move_case(case_id=case.pk, name="withdraw", data={"reason": "too slow"}, actor=SERVICE)
    assert get_case(case.pk).step == "withdrawn"
    at_withdrawal = len(installation.effects("piece"))
    time.sleep(1.5)
    assert len(installation.effects("piece")) <= at_withdrawal + 1
    assert installation.effects("done") == []
    assert count(case, "activity.completed") == 0
    sound.check_all()


def test_signals_of_several_senders_find_their_case_through_workers(
    installation: Installation,
) -> None:
    """Stored at once, taken by whichever worker is awake, each once."""
    from processes.acts.messages import post_message

    cases = [open_far("race") for _ in range(10)]
    installation.start("short", "short")

    def send(number: int) -> None:
        for case in cases:
            post_message(
                to=case.reference,
                name="go",
                data={"from": number},
                source=f"sender-{number}",
                key=str(case.pk),
                actor=SERVICE,
            )
        connection.close()

    senders = [threading.Thread(target=send, args=(n,)) for n in range(4)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    from cases.models import Message

    installation.wait(lambda: not Message.objects.filter(state="new").exists(), "all messages")
    states: Any = Counter(Message.objects.values_list("state", flat=True))
    assert states == {"used": 10, "late": 30}
    assert {count(case, "message.received") for case in cases} == {1}
    sound.check_all()
