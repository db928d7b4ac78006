"""What nobody may learn sideways: through filters, orders, relatives, the feed."""

from __future__ import annotations

from typing import Any

import pytest

from cases import absence
from cases.actors import Actor, service
from cases.models import Case, Message, Person
from processes.acts.absences import enter_absence
from processes.acts.cases import open_case
from processes.acts.relations import relate_cases
from processes.api.reading import PARTS

# By list: its orders, and filters that would fit what is hidden.
LISTS = {
    "cases": (
        ("opened", "-opened", "due", "-due", "closed", "-closed", "step", "-step"),
        ("find=zephyr", "find=zephir&alike=true", "kind=trial", "step=trying", "state=open")
        + ("waiting_on=underwriter", "owner=nobody", "team={team}", "external_reference=HIDDEN")
        + ("external_reference=HIDDEN&external_source=portal", "parent={hidden}"),
    ),
    "tasks": (
        ("due", "-due", "opened", "-opened"),
        ("case={hidden}", "holder=nobody", "role=underwriter", "kind=trial", "state=all"),
    ),
    "waits": (
        ("due", "-due", "opened", "-opened"),
        ("kind=trial", "on=underwriter", "late=false"),
    ),
}


@pytest.fixture
def hidden(request: pytest.FixtureRequest, desk: Any, people: Any) -> Case:
    """A restricted case of Sanne's team; one of her cases is related to it and is its parent."""
    request.node.add_marker(pytest.mark.unsound("makes a sub-case by hand"))
    near = desk.open("review")
    case = open_case(
        kind="trial",
        facts={"script": "review"},
        title="zephyr",
        actor=service("website"),
        team=people.sanne.team,
        owner=people.petra,
        restricted=True,
        source="portal",
        source_key="HIDDEN",
    )
    Case.objects.filter(pk=case.pk).update(parent=near.pk)
    relate_cases(
        case_id=near.pk, reference=case.reference, reason="Both.", actor=Actor.of(people.petra)
    )
    return case


@pytest.mark.unsound("gives a case a parent by hand")
def test_no_filter_order_part_or_feed_tells_of_a_hidden_case(
    hidden: Case, desk: Any, calls_of: Any, people: Any, program: Any
) -> None:
    near = Case.objects.exclude(pk=hidden.pk).get()
    words = {"hidden": hidden.reference, "team": str(hidden.team).replace(" ", "+")}
    callers = {
        "sanne": calls_of(people.sanne),
        "eve": calls_of(people.eve),
        "program": program("read:trial", "messages:trial", name="portal"),
        "ada, of loans": calls_of(people.ada, "read:loan"),
    }
    for name, calls in callers.items():
        for path, (orders, filters) in LISTS.items():
            asked = [f"order={one}" for one in orders] + [one.format(**words) for one in filters]
            for query in [*asked, f"order={orders[-1]}&{asked[-1]}", "limit=1"]:
                answer = calls.get(f"{path}?{query}")
                assert answer.status_code == 200, (name, path, query, answer.content)
                assert "zephyr" not in answer.content.decode(), (name, path, query)
                for row in answer.json()["results"]:
                    assert hidden.reference not in str(row), (name, path, query)
        feed = calls.get("events?limit=500").json()["results"]
        assert {one["case"]["reference"] for one in feed} <= {near.reference}, name
    for name in ("sanne", "program"):
        told = callers[name].get(f"cases/{near.reference}?include={','.join(PARTS)}").json()
        assert told["children"] == told["related"] == [], name
        listed = callers[name].get(f"cases/{near.reference}/related").json()
        assert listed["results"] == [] and listed["next"] is None, name
    # The supervisor, whose case it is, learns all of it
    petra = calls_of(people.petra)
    told = petra.get(f"cases/{near.reference}?include=children,related").json()
    assert [one["reference"] for one in told["children"]] == [hidden.reference]
    assert [one["case"]["reference"] for one in told["related"]] == [hidden.reference]
    assert petra.get("cases?find=zephyr").json()["results"]


def test_a_substitute_reaches_what_is_anothers_for_these_days_alone(
    desk: Any, calls_of: Any, people: Any, joris: Person, program: Any
) -> None:
    # Given a restricted case that is Petra's own
    case = open_case(
        kind="trial",
        facts={"script": "patience"},
        title="zephyr",
        actor=service("website"),
        team=people.sanne.team,
        owner=people.petra,
        restricted=True,
    )
    desk.engine.settle()
    address = f"cases/{case.reference}"
    paths = ("cases?find=zephyr", "cases?owner=" + str(people.petra.pk), "waits")
    calls = calls_of(joris)
    change = {"facts": {"amount": "10"}, "reason": "A typing error."}

    def seen() -> list[int]:
        return [len(calls.get(path).json()["results"]) for path in paths]

    match = f'"{Case.objects.get(pk=case.pk).head_number}"'
    assert seen() == [0, 0, 0] and calls.get(address).status_code == 404
    assert calls.patch(address, change, match=match).status_code == 404

    # When Joris stands in for her today
    enter_absence(
        person=people.petra,
        from_date=absence.today(),
        until_date=absence.today(),
        substitute=joris,
        actor=Actor.of(people.petra),
    )

    # Then he reads and works on it, and history names both
    assert (
        seen() == [1, 1, 1] and calls.get(f"{address}?include={','.join(PARTS)}").status_code == 200
    )
    assert calls.patch(address, change, match=match).status_code == 200
    last = calls.get(f"{address}/events?after={match[1:-1]}").json()["results"][0]
    assert (last["actor"]["code"], last["on_behalf"]["code"]) == (
        f"person:{joris.pk}",
        f"person:{people.petra.pk}",
    )
    # A token cut down to reading stays so, and nobody else came nearer
    narrow = calls_of(joris, "read:trial")
    assert narrow.patch(address, change, match=match).status_code == 403
    assert calls_of(people.sanne).get(address).status_code == 404

    # When the day is over, so is all of it
    desk.engine.advance(days=1)
    later = calls_of(Person.objects.get(pk=joris.pk))
    assert later.get(address).status_code == 404
    assert later.get("cases?find=zephyr").json()["results"] == []


@pytest.mark.unsound("restricts it by hand")
def test_the_tray_tells_and_gives_away_no_message_of_a_hidden_case(
    engine: Any, people: Any, program: Any
) -> None:
    case = open_case(kind="trial", facts={"script": "loan"}, title="Farm", actor=service("test"))
    sender = program("read:*", "messages:*")
    bound = program("read:*", "operate:*", team=people.eve.team)
    early = sender.post("messages", {"to": case.reference, "name": "nothing-of-it", "data": {}})
    lost = sender.post("messages", {"to": "TR-1999-000001", "name": "documents", "data": {}})
    Message.objects.filter(pk=early.json()["id"]).update(state="late", case_id=case.pk)
    ids = {early.json()["id"], lost.json()["id"]}
    assert {one["id"] for one in sender.get("messages").json()["results"]} == ids
    assert bound.get("messages").json()["results"] == []
    for pk in ids:
        assert bound.post(f"messages/{pk}/link", {"case": case.reference}).status_code == 404
    whole = program("read:*", "operate:*")
    assert {one["id"] for one in whole.get("messages").json()["results"]} == ids
    Case.objects.filter(pk=case.pk).update(restricted=True)
    seen = {one["id"] for one in whole.get("messages").json()["results"]}
    assert seen == {lost.json()["id"]}
