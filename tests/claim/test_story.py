"""The story of a claim, from its draft to its payment, and each way in which it can end."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.core import mail

from cases.errors import CaseClosed
from cases.models import Case
from processes.models import Incident
from tests.fixtures.claims import APPLICANT

Letters = Callable[[Case], list[str]]


def test_a_claim_goes_from_its_draft_to_its_payment(
    engine: Any, claims: Any, world: Any, letters: Letters, facts_of: Any
) -> None:
    # Given a draft on Monday morning, submitted two days later with its amount
    case = claims.claim(is_draft=True, amount=Decimal(0), budget="project")
    engine.settle()
    assert facts_of(case).step == "draft"
    engine.advance(days=2)
    claims.tell(case, "submitted", amount="640.50")
    engine.settle()

    # When the administration returns it, the applicant takes it back and submits it again
    claims.judge(case, "send_back", "The hotel bill is missing.")
    engine.settle()
    claims.move(case, "take_back", actor=APPLICANT)
    engine.advance(days=1)
    claims.tell(case, "resubmitted", amount="600.00", description="With the hotel bill")
    assert facts_of(case).rounds == 1

    # And all approve, on Thursday 3 December
    assert claims.approve_all(engine, case) == ["administration", "budget owner", "supervisor"]
    after = facts_of(case)
    assert (after.step, after.approved_amount) == ("approved", Decimal("600.00"))

    # Then the batch of that day requests it, the run on Monday pays it, once, and it is closed
    engine.advance(days=1)
    assert facts_of(case).step == "payment_requested"
    engine.advance(days=4)
    after = facts_of(case)
    assert (after.step, after.outcome, after.paid_total) == ("paid", "paid", Decimal("600.00"))
    assert f"{after.closed_at:%a %d %b %H:%M}" == "Mon 07 Dec 16:30"
    (booking,) = world.journal.of("bank", "booked")
    assert (booking["amount"], booking["reference"]) == ("600.00", case.reference)
    assert after.bookings == booking["booking"]
    assert letters(case) == [
        "We have received your claim",
        "Your claim is returned to you",
        "Your claim is approved",
        "Your claim has been paid",
    ]
    assert len(mail.outbox) == 4
    assert not Incident.objects.exists()


@pytest.mark.parametrize("place", [0, 1, 2])
def test_each_approver_can_reject_for_good_with_a_reason(
    engine: Any, claims: Any, world: Any, letters: Letters, facts_of: Any, place: int
) -> None:
    case = claims.claim(budget="project")
    engine.settle()
    for _ in range(place):
        claims.judge(case, "approve")
        engine.settle()
    claims.judge(case, "reject", "Private costs.")
    engine.settle()
    after = facts_of(case)
    assert (after.step, after.outcome, after.outcome_reason) == (
        "rejected",
        "rejected",
        "Private costs.",
    )
    assert letters(case)[-1] == "We cannot pay your claim"
    with pytest.raises(CaseClosed):
        claims.tell(case, "resubmitted")
    assert not world.journal.of("bank", "booked")


def test_a_draft_is_reminded_of_and_lapses(
    engine: Any, claims: Any, letters: Letters, facts_of: Any
) -> None:
    case = claims.claim(is_draft=True)
    engine.advance(days=179)
    assert facts_of(case).step == "draft"
    engine.advance(days=2)
    assert facts_of(case).step == "lapsed"
    assert letters(case) == [
        "Your claim is still a draft",
        "Your claim is still a draft",
        "Your draft has lapsed",
    ]


def test_a_draft_without_an_amount_stays_one_when_it_is_submitted(
    engine: Any, claims: Any, letters: Letters, facts_of: Any
) -> None:
    case = claims.claim(is_draft=True, amount=Decimal(0))
    engine.settle()
    claims.tell(case, "submitted", description="Forgot the amount")
    engine.settle()
    assert facts_of(case).step == "draft"
    assert letters(case) == ["Your claim is still a draft"]
    claims.tell(case, "submitted", amount="10.00")
    engine.settle()
    assert facts_of(case).step == "supervision"


WITHDRAWN_FROM = (
    "draft",
    "administration",
    "budget",
    "supervision",
    "returned",
    "taken_back",
    "approved",
    "payment_requested",
)


@pytest.mark.parametrize("step", WITHDRAWN_FROM)
def test_it_can_be_withdrawn_until_the_bank_is_asked(
    engine: Any, claims: Any, world: Any, letters: Letters, facts_of: Any, step: str
) -> None:
    # Given a claim at this step
    case = claims.claim(budget="project", is_draft=step == "draft")
    bring_to(engine, claims, case, step)
    assert facts_of(case).step == step

    # When the applicant withdraws it
    claims.move(case, "withdraw", reason="Paid by the host.")
    engine.advance(days=10)

    # Then it is closed, nothing is paid, nobody has work left, and a letter says so
    after = facts_of(case)
    assert (after.step, after.outcome_reason) == ("withdrawn", "Paid by the host.")
    assert letters(case)[-1] == "Your claim has been withdrawn"
    assert not case.tasks.filter(state="open").exists()
    assert not world.journal.of("bank", "booked")


def bring_to(engine: Any, claims: Any, case: Case, step: str) -> None:
    engine.settle()
    ways = {"budget": 1, "supervision": 2, "approved": 3, "payment_requested": 3}
    for _ in range(ways.get(step, 0)):
        claims.judge(case, "approve")
        engine.settle()
    if step in ("returned", "taken_back"):
        claims.judge(case, "send_back", "Incomplete.")
        engine.settle()
    if step == "taken_back":
        claims.move(case, "take_back", actor=APPLICANT)
        engine.settle()
    if step == "payment_requested":
        engine.advance(hours=9)
