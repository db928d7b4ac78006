"""Cases over the API: opened, read, listed, corrected, moved."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from audit.models import Event
from cases.actors import party
from cases.models import Case
from processes.acts.cases import get_case, open_case

ALL = ("read:*", "open:*", "facts:*", "move:*", "messages:*", "documents:*", "judge:*")


@pytest.fixture
def portal(program: Any, people: Any) -> Any:
    return program(*ALL, team=people.sanne.team, name="portal")


def opened(portal: Any, **more: Any) -> Any:
    body = {"kind": "trial", "title": "Hartog Bakery", "facts": {"script": "patience"}}
    return portal.post("cases", {**body, **more})


def test_a_case_is_opened_and_tells_where_it_stands(portal: Any, engine: Any) -> None:
    # When a program opens a case on behalf of its applicant
    response = portal.post(
        "cases",
        {"kind": "trial", "title": "Hartog Bakery", "facts": {"script": "patience"}},
        **{"Longcase-On-Behalf-Of": "party:applicant"},
    )

    # Then it is there, waits, and history says who and for whom
    assert response.status_code == 201, response.content
    told = response.json()
    case = Case.objects.get()
    assert response["Location"] == f"/api/v1/cases/{case.reference}"
    assert response["ETag"] == f'"{case.head_number}"'
    assert (told["reference"], told["state"], told["step"]["name"]) == (
        case.reference,
        "open",
        "trying",
    )
    assert told["waits"] and told["facts"]["script"] == "patience"
    first = Event.objects.get(case_id=case.pk, number=1)
    assert (first.actor, first.on_behalf) == ("service:portal", "party:applicant")


def test_each_fact_that_does_not_fit_is_pointed_at(portal: Any) -> None:
    response = opened(portal, facts={"amount": "1.250", "scirpt": "x"})
    problem = response.json()
    assert response.status_code == 422
    assert response["Content-Type"] == "application/problem+json"
    assert problem["type"] == "/api/v1/problems/invalid"
    at = {one["pointer"]: one["detail"] for one in problem["errors"]}
    assert set(at) == {"#/facts/amount", "#/facts/scirpt", "#/facts/script"}
    assert "thousands" in at["#/facts/amount"] and not Case.objects.exists()


def test_amounts_stay_exact_and_unknown_names_are_refused(portal: Any, engine: Any) -> None:
    text = '{"kind": "trial", "title": "x", "facts": {"script": "patience", "amount": "0.10"}}'
    response = portal.post("cases", text)
    assert response.status_code == 201 and response.json()["facts"]["amount"] == "0.10"
    number = portal.post("cases", text.replace('"0.10"', "0.10"))  # the schema says text
    assert number.status_code == 422
    assert number.json()["errors"][0]["pointer"] == "#/facts/amount"
    problem = opened(portal, state="approved", created_by=1).json()
    pointers = {one["pointer"] for one in problem["errors"]}
    assert pointers == {"#/state", "#/created_by"}


@pytest.mark.parametrize(
    "text",
    [
        '{"kind": "trial", "title": "a\\u0000b", "facts": {"script": "patience"}}',
        '{"kind": "trial", "title": "x", "facts": {"script\\u0000": "patience"}}',
        '{"kind": "trial", "title": "\\ud800", "facts": {"script": "patience"}}',
        '{"kind": NaN}',
        "[" * 5000,
        "no json",
        b"\xff\xfe",
    ],
)
def test_what_cannot_be_kept_is_refused_before_anything_is_saved(portal: Any, text: Any) -> None:
    response = portal.post("cases", text)
    assert response.status_code == 400, response.content
    assert response.json()["type"] == "/api/v1/problems/malformed"
    assert not Case.objects.exists()


def test_nul_in_addresses_is_refused_too(portal: Any) -> None:
    assert portal.get("cases?find=%00").status_code == 400
    assert portal.get("cases?%00=x").status_code == 400
    assert portal.get("cases/a%00b").status_code == 404


def test_the_same_external_reference_gives_the_case_that_it_opened(
    portal: Any, program: Any, people: Any, engine: Any
) -> None:
    first = opened(portal, external_reference="A-1")
    again = opened(portal, external_reference="A-1")
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["reference"] == again.json()["reference"]
    assert Case.objects.count() == 1
    # It is unique for its source alone
    other = program(*ALL, team=people.sanne.team, name="other")
    assert opened(other, external_reference="A-1").status_code == 201
    found = portal.get("cases?external_reference=A-1").json()["results"]
    assert [one["reference"] for one in found] == [first.json()["reference"]]


def test_a_case_is_of_a_team_so_that_somebody_sees_it(
    portal: Any, program: Any, people: Any, calls_of: Any, engine: Any
) -> None:
    anywhere = program(*ALL, name="anywhere")
    unnamed = opened(anywhere)
    assert unnamed.status_code == 422
    assert unnamed.json()["errors"][0]["pointer"] == "#/team"
    assert "Business credit North, Business credit South" in unnamed.json()["detail"]
    south = opened(anywhere, team="Business credit South")
    assert south.json()["team"]["name"] == "Business credit South"
    seen = calls_of(people.eve).get("cases?team=Business+credit+South").json()["results"]
    assert [one["reference"] for one in seen] == [south.json()["reference"]]
    # An account of one team opens for no other
    assert opened(portal, team="Business credit South").status_code == 422
    assert opened(portal).json()["team"]["name"] == "Business credit North"


@pytest.mark.unsound("moves the dates of waits by hand")
def test_late_and_near_are_those_of_the_pages(
    portal: Any, desk: Any, people: Any, client: Any
) -> None:
    # Given cases that wait until long ago, tomorrow, next year, for ever, and a closed one
    now = desk.engine.turned.at
    wanted = {"late": -2, "near": 1, "far": 300, "none": None, "closed": -5}
    for title, days in wanted.items():
        case = desk.open("patience", title=title)
        until = None if days is None else now + timedelta(days=days)
        Case.objects.filter(pk=case.pk).update(waiting_until=until)
        if title == "closed":
            Case.objects.filter(pk=case.pk).update(closed_at=now, waits="[]")

    def found(query: str) -> list[str]:
        return [one["title"] for one in portal.get(f"cases?{query}").json()["results"]]

    client.force_login(people.sanne)
    for due in ("late", "near"):
        assert found(f"due={due}&state=open") == [due]
        page = client.get(f"/cases/?due={due}").content.decode()
        assert due in page and "far" not in page.split("<main", 1)[1].split("<tbody", 1)[-1]
    assert found("state=open&order=due") == ["late", "near", "far", "none"]
    assert found("state=closed&kind=trial") == ["closed"]
    assert found("due=late&state=open&kind=loan") == []


def test_what_the_process_finds_is_not_for_a_caller_to_write(
    program: Any, office: Any, world: Any
) -> None:
    portal = program("open:loan", "read:loan")
    facts = {"applicant_name": "Zoë", "national_id": "999900001", "amount": "2000"}
    body = {"kind": "loan", "title": "Zoë", "facts": {**facts, "credit_score": 900}}
    response = portal.post("cases", body)
    assert response.status_code == 422
    assert [one["pointer"] for one in response.json()["errors"]] == ["#/facts/credit_score"]
    assert portal.post("cases", {**body, "facts": facts}).status_code == 201


def test_facts_are_corrected_on_what_was_read(portal: Any, desk: Any) -> None:
    # Given two clients that read the same version
    case = desk.open("patience")
    read = portal.get(f"cases/{case.reference}")
    tag = read["ETag"]
    # When both send a change
    change = {"facts": {"amount": "10"}, "reason": "A typing error."}
    first = portal.patch(f"cases/{case.reference}", change, match=tag)
    second = portal.patch(
        f"cases/{case.reference}", {**change, "facts": {"amount": "20"}}, match=tag
    )
    # Then the first is taken, and the second learns what changed
    assert (first.status_code, second.status_code) == (200, 412), second.content
    assert first["ETag"] != tag and first.json()["facts"]["amount"] == "10.00"
    problem = second.json()
    assert problem["type"] == "/api/v1/problems/moved-on"
    assert problem["case"]["version"] == get_case(case.pk).head_number
    assert problem["news"][0]["title"] == "Amount changed"
    assert str(get_case(case.pk).amount) == "10.00"
    # And without the version it is not taken at all
    assert portal.patch(f"cases/{case.reference}", change).status_code == 428


@pytest.mark.parametrize(
    "body",
    [
        {"state": "approved"},
        {"staus": "x"},
        {"facts": {"step": "done"}, "reason": "x"},
        {"facts": {"amount": "10", "amout": "20"}, "reason": "x"},
        {"facts": {"amount": "10"}},
    ],
)
def test_a_change_of_anything_but_facts_is_refused_by_name(
    portal: Any, desk: Any, body: Any
) -> None:
    case = desk.open("patience")
    before = case.head_number
    response = portal.patch(f"cases/{case.reference}", body, match=f'"{before}"')
    assert response.status_code == 422 and response.json()["errors"]
    assert get_case(case.pk).head_number == before
    assert portal("PUT", f"cases/{case.reference}", body).status_code == 405


def test_a_transition_is_taken_by_its_name_with_what_it_asks(portal: Any, desk: Any) -> None:
    case = desk.open("patience")
    ways = portal.get(f"cases/{case.reference}?include=transitions").json()["transitions"]
    assert {one["name"] for one in ways} == {"finish", "return_to_second", "withdraw"}
    address = f"cases/{case.reference}/transitions/withdraw"
    missing = portal.post(address)
    assert missing.status_code == 422
    assert missing.json()["errors"][0]["pointer"] == "#/data/reason"
    done = portal.post(address, {"data": {"reason": "Found another."}})
    assert done.status_code == 200 and done.json()["state"] == "closed"
    # Once more: the refusal tells the state it is in
    again = portal.post(address, {"data": {"reason": "Found another."}})
    assert again.status_code == 409
    assert again.json()["type"] == "/api/v1/problems/case-closed"
    assert again.json()["case"] == {
        "reference": case.reference,
        "state": "closed",
        "step": "withdrawn",
        "step_label": "Withdrawn",
        "outcome": "withdrawn",
        "version": get_case(case.pk).head_number,
    }
    assert portal.post(f"cases/{case.reference}/transitions/fly").status_code == 409


def test_one_call_reads_a_case_with_all_that_belongs_to_it(
    portal: Any, desk: Any, people: Any
) -> None:
    case = desk.open("review", amount=100)
    desk.send_document(case, "payslip")
    include = "tasks,requirements,documents,clocks,events,transitions,parent,children"
    told = portal.get(f"cases/{case.reference}?include={include}").json()
    assert told["tasks"][0]["role"] == "underwriter"
    assert told["tasks"][0]["outcomes"][0].keys() == {"value", "label", "needs_reason"}
    assert told["documents"][0]["name"] == "payslip"
    assert told["events"][-1]["type"] == "document.received"
    assert told["events"][0]["actor"] == {
        "code": f"person:{people.sanne.pk}",
        "name": "Sanne de Wit",
    }
    assert told["children"] == [] and told["parent"] is None and told["clocks"] == []
    assert "tasks" not in portal.get(f"cases/{case.reference}").json()
    assert portal.get(f"cases/{case.reference}?include=secrets").status_code == 400


def test_a_read_takes_as_many_queries_however_much_there_is(
    portal: Any, desk: Any, django_assert_num_queries: Any
) -> None:
    include = "tasks,requirements,documents,clocks,events,transitions,parent,children"
    case = desk.open("patience")
    counted = _queries(portal, f"cases/{case.reference}?include={include}")
    from cases.models import Document

    Document.objects.bulk_create(
        Document(
            case=case,
            name="other",
            version=number,
            filename="a.pdf",
            media_type="application/pdf",
            size=1,
            digest="0" * 64,
            received_at=case.opened_at,
            received_from="party:applicant",
        )
        for number in range(1000)
    )
    assert _queries(portal, f"cases/{case.reference}?include={include}") == counted
    alone = _queries(portal, f"cases/{case.reference}")
    assert alone < counted <= 20
    Document.objects.all().delete()
    listed = _queries(portal, "cases")
    for _n in range(5):
        desk.open("patience")
    assert _queries(portal, "cases") == listed <= 6


def _queries(portal: Any, path: str) -> int:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    counts = []
    for _ in range(3):  # what is due once in a while, such as a look at the clock, is no part of it
        with CaptureQueriesContext(connection) as found:
            assert portal.get(path).status_code == 200
        counts.append(len(found))
    return min(counts)


def test_a_case_is_shown_as_it_stood(portal: Any, desk: Any) -> None:
    case = desk.open("patience")
    before = case.head_number
    tag = f'"{before}"'
    change = {"facts": {"amount": "10"}, "reason": "A typing error."}
    assert portal.patch(f"cases/{case.reference}", change, match=tag).status_code == 200
    then = portal.get(f"cases/{case.reference}/stood?event={before}").json()
    now = portal.get(f"cases/{case.reference}/stood").json()
    assert (then["facts"]["amount"], now["facts"]["amount"]) == ("0.00", "10.00")
    assert then["waits"] and then["step"] == "trying"
    assert (then["reading"], then["learnt"]) == ("recorded", [])
    known = portal.get(f"cases/{case.reference}/stood?event={before}&reading=corrected").json()
    assert known["facts"]["amount"] == "10.00"
    put = {"part": "facts", "name": "amount", "recorded": "0.00", "known": "10.00"}
    assert known["learnt"] == [{**put, "event": before + 1}]
    assert portal.get(f"cases/{case.reference}/stood?reading=wishful").status_code == 400
    assert portal.get(f"cases/{case.reference}/stood?event=999").status_code == 404
    assert portal.get(f"cases/{case.reference}/stood?at=yesterday").status_code == 400
    early = portal.get(f"cases/{case.reference}/stood?at=2001-01-01T00:00:00Z")
    assert early.status_code == 404


def test_what_one_has_already_is_not_sent_again(portal: Any, desk: Any) -> None:
    case = desk.open("patience")
    tag = portal.get(f"cases/{case.reference}")["ETag"]
    same = portal.get(f"cases/{case.reference}", **{"If-None-Match": tag})
    assert (same.status_code, same.content, same["ETag"]) == (304, b"", tag)
    desk.send_document(case, "payslip")
    news = portal.get(f"cases/{case.reference}", **{"If-None-Match": tag})
    assert news.status_code == 200 and news["ETag"] != tag


def test_history_is_paged_by_number_and_misses_nothing(portal: Any, desk: Any) -> None:
    case = desk.open("review")
    found, after = [], 0
    while after is not None:
        told = portal.get(f"cases/{case.reference}/events?after={after}&limit=2").json()
        found += [one["number"] for one in told["results"]]
        after = told["next_after"]
    assert found == list(range(1, case.head_number + 1)) and told["head"] == case.head_number


def test_every_row_comes_once_in_each_direction(portal: Any, desk: Any, people: Any) -> None:
    for _n in range(7):
        open_case(
            kind="trial",
            facts={"script": "patience"},
            title="x",
            actor=party("applicant"),
            team=people.sanne.team,
        )
    desk.open("review")
    wanted = set(Case.objects.values_list("reference", flat=True))
    for order in ("opened", "-opened", "due", "-due", "step", "closed"):
        seen: list[str] = []
        path: str | None = f"cases?limit=3&order={order}"
        last = ""
        while path:
            told = portal.get(path).json()
            seen += [one["reference"] for one in told["results"]]
            last, path = path, told["next"]
        assert len(seen) == 8 and set(seen) == wanted, order
        back: list[str] = []
        path = last
        while path:
            told = portal.get(path).json()
            back = [one["reference"] for one in told["results"]] + back
            path = told["previous"]
        assert back == seen, order
    assert portal.get("cases?cursor=rubbish").status_code == 400
    assert portal.get("cases?limit=0").status_code == 400
    assert portal.get("cases?staet=open").json()["errors"][0]["pointer"] == "?staet"


def test_signs_in_a_search_are_taken_literally(portal: Any, desk: Any) -> None:
    for title in ("50% grant", "case_1", "case-1"):
        desk.open("patience", title=title)

    def find(text: str) -> list[str]:
        found = portal.get(f"cases?find={text}")
        return sorted(one["title"] for one in found.json()["results"])

    assert find("%25") == find("50%25") == ["50% grant"]
    assert find("_") == find("case_1") == ["case_1"]
    assert find("%5C") == []
    assert portal.get("cases?find=" + "x" * 10_000).status_code == 400


def test_a_wrong_address_is_a_problem_too(portal: Any, nobody: Any) -> None:
    for response in (portal.get("casse"), nobody.get("casse"), nobody("DELETE", "nothing/here")):
        assert response.status_code == 404
        assert json.loads(response.content)["type"] == "/api/v1/problems/not-found"
