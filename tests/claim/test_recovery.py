"""Recovery: money that was paid too much comes back, in parts, or is written off."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from cases.errors import Invalid
from cases.models import Case
from tests.fixtures.claims import BOOKKEEPER


@pytest.fixture
def recovery(engine: Any, claims: Any, world: Any) -> Case:
    """250.00 were paid, 100.00 of them too much."""
    claim = claims.claim()
    claims.approve_all(engine, claim)
    engine.advance(days=5)
    found = claims.open(
        "recovery",
        of_claim=claim.reference,
        debtor_name="Zoë Example",
        email="zoe@applicant.example",
        amount=Decimal("100.00"),
        reason="The hotel gave the money back.",
    )
    engine.settle()
    assert found.parent_id == claim.pk
    return found


def test_it_comes_back_in_parts(
    engine: Any, claims: Any, recovery: Case, facts_of: Any, letters: Any
) -> None:
    claims.tell(recovery, "money_back", actor=BOOKKEEPER, amount="60.00")
    engine.advance(days=21)
    claims.tell(recovery, "money_back", actor=BOOKKEEPER, amount="40.00")
    engine.settle()
    after = facts_of(recovery)
    assert (after.step, after.received, after.left) == ("recovered", Decimal(100), Decimal(0))
    assert letters(recovery) == [
        "We ask money back",
        "Reminder: money to pay back",
        "All is paid back",
    ]


def test_without_it_a_supervisor_asks_once_more_and_then_writes_the_rest_off(
    engine: Any, claims: Any, recovery: Case, facts_of: Any
) -> None:
    claims.tell(recovery, "money_back", actor=BOOKKEEPER, amount="60.00")
    engine.advance(days=31)
    assert (facts_of(recovery).step, facts_of(recovery).received) == ("decision", Decimal(60))
    claims.judge(recovery, "again")
    engine.advance(days=31)
    claims.tell(recovery, "money_back", actor=BOOKKEEPER, amount="10.00")
    claims.judge(recovery, "write_off", "Moved abroad.")
    engine.settle()
    after = facts_of(recovery)
    assert (after.step, after.received, after.asked_times) == ("written_off", Decimal(70), 2)


def test_money_that_comes_while_it_is_decided_ends_it(
    engine: Any, claims: Any, recovery: Case, facts_of: Any
) -> None:
    engine.advance(days=31)
    claims.tell(recovery, "money_back", actor=BOOKKEEPER, amount="100.00")
    engine.settle()
    assert facts_of(recovery).step == "recovered"
    assert not recovery.tasks.filter(state="open").exists()


def test_it_is_dropped_when_it_was_an_error(
    engine: Any, claims: Any, recovery: Case, facts_of: Any
) -> None:
    claims.move(recovery, "withdraw", reason="It was not paid too much.")
    assert facts_of(recovery).step == "dropped"


@pytest.mark.parametrize("amount", ["0", "-5.00", "1.005", 12.5, "much"])
def test_money_is_a_plain_amount(claims: Any, recovery: Case, amount: Any) -> None:
    with pytest.raises(Invalid, match="amount"):
        claims.tell(recovery, "money_back", actor=BOOKKEEPER, amount=amount)
