"""A caseworker records the customer's answer to the offer on the page."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from audit.read import events_of
from processes.acts.cases import get_case
from processes.loan.models import Step

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_caseworker_records_the_answer_on_behalf_of_the_customer(
    office: Any, engine: Any, world: Any
) -> None:
    # Given a case whose offer waits for the customer
    case = office.to_offer(engine)
    client = Client()
    client.force_login(office.caseworker)
    page = client.get(f"/cases/{case.reference}/")
    address = f"/cases/{case.reference}/answers/offer_answer/"
    assert address in page.content.decode()

    # When the caseworker records that the customer accepts
    form = client.get(address)
    key = _hidden(form.content.decode())
    answer = client.post(address, {**key, "answer": "accept", "reason": ""})

    # Then the case goes on, and history names both
    assert answer.status_code in (302, 303), answer.content.decode()[:2000]
    engine.settle()
    assert get_case(case.pk).step == Step.PAID_OUT
    received = next(e for e in events_of(case.pk) if e.type == "message.received")
    assert received.actor == f"person:{office.caseworker.pk}"
    assert received.on_behalf == "party:customer"


def _hidden(page: str) -> dict[str, str]:
    return dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page))
