"""Cases that belong together, over the API: related, listed and parted within rights."""

from __future__ import annotations

from typing import Any

from audit.read import events_of
from cases.actors import Actor, service
from cases.models import Relation
from processes.acts.cases import open_case
from processes.acts.relations import relate_cases
from processes.engine.verify import differences_of


def test_two_cases_are_related_shown_both_ways_and_parted(
    desk: Any, calls_of: Any, people: Any
) -> None:
    # Given two cases of one matter
    one, two = desk.open("patience", "Hartog Bakery"), desk.open("patience", "Hartog Mill")
    sanne = calls_of(people.sanne)
    address = f"cases/{one.reference}/related"

    # When their caseworker relates them, twice under one key and once more
    body = {"reference": two.reference.lower(), "reason": "The same owner."}
    first = sanne.post(address, body, key="R-1")
    assert first.status_code == 200, first.content
    assert sanne.post(address, body, key="R-1").content == first.content
    assert sanne.post(address, body).status_code == 200

    # Then each shows the other, and each history tells it once
    for here, there in ((one, two), (two, one)):
        (row,) = sanne.get(f"cases/{here.reference}/related").json()["results"]
        assert (row["case"]["reference"], row["reason"]) == (there.reference, "The same owner.")
        (part,) = sanne.get(f"cases/{here.reference}?include=related").json()["related"]
        assert part == row
        assert [e.type for e in events_of(here.pk)].count("case.related") == 1

    # And parted they are no more; parted twice is refused
    apart = f"cases/{two.reference}/related/{one.reference}/part"
    assert sanne.post(apart).status_code == 422
    done = sanne.post(apart, {"reason": "Another Hartog."})
    assert done.status_code == 200 and done.json()["related"] == []
    again = sanne.post(apart, {"reason": "Another Hartog."})
    assert (again.status_code, again.json()["type"]) == (409, "/api/v1/problems/not-related")
    assert list(differences_of(desk.fresh(one))) == []


def test_a_case_that_one_may_not_see_is_neither_related_nor_listed_nor_counted(
    desk: Any, calls_of: Any, people: Any, program: Any
) -> None:
    one = desk.open("patience")
    hidden = open_case(
        kind="trial",
        facts={"script": "patience"},
        title="zephyr",
        actor=service("website"),
        team=people.sanne.team,
        restricted=True,
        owner=people.petra,
    )
    relate_cases(
        case_id=one.pk, reference=hidden.reference, reason="Both.", actor=Actor.of(people.petra)
    )
    address = f"cases/{one.reference}/related"
    portal = program("read:trial", "facts:trial", team=people.sanne.team)
    sanne = calls_of(people.sanne)
    narrow = calls_of(people.petra, "read:loan", "facts:trial")
    for calls in (portal, sanne):
        assert calls.get(address).json() == {"results": [], "next": None, "previous": None}
        assert calls.get(f"cases/{one.reference}?include=related").json()["related"] == []
        made_up = "TR-1999-000001"
        answers = [
            calls.post(address, {"reference": other, "reason": "x"})
            for other in (hidden.reference, made_up)
        ]
        told = {
            (one.status_code, one.content.decode().replace(hidden.reference, made_up))
            for one in answers
        }
        assert len(told) == 1 and answers[0].status_code == 422
        for other in (hidden.reference, made_up):
            refused = calls.post(f"{address}/{other}/part", {"reason": "x"})
            assert refused.json()["type"] == "/api/v1/problems/not-related"
    assert calls_of(people.petra).get(address).json()["results"]
    # A token that names another kind shows and relates nothing of it
    two = desk.open("patience")
    refused = narrow.post(address, {"reference": two.reference, "reason": "x"})
    assert refused.status_code == 422
    # The outsider does not even see the one
    assert calls_of(people.eve).get(address).status_code == 404
    for person in (people.ada, people.otto):
        body = {"reference": two.reference, "reason": "x"}
        assert calls_of(person).post(address, body).status_code == 403
    assert Relation.objects.count() == 2


def test_a_program_relates_what_it_may_see(desk: Any, program: Any, people: Any) -> None:
    one, two = desk.open("patience"), desk.open("patience")
    portal = program("read:trial", "facts:trial", team=people.sanne.team)
    body = {"reference": two.reference, "reason": "Sent together."}
    answer = portal.post(f"cases/{one.reference}/related", body)
    assert answer.status_code == 200, answer.content
    assert answer.json()["related"][0]["related_by"] == f"service:{portal.client.name}"
    reader = program("read:trial", team=people.sanne.team)
    assert reader.post(f"cases/{one.reference}/related", body).status_code == 403
