"""Payments: the batch, the runs, the bookkeeper, parts, reserves, and a bank that says no."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from cases.actors import Actor
from cases.models import Task
from processes.acts.cases import change_facts
from processes.claim.models import PaymentOrder, PaymentRun
from tests.fixtures.claims import BOOKKEEPER


def booked(world: Any) -> list[tuple[str, str]]:
    return [(one["reference"], one["amount"]) for one in world.journal.of("bank", "booked")]


def test_claims_of_some_days_are_paid_in_one_run(
    engine: Any, claims: Any, world: Any, facts_of: Any
) -> None:
    # Given three claims, approved on Friday, on Sunday, and on Monday of the run itself
    engine.advance(days=4)
    friday = claims.claim(amount=Decimal("10.00"))
    claims.approve_all(engine, friday)
    engine.advance(days=2)
    sunday = claims.claim(amount=Decimal("20.00"), account="")
    claims.approve_all(engine, sunday)
    engine.advance(days=1)
    monday = claims.claim(amount=Decimal("30.00"), account="")
    claims.approve_all(engine, monday)

    # When the run of that Monday has passed
    engine.advance(hours=9)

    # Then it has paid the first; the batch of the same day is for the run on Thursday
    assert [facts_of(c).step for c in (friday, sunday, monday)] == [
        "paid",
        "payment_requested",
        "payment_requested",
    ]
    engine.advance(days=3)
    assert booked(world) == [
        (friday.reference, "10.00"),
        (sunday.reference, "20.00"),
        (monday.reference, "30.00"),
    ]
    first, second = PaymentRun.objects.order_by("run_at")
    assert [first.orders.count(), second.orders.count()] == [1, 2]
    assert not PaymentOrder.objects.exclude(state="paid").exists()


def test_the_bookkeeper_requests_what_the_table_leaves_to_them(
    engine: Any, claims: Any, world: Any, facts_of: Any
) -> None:
    case = insured(engine, claims, amount=Decimal("3000.00"))
    assert facts_of(case).release == "bookkeeper"
    engine.advance(days=6)
    assert facts_of(case).step == "approved"
    claims.tell(case, "payment_requested", actor=BOOKKEEPER)
    engine.advance(days=5)
    assert facts_of(case).step == "paid"


def test_a_bookkeeper_who_forgets_is_chased(
    engine: Any, claims: Any, world: Any, facts_of: Any
) -> None:
    case = insured(engine, claims, amount=Decimal("3000.00"))
    engine.advance(days=15)
    task = Task.objects.get(case_id=case.pk, state="open")
    assert (task.name, task.role) == ("not_requested", "payments clerk")
    claims.judge(case, "request")
    engine.settle()
    assert facts_of(case).step == "payment_requested"


@pytest.mark.parametrize("waits", [0, 9])
def test_the_bookkeepers_system_can_refuse_it_after_approval(
    engine: Any, claims: Any, world: Any, facts_of: Any, letters: Any, waits: int
) -> None:
    # Given a claim that is approved, or in a run already
    case = claims.claim()
    claims.approve_all(engine, case)
    engine.advance(hours=waits)

    # When the system refuses it
    claims.tell(case, "payment_rejected", actor=BOOKKEEPER, reason="Unknown cost centre.")
    engine.advance(days=7)

    # Then the applicant has it back, nothing is paid, and submitted again it is approved anew
    after = facts_of(case)
    assert (after.step, after.returned_by) == ("returned", "service:bookkeeper")
    assert letters(case)[-1] == "Your claim is returned to you"
    assert booked(world) == []
    claims.tell(case, "resubmitted")
    claims.approve_all(engine, case)
    engine.advance(days=8)
    assert booked(world) == [(case.reference, "250.00")]


def test_the_last_approver_may_grant_less(engine: Any, claims: Any, world: Any) -> None:
    case = claims.claim(amount=Decimal("900.00"))
    claims.approve_all(engine, case, amount=Decimal("710.25"))
    engine.advance(days=8)
    assert booked(world) == [(case.reference, "710.25")]


def test_more_than_was_asked_is_not_paid(engine: Any, claims: Any, world: Any) -> None:
    case = claims.claim(amount=Decimal("900.00"))
    claims.approve_all(engine, case, amount=Decimal("9000.00"))
    engine.advance(days=8)
    assert booked(world) == [(case.reference, "900.00")]


def insured(engine: Any, claims: Any, **facts: Any) -> Any:
    policy = claims.policy()
    case = claims.claim(
        **{
            "claim_type": "insurance",
            "incurred_date": date(2026, 11, 20),
            "belongs_to": policy.reference,
            **facts,
        }
    )
    claims.approve_all(engine, case)
    return case


def test_damage_is_paid_in_parts_out_of_its_reserve(
    engine: Any, claims: Any, world: Any, facts_of: Any, letters: Any
) -> None:
    # Given damage of 2,000.00 with 150.00 of own risk, of which a part is known
    policy = claims.policy()
    case = claims.claim(
        claim_type="insurance",
        amount=Decimal("2000.00"),
        incurred_date=date(2026, 11, 20),
        belongs_to=policy.reference,
    )
    engine.settle()
    assert (facts_of(case).reserve, facts_of(case).own_risk) == (Decimal(2000), Decimal(150))
    change_facts(
        case_id=case.pk,
        changes={"reserve": Decimal("2600.00")},
        reason="The repair will cost more.",
        actor=Actor.of(claims.by_role["caseworker"]),
    )

    # When a part is approved and paid
    claims.approve_all(engine, case, amount=Decimal("800.00"), more_follows=True)
    engine.advance(days=8)

    # Then the claim stays open with the rest of its reserve
    after = facts_of(case)
    assert (after.step, after.paid_total, after.reserve) == (
        "part_paid",
        Decimal("800.00"),
        Decimal("1800.00"),
    )

    # And a further part goes through the chain and closes it
    claims.tell(case, "further_costs", amount="950.00", description="The floor, too")
    claims.approve_all(engine, case)
    engine.advance(days=8)
    after = facts_of(case)
    assert (after.step, after.paid_total, after.reserve, after.amount) == (
        "paid",
        Decimal("1750.00"),
        Decimal(0),
        Decimal("1750.00"),
    )
    assert booked(world) == [(case.reference, "800.00"), (case.reference, "950.00")]
    assert letters(case)[-3:] == [
        "A part of your claim has been paid",
        "Your claim is approved",
        "Your claim has been paid",
    ]


def test_a_claim_paid_in_part_is_closed_by_hand_or_after_a_year(
    engine: Any, claims: Any, world: Any, facts_of: Any
) -> None:
    by_hand, by_time = claims.claim(account=""), claims.claim(amount=Decimal("90.00"))
    for case in (by_hand, by_time):
        claims.approve_all(engine, case, amount=Decimal("50.00"), more_follows=True)
    engine.advance(days=8)
    claims.move(by_hand, "close_rest", reason="The rest was paid by the host.")
    engine.advance(days=366)
    assert [facts_of(c).step for c in (by_hand, by_time)] == ["paid", "paid"]
    assert [amount for _, amount in booked(world)] == ["50.00", "50.00"]


def test_damage_within_the_own_risk_is_not_paid(
    engine: Any, claims: Any, world: Any, facts_of: Any
) -> None:
    case = insured(engine, claims, amount=Decimal("140.00"))
    after = facts_of(case)
    assert (after.step, after.reserve) == ("rejected", Decimal(0))
    assert after.outcome_reason == "Nothing is left to pay after your own risk."


def test_a_clear_no_of_the_bank_asks_a_payments_clerk(
    engine: Any, claims: Any, world: Any, facts_of: Any
) -> None:
    # Given a bank that does not know the account, at the time of the run
    case = claims.claim()
    claims.approve_all(engine, case)
    world.behave("bank", "status", status=422, reason="No such account.", times=1)
    engine.advance(days=4)
    task = claims.task(case)
    assert (task.name, task.role) == ("payment_refused", "payments clerk")
    assert "No such account." in task.show["the_bank_says"]

    # When it is corrected and paid again, then it is paid once
    change_facts(
        case_id=case.pk,
        changes={"account": "NL20INGB0001234567"},
        reason="Mistyped.",
        actor=Actor.of(claims.by_role["caseworker"]),
    )
    claims.judge(case, "again")
    engine.settle()
    assert facts_of(case).step == "paid"
    assert booked(world) == [(case.reference, "250.00")]


def test_a_payment_that_cannot_be_goes_back_to_the_applicant(
    engine: Any, claims: Any, world: Any, facts_of: Any
) -> None:
    case = claims.claim()
    claims.approve_all(engine, case)
    world.behave("bank", "status", status=404, reason="Unknown.", times=1)
    engine.advance(days=4)
    claims.judge(case, "return", "Give another account.")
    engine.settle()
    assert facts_of(case).step == "returned"
    assert PaymentOrder.objects.get(case_id=case.pk).state == "left"


def test_a_lost_answer_of_the_bank_pays_once(
    engine: Any, claims: Any, world: Any, facts_of: Any
) -> None:
    case = claims.claim()
    claims.approve_all(engine, case)
    world.behave("bank", "drop", times=2)
    engine.advance(days=5)
    assert facts_of(case).step == "paid"
    assert booked(world) == [(case.reference, "250.00")]
