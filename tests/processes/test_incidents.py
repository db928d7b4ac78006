"""A case that cannot go on by itself is stopped alone, seen, and loses nothing."""

from __future__ import annotations

from typing import Any

import pytest

from cases.actors import Actor
from cases.models import Case
from processes.acts.incidents import retry_incident
from processes.engine.turn import Turn
from processes.models import Incident
from processes.work import sweeps
from tests.processes.conftest import Trials, effects
from tests.trial import activities, steps

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def bug(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """The code of `broken_once` has a bug until this list is emptied."""
    found = [True]
    monkeypatch.setattr(steps, "broken", found)
    return found


def test_an_error_of_the_code_stops_its_case_and_says_what_and_where(
    trials: Trials, bug: list[bool]
) -> None:
    case = trials.open("broken_once")
    trials.send(case, "go")
    incident = Incident.objects.get()
    assert (incident.kind, incident.came) == ("code", "ValueError: a bug in the code")
    assert "trial/steps.py, line" in incident.place and incident.remedy
    (operators, *_) = trials.fresh(case).waits
    assert (operators["kind"], operators["on"]) == ("incident", "operators")


def test_a_parked_case_takes_messages_and_timers_and_goes_on_after_the_repair(
    trials: Trials, bug: list[bool], people: Any
) -> None:
    # Given a parked case, to which more messages come
    case = trials.open("broken_once")
    trials.send(case, "go")
    assert trials.send(case, "more", n=5).state == "kept"
    trials.engine.advance(days=2)

    # When the code has been mended and an operator tries again
    bug.clear()
    incident = Incident.objects.get(closed_at=None)
    assert "goes on" in retry_incident(incident_id=incident.pk, actor=Actor.of(people.otto))
    trials.engine.advance(days=1)

    # Then it has used what came, and the repair stands in its history
    assert trials.fresh(case).result == "5"
    closed = trials.last(case, "incident.closed")
    assert closed.actor == f"person:{people.otto.pk}"


def test_a_timer_that_fires_while_a_case_is_parked_is_not_lost(
    trials: Trials, bug: list[bool]
) -> None:
    case = trials.open("broken_beside_a_timer")
    trials.send(case, "go")
    trials.engine.advance(days=2)
    assert "timer.fired" in trials.types(case)
    bug.clear()
    assert sweeps.revive(case.pk, actor="engine")
    assert trials.fresh(case).result == "slept"


def test_the_engine_tries_again_by_itself_ever_more_rarely(trials: Trials, bug: list[bool]) -> None:
    case = trials.open("broken_once")
    trials.send(case, "go")
    before = trials.types(case)
    gaps = []
    for _ in range(4):
        incident = Incident.objects.get(closed_at=None)
        gaps.append(incident.next_try_at - trials.engine.turned.at)
        trials.engine.turned.set(incident.next_try_at)
        assert sweeps.retry_incidents() == 0
    assert gaps == sorted(gaps) and gaps[3] > gaps[0]
    assert trials.types(case) == before  # a try that fails as before leaves no trace
    bug.clear()
    trials.engine.turned.set(Incident.objects.get(closed_at=None).next_try_at)
    assert sweeps.retry_incidents() == 1
    assert trials.fresh(case).stopped_at is None


def test_one_failing_case_in_a_batch_does_not_touch_the_others(
    trials: Trials, bug: list[bool]
) -> None:
    bad = trials.open("broken_once")
    good = [trials.open("race") for _ in range(5)]
    for case in [good[0], bad, *good[1:]]:
        trials.post(case.reference, "go")
    trials.settle()
    assert [trials.fresh(case).result for case in good] == ["0"] * 5
    assert Incident.objects.get().case_id == bad.pk


def test_a_case_that_goes_in_a_circle_is_stopped_at_the_limit(
    trials: Trials, settings: Any
) -> None:
    settings.LONGCASE_TRANSITIONS_PER_WAKE = 6
    case = trials.open("circle")
    for number in range(20):
        trials.send(case, "second", key=f"{number}", back=True)
    trials.send(case, "begin")
    assert "6 transitions" in Incident.objects.get().came
    assert trials.fresh(case).visit == 8

    # And each further try takes it a bounded way on
    trials.engine.turned.advance(hours=1)
    sweeps.retry_incidents()
    assert trials.fresh(case).visit <= 15


def test_step_code_cannot_end_the_worker(trials: Trials) -> None:
    case = trials.open("exits")
    trials.post(case.reference, "go")
    other = trials.open("race")
    trials.post(other.reference, "go")
    trials.settle()
    assert "may not end the process" in Incident.objects.get().came
    assert trials.fresh(other).result == "0"


def test_waiting_for_what_was_given_up_is_refused(trials: Trials) -> None:
    case = trials.open("given_up")
    trials.send(case, "go")
    assert "gave up before" in Incident.objects.get().came


def test_an_open_case_that_waits_for_nobody_is_found_and_shown(
    trials: Trials, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps.trial, "staff_steps", {})
    case = trials.open("staff")
    assert trials.fresh(case).waits == []
    assert sweeps.find_cases_without_wait() == 1
    assert trials.fresh(case).waits[0]["on"] == "operators"
    assert "nobody would" in Incident.objects.get().came
    trials.is_checked = False


def test_code_that_returns_no_transition_is_told_so(trials: Trials) -> None:
    trials.open("bad_end")
    incident = Incident.objects.get()
    assert "must return a transition" in incident.came


def test_a_step_done_is_not_taken_back_when_the_next_one_fails(trials: Trials) -> None:
    case = trials.open("two_steps")
    trials.send(case, "first")
    Trials().send(case, "second", text="no number")  # `second` needs none
    assert trials.fresh(case).result == "second None"


def test_a_repair_that_gets_further_keeps_how_far_it_got(
    trials: Trials, bug: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mended step writes a row and goes to the next, whose code has a bug of its own."""
    from cases.models import Notice

    case = trials.open("broken_then_second")
    trials.send(case, "go")
    assert trials.fresh(case).step == "trying" and not Notice.objects.exists()

    async def bad_second(case: Any) -> Any:
        raise ValueError("another bug")

    code = steps.trial.code_of("second")
    from dataclasses import replace

    versions = {1: replace(code, function=bad_second)}
    monkeypatch.setitem(steps.trial.codes, "second", versions)
    bug.clear()
    for _ in range(2):
        sweeps.revive(case.pk, actor="engine")
    assert (trials.fresh(case).step, Notice.objects.count()) == ("second", 1)
    assert "another bug" in Incident.objects.get(closed_at=None).came
    monkeypatch.setitem(steps.trial.codes, "second", {1: code})
    assert sweeps.revive(case.pk, actor="engine")
    trials.send(case, "second", n=1)
    assert Notice.objects.count() == 1


def test_a_stopped_activity_is_still_seen_after_a_bug_was_mended(
    trials: Trials, bug: list[bool], people: Any
) -> None:
    # Given an activity that failed for good, and then a bug in the code beside it
    activities.trouble[:] = [activities.Refused("no")]
    case = trials.open("broken_beside_a_call")
    assert Incident.objects.get(closed_at=None).kind == "activity"
    trials.send(case, "go")
    assert Incident.objects.get(closed_at=None).kind == "code"

    # When the bug is mended
    bug.clear()
    assert sweeps.revive(case.pk, actor="engine")

    # Then the activity has its incident again, and is tried again
    incident = Incident.objects.get(closed_at=None)
    assert incident.kind == "activity"
    retry_incident(incident_id=incident.pk, actor=Actor.of(people.otto))
    trials.settle()
    assert trials.fresh(case).result == "risky" and effects() == ["risky"]


def test_what_a_repair_asks_for_and_cannot_be_written_stops_no_other_repair(
    trials: Trials, bug: list[bool], poison: None
) -> None:
    bad, good = trials.open("broken_then_poison"), trials.open("broken_once")
    for case in (bad, good):
        trials.send(case, "go")
    bug.clear()
    trials.engine.turned.advance(minutes=10)
    assert sweeps.retry_incidents() == 1
    assert trials.fresh(good).stopped_at is None and trials.fresh(bad).stopped_at is not None
    assert Incident.objects.get(closed_at=None).tries == 1


def test_a_turn_that_fails_leaves_nothing_of_any_of_its_cases(trials: Trials) -> None:
    """Events, step, timers and messages commit together, or not at all."""
    cases = [trials.open("race") for _ in range(3)]
    before = [trials.types(case) for case in cases]
    with pytest.raises(RuntimeError):
        with Turn() as turn:
            for run in turn.lock([case.pk for case in cases], wait=True):
                turn.take(run, "withdraw", {"reason": "x"}, actor="engine", on_behalf="")
            raise RuntimeError("the process dies here")
    assert [trials.types(case) for case in cases] == before
    assert not Case.objects.exclude(step="trying").exists()


@pytest.mark.parametrize("script", ["side", "side_helper"])
def test_the_failure_of_what_nobody_awaits_yet_is_an_operators_to_repair(
    trials: Trials, people: Any, script: str
) -> None:
    activities.trouble[:] = [activities.Refused("no")]
    case = trials.open(script)
    incident = Incident.objects.get(closed_at=None)
    assert incident.kind == "activity"
    retry_incident(incident_id=incident.pk, actor=Actor.of(people.otto))
    trials.send(case, "go")
    assert trials.fresh(case).result == "aside"
