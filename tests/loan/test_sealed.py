"""The people of a loan: sealed in its history, and gone when its key is."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from audit import keys
from audit.models import Event
from cases.actors import Actor, party
from cases.models import Case, Letter
from cases.spelling import folded
from processes.acts.cases import change_facts, get_case
from processes.acts.locking import acting_on
from processes.acts.notes import add_note
from processes.engine.replay import as_it_stood
from processes.engine.verify import verify
from tests.fixtures.loan import Office
from timers import clock

PLANTED = {
    "title": "Zqtitle",
    "applicant_name": "Zqname",
    "email": "zqmail@applicant.example",
    "address": "Zqstreet 1",
    "purpose": "Zqpurpose",
    "account": "NL91ABNA0417164300",
}
INCOME = Decimal("3417.29")
SAID = ("Zqrejected", "Zqpaper", "Zqnote", "Zqapproved", "Zqcorrected", "Zqthink")


@pytest.fixture
def loan(engine: Any, world: Any) -> tuple[Office, Case]:
    """A loan that was paid out, full of what people said."""
    office = Office()
    case = office.open(amount=Decimal("5000.00"), income=INCOME, **PLANTED)
    engine.settle()
    staff = Actor.of(office.caseworker)
    add_note(case_id=case.pk, text="Zqnote: called", actor=staff)
    [paper] = office.send(case, "payslip")
    office.judge(paper, accept=False, reason="Zqrejected: unreadable")
    office.accept(case, "identity", "payslip", "bank_statement")
    engine.settle()
    change_facts(
        case_id=case.pk, changes={"purpose": "Zqcorrected"}, reason="Zqthink again", actor=staff
    )
    office.do(case, "approve", reason="Zqapproved: fine")
    office.do(case, "approve", reason="Zqapproved: yes")
    engine.settle()
    office.answer(case, "accept")
    engine.settle()
    return office, get_case(case.pk)


def history_of(case: Case) -> list[tuple[int, str, str]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT number, type, data FROM audit_event WHERE case_id = %s ORDER BY number",
            [case.pk],
        )
        return cursor.fetchall()


def test_nobody_is_found_in_a_dump_of_the_history(loan: Any) -> None:
    # Given a loan whose every text names somebody
    _office, case = loan
    assert case.step == "paid_out"
    assert Letter.objects.filter(case=case).exists()

    # Then none of it is in its history as it is stored
    stored = history_of(case)
    types = {type for _, type, _ in stored}
    assert {"case.opened", "facts.changed", "note.added", "task.completed"} <= types
    assert {"activity.completed", "message.received", "document.rejected"} <= types
    secret = [*PLANTED.values(), *SAID, str(INCOME), "999900001", case.title, "payslip.pdf"]
    for number, type, text in stored:
        found = [one for one in secret if one.casefold() in text.casefold()]
        assert not found, (number, type, found)

    # and all of it is read
    told = json.dumps([dict(e.data) for e in Event.objects.filter(case_id=case.pk)], default=str)
    for one in ("Zqname", "Zqnote", "Zqrejected", "Zqapproved", "Zqcorrected", "3417.29"):
        assert one in told, one
    assert not list(verify())


def test_a_person_is_found_by_what_identifies_them_and_by_what_was_corrected(
    engine: Any, office: Any, world: Any
) -> None:
    one, other = office.open(), office.open(national_id="999900013", email="other@a.example")
    mark = keys.mark(folded("ZOE@applicant.example"))
    assert keys.persons_cases(mark) == [one.pk]
    change_facts(
        case_id=other.pk,
        changes={"email": "zoe@applicant.example"},
        reason="Mistyped.",
        actor=Actor.of(office.caseworker),
    )
    assert keys.persons_cases(mark) == [one.pk, other.pk]


@pytest.mark.unsound  # the key alone is gone: rows still say what history has erased
def test_an_erased_loan_is_read_and_replayed_without_anybody(loan: Any, calls_of: Any) -> None:
    # Given a loan whose key was destroyed
    office, case = loan
    keys.destroy([case.pk], clock.now())
    auditor = office.person("ada", "auditor")

    # Then its pages and the API answer, and say what is gone
    browser = Client()
    browser.force_login(auditor)
    last = case.head_number
    for path in ("", "history/", "history/?everything=1", "history/print/", f"history/{last}/"):
        answer = browser.get(f"/cases/{case.reference}/{path}", follow=True)
        assert answer.status_code == 200, path
    page = browser.get(f"/cases/{case.reference}/history/?everything=1").content.decode()
    assert "[erased]" in page
    assert "Zqnote" not in page
    calls = calls_of(auditor)
    events = calls.get(f"cases/{case.reference}/events?limit=100")
    assert events.status_code == 200
    opened = events.json()["results"][0]
    assert opened["data"]["facts"]["applicant_name"] == "[erased]"
    assert opened["data"]["facts"]["income"] is None
    assert opened["data"]["facts"]["amount"] == "5000.00"
    assert opened["erased_on"]
    assert calls.get("events").status_code == 200
    assert calls.get(f"cases/{case.reference}/stood?event=2").status_code == 200

    # Its replay runs at each event, and says where it needs what is gone
    notes = {as_it_stood(case, number).note for number in range(1, last + 1)}
    stray = {note for note in notes if "failed" in note or "expected" in note}
    assert all("which was erased on" in note for note in stray), notes

    # The chain is whole; rows that still show somebody are told
    assert not list(verify(rows=False))
    assert any("facts" in one.words for one in verify())


@pytest.mark.unsound  # the key alone is gone: rows still say what history has erased
def test_nothing_personal_is_recorded_after_the_erasure(loan: Any) -> None:
    _office, case = loan
    keys.destroy([case.pk], clock.now())
    with acting_on(case.pk, actor=party("applicant"), closed=True, run_code=False) as (turn, run):
        turn.record(run, "note.added", {"text": "Zqlate"}, actor="party:applicant")
        turn.project(run)
    number, type, text = history_of(case)[-1]
    assert (type, text) == ("note.added", '{"$box":"","text":{"$sealed":0}}')
    assert Event.objects.get(case_id=case.pk, number=number).data["text"] == "[erased]"
