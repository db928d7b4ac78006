"""Travel permits and policies, and the claims that belong to them."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from cases.errors import Invalid
from cases.models import Case
from tests.fixtures.claims import BOOKKEEPER


def test_a_trip_is_approved_made_claimed_and_settled(
    engine: Any, claims: Any, world: Any, facts_of: Any, letters: Any
) -> None:
    # Given a permit for a trip from Monday 7 to Thursday 10 December
    permit = claims.permit()
    assert claims.approve_all(engine, permit) == ["supervisor"]
    assert facts_of(permit).step == "planned"

    # When its days come, then the permit moves on by itself
    engine.advance(days=7)
    assert facts_of(permit).step == "travelling"
    engine.advance(days=3)
    assert facts_of(permit).step == "claiming"

    # And its claim is its child, without a flag
    claim = claims.claim(belongs_to=permit.reference, needs_permit=True, amount=Decimal("380.00"))
    claims.approve_all(engine, claim)
    assert facts_of(claim).parent_id == permit.pk
    assert facts_of(claim).flags == ""
    engine.advance(days=8)
    assert facts_of(claim).step == "paid"

    # Then the permit is settled once no other claim has come for 60 days, without a reminder
    engine.advance(days=61)
    assert facts_of(permit).step == "settled"
    assert letters(permit) == ["Your travel permit is approved"]


def test_while_no_claim_comes_the_traveller_is_reminded_every_two_months(
    engine: Any, claims: Any, facts_of: Any, letters: Any
) -> None:
    permit = claims.permit()
    claims.approve_all(engine, permit)
    engine.advance(days=43)  # 12 January: a month and two days after the trip
    assert letters(permit) == ["Your travel permit is approved"]
    engine.advance(days=20)
    assert letters(permit)[1:] == ["Please send your claim"]
    engine.advance(days=61)
    assert letters(permit)[1:] == ["Please send your claim"] * 2

    # A claim ends the reminders; a rejected one lets the permit be settled
    claim = claims.claim(belongs_to=permit.reference)
    engine.settle()
    claims.judge(claim, "reject", "Private.")
    engine.advance(days=59)
    assert facts_of(permit).step == "claiming"
    engine.advance(days=2)
    assert facts_of(permit).step == "settled"
    assert letters(permit)[1:] == ["Please send your claim"] * 2


def test_a_permit_without_a_claim_is_closed_after_two_years(
    engine: Any, claims: Any, facts_of: Any
) -> None:
    permit = claims.permit()
    claims.approve_all(engine, permit)
    engine.advance(days=750)
    assert facts_of(permit).step == "unused"


@pytest.mark.parametrize(
    ("step", "flag"), [("supervision", "permit_open"), ("withdrawn", "permit_open")]
)
def test_a_claim_on_a_permit_that_is_not_approved_is_flagged(
    engine: Any, claims: Any, facts_of: Any, step: str, flag: str
) -> None:
    permit = claims.permit()
    engine.settle()
    if step == "withdrawn":
        claims.move(permit, "withdraw", reason="No trip.")
        engine.settle()
    assert facts_of(permit).step == step
    claim = claims.claim(belongs_to=permit.reference)
    engine.settle()
    assert facts_of(claim).flags == flag
    assert claims.task(claim).show["what_stands_out"] == "The permit is not approved yet"


def test_a_claim_that_needs_a_permit_and_has_none_is_flagged(
    engine: Any, claims: Any, facts_of: Any
) -> None:
    claim = claims.claim(needs_permit=True)
    engine.settle()
    assert facts_of(claim).flags == "no_permit"
    assert claims.task(claim).show["what_stands_out"] == "No approved permit"


def test_claims_beyond_the_budget_of_a_permit_are_flagged(
    engine: Any, claims: Any, facts_of: Any
) -> None:
    permit = claims.permit()
    claims.approve_all(engine, permit)
    first = claims.claim(belongs_to=permit.reference, amount=Decimal("300.00"))
    second = claims.claim(belongs_to=permit.reference, amount=Decimal("100.01"))
    engine.settle()
    assert (facts_of(first).flags, facts_of(second).flags) == ("", "over_permit")


def test_a_permit_asked_for_after_the_trip_began_is_flagged_and_moves_on_at_once(
    engine: Any, claims: Any, facts_of: Any
) -> None:
    permit = claims.permit(trip_start=date(2026, 11, 28), trip_end=date(2026, 11, 29))
    engine.settle()
    assert facts_of(permit).flags == "late_permit"
    claims.approve_all(engine, permit)
    assert facts_of(permit).step == "claiming"


def test_a_permit_is_returned_and_its_dates_are_changed(
    engine: Any, claims: Any, facts_of: Any
) -> None:
    permit = claims.permit()
    engine.settle()
    claims.judge(permit, "send_back", "Too early.")
    engine.settle()
    with pytest.raises(Invalid, match="both of its days"):
        claims.tell(permit, "resubmitted", trip_start="2026-12-14")
    claims.tell(permit, "resubmitted", trip_start="2026-12-14", trip_end="2026-12-16")
    claims.approve_all(engine, permit)
    engine.advance(days=13)
    assert facts_of(permit).step == "planned"
    engine.advance(days=2)
    assert facts_of(permit).step == "travelling"


def test_the_bookkeepers_system_can_refuse_an_approved_permit(
    engine: Any, claims: Any, facts_of: Any
) -> None:
    permit = claims.permit()
    claims.approve_all(engine, permit)
    claims.tell(permit, "permit_rejected", actor=BOOKKEEPER, reason="Unknown project.")
    engine.settle()
    assert facts_of(permit).step == "returned"


def test_a_parent_that_does_not_exist_is_refused_naming_the_fact(claims: Any) -> None:
    with pytest.raises(Invalid, match="belongs_to.*TP-2026-999999"):
        claims.claim(belongs_to="TP-2026-999999")
    assert not Case.objects.exists()


@pytest.mark.parametrize(
    ("facts", "flags"),
    [
        ({"incurred_date": date(2026, 11, 20)}, ""),
        ({"incurred_date": date(2025, 12, 31)}, "outside_policy"),
        ({"incurred_date": date(2026, 1, 20)}, "early_damage"),
        ({"incurred_date": date(2026, 11, 20), "amount": Decimal("20000.01")}, "over_cover large"),
    ],
)
def test_damage_is_held_against_its_policy(
    engine: Any, claims: Any, facts_of: Any, facts: dict[str, Any], flags: str
) -> None:
    policy = claims.policy()
    claim = claims.claim(claim_type="insurance", belongs_to=policy.reference, **facts)
    engine.settle()
    assert facts_of(claim).flags == flags


def test_a_policy_ends_runs_off_and_closes_when_its_claims_are_done(
    engine: Any, claims: Any, world: Any, facts_of: Any
) -> None:
    policy = claims.policy(ends_date=date(2026, 12, 31))
    engine.advance(days=33)
    assert facts_of(policy).step == "run_off"
    claim = claims.claim(
        claim_type="insurance", belongs_to=policy.reference, incurred_date=date(2026, 12, 24)
    )
    engine.advance(days=366)
    assert facts_of(policy).step == "run_off"
    claims.approve_all(engine, claim)
    engine.advance(days=8)
    assert (facts_of(claim).step, facts_of(policy).step) == ("paid", "ended")
