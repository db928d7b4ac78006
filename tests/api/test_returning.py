"""Ways back over the API: reopening, undoing; and advice, which blocks nothing."""

from __future__ import annotations

from typing import Any

from audit.models import Event
from processes.acts.cases import get_case


def test_a_closed_case_offers_its_ways_back_and_is_reopened(
    engine: Any, office: Any, world: Any, calls_of: Any, program: Any
) -> None:
    # Given a withdrawn application
    case = office.to_underwriting(engine)
    office.withdraw(case)
    engine.settle()
    worker = calls_of(office.caseworker)
    told = worker.get(f"cases/{case.reference}?include=transitions").json()
    (way,) = told["transitions"]
    assert way["reopens"] and way["address"].endswith(f"/cases/{case.reference}/reopen")

    # When nobody else may, and the reason is missing, it stays closed
    assert worker.post(way["address"]).json()["errors"][0]["pointer"] == "#/reason"
    body = {"name": way["name"], "reason": "The customer thought again."}
    outsider, auditor = office.person("eve", "appraiser"), office.person("ada", "auditor")
    assert calls_of(outsider).post(way["address"], body).status_code == 404
    assert calls_of(auditor).post(way["address"], body).status_code == 403
    assert program("move:loan", "read:loan").post(way["address"], body).status_code == 403
    assert get_case(case.pk).closed_at is not None

    # Then its caseworker opens it again, once
    first = worker.post(way["address"], body, key="again")
    assert first.status_code == 200 and first.json()["state"] == "open", first.content
    assert worker.post(way["address"], body, key="again").content == first.content
    refused = worker.post(way["address"], body)
    assert (refused.status_code, refused.json()["type"]) == (409, "/api/v1/problems/cannot-reopen")
    assert [one["reopens"] for one in first.json()["transitions"]].count(True) == 0


def test_a_wrong_act_is_undone_by_whoever_did_it(desk: Any, calls_of: Any, people: Any) -> None:
    case = desk.open("patience")
    address = f"cases/{case.reference}"
    sanne = calls_of(people.sanne)
    assert sanne.get(f"{address}?include=undo").json()["undo"] is None
    change = {"facts": {"amount": "10"}, "reason": "A typing error."}
    sanne.patch(address, change, match=f'"{case.head_number}"')
    offered = sanne.get(f"{address}?include=undo").json()["undo"]
    assert offered["type"] == "facts.changed"
    # Not by others, nor by a token that could not have done it
    assert calls_of(people.eve).post(offered["address"]).status_code == 404
    assert calls_of(people.ada).post(offered["address"]).status_code == 403
    narrow = calls_of(people.sanne, "read:trial", "tasks:trial").post(offered["address"])
    assert narrow.json()["type"] == "/api/v1/problems/scope-missing"
    assert calls_of(people.ada).get(f"{address}?include=undo").json()["undo"] is None

    first = sanne.post(offered["address"], key="U-1")
    assert first.status_code == 200 and first.json()["facts"]["amount"] == "0.00", first.content
    assert sanne.post(offered["address"], key="U-1").content == first.content
    again = sanne.post(offered["address"])
    assert (again.status_code, again.json()["type"]) == (409, "/api/v1/problems/cannot-undo")
    assert sanne.post(f"{address}/events/999/undo").status_code == 404
    undone = [one.data.get("undoes") for one in Event.objects.filter(case_id=case.pk)]
    assert undone.count(offered["number"]) == 1


def test_a_colleague_is_asked_and_answers(desk: Any, calls_of: Any, people: Any) -> None:
    task = desk.claim(desk.open("review"), people.milan)
    milan, ayse = calls_of(people.milan), calls_of(people.ayse)
    address = f"tasks/{task.pk}"
    known = {one["id"] for one in milan.get(f"{address}/advisers").json()["results"]}
    assert people.ayse.pk in known and people.ada.pk not in known
    body = {"of": people.ayse.pk, "question": "Is the turnover plausible?"}
    assert milan.post(f"{address}/advice", {"of": 10**9, "question": "x"}).status_code == 422
    assert ayse.post(f"{address}/advice", body).status_code == 403
    assert ayse.get(f"{address}/advisers").status_code == 403
    assert calls_of(people.eve).post(f"{address}/advice", body).status_code == 404

    asked = milan.post(f"{address}/advice", body, key="A-1")
    assert asked.status_code == 201, asked.content
    assert asked["Location"].endswith(f"/tasks/{asked.json()['id']}")
    assert milan.post(f"{address}/advice", body, key="A-1").content == asked.content
    assert milan.post(f"{address}/advice", body).status_code == 422  # asked already

    answer = {"outcome": "given", "reason": "Yes, for this trade."}
    given = ayse.post(f"tasks/{asked.json()['id']}/complete", answer)
    assert given.status_code == 200 and given.json()["reason"] == answer["reason"], given.content
    assert milan.get(address).json()["state"] == "open"
