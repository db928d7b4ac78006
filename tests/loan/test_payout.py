"""Paying out, against a bank that is a real process and misbehaves (cases A4)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from audit.read import events_of
from cases.actors import Actor
from cases.models import Case, Task
from processes.acts.cases import change_facts, get_case
from processes.acts.incidents import NoAnswerInCode, give_up_activity, retry_incident
from processes.models import Incident


def accepted(engine: Any, office: Any, **facts: Any) -> Case:
    """A loan of 5,000.00 whose offer the customer has accepted."""
    case = office.to_offer(engine, amount=Decimal("5000.00"), **facts)
    office.answer(case, "accept")
    engine.settle()
    return case


def bookings_of(standins: Any, case: Case) -> list[dict[str, Any]]:
    found = standins.call("GET", "/bank/payouts")["bookings"]
    return [one for one in found if one["reference"] == case.reference]


def payout_events(case: Case) -> list[str]:
    return [
        e.type for e in events_of(case.pk) if e.type.startswith(("activity.attempt", "activity.st"))
    ]


def test_the_bank_books_and_twice_loses_its_answer(engine: Any, office: Any, standins: Any) -> None:
    # Given a bank that books, and drops the connection on the first two calls
    standins.tell(service="bank", mode="drop", times=2)
    before = standins.calls("bank")

    # When the loan is paid out
    case = accepted(engine, office)
    engine.advance(minutes=1)

    # Then three calls made one booking of 5,000.00, and the case has its reference
    after = get_case(case.pk)
    assert after.step == "paid_out"
    assert standins.calls("bank") - before == 3
    (booking,) = bookings_of(standins, case)
    assert booking["amount"] == "5000.00"
    assert after.payout_reference == booking["booking"]
    assert payout_events(case) == ["activity.attempt_failed"] * 2


def test_attempts_run_out_and_a_person_presses_retry(
    engine: Any, office: Any, standins: Any
) -> None:
    # Given a bank whose every answer is lost
    standins.tell(service="bank", mode="drop")
    case = accepted(engine, office)
    engine.advance(days=1)
    incident = Incident.objects.get(case_id=case.pk, closed_at=None)
    assert "gave no answer" in incident.came
    assert payout_events(case)[-1] == "activity.stopped"

    # When it answers again and an operator tries again
    standins.reset()
    operator = office.person("oskar", "operator")
    retry_incident(incident_id=incident.pk, actor=Actor.of(operator))
    engine.settle()

    # Then it is still the one booking, under the one key
    assert get_case(case.pk).step == "paid_out"
    (booking,) = bookings_of(standins, case)
    assert booking["booking"] == get_case(case.pk).payout_reference


def test_a_payout_that_may_have_happened_is_never_given_up_into_a_second_one(
    engine: Any, office: Any, standins: Any
) -> None:
    # Given a bank that booked, and whose every answer was lost
    standins.tell(service="bank", mode="drop")
    case = accepted(engine, office)
    engine.advance(days=1)
    (incident,) = Incident.objects.filter(case_id=case.pk, closed_at=None)
    operator = Actor.of(office.person("oskar", "operator"))

    # When it is given up, it is refused: the step may not pay under another key
    with pytest.raises(NoAnswerInCode):
        give_up_activity(incident_id=incident.pk, reason="Hopeless.", actor=operator)
    assert not Task.objects.filter(case_id=case.pk, state="open").exists()
    assert len(bookings_of(standins, case)) == 1

    # And only where the bank confirms that it did not and will not pay does a person decide
    give_up_activity(
        incident_id=incident.pk, reason="The bank has struck it out.", actor=operator, never=True
    )
    assert Task.objects.get(case_id=case.pk, state="open").name == "payout_refused"


def test_the_bank_is_killed_and_comes_back_with_its_books(
    engine: Any, office: Any, standins: Any
) -> None:
    standins.tell(service="bank", mode="drop", times=1)
    case = accepted(engine, office)
    standins.kill()
    standins.start()
    engine.advance(minutes=5)
    assert get_case(case.pk).step == "paid_out"
    assert len(bookings_of(standins, case)) == 1


def test_a_clear_no_of_the_bank_asks_a_caseworker(engine: Any, office: Any, standins: Any) -> None:
    # Given a bank that does not know the account
    standins.tell(service="bank", mode="status", status=422, reason="No such account.", times=1)
    case = accepted(engine, office, account="NL91ABNA0417164300")
    task = Task.objects.get(case_id=case.pk, state="open")
    assert (task.name, task.role) == ("payout_refused", "caseworker")
    assert "No such account." in task.show["the_bank_says"]

    # When the caseworker corrects it and pays again
    change_facts(
        case_id=case.pk,
        changes={"account": "NL20INGB0001234567"},
        reason="The customer had mistyped it.",
        actor=Actor.of(office.caseworker),
    )
    office.do(case, "again", by=office.caseworker)
    engine.settle()

    # Then the money is paid, once
    assert get_case(case.pk).step == "paid_out"
    assert len(bookings_of(standins, case)) == 1


def test_a_payout_that_cannot_be_is_called_off(engine: Any, office: Any, standins: Any) -> None:
    standins.tell(service="bank", mode="status", status=404, reason="Unknown customer.", times=1)
    case = accepted(engine, office)
    office.do(case, "call_off", by=office.caseworker, reason="The account is blocked for good.")
    engine.settle()
    after = get_case(case.pk)
    assert (after.step, after.outcome) == ("withdrawn", "not_paid_out")
    assert bookings_of(standins, case) == []
