"""Messages without a case are shown to whoever may link them."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from django.core import mail

from audit.models import Event
from cases.models import Document, Message
from processes.kinds import kind_of
from processes.letters import send_without_case
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


def test_what_does_not_fit_stays_in_the_tray_and_a_second_link_says_the_same(
    desk: Any, visit: Any, lost: Message, monkeypatch: Any
) -> None:
    case = desk.open("hour")
    address = f"/messages/{lost.pk}/"
    visitor = visit(desk.people.sanne)
    kind, before = kind_of("trial"), Event.objects.count()
    with monkeypatch.context() as stricter:
        stricter.setattr(kind, "messages", {"else": dict})
        for _twice in range(2):
            refused = visitor.open(address).send(address, reference=case.reference)
            assert refused.status == 422 and f"takes no message “{lost.name}”" in refused
    lost.refresh_from_db()
    assert lost.state == "unmatched" and Event.objects.count() == before
    first, second = visitor.open(address), visit(desk.people.sanne).open(address)
    assert f"now belongs to {case.reference}" in first.send(address, reference=case.reference)
    before = Event.objects.count()
    again = second.send(address, reference=case.reference)
    assert f"now belongs to {case.reference}" in again
    assert Event.objects.count() == before
    # Who may not see its case finds nothing there
    assert visit(desk.people.eve).open(address).status == 404


def test_reviewers_and_auditors_have_no_tray(desk: Any, visit: Any, lost: Message) -> None:
    for person in (desk.people.milan, desk.people.ada):
        assert visit(person).open("/messages/").status == 403
        assert visit(person).open(f"/messages/{lost.pk}/").status == 403


def test_likely_cases_are_those_one_may_see_and_files_become_documents(
    desk: Any, visit: Any, lost: Message
) -> None:
    case = desk.open("patience")
    content = base64.b64encode(b"%PDF-1.4 slip").decode()
    lost.to = "your letter"
    lost.data = {
        "about": f"case {case.reference}",
        "reference": case.reference,
        "attachments": [
            {"filename": "slip.pdf", "content": content},
            {"filename": "virus.exe", "content": base64.b64encode(b"MZ").decode()},
        ],
    }
    lost.save()
    address = f"/messages/{lost.pk}/"
    page = visit(desk.people.sanne).open(address)
    assert "It may belong to" in page and f"?case={case.reference}" in page.html
    assert content not in page.html and "slip.pdf" in page
    assert "It may belong to" not in visit(desk.people.eve).open(address)
    chosen = visit(desk.people.sanne).open(f"{address}?case={case.reference}")
    after = chosen.send(address, reference=case.reference)
    assert "Recorded as documents: slip.pdf." in after and "“virus.exe” is a program" in after
    assert Document.objects.get(case_id=case.pk).filename == "slip.pdf"


def test_a_message_is_answered_and_leaves_the_tray(desk: Any, visit: Any, lost: Message) -> None:
    lost.data = {"email": "asker@example.org", "name": "A. Sker"}
    lost.save()
    visitor, address = visit(desk.people.sanne), f"/messages/{lost.pk}/answer/"
    page = visitor.open(address)
    assert 'value="asker@example.org"' in page.html
    given = {"to_name": "A. Sker", "to_email": "asker@example.org", "subject": "Re"}
    assert "The message is answered." in page.send(address, text="We know no such case.", **given)
    assert send_without_case() == 1 and mail.outbox[-1].to == ["asker@example.org"]
    assert "Every message has found its case." in visitor.open("/messages/")
    settled = visitor.open("/messages/?show=settled")
    assert "Answered" in settled
    kept = visitor.open(f"/messages/{lost.pk}/")
    assert "Sanne de Wit" in kept and "Link the message" not in kept
    assert visitor.open(address).status == 404


def test_a_message_that_is_not_ours_is_put_aside_with_a_reason(
    desk: Any, visit: Any, lost: Message
) -> None:
    address = f"/messages/{lost.pk}/aside/"
    page = visit(desk.people.sanne).open(address)
    assert page.send(address, reason=" ").status == 422
    assert "put aside" in page.send(address, reason="Meant for the neighbours.")
    lost.refresh_from_db()
    assert (lost.state, lost.settled_why) == ("closed", "Meant for the neighbours.")
    assert lost.settled_by == f"person:{desk.people.sanne.pk}"
    for person in (desk.people.milan, desk.people.ada):
        assert visit(person).open(address).status == 403
