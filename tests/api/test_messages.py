"""Messages over the API: used, kept, too late, or laid into the tray."""

from __future__ import annotations

from typing import Any

import pytest

from cases.models import Case, Message
from processes.acts.cases import get_case, open_case


@pytest.fixture
def portal(program: Any, people: Any) -> Any:
    return program("read:*", "open:*", "messages:*", team=people.sanne.team, name="portal")


def send(portal: Any, to: str, name: str = "confirmed", **more: Any) -> Any:
    return portal.post("messages", {"to": to, "name": name, "data": {}, **more})


def test_a_message_reaches_its_case_by_each_address(portal: Any, desk: Any) -> None:
    by_reference, by_id = desk.open("hour"), desk.open("hour")
    body = {"kind": "trial", "title": "x", "facts": {"script": "hour"}}
    known = portal.post("cases", {**body, "external_reference": "A:1"}).json()
    for to in (by_reference.reference, f"id:{by_id.pk}", "portal:A:1"):
        response = send(portal, to)
        assert (response.status_code, response.json()["state"]) == (200, "used"), to
    for case_id in (by_reference.pk, by_id.pk, known["id"]):
        assert get_case(case_id).result == "confirmed"


def test_early_ones_are_kept_and_repeats_do_nothing(portal: Any, desk: Any) -> None:
    case = desk.open("patience")
    early = send(portal, case.reference, name="second", key="M-1")
    assert (early.status_code, early.json()["state"]) == (202, "kept")
    again = send(portal, case.reference, name="second", key="M-1")
    assert again.json()["is_repeat"] is True and Message.objects.count() == 1
    other = send(portal, case.reference, name="another", key="M-1")
    assert other.status_code == 409
    assert other.json()["type"] == "/api/v1/problems/same-key-other-content"


def test_what_comes_too_late_is_refused_and_kept(portal: Any, desk: Any) -> None:
    case = desk.open("hour")
    send(portal, case.reference)
    late = portal.post("messages", {"to": case.reference, "name": "confirmed"}, key="K-late")
    assert late.status_code == 409 and late.json()["case"]["state"] == "closed"
    assert late["Content-Type"] == "application/problem+json"
    assert Message.objects.get(state="late").key == "K-late"
    again = portal.post("messages", {"to": case.reference, "name": "confirmed"}, key="K-late")
    assert (again.status_code, again.content) == (409, late.content)
    assert again["Content-Type"] == "application/problem+json"
    listed = portal.get("messages").json()["results"]
    assert [(one["key"], one["state"]) for one in listed] == [("K-late", "late")]


def test_what_names_no_case_of_ours_lies_in_the_tray(
    portal: Any, desk: Any, people: Any, calls_of: Any
) -> None:
    # Given a case of another team, which the program may not see
    hidden = open_case(
        kind="trial",
        facts={"script": "hour"},
        title="x",
        actor=desk_actor(),
        team=people.eve.team,
    )
    for to in (hidden.reference, f"id:{hidden.pk}", "LN-1999-000001", "nobody:knows"):
        response = send(portal, to)
        assert (response.status_code, response.json()["state"]) == (202, "unmatched"), to
    desk.engine.settle()
    assert Case.objects.get(pk=hidden.pk).closed_at is None
    assert Message.objects.filter(state="unmatched").count() == 4
    # When a person links one of them to its case
    own = desk.open("hour")
    sanne = calls_of(people.sanne)
    (first, *_rest) = sanne.get("messages?order=received").json()["results"]
    linked = sanne.post(f"messages/{first['id']}/link", {"case": own.reference})
    assert (linked.status_code, linked.json()["state"]) == (200, "used")
    again = sanne.post(f"messages/{first['id']}/link", {"case": own.reference})
    assert (again.status_code, again.json()["is_repeat"]) == (200, True)
    assert portal.post(f"messages/{first['id']}/link", {"case": own.reference}).status_code == 403


def desk_actor() -> Any:
    from cases.actors import service

    return service("website")


def test_shapes_that_a_kind_does_not_take_are_pointed_at(
    program: Any, office: Any, engine: Any, world: Any
) -> None:
    case = office.to_offer(engine)
    bank = program("messages:loan", "read:loan", name="bank")
    wrong = send(bank, case.reference, name="offer_answer", data={"answer": "perhaps"})
    assert wrong.status_code == 422
    assert wrong.json()["errors"][0]["pointer"] == "#/data/answer"
    unknown = send(bank, case.reference, name="fly")
    assert unknown.json()["errors"][0]["pointer"] == "#/name"
    good = send(bank, case.reference, name="offer_answer", data={"answer": "decline"})
    assert good.status_code == 200


def test_sizes_are_bounded(portal: Any, desk: Any, settings: Any) -> None:
    case = desk.open("hour")
    big = send(portal, case.reference, data={"text": "x" * 70_000})
    assert big.status_code == 422 and big.json()["errors"][0]["pointer"] == "#/data"
    settings.LONGCASE_API_BYTES = 1024
    assert send(portal, case.reference, data={"text": "x" * 2000}).status_code == 413
