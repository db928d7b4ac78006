"""Who approves: the table, the order, four eyes, and what an approval covers."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from audit.read import events_of
from cases.actors import Actor
from cases.errors import Invalid, NotAllowed, TransitionRefused
from processes.acts.cases import change_facts
from processes.acts.tasks import claim_task
from tests.fixtures.claims import APPLICANT


@pytest.mark.parametrize(
    ("facts", "roles"),
    [
        ({"amount": Decimal("499.99")}, ["supervisor"]),
        ({"amount": Decimal("500.00")}, ["administration", "supervisor"]),
        ({"amount": Decimal("5000.00")}, ["administration", "supervisor", "director"]),
        ({"budget": "project"}, ["administration", "budget owner", "supervisor"]),
        ({"budget": "shared", "unit": "laboratory"}, ["pre-approver", "supervisor"]),
        (
            {"budget": "project", "amount": Decimal("5000.00")},
            ["administration", "budget owner", "supervisor", "director"],
        ),
    ],
)
def test_the_table_says_who_approves_and_the_history_which_rule_did(
    engine: Any, claims: Any, facts_of: Any, facts: dict[str, Any], roles: list[str]
) -> None:
    case = claims.claim(**facts)
    assert claims.approve_all(engine, case) == roles
    after = facts_of(case)
    assert after.step == "approved"
    (decided,) = [e for e in events_of(case.pk) if e.type == "table.decided"]
    assert decided.data["name"] == "who_approves"
    assert after.rule == decided.data["because"]


def test_who_approved_before_may_not_approve_again(engine: Any, claims: Any) -> None:
    # Given somebody with two of the roles, who approves as the first
    both = claims.person("both", "administration", "supervisor")
    case = claims.claim(amount=Decimal("900.00"))
    engine.settle()
    claims.judge(case, "approve", by=both)
    engine.settle()

    # When they want to be the second too, then four eyes refuse it, and another one may
    with pytest.raises(NotAllowed, match="four eyes"):
        claim_task(task_id=claims.task(case).pk, actor=Actor.of(both))
    claims.judge(case, "approve")


def test_nobody_approves_their_own_claim(engine: Any, claims: Any) -> None:
    own = claims.person("own", "supervisor")
    case = claims.claim(claimant=f"person:{own.pk}")
    engine.settle()
    with pytest.raises(NotAllowed, match="four eyes"):
        claim_task(task_id=claims.task(case).pk, actor=Actor.of(own))


def test_another_role_is_not_asked(engine: Any, claims: Any) -> None:
    case = claims.claim(amount=Decimal("900.00"))
    engine.settle()
    with pytest.raises(NotAllowed, match="administration"):
        claim_task(task_id=claims.task(case).pk, actor=Actor.of(claims.by_role["director"]))


@pytest.mark.parametrize("outcome", ["send_back", "reject"])
def test_a_no_needs_its_reason(engine: Any, claims: Any, outcome: str) -> None:
    case = claims.claim()
    engine.settle()
    with pytest.raises(Invalid, match="needs a reason"):
        claims.judge(case, outcome)


def test_an_approval_covers_what_was_seen_and_nothing_else(
    engine: Any, claims: Any, facts_of: Any
) -> None:
    # Given a claim that the administration has approved
    case = claims.claim(amount=Decimal("900.00"))
    engine.settle()
    claims.judge(case, "approve")
    engine.settle()

    # When its amount is raised, and the supervisor approves
    change_facts(
        case_id=case.pk,
        changes={"amount": Decimal("6000.00")},
        reason="A bill was forgotten.",
        actor=Actor.of(claims.by_role["caseworker"]),
    )
    claims.judge(case, "approve")
    engine.settle()

    # Then all are asked anew, by the table for the new amount
    assert facts_of(case).step == "administration"
    roles = claims.approve_all(engine, case)
    assert roles == ["administration", "supervisor", "director"]
    assert facts_of(case).approved_amount == Decimal("6000.00")


def test_what_is_approved_or_paid_cannot_be_corrected_away(engine: Any, claims: Any) -> None:
    case = claims.claim()
    claims.approve_all(engine, case)
    with pytest.raises(Invalid, match=r"250\.00 is approved or paid"):
        change_facts(
            case_id=case.pk,
            changes={"amount": Decimal("100.00")},
            reason="Less.",
            actor=Actor.of(claims.by_role["caseworker"]),
        )


def test_after_the_sixth_time_it_is_not_returned_any_more(
    engine: Any, claims: Any, facts_of: Any
) -> None:
    case = claims.claim()
    engine.settle()
    for _ in range(6):
        claims.judge(case, "send_back", "Not yet.")
        engine.settle()
        claims.tell(case, "resubmitted")
        engine.settle()
    assert facts_of(case).rounds == 6
    with pytest.raises(Invalid, match="no outcome"):
        claims.judge(case, "send_back", "Not yet.")
    claims.judge(case, "approve", by=claims.task(case).holder)


def test_a_returned_claim_that_nobody_submits_again_is_closed(
    engine: Any, claims: Any, facts_of: Any, letters: Any
) -> None:
    case = claims.claim()
    engine.settle()
    claims.judge(case, "send_back", "The bill is missing.")
    engine.advance(days=364)
    assert facts_of(case).step == "returned"
    engine.advance(days=2)
    assert (facts_of(case).step, facts_of(case).outcome) == ("rejected", "rejected")
    assert letters(case)[1:] == [
        "Your claim is returned to you",
        "Your claim waits for you",
        "Your claim waits for you",
        "We cannot pay your claim",
    ]


def test_the_applicant_can_take_it_back_from_an_approver(
    engine: Any, claims: Any, facts_of: Any
) -> None:
    case = claims.claim()
    engine.settle()
    task = claims.task(case)
    claims.move(case, "take_back", actor=APPLICANT)
    engine.settle()
    assert facts_of(case).step == "taken_back"
    task.refresh_from_db()
    assert task.state == "cancelled"
    with pytest.raises(TransitionRefused):
        claims.move(case, "take_back", actor=APPLICANT)


@pytest.mark.parametrize("name", ["close_rest", "ask_fraud_look"])
def test_an_act_is_refused_from_where_it_makes_no_sense(
    engine: Any, claims: Any, name: str
) -> None:
    case = claims.claim(is_draft=True)
    engine.settle()
    with pytest.raises(TransitionRefused, match="is possible from"):
        claims.move(case, name, reason="Because.")


def test_only_a_caseworker_moves_it_by_hand(engine: Any, claims: Any) -> None:
    case = claims.claim()
    engine.settle()
    with pytest.raises(NotAllowed):
        claims.move(
            case, "withdraw", actor=Actor.of(claims.by_role["director"]), reason="I do not like it."
        )
