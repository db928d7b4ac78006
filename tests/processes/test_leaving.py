"""Leaving a step: what it waited for is cancelled, what it did is undone."""

from __future__ import annotations

from typing import Any

import pytest

from cases import access
from cases.actors import Actor
from cases.errors import CaseClosed, Invalid, NotAllowed, TaskNotOpen, TransitionRefused
from cases.models import Case, Notice, Requirement, Task
from processes.acts import tasks
from processes.acts.cases import change_facts, move_case
from processes.acts.incidents import retry_incident
from processes.models import Activity, Incident
from tests.processes.conftest import SERVICE, Trials, effects
from tests.trial import activities, steps
from timers.models import Timer

pytestmark = pytest.mark.django_db(transaction=True)

WAITING = [
    "loan",
    "race",
    "patience",
    "hour",
    "review",
    "saga",
    "ask_outside",
    "parent",
    "side",
    "two_steps",
    "staff",
    "helpers",
    "helper_race",
    "nested",
    "nap",
    "reminders",
    "several_reviews",
    "deadline_of_many",
    "two_of_three",
]


@pytest.mark.parametrize(
    ("trouble", "undone"),
    [(TimeoutError("no answer"), ["one"]), (activities.Refused("no"), [])],
    ids=["perhaps", "refused"],
)
def test_what_failed_without_an_answer_perhaps_took_effect_and_is_undone(
    trials: Trials, trouble: Exception, undone: list[str]
) -> None:
    activities.trouble[:] = [trouble] * 3
    case = trials.open("unsure_saga")
    trials.engine.advance(hours=2)
    activities.trouble.clear()
    assert trials.fresh(case).outcome_reason == "undone"
    key = f"{case.pk}.1.1"
    assert effects() == [f"undo {what} ({key})" for what in undone]


@pytest.mark.parametrize("script", WAITING)
def test_withdrawing_from_any_step_cancels_all_it_waited_for(trials: Trials, script: str) -> None:
    case = trials.open(script)
    trials.withdraw(case)
    after = trials.fresh(case)
    assert (after.step, after.outcome, after.outcome_reason) == (
        "withdrawn",
        "withdrawn",
        "changed their mind",
    )
    assert after.waits == [] and after.waiting_on == ""
    assert not Timer.objects.exists() and not Activity.objects.exists()
    assert not Task.objects.filter(state="open").exists()
    assert not Requirement.objects.filter(is_open=True).exists()
    assert Case.objects.filter(closed_at=None).count() == 0  # a child case has ended with it
    trials.engine.advance(days=90)
    assert "timer.fired" not in trials.types(case)


def test_a_withdrawn_case_leaves_nothing_to_do(trials: Trials, people: Any) -> None:
    # Given a case with two reviews, one taken, a running activity, timers, a child and questions
    from tests.processes.test_activities import open_unsettled

    case = open_unsettled("busy")
    held = trials.claim(case, people.milan, "one")
    assert (Timer.objects.filter(case_id=case.pk).count(), Task.objects.count()) == (4, 2)
    assert Activity.objects.count() == 1

    # When it is withdrawn
    trials.withdraw(case)

    # Then all of it is closed in one step, and the holder is told
    entered = trials.last(case, "step.entered")
    assert len(entered.data["cancelled"]) == 9
    assert not Timer.objects.exists() and not Activity.objects.exists()
    assert set(Task.objects.values_list("state", flat=True)) == {"cancelled"}
    assert not access.visible_tasks(people.milan).exists()
    (notice,) = Notice.objects.filter(person=people.milan)
    assert "no longer needed" in notice.text
    with pytest.raises(TaskNotOpen, match="withdrawn"):
        tasks.complete_task(
            task_id=held.pk, outcome="approve", reason="", actor=Actor.of(people.milan)
        )
    child = Case.objects.get(parent=case)
    assert (child.step, child.outcome_reason) == (
        "withdrawn",
        "The case that asked for this one no longer waits for it.",
    )
    trials.engine.advance(days=30)
    assert Notice.objects.count() == 1


def test_a_closed_case_takes_no_further_act(trials: Trials) -> None:
    case = trials.open("race")
    trials.withdraw(case)
    with pytest.raises(CaseClosed):
        trials.withdraw(case)
    with pytest.raises(CaseClosed):
        change_facts(case_id=case.pk, changes={"amount": 3}, reason="late", actor=SERVICE)
    with pytest.raises(CaseClosed):
        trials.hand_in(case, "passport")


# -- transitions by hand


def test_a_transition_by_hand_is_one_of_the_graph_and_has_what_it_asks_for(
    trials: Trials,
) -> None:
    case = trials.open("two_steps")
    before = trials.types(case)
    with pytest.raises(TransitionRefused, match="no act"):
        move_case(case_id=case.pk, name="go_second", data={}, actor=SERVICE)  # not for staff
    with pytest.raises(Invalid, match="reason"):
        move_case(case_id=case.pk, name="withdraw", data={}, actor=SERVICE)
    with pytest.raises(Invalid, match="Not asked for"):
        move_case(case_id=case.pk, name="withdraw", data={"reason": "x", "extra": 1}, actor=SERVICE)
    assert trials.types(case) == before and trials.fresh(case).is_open


