"""Withdrawing: from any step until the customer has accepted, by staff or by the customer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cases.actors import Actor, party
from cases.errors import CaseClosed, Invalid, NotAllowed, TransitionRefused
from cases.models import Case, Requirement, Task
from processes.acts.cases import get_case, move_case
from processes.models import Activity
from timers.models import Timer


def reach(step: str, engine: Any, office: Any, world: Any) -> Case:
    match step:
        case "received":
            return office.open()
        case "checks":
            world.behave("credit", "down")
            case_ = office.open()
        case "awaiting_documents":
            case_ = office.open()
        case "underwriting":
            case_ = office.to_underwriting(engine)
        case "appraisal":
            case_ = office.to_appraisal(engine)
        case "decision":
            case_ = office.to_underwriting(engine)
            office.do(case_, "approve")
        case _:
            case_ = office.to_offer(engine)
    engine.settle()
    return case_


@pytest.mark.parametrize(
    "step",
    [
        "received",
        "checks",
        "awaiting_documents",
        "underwriting",
        "appraisal",
        "decision",
        "offer",
    ],
)
def test_withdrawing_ends_whatever_the_step_waited_for(
    engine: Any, office: Any, world: Any, letters: Callable[[Case], list[str]], step: str
) -> None:
    # Given a case at this step
    case = reach(step, engine, office, world)
    assert get_case(case.pk).step == step

    # When it is withdrawn
    office.withdraw(case)
    engine.settle()

    # Then it is closed with its reason, and nothing of it is left open
    after = get_case(case.pk)
    assert (after.step, after.outcome_reason) == ("withdrawn", "Found another lender.")
    assert after.waits == []
    assert not Task.objects.filter(case_id=case.pk, state="open").exists()
    assert not Activity.objects.filter(case_id=case.pk).exists()
    assert not Timer.objects.filter(case_id=case.pk).exists()
    assert not Requirement.objects.filter(case_id=case.pk, is_open=True, state="asked").exists()
    assert letters(case)[-1] == "Your application has been withdrawn"

    # And time brings nothing more
    count = len(letters(case))
    engine.advance(days=60)
    assert len(letters(case)) == count


def test_withdrawing_calls_an_appraisal_off(engine: Any, office: Any, world: Any) -> None:
    case = office.to_appraisal(engine)
    (order,) = world.orders.values()
    office.withdraw(case)
    engine.settle()
    assert [one["order"] for one in world.journal.of("appraiser", "cancelled")] == [order.order]
    assert order.state == "cancelled"


def test_an_appraiser_who_is_down_still_gets_the_cancellation_later(
    engine: Any, office: Any, world: Any
) -> None:
    case = office.to_appraisal(engine)
    world.behave("appraiser", "down")
    office.withdraw(case)
    engine.settle()
    assert get_case(case.pk).step == "withdrawn"
    world.reset()
    engine.advance(minutes=5)
    assert len(world.journal.of("appraiser", "cancelled")) == 1


def test_the_customer_may_withdraw(engine: Any, office: Any, world: Any) -> None:
    case = reach("offer", engine, office, world)
    office.withdraw(case, actor=party("applicant"))
    engine.settle()
    assert get_case(case.pk).step == "withdrawn"


def test_an_underwriter_may_not_withdraw_and_nobody_without_a_reason(
    engine: Any, office: Any, world: Any
) -> None:
    case = reach("underwriting", engine, office, world)
    with pytest.raises(NotAllowed):
        office.withdraw(case, actor=Actor.of(office.underwriter))
    with pytest.raises(Invalid, match="[Rr]eason"):
        move_case(
            case_id=case.pk,
            name="withdraw",
            data={"reason": "  "},
            actor=Actor.of(office.caseworker),
        )
    assert get_case(case.pk).step == "underwriting"


def test_once_the_customer_has_accepted_it_is_too_late(
    engine: Any, office: Any, world: Any
) -> None:
    case = reach("offer", engine, office, world)
    world.behave("bank", "down")
    office.answer(case, "accept")
    engine.settle()
    with pytest.raises(TransitionRefused, match="Payout"):
        office.withdraw(case)
    world.reset()
    engine.advance(hours=2)
    assert get_case(case.pk).step == "paid_out"
    with pytest.raises(CaseClosed):
        office.withdraw(case)
