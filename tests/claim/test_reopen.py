"""A claim is opened again: from the start, for further costs, or as the draft that it was."""

from __future__ import annotations

from typing import Any

from cases.actors import Actor
from processes.acts.reopening import reopen_case


def reopen(claims: Any, engine: Any, case: Any) -> None:
    actor = Actor.of(claims.by_role["caseworker"])
    reopen_case(case_id=case.pk, reason="The receipt was found.", actor=actor)
    engine.settle()


def test_a_withdrawn_claim_is_approved_by_everybody_anew(
    engine: Any, claims: Any, letters: Any, facts_of: Any
) -> None:
    case = claims.claim(budget="project")
    engine.settle()
    claims.judge(case, "approve")
    engine.settle()
    first = claims.task(case).name
    claims.move(case, "withdraw", reason="Paid by the host.")
    engine.settle()
    reopen(claims, engine, case)
    assert claims.task(case).name != first
    after = facts_of(case)
    assert (after.outcome, after.approved_by, after.rounds) == ("", "", 1)
    assert "We have opened your claim again" in letters(case)


def test_a_paid_claim_waits_for_further_costs(
    engine: Any, claims: Any, world: Any, facts_of: Any
) -> None:
    case = claims.claim()
    engine.settle()
    claims.approve_all(engine, case)
    engine.advance(days=10)
    paid = facts_of(case)
    assert paid.step == "paid" and paid.paid_total
    reopen(claims, engine, case)
    after = facts_of(case)
    assert (after.step, after.paid_total) == ("part_paid", paid.paid_total)


def test_a_draft_that_lapsed_is_a_draft_again(engine: Any, claims: Any, facts_of: Any) -> None:
    case = claims.claim(is_draft=True)
    engine.advance(days=181)
    assert facts_of(case).step == "lapsed"
    reopen(claims, engine, case)
    assert facts_of(case).step == "draft"
