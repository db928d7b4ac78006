"""Staff open an onboarding at the counter, and record what a business tells them."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from cases.models import Case
from tests.onboarding.desk import ADA

pytestmark = pytest.mark.django_db(transaction=True)
ASKED = {
    "name": "Counter Bakery",
    "relation": "supplier",
    "registration_number": "12345678",
    "country": "NL",
    "activity": "trade",
    "turnover": "1000",
}


def test_a_case_is_opened_by_hand_and_a_change_recorded(desk: Any) -> None:
    client = Client()
    client.force_login(desk.people["casey"])
    new = reverse("new-case", args=["onboarding"])
    assert client.get(new).status_code == 200
    wrong = client.post(new, {**ASKED, "owners": "Ada", "key": str(uuid4())})
    assert wrong.status_code == 422
    assert "Line 1: write name" in wrong.content.decode()
    assert not Case.objects.exists()

    answer = client.post(new, {**ASKED, "owners": ADA, "key": str(uuid4())})
    assert answer.status_code == 303
    case = Case.objects.get(kind="onboarding")
    assert case.title == "Counter Bakery"
    desk.engine.settle()
    desk.send_all(case)
    desk.do(case, "anna", "approve")
    desk.do(case, "abel", "approve")
    client.post(
        reverse("record-answer", args=[case.reference, "change_reported"]),
        {"what": "New owner.", "key": str(uuid4())},
    )
    desk.engine.settle()
    assert desk.step(case) == "review"
