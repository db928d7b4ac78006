"""Restricted cases are opened for a purpose: who may, what is kept of it, who is told, how long."""

from __future__ import annotations

from typing import Any

import pytest

from audit.models import Event, Read
from cases.actors import service
from cases.models import Case, Notice
from processes.acts.cases import open_case

pytestmark = pytest.mark.django_db

GIVEN = {"purpose": "complaint", "reason": "Complaint 12 asks what was done."}


@pytest.fixture
def secret(desk: Any, people: Any) -> Case:
    """A restricted case of Sanne's, in her team, with a paper."""
    case = open_case(
        kind="trial",
        facts={"script": "patience", "result": "Quetzalcoatl"},
        title="Zephyr Mills",
        actor=service("website"),
        team=people.sanne.team,
        owner=people.sanne,
        restricted=True,
    )
    desk.engine.settle()
    desk.send_document(case, "payslip")
    return desk.fresh(case)


def test_who_may_open_it_is_asked_for_what_and_others_see_nothing(
    secret: Case, people: Any, visit: Any
) -> None:
    pages = ("", "documents/", "history/", "notes/", "print", "readers/")
    for person in (people.petra, people.ada, people.otto):
        for page in pages:
            seen = visit(person).open(f"{secret.get_absolute_url()}{page}")
            assert seen.status == 403 and "Zephyr" not in seen, (person, page)
            if page != "readers/" or person == people.ada:
                assert "This case is restricted" in seen, (person, page)
    document = secret.documents.get()
    for address in (f"/documents/{document.pk}/", f"/documents/{document.pk}/file"):
        assert visit(people.ada).client.get(address).status_code == 403
        assert visit(people.petra).client.get(address).status_code == 404
    for person in (people.eve, people.milan):
        gone = visit(person).open("/cases/TR-2026-999999/")
        for page in ("", "open/"):
            seen = visit(person).open(f"{secret.get_absolute_url()}{page}")
            assert seen.status == 404
            said = seen.html.replace(secret.reference, "TR-2026-999999")
            assert len(said) == len(gone.html)
    assert visit(people.sanne).open(secret.get_absolute_url()).status == 200
    assert not Read.objects.filter(outcome="shown", case_id=secret.pk).exclude(
        actor=f"person:{people.sanne.pk}"
    )
    assert Read.objects.filter(outcome="refused", case_id=secret.pk).exists()


def test_it_is_opened_for_hours_recorded_told_and_logged(
    secret: Case, desk: Any, people: Any, visit: Any
) -> None:
    address = f"{secret.get_absolute_url()}open/"
    visitor = visit(people.ada)
    # Neither without a purpose nor without a reason
    for left_out in GIVEN:
        page = visitor.open(address).send(address, **{**GIVEN, left_out: ""})
        assert page.status == 422
    assert not Event.objects.filter(type="case.access_opened").exists()

    page = visitor.open(address).send(address, **GIVEN)
    assert page.status == 200 and "Zephyr Mills" in page and "This case is restricted" in page
    event = Event.objects.get(case_id=secret.pk, type="case.access_opened")
    assert event.actor == f"person:{people.ada.pk}" and event.data["reason"] == GIVEN["reason"]
    row = Read.objects.filter(case_id=secret.pk, outcome="shown").latest("pk")
    assert (row.purpose, row.actor) == ("complaint", f"person:{people.ada.pk}")
    assert "Complaint 12" not in str(Read.objects.values())

    # Its caseworker and the supervisor of the team are told, though she does not see the case
    told = Notice.objects.filter(kind="opened")
    assert {one.person for one in told} == {people.sanne, people.petra}
    assert "Complaint or objection" in visit(people.petra).open("/notices/")

    # And when the hours are over it is closed to her again
    desk.engine.advance(hours=9)
    assert visit(people.ada).open(secret.get_absolute_url()).status == 403


def test_a_supervisor_of_the_team_opens_it_and_then_finds_it(
    secret: Case, people: Any, visit: Any
) -> None:
    visitor = visit(people.petra)
    assert "Zephyr" not in visitor.open("/find/?find=zephyr").html.replace('value="zephyr"', "")
    address = f"{secret.get_absolute_url()}open/"
    assert visitor.open(address).send(address, **GIVEN).status == 200
    assert "Zephyr Mills" in visitor.open("/find/?find=zephyr")
    assert visitor.open(address).status == 302  # it is open


def test_the_search_tells_nothing_of_a_restricted_case_but_its_name(
    secret: Case, people: Any, visit: Any
) -> None:
    found = "/find/?find=payslip"
    assert "payslip.pdf" in visit(people.sanne).open(found)
    page = visit(people.ada).open(found)
    assert "Zephyr Mills" in page and "payslip.pdf" not in page


def test_the_api_asks_for_the_purpose_too(
    secret: Case, people: Any, calls_of: Any, program: Any
) -> None:
    ada = calls_of(people.ada)
    document = secret.documents.get()
    for path in (f"cases/{secret.reference}", f"documents/{document.pk}/file"):
        answer = ada.get(path)
        assert answer.status_code == 403, path
        assert answer.json()["type"] == "/api/v1/problems/purpose-needed"
    assert ada.post(f"cases/{secret.reference}/open", {"purpose": "x"}).status_code == 422
    opened = ada.post(f"cases/{secret.reference}/open", GIVEN)
    assert opened.status_code == 200 and opened.json()["purpose"] == "complaint"
    assert ada.get(f"cases/{secret.reference}").status_code == 200
    assert Read.objects.latest("pk").purpose == "complaint"
    for calls in (calls_of(people.eve), calls_of(people.milan), program("read:*")):
        assert calls.post(f"cases/{secret.reference}/open", GIVEN).status_code == 404
