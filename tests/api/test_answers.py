"""What consents to something is bound to it; what a case cannot take stays in the tray."""

from __future__ import annotations

from typing import Any

import pytest

from audit.models import Event
from cases.models import Document, Message
from processes.acts.cases import get_case
from processes.acts.messages import post_message
from processes.engine import inbox
from processes.kinds import kinds

ACCEPT = {"name": "offer_answer", "data": {"answer": "accept"}}


@pytest.fixture
def bank(program: Any) -> Any:
    return program("messages:loan", "read:loan", name="bank")


def test_an_offer_is_not_accepted_before_it_is_made(
    bank: Any, office: Any, engine: Any, world: Any
) -> None:
    case = office.to_underwriting(engine)
    head = get_case(case.pk).head_number
    early = bank.post("messages", {"to": case.reference, **ACCEPT}, key="early")
    assert early.status_code == 409
    assert early.json()["type"] == "/api/v1/problems/not-now"
    assert "does not wait for “offer_answer”" in early.json()["detail"]
    assert early.json()["case"]["step"] == "underwriting"
    assert not Message.objects.exists() and get_case(case.pk).head_number == head
    # One that nobody waits on an answer for is kept in the tray, and told so
    stored = post_message(to=case.reference, source="old", key="1", actor=office_actor(), **ACCEPT)
    engine.settle()
    kept = Message.objects.get(pk=stored.message_id)
    assert kept.state == "unmatched" and "does not wait for" in kept.why
    office.do(case, "approve")
    office.do(case, "approve")
    engine.settle()
    offered = get_case(case.pk)
    assert offered.step == "offer"
    # For another visit of a step than the one it was given to, it is refused
    other = bank.post("messages", {"to": case.reference, "visit": offered.visit - 1, **ACCEPT})
    assert other.status_code == 409 and f"visit {offered.visit}" in other.json()["detail"]
    # The same call, sent again now that there is an offer, is taken
    bound = {"to": case.reference, "visit": offered.visit, **ACCEPT}
    good = bank.post("messages", bound, key="bound")
    assert (good.status_code, good.json()["state"]) == (200, "used")
    engine.settle()
    assert get_case(case.pk).step == "paid_out"
    again = bank.post("messages", bound, key="bound")
    assert again["Idempotency-Replayed"] == "true" and again.content == good.content


def office_actor() -> Any:
    from cases.actors import service

    return service("old")


def test_an_answer_kept_from_before_pays_out_nothing(
    bank: Any, office: Any, engine: Any, world: Any, monkeypatch: Any
) -> None:
    """As older releases kept it."""
    case = office.to_underwriting(engine)
    with monkeypatch.context() as before:
        before.setattr(inbox, "fitting", lambda run, name, data: data)
        kept = bank.post("messages", {"to": case.reference, **ACCEPT})
        assert kept.json()["state"] == "kept"
    office.do(case, "approve")
    office.do(case, "approve")
    engine.settle()
    assert get_case(case.pk).step == "offer"
    left = Message.objects.get()
    assert left.state == "unmatched" and "has moved on since" in left.why


def test_the_kinds_name_what_consents_to_something() -> None:
    consents = {name: sorted(one.answers) for name, one in kinds().items() if one.answers}
    claims = ["payment_rejected", "payment_requested", "resubmitted", "taken_back"]
    assert consents["claim"] == claims and consents["loan"] == ["offer_answer"]
    assert consents["permit"] == ["nothing_comes"]
    assert consents["travel_permit"] == ["permit_rejected", "resubmitted", "taken_back"]


def lost(name: str = "offer_answer", **data: Any) -> Message:
    from cases.actors import service
    from processes.acts.messages import lay_in_tray

    told = lay_in_tray(
        to="4711",
        name=name,
        data=data,
        source="old",
        key=name,
        why="No case.",
        actor=service("old"),
    )
    return Message.objects.get(pk=told.message_id)


def test_a_message_that_does_not_fit_is_not_linked(
    office: Any, engine: Any, world: Any, calls_of: Any
) -> None:
    case = office.to_underwriting(engine)
    sanne = calls_of(office.caseworker)
    before = Event.objects.count()
    for message, why in (
        (lost("fly"), "takes no message “fly”"),
        (lost("appraisal", value="much"), "an amount in euro"),
        (lost("offer_answer", answer="accept"), "does not wait for “offer_answer”"),
    ):
        for _twice in range(2):
            refused = sanne.post(f"messages/{message.pk}/link", {"case": case.reference})
            assert refused.status_code == 422, refused.content
            (error,) = refused.json()["errors"]
            assert error["pointer"] == "#/case" and why in error["detail"]
        message.refresh_from_db()
        assert (message.state, message.case_id) == ("unmatched", None)
    assert Event.objects.count() == before


def test_a_second_link_answers_the_first(desk: Any, calls_of: Any, people: Any) -> None:
    case, other = desk.open("patience"), desk.open("hour")
    message = lost("second", attachments=[{"filename": "a.txt", "content": "YQ=="}])
    sanne = calls_of(people.sanne)
    first = sanne.post(f"messages/{message.pk}/link", {"case": case.reference})
    assert (first.status_code, first.json()["state"]) == (202, "kept")
    assert Document.objects.get(case_id=case.pk).filename == "a.txt"
    before = Event.objects.count()
    again = sanne.post(f"messages/{message.pk}/link", {"case": case.reference})
    assert (again.status_code, again.json()) == (202, {**first.json(), "is_repeat": True})
    elsewhere = sanne.post(f"messages/{message.pk}/link", {"case": other.reference})
    assert elsewhere.status_code == 422 and "no longer" in elsewhere.json()["detail"]
    assert Event.objects.count() == before
