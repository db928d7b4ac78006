"""The feed over the API: who sees what, cursors, waiting."""

from __future__ import annotations

import threading
import time
from contextlib import closing
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit.models import Event
from cases.actors import service
from cases.models import Case, Client, Person
from processes.acts.cases import open_case
from processes.acts.clients import revoke_token
from processes.api import waiting


def follow(calls: Any, after: str = "", **query: Any) -> list[dict[str, Any]]:
    """All events from a cursor on, page by page."""
    found: list[dict[str, Any]] = []
    more = "".join(f"&{name}={value}" for name, value in query.items())
    while True:
        page = calls.get(f"events?after={after}{more}").json()
        found += page["results"]
        after = page["next"]
        if not page["more"]:
            return found


def test_a_program_follows_all_that_it_may_see_in_pages(
    program: Any, desk: Any, people: Any
) -> None:
    own, second = desk.open("hour"), desk.open("review")
    open_case(
        kind="trial",
        facts={"script": "hour"},
        title="x",
        actor=service("website"),
        team=people.sanne.team,
        restricted=True,
    )
    portal = program("read:trial", "messages:trial", team=people.sanne.team, name="portal")
    found = follow(portal, limit=3)
    ids = list(
        Event.objects.filter(case_id__in=[own.pk, second.pk]).values_list("case_id", "number")
    )
    assert sorted((one["case"]["id"], one["number"]) for one in found) == sorted(ids)
    assert len({one["id"] for one in found}) == len(ids)
    for case in (own, second):
        numbers = [one["number"] for one in found if one["case"]["reference"] == case.reference]
        assert numbers == list(range(1, len(numbers) + 1))
    # Each event's own cursor goes on behind it
    third = found[2]
    assert [one["id"] for one in follow(portal, third["cursor"])] == [
        one["id"] for one in found[3:]
    ]
    # Filters
    opened = follow(portal, type="case.opened,task.*")
    assert {one["type"] for one in opened} <= {"case.opened", "task.opened"} and opened
    assert follow(portal, kind="loan") == []
    history = portal.get(f"cases/{own.reference}/events").json()["results"]
    assert [{**one} for one in history] == [
        {name: one[name] for name in history[0]} for one in found if one["case"]["id"] == own.pk
    ]


def test_the_end_is_now_and_nothing_before_it_comes(program: Any, desk: Any) -> None:
    portal = program("read:trial", "messages:trial")
    desk.open("hour")
    case = desk.open("hour")
    page = portal.get("events?after=now").json()
    assert page["results"] == [] and page["more"] is False
    portal.post("messages", {"to": case.reference, "name": "confirmed"})
    after = follow(portal, page["next"])
    assert {one["case"]["reference"] for one in after} == {case.reference}
    assert after[0]["type"] == "message.received"


@pytest.mark.parametrize("cursor", ["x", "MQ", "MS4xLg==", "é", "MS4xLjAwMDAwMDAw.", "a" * 201])
def test_what_is_no_cursor_is_refused(program: Any, cursor: str) -> None:
    answer = program("read:*").get(f"events?after={cursor}")
    assert answer.status_code in (400, 410), answer.content


@pytest.mark.unsound("its history is taken away")
def test_a_place_that_an_older_copy_does_not_have_is_told(program: Any, desk: Any) -> None:
    # Given a reader of an installation that is set back to a copy from before
    portal = program("read:*")
    desk.open("hour")
    cursor = portal.get("events").json()["next"]
    with connection.cursor() as cursor_:
        cursor_.execute("SET session_replication_role = 'replica'")
        cursor_.execute("DELETE FROM audit_feed; DELETE FROM audit_event")
        cursor_.execute("SET session_replication_role = 'origin'")
    answer = portal.get(f"events?after={cursor}")
    assert answer.status_code == 410
    assert answer.json()["type"] == "/api/v1/problems/cursor-unknown"


