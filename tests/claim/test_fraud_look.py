"""The fraud look: a sub-case whose finding decides how the claim goes on."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from cases.actors import Actor
from cases.errors import NotAllowed
from cases.models import Case
from processes.acts.cases import get_case
from processes.acts.tasks import claim_task


def large(claims: Any) -> Case:
    """Insured damage of 12,000.00, which is looked at before anyone approves it."""
    policy = claims.policy()
    return claims.claim(
        claim_type="insurance",
        amount=Decimal("12000.00"),
        incurred_date=date(2026, 11, 20),
        belongs_to=policy.reference,
    )


def look_of(claim: Case) -> Case:
    return get_case(claim.children.get(kind="fraud_look").pk)


def test_a_cleared_claim_goes_on_to_its_approvers_and_is_not_looked_at_again(
    engine: Any, claims: Any, facts_of: Any
) -> None:
    claim = large(claims)
    engine.settle()
    assert facts_of(claim).step == "fraud_look"
    look = look_of(claim)
    assert (look.suspicion, look.amount) == ("A large insurance claim", Decimal("12000.00"))
    claims.judge(look, "clear", "Bills and photographs agree.")
    engine.settle()
    assert facts_of(claim).step == "administration"
    assert look_of(claim).outcome == "cleared"


def test_fraud_is_rejected_with_the_finding_as_reason(
    engine: Any, claims: Any, facts_of: Any, letters: Any
) -> None:
    claim = large(claims)
    engine.settle()
    claims.judge(look_of(claim), "confirm", "The photographs are of another house.")
    engine.settle()
    after = facts_of(claim)
    assert (after.step, after.outcome, after.reserve) == ("rejected", "fraud", Decimal(0))
    assert after.outcome_reason == "The photographs are of another house."
    assert letters(claim)[-1] == "We cannot pay your claim"


def test_the_same_amount_to_the_same_account_is_looked_at(
    engine: Any, claims: Any, facts_of: Any
) -> None:
    first, second = claims.claim(), claims.claim()
    engine.settle()
    assert (facts_of(first).step, facts_of(second).step) == ("supervision", "fraud_look")
    assert facts_of(second).suspicion == "The same amount was claimed before"
    engine.advance(days=61)
    third = claims.claim()
    engine.settle()
    assert facts_of(third).step == "supervision"


def test_a_caseworker_with_doubts_asks_for_a_look_and_all_approve_anew(
    engine: Any, claims: Any, facts_of: Any
) -> None:
    claim = claims.claim(amount=Decimal("900.00"))
    engine.settle()
    claims.judge(claim, "approve")
    engine.settle()
    claims.move(claim, "ask_fraud_look", reason="The bill looks copied.")
    engine.settle()
    claims.judge(look_of(claim), "clear", "It is the original.")
    engine.settle()
    assert claims.approve_all(engine, claim) == ["administration", "supervisor"]


def test_withdrawing_the_claim_ends_its_look(engine: Any, claims: Any, facts_of: Any) -> None:
    claim = large(claims)
    engine.settle()
    claims.move(claim, "withdraw", reason="Found the ring.")
    engine.settle()
    assert facts_of(claim).step == "withdrawn"
    assert look_of(claim).step == "dropped"


def test_the_claimant_does_not_look_at_their_own_claim(engine: Any, claims: Any) -> None:
    own = claims.person("own", "fraud examiner")
    policy = claims.policy()
    claim = claims.claim(
        claim_type="insurance",
        amount=Decimal("12000.00"),
        incurred_date=date(2026, 11, 20),
        belongs_to=policy.reference,
        claimant=f"person:{own.pk}",
    )
    engine.settle()
    with pytest.raises(NotAllowed, match="four eyes"):
        claim_task(task_id=claims.task(look_of(claim)).pk, actor=Actor.of(own))
