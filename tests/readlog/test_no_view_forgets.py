"""Every address that there is, asked by those who may see most: none shows a case without a row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.urls import get_resolver, resolve

from audit.models import Read
from cases import readlog
from cases.middleware import ReadLogMiddleware
from processes.models import Incident

pytestmark = pytest.mark.django_db(transaction=True)


def addresses() -> Iterator[tuple[str, str, Any]]:
    """Each address: its route, its name in the log, its pattern."""

    def walk(patterns: Any, before: str) -> Iterator[tuple[str, str, Any]]:
        for one in patterns:
            route = before + str(one.pattern)
            if hasattr(one, "url_patterns"):
                yield from walk(one.url_patterns, route)
            else:
                match = type("Match", (), {"url_name": one.name, "func": one.callback})
                yield route, readlog.name_of(match), one

    yield from walk(get_resolver().url_patterns, "")


@pytest.fixture
def scene(desk: Any) -> dict[str, Any]:
    """One case with a task and a paper, another that a fault stopped."""
    case = desk.open("review", title="Zephyr Mills")
    document = desk.send_document(case, "payslip")
    stopped = desk.stop(title="Zephyr Farm")
    return {
        "cases": {one.reference: one.pk for one in (case, stopped)},
        "reference": case.reference,
        "tasks": desk.task_of(case).pk,
        "documents": document.pk,
        "incidents": Incident.objects.get().pk,
        "stopped": stopped.reference,
        "team": desk.people.petra.team_id,
        "person_pk": desk.people.sanne.pk,
        "kind_name": "trial",
    }


def filled(route: str, scene: dict[str, Any]) -> str:
    """The route with numbers and names of the scene where there are fitting ones."""
    own = next(
        (scene[one] for one in ("tasks", "documents", "incidents", "team") if f"{one}/" in route), 1
    )
    kinds = {"uuid": "7b1f0c7e-3f0f-4f0e-9d6c-1a2b3c4d5e6f", "int": "1", "path": "nothing"}

    def value(found: re.Match[str]) -> str:
        sort, name = found[1], found[2]
        if name == "pk":
            return str(own)
        return str(scene.get(name) or kinds.get(sort, "review"))

    return "/" + re.sub(r"<(\w+):(\w+)>", value, route)


def test_every_address_logs_what_it_shows(desk: Any, scene: dict[str, Any]) -> None:
    people = desk.people
    opened: set[str] = set()
    for person in (people.petra, people.otto, people.ada):  # each what those before could not open
        client = Client(raise_request_exception=False)
        client.force_login(person, backend="cases.backend.PersonBackend")
        for route, name, _one in addresses():
            if name == "logout" or route in opened:
                continue
            last = Read.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
            answer = client.get(filled(route, scene))
            text = "" if answer.streaming else answer.content.decode(errors="replace")
            answer.close()
            rows = list(Read.objects.filter(pk__gt=last))
            told = {row.case_id for row in rows} | {one for r in rows for one in r.case_ids or ()}
            named = {
                pk
                for ref, pk in scene["cases"].items()
                if f'/{ref}/"' in text or f'"{ref}"' in text
            }
            assert named <= told, (route, str(person))
            if "Zephyr" in text:
                assert told & set(scene["cases"].values()), (route, str(person))
            if answer.status_code in readlog.SHOWN:
                opened.add(route)
                if name in readlog.SHOWS_NO_CASE:
                    assert "Zephyr" not in text, f"{route} shows a case, and is said to show none"
                    continue
                assert [row.what for row in rows] == [name], (route, str(person))
                assert rows[0].actor == f"person:{person.pk}" and rows[0].digest
    assert len(opened) >= 85


def told_of(client: Client, address: str) -> set[int]:
    """The cases that opening this address put into the log."""
    last = Read.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    assert client.get(address).status_code == 200
    rows = Read.objects.filter(pk__gt=last).values_list("case_id", "case_ids")
    return {pk for one, more in rows for pk in (one, *(more or ())) if pk}


def test_a_case_that_is_shown_without_its_address_is_logged_too(desk: Any) -> None:
    """In one's own work a task leads to the task; and a file names the others that have it."""
    case, other = (
        desk.open("review", title="Zephyr Mills"),
        desk.open("review", title="Zephyr Farm"),
    )
    paper = desk.send_document(case, "payslip")
    desk.send_document(other, "payslip")
    desk.claim(case, desk.people.milan)
    reviewer, caseworker = Client(), Client()
    reviewer.force_login(desk.people.milan, backend="cases.backend.PersonBackend")
    caseworker.force_login(desk.people.sanne, backend="cases.backend.PersonBackend")

    assert "Zephyr Mills" in reviewer.get("/work/").content.decode()
    assert case.pk in told_of(reviewer, "/work/")
    page = caseworker.get(f"/documents/{paper.pk}/").content.decode()
    assert "The very same file" in page and "Zephyr Farm" in page
    assert told_of(caseworker, f"/documents/{paper.pk}/") == {case.pk, other.pk}


def test_what_the_scene_has_not_is_logged_by_the_same_door(scene: dict[str, Any]) -> None:
    """Whatever a view answers: middleware and resolver alone decide, for every address."""
    for route, name, _one in addresses():
        request = RequestFactory().get(filled(route, scene))

        def view(request: HttpRequest) -> HttpResponse:
            request.resolver_match = resolve(request.path_info)
            return HttpResponse("Zephyr")

        last = Read.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
        ReadLogMiddleware(view)(request)
        rows = Read.objects.filter(pk__gt=last).values_list("actor", "what")
        if name in readlog.SHOWS_NO_CASE:
            assert not rows, route
        else:
            assert [what for _who, what in rows] == [name], route


def test_each_exception_is_an_address_that_there_is() -> None:
    names = {name for _route, name, _one in addresses()}
    assert set(readlog.SHOWS_NO_CASE) <= names | {"demo-mails"}
    assert all(readlog.SHOWS_NO_CASE.values())
