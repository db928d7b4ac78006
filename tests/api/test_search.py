"""Finding cases over the API: what people remember, misspelt too, within what a caller may see."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from cases.actors import service
from cases.models import Case
from processes.acts.cases import open_case


@pytest.fixture
def portal(program: Any, people: Any, monkeypatch: Any) -> Any:
    from processes.kinds import kind_of

    monkeypatch.setattr(kind_of("trial"), "found_by", ("result",))
    return program("read:trial", team=people.sanne.team)


def found(calls: Any, query: str) -> list[str]:
    return [one["title"] for one in calls.get(f"cases?{query}").json()["results"]]


def test_what_is_remembered_finds_the_case_over_the_api(portal: Any, desk: Any) -> None:
    case = desk.open("patience", title="Ayşe Yılmaz", result="NL91 ABNA 0417 1643 00")
    desk.send_document(case, "passport", "Scan 2026.pdf")
    desk.open("patience", title="Somebody Else")
    digits = case.reference.split("-")[-1]
    for text in (
        "yilmaz+ayse",
        "abna+0417",
        "scan",
        case.reference.lower(),
        case.reference.replace("-", ""),
        digits,
    ):
        assert found(portal, f"find={text}") == ["Ayşe Yılmaz"], text
    assert len(found(portal, f"find={case.reference[:7]}")) == 2  # all of that year
    assert found(portal, "find=nobody") == []


def test_a_typing_error_is_forgiven_and_the_answer_says_so(portal: Any, desk: Any) -> None:
    for number in range(5):
        desk.open("patience", title=f"Hartog Bakery {number}")
    exact = portal.get("cases?find=hartog").json()
    assert len(exact["results"]) == 5 and exact["found_alike"] is False
    first = portal.get("cases?find=hartgo&limit=2&order=opened").json()
    assert [one["title"][-1] for one in first["results"]] == ["0", "1"]
    assert first["found_alike"] is True

    # When somebody of just that spelling comes in, the pages go on as they began
    desk.open("patience", title="Hartgo Mill")
    second = portal.get(first["next"]).json()
    third = portal.get(second["next"]).json()
    titles = [one["title"] for told in (second, third) for one in told["results"]]
    assert titles == ["Hartog Bakery 2", "Hartog Bakery 3", "Hartog Bakery 4", "Hartgo Mill"]
    assert found(portal, "find=hartgo") == ["Hartgo Mill"]
    assert len(found(portal, "find=hartgo&alike=true")) == 6
    assert found(portal, "find=hartgo&state=closed&alike=true") == []


def test_search_shows_nothing_of_what_one_may_not_see(
    portal: Any, desk: Any, people: Any, calls_of: Any, program: Any
) -> None:
    hidden = [
        open_case(
            kind="trial",
            facts={"script": "patience"},
            title="zephyr",
            actor=service("website"),
            team=team,
            restricted=restricted,
        )
        for team, restricted in ((people.sanne.team, True), (people.eve.team, False))
    ]
    nothing = {"results": [], "next": None, "previous": None, "found_alike": False}
    callers = [
        portal,
        calls_of(people.sanne),
        program("read:loan"),
        calls_of(people.ada, "read:loan"),
    ]
    for calls in callers:
        wanted = ["zephyr", *(one.reference for one in hidden), str(hidden[0].pk)]
        for text in wanted:
            for filters in ("", "&order=due", "&order=-step", "&state=open", "&owner=nobody"):
                assert calls.get(f"cases?find={text}{filters}").json() == nothing, text
        misspelt = calls.get("cases?find=zephir").json()
        assert misspelt["results"] == []
    assert len(found(calls_of(people.ada), "find=zephir")) == 2


def test_a_search_takes_as_many_queries_however_many_fit(portal: Any, desk: Any) -> None:
    for count in (1, 12):
        while Case.objects.count() < count:
            desk.open("patience", title="Hartog")
        with CaptureQueriesContext(connection) as asked:
            assert len(found(portal, "find=hartgo")) == count
        assert len(asked) <= 9, [one["sql"][:80] for one in asked]
