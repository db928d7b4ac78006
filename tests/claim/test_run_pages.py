"""The payment runs as people and operators read them: the page, and `manage.py paymentruns`."""

from __future__ import annotations

from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from cases.models import Case, Person, Task, Team
from processes.claim.models import PaymentRun

pytestmark = pytest.mark.django_db(transaction=True)


def listed(*options: str) -> list[str]:
    out = StringIO()
    call_command("paymentruns", *options, stdout=out)
    return out.getvalue().splitlines()


def approved(engine: Any, claims: Any, **facts: Any) -> Case:
    case: Case = claims.claim(**facts)
    claims.approve_all(engine, case)
    return case


def read_by(person: Person, address: str) -> Any:
    client = Client()
    client.force_login(person)
    return client.get(address)


def test_without_a_run_both_say_so(claims: Any) -> None:
    assert listed() == ["There is no payment run yet: no claim was approved for payment."]
    answer = read_by(claims.by_role["payments clerk"], "/claim/payment-runs/")
    assert "There is no payment run yet." in answer.content.decode()


def test_a_run_tells_what_is_paid_open_failed_and_taken_out(
    engine: Any, claims: Any, world: Any
) -> None:
    # Given two claims in a run, and one that the bookkeeper has taken out
    both = [approved(engine, claims), approved(engine, claims, account="NL20INGB0001234567")]
    out = approved(engine, claims, amount=Decimal("40.50"))
    engine.advance(hours=9)
    claims.tell(out, "payment_rejected", reason="Unknown cost centre.")
    engine.settle()
    (line,) = listed()
    assert line.endswith("paid 0 (0.00), waiting 2 (500.00), taken out 1 (40.50)")

    # When the bank refuses one of the two at the time of the run
    world.behave("bank", "status", status=422, reason="No such account.", times=1)
    engine.advance(days=4)

    # Then each is told as what it is
    (line,) = listed("--last", "1")
    assert line.endswith(
        "paid 1 (250.00), waiting 0 (0.00), failed 1 (250.00), taken out 1 (40.50)"
    )
    clerk, run = claims.by_role["payments clerk"], PaymentRun.objects.get()
    assert "Something failed" in read_by(clerk, "/claim/payment-runs/").content.decode()
    page = read_by(clerk, f"/claim/payment-runs/{run.pk}/").content.decode()
    assert "The bank refused it: the payments clerk decides" in page
    assert "Taken out of the run" in page
    # The clerk may open the claim that they have to decide on, and reads no name on the others.
    refused = Task.objects.get(name="payment_refused", state="open").case
    (paid,) = [one for one in both if one.pk != refused.pk]
    assert refused.get_absolute_url() in page
    assert paid.reference in page and paid.get_absolute_url() not in page


def test_a_supervisor_reads_the_sums_of_their_own_claims_alone(engine: Any, claims: Any) -> None:
    # Given a claim of a team, and one of another team in the same run
    own = approved(engine, claims, amount=Decimal("41.17"))
    supervisor = claims.person("second-supervisor", "supervisor")
    claims.team = Team.objects.create(name="Elsewhere")
    for one in claims.by_role.values():
        one.team = claims.team
        one.save()
    other = approved(engine, claims, amount=Decimal("52.29"), account="NL20INGB0001234567")
    engine.advance(hours=9)
    run = PaymentRun.objects.get()

    # Then a supervisor reads of their own, in the list and on the page of the run
    rows = read_by(supervisor, "/claim/payment-runs/").content.decode()
    page = read_by(supervisor, f"/claim/payment-runs/{run.pk}/").content.decode()
    assert "41.17" in rows and "93.46" not in rows
    assert own.reference in page and other.reference not in page and "52.29" not in page
    # and of no run where they have none; the bookkeeper's sums are whole
    supervisor.team = Team.objects.create(name="Third")
    supervisor.save()
    assert "There is no payment run" in read_by(supervisor, "/claim/payment-runs/").content.decode()
    assert read_by(supervisor, f"/claim/payment-runs/{run.pk}/").status_code == 404
    clerk = claims.by_role["payments clerk"]
    assert "93.46" in read_by(clerk, "/claim/payment-runs/").content.decode()


def test_who_has_nothing_to_do_with_payments_sees_no_run(claims: Any) -> None:
    assert read_by(claims.by_role["budget owner"], "/claim/payment-runs/").status_code == 403
    menu = read_by(claims.by_role["caseworker"], "/work/").content.decode()
    assert "/claim/payment-runs/" not in menu
    menu = read_by(claims.by_role["supervisor"], "/work/").content.decode()
    assert "/claim/payment-runs/" in menu
    assert read_by(claims.by_role["supervisor"], "/claim/payment-runs/7/").status_code == 404


def test_how_many_is_asked_for_must_make_sense(claims: Any) -> None:
    with pytest.raises(CommandError, match="from 1"):
        listed("--last", "0")
