"""Messages without a case are shown to whoever may link them."""

from __future__ import annotations

from typing import Any

import pytest

from cases.models import Message
from timers import clock

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def lost(desk: Any) -> Message:
    return Message.objects.create(
        source="portal",
        key="1",
        name="second",
        to="TR-1999-000001",
        data={"n": 7},
        digest="x",
        actor="service:portal",
        state="unmatched",
        why="No case has this reference.",
        received_at=clock.now(),
    )


def test_a_message_is_linked_to_its_case(desk: Any, visit: Any, lost: Message) -> None:
    case = desk.open("patience")
    visitor = visit(desk.people.sanne)
    assert "No case has this reference." in visitor.open("/messages/")
    address = f"/messages/{lost.pk}/"
    page = visitor.open(address)
    assert "TR-1999-000001" in page
    wrong = page.send(address, reference="TR-2000-000009")
    assert wrong.status == 422
    assert "no such case" in wrong
    page = wrong.send(address, reference=case.reference)
    assert f"now belongs to {case.reference}" in page
    assert "Every message has found its case." in visitor.open("/messages/")


def test_reviewers_and_auditors_have_no_tray(desk: Any, visit: Any, lost: Message) -> None:
    for person in (desk.people.milan, desk.people.ada):
        assert visit(person).open("/messages/").status == 403
        assert visit(person).open(f"/messages/{lost.pk}/").status == 403
