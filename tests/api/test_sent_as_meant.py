"""What is sent is taken as it was meant, or refused by its name: never guessed at."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from cases.models import Case, Document, Job, Message

OPEN = {"kind": "trial", "title": "x", "facts": {"script": "hour"}}


@pytest.fixture
def portal(program: Any, people: Any) -> Any:
    acts = ("read", "open", "messages", "documents", "facts")
    return program(*[f"{act}:*" for act in acts], team=people.sanne.team, name="portal")


def test_a_name_that_stands_twice_is_refused(portal: Any, desk: Any) -> None:
    for text, name in (
        ('{"kind": "trial", "title": "a", "title": "b", "facts": {"script": "hour"}}', "title"),
        ('{"kind": "trial", "title": "a", "facts": {"script": "a", "script": "hour"}}', "script"),
        ('{"a\\u0000\\ud800": 1, "a\\u0000\\ud800": 1}', "a"),
    ):
        refused = portal.post("cases", text)
        assert refused.status_code == 400, refused.content
        assert f"The name “{name}" in refused.json()["detail"]
    assert not Case.objects.exists()


def test_a_second_part_of_the_same_name_is_refused(portal: Any, desk: Any) -> None:
    case = desk.open("hour")
    one, two = (SimpleUploadedFile(f"{n}.pdf", b"%PDF " + n.encode()) for n in "ab")
    for files, name in (
        ({"name": "payslip", "file": [one, two]}, "file"),
        ({"name": ["payslip", "identity"], "file": one}, "name"),
    ):
        refused = portal.post(f"cases/{case.reference}/documents", files=files)
        assert refused.status_code == 422, refused.content
        assert refused.json()["errors"] == [
            {"pointer": f"#/{name}", "detail": "Sent more than once; one call takes one."}
        ]
    twice = {"kind": ["trial", "loan"], "file": SimpleUploadedFile("a.csv", b"title\nx\n")}
    assert portal.post("jobs", files=twice).status_code == 422
    assert not Document.objects.exists() and not Job.objects.exists()


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({**OPEN, "title": 7}, "#/title"),
        ({**OPEN, "external_reference": 4711}, "#/external_reference"),
        ({**OPEN, "facts": {"script": 5}}, "#/facts/script"),
        ({**OPEN, "facts": {"script": "hour", "amount": 12}}, "#/facts/amount"),
    ],
)
def test_a_number_is_no_text(portal: Any, engine: Any, body: Any, pointer: str) -> None:
    refused = portal.post("cases", body)
    assert refused.status_code == 422, refused.content
    (error,) = refused.json()["errors"]
    assert (error["pointer"], error["detail"]) == (pointer, "This is text: put it in quotes.")


def test_text_is_no_number_and_no_list(portal: Any, desk: Any, calls_of: Any) -> None:
    case, task = desk.open("hour"), desk.task_of(desk.open("review"))
    sent = {"to": case.reference, "name": "x"}
    assert portal.post("messages", {**sent, "visit": "1"}).status_code == 422
    assert portal.post("messages", {**sent, "visit": True}).status_code == 422
    hook = {"url": "https://hooks.example.org/", "types": "task.*"}
    said = portal.post("webhooks", hook).json()
    assert said["errors"][0]["pointer"] == "#/types"
    said = portal.post("webhooks", {**hook, "types": ["task.*", 7]}).json()
    assert said["errors"][0]["pointer"] == "#/types/1"
    milan = calls_of(desk.people.milan)
    wrong = milan.post(f"tasks/{task.pk}/complete", {"outcome": "approve", "seen": "1"})
    assert wrong.json()["errors"][0]["pointer"] == "#/seen"
    change = {"facts": {"amount": 5}, "reason": "x"}
    match = f'"{case.head_number}"'
    wrong = portal.patch(f"cases/{case.reference}", change, match=match)
    assert wrong.json()["errors"][0]["pointer"] == "#/facts/amount"


def test_an_etag_that_the_case_never_had_is_told_so(portal: Any, desk: Any) -> None:
    case = desk.open("hour")
    change = {"facts": {"amount": "5"}, "reason": "x"}
    wrong = portal.patch(f"cases/{case.reference}", change, match='"999"')
    assert wrong.status_code == 412
    assert "names event 999, which it does not have" in wrong.json()["detail"]
    assert wrong.json()["news"] == []


def test_whom_it_is_for_belongs_to_the_call(portal: Any, desk: Any) -> None:
    header = "Longcase-On-Behalf-Of"
    first = portal.post("cases", OPEN, key="K", **{header: "party:applicant"})
    assert first.status_code == 201
    for other in ({header: "party:guardian"}, {}):
        refused = portal.post("cases", OPEN, key="K", **other)
        assert refused.status_code == 409, refused.content
        assert refused.json()["type"] == "/api/v1/problems/same-key-other-content"
    again = portal.post("cases", OPEN, key="K", **{header: "party:applicant"})
    assert again["Idempotency-Replayed"] == "true"


def test_a_program_names_people_only_where_it_may(program: Any, people: Any, desk: Any) -> None:
    named = {"Longcase-On-Behalf-Of": f"person:{people.milan.pk}"}
    nobody = {"Longcase-On-Behalf-Of": "person:99999999"}
    plain = program("open:*", "read:*", team=people.sanne.team)
    for headers in (named, nobody):  # who there is, is not told either
        refused = plain.post("cases", OPEN, **headers)
        assert refused.status_code == 403, refused.content
        assert "“behalf:*”" in refused.json()["detail"]
    assert plain.get("cases", **named).status_code == 403
    loans = program("open:*", "read:*", "behalf:loan", team=people.sanne.team)
    refused = loans.post("cases", OPEN, **named)
    assert refused.status_code == 403 and "behalf:trial" in refused.json()["detail"]
    trials = program("open:*", "read:*", "behalf:trial", team=people.sanne.team)
    assert trials.post("cases", OPEN, **named).status_code == 201
    assert trials.post("cases", OPEN, **nobody).status_code == 400
    assert trials.post("cases", OPEN, **{"Longcase-On-Behalf-Of": "party:x"}).status_code == 201


@pytest.mark.unsound("makes its sub-cases by hand")
def test_what_is_told_in_part_says_where_the_rest_is(
    portal: Any, desk: Any, people: Any, monkeypatch: Any
) -> None:
    from processes.api import reading

    monkeypatch.setattr(reading, "MOST", 2)
    monkeypatch.setattr(reading, "LAST_EVENTS", 2)
    case = desk.open("review")
    for _n in range(3):
        child = desk.open("hour")
        Case.objects.filter(pk=child.pk).update(parent=case.pk)
    path = f"cases/{case.reference}?include=events,children,related"
    told = portal.get(path).json()
    assert told["more"]["events"]["total"] == case.head_number > 2
    assert [len(told[one]) for one in ("events", "children", "related")] == [2, 2, 0]
    assert told["more"]["related"] == {"total": 0, "rest": None}
    assert told["more"]["children"]["total"] == 3
    events = portal.get(told["more"]["events"]["rest"]).json()["results"]
    assert [one["number"] for one in events] == list(range(1, case.head_number + 1))
    children = portal.get(told["more"]["children"]["rest"]).json()["results"]
    assert [one["reference"] for one in children][:2] == [
        one["reference"] for one in told["children"]
    ]
    assert len(children) == 3
    assert "more" not in portal.get(f"cases/{case.reference}?include=tasks").json()
    few = portal.get(f"cases/{child.reference}?include=children").json()
    assert few["more"] == {"children": {"total": 0, "rest": None}}


@pytest.mark.parametrize(
    "host",
    [
        "2130706433",
        "0x7f.1",
        "0x7f000001",
        "127.1",
        "0177.0.0.1",
        "127.0.0.1.",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]",
        "localhost",
        "hooks.localhost.",
        "10.0.0.1",
    ],
)
def test_no_webhook_is_made_for_an_address_of_our_own(portal: Any, host: str) -> None:
    for scheme in ("https", "http"):
        refused = portal.post("webhooks", {"url": f"{scheme}://{host}/hook"})
        assert refused.status_code == 422, (host, refused.content)
        assert refused.json()["errors"][0]["pointer"] == "#/url"


def test_callbacks_and_signed_messages_are_read_in_the_same_way(
    program: Any, office: Any, engine: Any, world: Any
) -> None:
    from django.test import Client

    office.to_appraisal(engine)
    (order,) = world.open_orders()
    address, data = world.appraise(order)
    path = "/" + address.split("/", 3)[3]
    text = json.dumps(data)[:-1] + ', "value": "1.00"}'
    refused = Client().post(path, text, content_type="application/json")
    assert refused.status_code == 422 and "“value” stands twice" in refused.json()["detail"]
    form = Client().post(path, {"value": ["1.00", "2.00"]})
    assert form.status_code == 422 and "more than once" in form.json()["detail"]
    # A repeat gets the first answer; another answer is kept as late
    for _again in range(3):
        taken = Client().post(path, data, content_type="application/json")
        assert (taken.status_code, taken.json()["state"]) == (200, "used"), taken.content
    assert not Message.objects.exists()
    other = Client().post(path, {**data, "value": "1.00"}, content_type="application/json")
    assert (other.status_code, other.json()["state"]) == (200, "late")
    assert Message.objects.get().state == "late"
