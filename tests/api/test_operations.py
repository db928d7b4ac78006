"""Across cases: waits, sub-cases, and what has stopped."""

from __future__ import annotations

from typing import Any

from processes.acts.cases import get_case


def test_what_open_cases_wait_for_comes_in_one_list(
    desk: Any, program: Any, people: Any, clock: Any
) -> None:
    reader = program("read:trial", team=people.sanne.team)
    papers, talk = desk.open("patience"), desk.open("hour")
    rows = reader.get("waits").json()["results"]
    assert [one["case"] for one in rows] == [talk.reference, papers.reference]
    (wait,) = [one for one in rows[1]["waits"] if one["kind"] == "documents"]
    assert wait["missing"] == ["passport", "payslip"] and wait["met"] == "the trial ends well"
    assert len(reader.get("waits?on=applicant").json()["results"]) == 2
    assert reader.get("waits?on=caseworker").json()["results"] == []
    late, due = (lambda: reader.get("waits?late=true"), lambda: reader.get("cases?due=late"))
    assert late().json()["results"] == due().json()["results"] == []
    assert len(reader.get("waits?late=false").json()["results"]) == 2


def test_a_parent_shows_its_sub_cases_and_they_it(desk: Any, program: Any, people: Any) -> None:
    reader = program("read:trial", team=people.sanne.team)
    parent = desk.open("parent")
    told = reader.get(f"cases/{parent.reference}?include=children").json()
    children = told["children"]
    assert len(children) == parent.children.filter(team=people.sanne.team).count()
    listed = reader.get(f"cases?parent={parent.reference}").json()["results"]
    assert [one["reference"] for one in children] == [one["reference"] for one in listed[::-1]]
    for one in children:
        back = reader.get(f"cases/{one['reference']}?include=parent").json()
        assert back["parent"]["reference"] == parent.reference
    assert reader.get("cases?parent=TR-1999-000001").json()["results"] == []


def test_operators_see_what_stopped_and_let_it_try_again(
    desk: Any, program: Any, calls_of: Any, people: Any
) -> None:
    case = desk.stop()
    otto = calls_of(people.otto)
    (row,) = otto.get("incidents").json()["results"]
    assert row["case"] == case.reference and row["remedy"]
    assert otto.get(f"cases/{case.reference}").json()["state"] == "stopped"
    again = otto.post(f"incidents/{row['id']}/retry")
    assert again.status_code == 200, again.content
    desk.engine.settle()
    assert get_case(case.pk).stopped_at is None
    refused = otto.post(f"incidents/{row['id']}/retry")
    assert refused.status_code == 409
    assert refused.json()["type"] == "/api/v1/problems/nothing-to-retry"
    assert otto.get("incidents").json()["results"] == []
    assert len(otto.get("incidents?state=closed").json()["results"]) == 1
    assert otto.get("incidents/999999").status_code == 404
    # Not for others
    for calls in (calls_of(people.sanne), calls_of(people.ada)):
        assert calls.get("incidents").status_code == 403
    assert program("read:*").get("incidents").status_code == 403
    assert program("operate:loan").get("incidents?state=all").json()["results"] == []
    assert program("operate:trial").get("incidents?state=all").status_code == 200
