"""Suspension, resumption and withdrawal, from every open step."""

from __future__ import annotations

from typing import Any

import pytest

from cases.errors import CaseClosed, Invalid, NotAllowed, TransitionRefused
from cases.models import Task
from processes.acts.cases import get_case, move_case
from processes.permit.models import AT_WORK
from timers.models import Timer

STEPS = [str(step) for step in AT_WORK]
# Where a case goes on that was suspended there, if not where it stood.
RESUMES_AT = {"decision": "draft"}


@pytest.mark.parametrize("step", [*STEPS, "suspended"])
def test_withdrawing_ends_whatever_the_step_waited_for(desk: Any, engine: Any, step: str) -> None:
    # Given a case at this step
    if step == "suspended":
        case = desk.to("assessment")
        desk.move(case, "suspend")
    else:
        case = desk.to(step)

    # When it is withdrawn
    desk.move(case, "withdraw")

    # Then it is closed with a letter, and nothing of it is left open
    after = get_case(case.pk)
    assert (after.step, after.outcome_reason) == ("withdrawn", "As it must be.")
    assert desk.letters(case)[-1] == "withdrawn"
    assert not Task.objects.filter(case_id=case.pk, state="open").exists()
    assert not Timer.objects.filter(case_id=case.pk).exists()
    assert not get_case(case.pk).waits
    assert desk.clock(case).is_stopped
    engine.advance(days=400)
    assert desk.letters(case)[-1] == "withdrawn"
    with pytest.raises(CaseClosed):
        desk.move(case, "withdraw")


@pytest.mark.parametrize("step", STEPS)
def test_a_suspended_case_goes_on_where_it_stood(desk: Any, engine: Any, step: str) -> None:
    # Given a case that is suspended at this step
    case = desk.to(step)
    was_stopped = desk.clock(case).is_stopped
    limit = desk.clock(case).dates.limit_on
    paused_before = desk.clock(case).is_paused
    desk.move(case, "suspend")
    assert desk.step(case) == "suspended"
    assert desk.letters(case)[-1] == "suspended"
    assert desk.names(case) == ["resume"]
    assert desk.clock(case).is_paused != was_stopped

    # When it is resumed after thirty days
    engine.advance(days=30)
    desk.do(case, "resume", "resume")

    # Then it goes on, and the term is thirty days longer where it ran
    assert desk.step(case) == RESUMES_AT.get(step, step)
    assert "resumed" in desk.letters(case)
    if not was_stopped and not paused_before:
        assert (desk.clock(case).dates.limit_on - limit).days == 30
    if step == "awaiting_data":
        desk.send(case, "drawings")
    desk.bring(case, "archived")


def test_what_was_finished_before_a_suspension_is_not_done_again(desk: Any) -> None:
    # Given receipt with its confirmation sent, and an assessment with one of two parts reviewed
    case = desk.open(parts="build fell")
    desk.do(case, "check_confirmation", "pass")
    desk.do(case, "determine_confirmation", "determine")
    desk.do(case, "send_confirmation", "send")
    desk.move(case, "suspend")
    desk.do(case, "resume", "resume")
    assert desk.names(case) == ["assess_stop"]
    desk.do(case, "assess_stop", "clear")
    desk.do(case, "decide_stop", "go_on")
    desk.do(case, "completeness", "complete")
    desk.do(case, "content_build", "conditions", "Use oak.")

    # When it is suspended and resumed
    desk.move(case, "suspend")
    desk.do(case, "resume", "resume")

    # Then only the other part is asked for, and what the first one said still counts
    assert desk.names(case) == ["content_fell"]
    desk.do(case, "content_fell", "for")
    assert desk.task(case, "draft").show["conditions"] == "Build: Use oak."
    assert desk.letters(case).count("confirmation") == 1
    assert desk.letters(case).count("in_assessment") == 1


def test_nothing_is_granted_by_default_while_a_case_is_suspended(desk: Any, engine: Any) -> None:
    case = desk.to("draft", by_default=True)
    engine.advance(days=50)
    desk.move(case, "suspend")
    engine.advance(days=100)
    assert desk.step(case) == "suspended"
    desk.do(case, "resume", "resume")
    assert desk.step(case) == "draft"
    engine.advance(days=7)
    assert get_case(case.pk).decision == "granted_by_default"


def test_a_case_opened_by_mistake_is_closed_by_a_supervisor_alone(desk: Any) -> None:
    case = desk.to("completeness")
    with pytest.raises(NotAllowed, match="supervisor"):
        desk.move(case, "close_early")
    desk.move(case, "close_early", by=desk.supervisor)
    after = get_case(case.pk)
    assert (after.step, after.outcome) == ("archived", "closed")


def test_a_move_without_its_reason_or_from_elsewhere_is_refused(desk: Any) -> None:
    from cases.actors import Actor

    case = desk.open()
    with pytest.raises(Invalid, match="reason"):
        move_case(
            case_id=case.pk,
            name="suspend",
            data={"reason": ""},
            actor=Actor.of(desk.caseworker),
        )
    with pytest.raises(TransitionRefused, match="Objection term"):
        desk.move(case, "record_waiver")
    with pytest.raises(TransitionRefused):
        desk.move(case, "decide")


@pytest.mark.parametrize(
    ("facts", "field"),
    [({"parts": ""}, "parts"), ({"parts": "castle"}, "parts"), ({"site": ""}, "site")],
)
def test_an_application_for_nothing_or_nowhere_is_not_opened(
    desk: Any, facts: dict[str, Any], field: str
) -> None:
    with pytest.raises(Invalid) as refused:
        desk.open(**facts)
    assert list(refused.value.fields) == [field]


def test_a_decision_is_taken_back_while_it_lies_unsent(desk: Any) -> None:
    from cases.actors import Actor
    from processes.acts.decisions import take_back_decision

    case = desk.to("sending")
    task = Task.objects.get(case_id=case.pk, name="decision")
    take_back_decision(task_id=task.pk, reason="I misread it.", actor=Actor.of(desk.alderman))
    desk.engine.settle()
    assert desk.step(case) == "decision"
    assert desk.clock(case).is_running
    desk.bring(case, "objection_term")
    assert get_case(case.pk).decision == "granted"
