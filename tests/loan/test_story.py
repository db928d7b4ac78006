"""The story of a loan, from arrival to its end, each branch once."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.core import mail

from audit.read import events_of
from cases.errors import NotNow
from cases.models import Case, Task
from processes.acts.cases import get_case
from processes.models import Incident

PAPERS = ("identity", "payslip", "bank_statement")


def test_a_small_loan_goes_from_arrival_to_payout(
    engine: Any, office: Any, world: Any, letters: Callable[[Case], list[str]]
) -> None:
    # Given an application that passes its checks
    case = office.open(amount=Decimal("5000.00"))
    engine.settle()
    assert get_case(case.pk).step == "awaiting_documents"

    # When the papers come, an underwriter approves and decides, and the customer accepts
    office.accept(case, *PAPERS)
    office.do(case, "approve")
    office.do(case, "approve")
    engine.settle()
    office.answer(case, "accept")
    engine.settle()

    # Then the money is paid once, and every turn has its letter
    after = get_case(case.pk)
    assert (after.step, after.outcome) == ("paid_out", "paid_out"), after.waits
    (booking,) = world.journal.of("bank", "booked")
    assert (booking["amount"], booking["reference"]) == ("5000.00", case.reference)
    assert after.payout_reference == booking["booking"]
    assert letters(case) == [
        "We have received your application",
        "Documents needed",
        "Our offer",
        "Your loan has been paid out",
    ]
    assert len(mail.outbox) == 4
    assert not Incident.objects.exists()


def test_a_secured_loan_above_the_threshold_needs_two_people_and_an_appraisal(
    engine: Any, office: Any, world: Any
) -> None:
    case = office.to_underwriting(
        engine, amount=Decimal("80000"), secured=True, security="A house in Utrecht"
    )
    office.do(case, "approve")
    assert Task.objects.get(case_id=case.pk, state="open").role == "senior underwriter"
    office.do(case, "approve", by=office.second)
    engine.settle()
    assert get_case(case.pk).step == "appraisal"

    answer_order(world)
    engine.settle()

    after = get_case(case.pk)
    assert after.step == "decision"
    assert after.appraised_value == Decimal(next(iter(world.orders.values())).value)
    task = Task.objects.get(case_id=case.pk, state="open")
    assert task.role == "senior underwriter"
    assert "loan_to_value" in task.show


def answer_order(world: Any) -> None:
    from processes.acts.messages import answer_callback

    (order,) = world.open_orders()
    address, data = world.appraise(order)
    answer_callback(token=address.rpartition("/")[2], data=data)


@pytest.mark.parametrize("ending", ["00", "99"])
def test_an_identity_that_is_not_confirmed_declines_at_once(
    engine: Any, office: Any, world: Any, letters: Callable[[Case], list[str]], ending: str
) -> None:
    # Given a credit bureau that is down, so that only the register answers
    world.behave("credit", "down")
    case = office.open(national_id=f"9999000{ending}")

    # When the register says no
    engine.settle()

    # Then the application is declined with its reason, without waiting for the other
    after = get_case(case.pk)
    assert after.step == "declined"
    assert "number" in after.outcome_reason
    assert letters(case)[-1] == "We cannot lend to you"


def test_a_low_score_declines_with_the_score_as_reason(
    engine: Any, office: Any, world: Any
) -> None:
    case = office.open(national_id="999900013")
    engine.settle()
    after = get_case(case.pk)
    assert after.step == "declined"
    assert after.outcome_reason == "The credit score is 401; we lend from 450."


def test_the_checks_run_side_by_side(engine: Any, office: Any, world: Any) -> None:
    case = office.open()
    engine.settle()
    types = [
        (e.type, e.data.get("name"))
        for e in events_of(case.pk)
        if e.type.startswith("activity.") and "letter" not in e.data.get("name", "")
    ]
    begun = types.index(("activity.scheduled", "loan.check_identity"))
    assert types[begun + 1] == ("activity.scheduled", "loan.score_credit")


def test_an_underwriter_declines_with_a_reason(
    engine: Any, office: Any, world: Any, letters: Callable[[Case], list[str]]
) -> None:
    case = office.to_underwriting(engine)
    office.do(case, "decline", reason="The income is too uncertain.")
    engine.settle()
    after = get_case(case.pk)
    assert (after.step, after.outcome_reason) == ("declined", "The income is too uncertain.")
    assert letters(case)[-1] == "We cannot lend to you"


def test_a_decision_may_be_no(engine: Any, office: Any, world: Any) -> None:
    case = office.to_underwriting(engine)
    office.do(case, "approve")
    office.do(case, "decline", reason="Too many loans already.")
    engine.settle()
    assert get_case(case.pk).step == "declined"


def test_the_customer_refuses_the_offer(engine: Any, office: Any, world: Any) -> None:
    case = office.to_offer(engine)
    office.answer(case, "decline", reason="Found a cheaper one.")
    engine.settle()
    after = get_case(case.pk)
    assert (after.step, after.outcome) == ("withdrawn", "offer_refused")
    assert after.outcome_reason == "Found a cheaper one."
    assert not world.journal.of("bank", "booked")


def test_an_offer_expires_after_thirty_calendar_days(
    engine: Any, office: Any, world: Any, letters: Callable[[Case], list[str]]
) -> None:
    # Given an offer
    case = office.to_offer(engine)
    offered_at = get_case(case.pk).waits[0]["since"]

    # When the customer is silent for thirty days
    engine.advance(days=29, hours=23)
    assert get_case(case.pk).step == "offer"
    engine.advance(hours=1)

    # Then it expires on the minute, and an answer afterwards pays nothing
    after = get_case(case.pk)
    assert (after.step, (after.closed_at - offered_at).days) == ("expired", 30)
    assert letters(case)[-1] == "Our offer has expired"
    with pytest.raises(Exception, match="closed"):
        office.answer(case, "accept")
    assert not world.journal.of("bank", "booked")


def test_an_offer_is_not_accepted_before_it_is_made(engine: Any, office: Any, world: Any) -> None:
    case = office.to_underwriting(engine)
    with pytest.raises(NotNow, match="does not wait for “offer_answer”"):
        office.answer(case, "accept")
    office.do(case, "approve")
    office.do(case, "approve")
    engine.settle()
    assert get_case(case.pk).step == "offer"
    office.answer(case, "accept")
    engine.settle()
    assert get_case(case.pk).step == "paid_out"