def test_staff_move_only_cases_of_their_team(desk: Any, trials: Trials) -> None:
    case = desk.open("race")
    for person in (desk.people.eve, desk.people.ada, desk.people.otto, desk.people.milan):
        with pytest.raises(NotAllowed):
            move_case(
                case_id=case.pk, name="withdraw", data={"reason": "x"}, actor=Actor.of(person)
            )
    move_case(
        case_id=case.pk,
        name="withdraw",
        data={"reason": "x"},
        actor=Actor.of(desk.people.sanne, on_behalf="party:applicant"),
    )
    entered = trials.last(case, "step.entered")
    assert (entered.actor, entered.on_behalf) == (
        f"person:{desk.people.sanne.pk}",
        "party:applicant",
    )


def test_a_staff_step_is_left_by_staff(trials: Trials) -> None:
    case = trials.open("staff")
    move_case(case_id=case.pk, name="finish", data={}, actor=SERVICE)
    assert trials.fresh(case).step == "done"


# -- undoing


def test_what_a_step_did_is_undone_last_first_when_it_is_left_from_outside(
    trials: Trials,
) -> None:
    case = trials.open("saga")
    trials.withdraw(case)
    assert effects() == ["one", "two", "undo two", "undo one"]
    assert len(set(activities.effects)) == 4
    undone = [e for e in trials.events(case) if e.data.get("undoes")]
    assert [e.data["undoes"] for e in undone] == [2, 1]


def test_the_code_undoes_by_itself(trials: Trials) -> None:
    case = trials.open("saga")
    trials.send(case, "go", undo=True)
    assert effects() == ["one", "two", "undo two", "undo one"]
    assert trials.fresh(case).outcome_reason == "undone"


def test_what_the_code_keeps_is_not_undone(trials: Trials) -> None:
    case = trials.open("saga")
    trials.send(case, "go")
    assert effects() == ["one", "two"] and trials.fresh(case).result == "kept"


def test_what_a_parked_case_did_is_undone_too(trials: Trials) -> None:
    """Its code cannot run, but its history tells what it did."""
    case = trials.open("parked_saga")
    assert trials.fresh(case).stopped_at is not None
    trials.withdraw(case)
    assert effects() == ["one", "two", "undo two", "undo one"]
    assert not Incident.objects.filter(closed_at=None).exists()


def test_what_is_being_undone_when_the_step_is_left_is_still_undone(trials: Trials) -> None:
    # Given code that undoes by itself, and is withdrawn before the first undoing is done
    case = trials.open("saga")
    Trials().send(case, "go", undo=True)
    Trials().withdraw(case)
    trials.settle()

    # Then each effect is undone
    assert effects()[:2] == ["one", "two"]
    assert set(effects()[2:]) == {"undo two", "undo one"}


def test_an_undoing_that_fails_after_the_end_is_repaired_by_an_operator(
    trials: Trials, people: Any
) -> None:
    case = trials.open("saga")
    activities.undo_trouble[:] = [ConnectionError("down")] * 6
    trials.withdraw(case)
    trials.engine.advance(hours=3)
    after = trials.fresh(case)
    assert (after.step, after.stopped_at is None) == ("withdrawn", False)

    incident = Incident.objects.get(closed_at=None)
    retry_incident(incident_id=incident.pk, actor=Actor.of(people.otto))
    trials.settle()
    assert set(effects()) == {"one", "two", "undo two", "undo one"}
    assert trials.fresh(case).stopped_at is None


def test_an_undoing_that_is_stopped_stays_stopped_when_the_case_moves_on(
    trials: Trials, people: Any
) -> None:
    # Given a case moved on by staff to another step, whose undoing of the first has failed
    case = trials.open("saga")
    activities.undo_trouble[:] = [activities.Refused("no")]
    move_case(case_id=case.pk, name="return_to_second", data={}, actor=SERVICE)
    trials.settle()
    assert trials.fresh(case).stopped_at is not None

    # When the case goes on to its end
    trials.send(case, "second", n=1)

    # Then the undoing is still somebody's to repair
    after = trials.fresh(case)
    assert after.step == "done" and after.stopped_at is not None
    incident = Incident.objects.get(closed_at=None)
    retry_incident(incident_id=incident.pk, actor=Actor.of(people.otto))
    trials.settle()
    assert trials.fresh(case).stopped_at is None
    assert set(effects()) == {"one", "two", "undo two", "undo one"}


# -- parked and left


def test_a_parked_case_can_be_withdrawn(trials: Trials, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "broken", [True])
    case = trials.open("broken_once")
    trials.send(case, "go")
    trials.withdraw(case)
    assert trials.fresh(case).step == "withdrawn"
    assert not Incident.objects.filter(closed_at=None).exists()
    assert trials.last(case, "incident.closed").data["how"] == "moved"


def test_an_attempt_under_way_is_undone_by_its_key_when_the_step_is_left(trials: Trials) -> None:
    # Given an activity of which one attempt went wrong, so that nobody knows what it did
    activities.trouble.append(ConnectionError("the answer was lost"))
    case = trials.open("saga")
    assert effects() == []

    # When the case is withdrawn before the next attempt
    trials.withdraw(case)

    # Then what has its key is undone, and no attempt follows
    assert effects() == [f"undo one ({case.pk}.1.1)"]
    assert not Activity.objects.exists()


def test_an_activity_that_was_never_tried_needs_no_undoing(engine: Any) -> None:
    trials = Trials()
    case = trials.open("saga")
    trials.withdraw(case)
    engine.settle()
    assert effects() == []
