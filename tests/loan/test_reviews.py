"""Reviews of a loan: who may, by when, and what happens when nobody does."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from cases.actors import Actor
from cases.errors import Invalid, NotAllowed
from cases.models import Notice, Task
from processes.acts.cases import change_facts, get_case
from processes.acts.messages import answer_callback
from processes.acts.tasks import claim_task


def test_above_fifty_thousand_a_second_and_different_person_judges(
    engine: Any, office: Any, world: Any
) -> None:
    # Given a loan above the threshold that one underwriter has approved
    case = office.to_underwriting(engine, amount=Decimal("50000.01"))
    office.do(case, "approve")

    # When the same person, who also has the second role, wants the second review
    task = Task.objects.get(case_id=case.pk, state="open")
    assert (task.name, task.role) == ("second_underwriting", "senior underwriter")
    with pytest.raises(NotAllowed, match="four eyes"):
        claim_task(task_id=task.pk, actor=Actor.of(office.underwriter))

    # Then only somebody else can give it
    office.do(case, "approve", by=office.second)
    assert get_case(case.pk).step == "decision"


def test_at_fifty_thousand_one_person_is_enough(engine: Any, office: Any, world: Any) -> None:
    case = office.to_underwriting(engine, amount=Decimal("50000.00"))
    office.do(case, "approve")
    assert get_case(case.pk).step == "decision"


@pytest.mark.parametrize("outcome", ["decline", "send_back"])
def test_the_second_person_may_see_it_otherwise(
    engine: Any, office: Any, world: Any, outcome: str
) -> None:
    case = office.to_underwriting(engine, amount=Decimal("60000"))
    office.do(case, "approve")
    office.do(case, outcome, by=office.second, reason="I do not follow.")
    engine.settle()
    wanted = {"decline": "declined", "send_back": "awaiting_documents"}
    assert get_case(case.pk).step == wanted[outcome]


def test_a_decline_needs_a_reason(engine: Any, office: Any, world: Any) -> None:
    case = office.to_underwriting(engine)
    with pytest.raises(Invalid, match="needs a reason"):
        office.do(case, "decline")
    assert get_case(case.pk).step == "underwriting"


def test_a_caseworker_may_not_judge(engine: Any, office: Any, world: Any) -> None:
    case = office.to_underwriting(engine)
    with pytest.raises(NotAllowed, match="role underwriter"):
        office.do(case, "approve", by=office.caseworker)


def test_supervisors_are_told_when_a_review_is_overdue(
    engine: Any, office: Any, world: Any
) -> None:
    # Given a review that nobody takes: Monday 30 November, due in five working days
    case = office.to_underwriting(engine)
    task = Task.objects.get(case_id=case.pk, state="open")
    assert task.due_at.isoformat() == "2026-12-07T16:00:00+00:00"

    # When closing time of the fifth working day has passed
    engine.advance(days=7, hours=8)

    # Then the supervisors know, and the review is still to be done
    assert Notice.objects.get(case_id=case.pk).role == "supervisor"
    office.do(case, "approve")
    assert get_case(case.pk).step == "decision"


def test_the_reviewer_sees_the_score_and_the_burden(engine: Any, office: Any, world: Any) -> None:
    case = office.to_underwriting(engine)
    shown = Task.objects.get(case_id=case.pk, state="open").show
    assert shown["credit_score"] == get_case(case.pk).credit_score
    assert shown["part_of_the_income"] == "14 %"


def raise_to_80000(case: Any, office: Any) -> None:
    change_facts(
        case_id=case.pk,
        changes={"amount": Decimal("80000.00")},
        reason="The customer wants more.",
        actor=Actor.of(office.caseworker),
    )


def test_an_amount_raised_during_the_review_is_judged_by_two(
    engine: Any, office: Any, world: Any
) -> None:
    case = office.to_underwriting(engine, amount=Decimal("20000"))
    raise_to_80000(case, office)
    office.do(case, "approve")
    office.do(case, "approve", by=office.second)
    task = Task.objects.get(case_id=case.pk, state="open")
    assert (get_case(case.pk).step, task.name) == ("underwriting", "underwriting")


@pytest.mark.parametrize("step", ["appraisal", "decision", "offer"])
def test_an_amount_raised_after_the_review_goes_back_to_underwriting(
    engine: Any, office: Any, world: Any, step: str
) -> None:
    # Given a loan that one person approved
    if step == "appraisal":
        case = office.to_appraisal(engine)
    elif step == "decision":
        case = office.to_underwriting(engine)
        office.do(case, "approve")
    else:
        case = office.to_offer(engine)
    assert get_case(case.pk).step == step

    # When its amount is raised before the step is done
    raise_to_80000(case, office)
    if step == "appraisal":
        (order,) = world.open_orders()
        address, data = world.appraise(order)
        answer_callback(token=address.rpartition("/")[2], data=data)
    elif step == "decision":
        office.do(case, "approve")
    else:
        office.answer(case, "accept")
    engine.settle()

    # Then it is judged anew, and nothing was paid
    assert get_case(case.pk).step == "underwriting"
    assert not world.journal.of("bank", "booked")


def test_a_correction_during_the_payout_pays_what_was_accepted(
    engine: Any, office: Any, world: Any
) -> None:
    case = office.to_offer(engine)
    world.behave("bank", "status", status=422, reason="No such account.", times=1)
    office.answer(case, "accept")
    engine.settle()
    raise_to_80000(case, office)
    office.do(case, "again", by=office.caseworker)
    engine.settle()
    (booking,) = world.journal.of("bank", "booked")
    assert booking["amount"] == "20000.00"