def test_much_that_is_hidden_is_looked_through_in_portions(
    program: Any, desk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from processes import feed

    monkeypatch.setattr(feed, "ROWS_AT_ONCE", 2)
    monkeypatch.setattr(feed, "ROWS_A_PAGE", 4)
    for _ in range(6):
        desk.open("hour")
    loans, trials = program("read:loan"), program("read:trial")
    page = loans.get("events").json()
    assert page["results"] == [] and page["more"] is True
    assert follow(loans) == []
    assert len(follow(trials)) == Event.objects.count()


def test_the_number_of_queries_does_not_grow(program: Any, desk: Any) -> None:
    portal = program("read:*")
    for _ in range(2):
        desk.open("review")
    portal.get("events")
    with CaptureQueriesContext(connection) as asked:
        few = portal.get("events?limit=500").json()["results"]
    count = len(asked)
    assert 0 < count <= 12
    for _ in range(8):
        desk.open("review")
    portal.get("events")
    with CaptureQueriesContext(connection) as asked:
        many = portal.get("events?limit=500").json()["results"]
    assert len(asked) <= count + 1  # what is known for a minute may be asked anew
    assert len(many) > 4 * len(few)


@pytest.mark.django_db(transaction=True)
def test_a_reader_waits_until_something_happens(program: Any, desk: Any) -> None:
    portal = program("read:trial", "messages:trial")
    case = desk.open("hour")
    after = portal.get("events?after=now").json()["next"]
    found: dict[str, Any] = {}

    def wait() -> None:
        with closing(connection):
            began = time.monotonic()
            found["page"] = type(portal)(portal.token).get(f"events?after={after}&wait=20").json()
            found["seconds"] = time.monotonic() - began

    reader = threading.Thread(target=wait)
    reader.start()
    time.sleep(1.0)
    assert not found
    portal.post("messages", {"to": case.reference, "name": "confirmed"})
    reader.join(30)
    assert found["page"]["results"][0]["type"] == "message.received"
    assert found["seconds"] < 10


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("how", ["revoked", "disabled", "signed out", "deactivated"])
def test_who_may_no_longer_read_is_told_nothing_after_waiting(
    program: Any, desk: Any, client: Any, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    portal, sender = program("read:trial"), program("read:trial", "messages:trial")
    case = desk.open("hour")
    after = portal.get("events?after=now").json()["next"]
    client.force_login(desk.people.petra)

    def end_meanwhile(_seconds: float) -> bool:
        if how == "revoked":
            revoke_token(token=portal.row, actor=service("test"))
        elif how == "disabled":
            Client.objects.filter(pk=portal.client.pk).update(is_active=False)
        elif how == "signed out":
            Session.objects.all().delete()
        else:
            Person.objects.filter(pk=desk.people.petra.pk).update(is_active=False)
        sent = sender.post("messages", {"to": case.reference, "name": "confirmed"})
        assert sent.status_code == 200
        return True

    monkeypatch.setattr(waiting.watch, "wait", end_meanwhile)
    path = f"/api/v1/events?after={after}&wait=20"
    answer = portal.get(path) if how in ("revoked", "disabled") else client.get(path)
    assert answer.status_code in (401, 403), answer.content
    assert case.reference not in answer.content.decode()


@pytest.mark.django_db(transaction=True)
def test_who_waits_for_nothing_gets_an_empty_page_in_time(program: Any, settings: Any) -> None:
    portal = program("read:trial")
    began = time.monotonic()
    page = portal.get("events?wait=1").json()
    assert page["results"] == [] and 0.9 < time.monotonic() - began < 10
    # Where as many wait as may, the answer comes at once
    settings.LONGCASE_FEED_WAITERS = 0
    began = time.monotonic()
    assert portal.get("events?wait=20").json()["results"] == []
    assert time.monotonic() - began < 5


@pytest.mark.unsound("restricts it by hand")
def test_a_case_that_was_closed_to_a_reader_is_seen_no_more(program: Any, desk: Any) -> None:
    portal = program("read:trial")
    case = desk.open("hour")
    assert follow(portal)
    Case.objects.filter(pk=case.pk).update(restricted=True)
    assert follow(portal) == []
