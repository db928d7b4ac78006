"""Somebody with all rights over the database changes rows beside history: each is named by
`manage.py verify`, and no value that nobody wrote so makes it break off."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.core.management import call_command
from django.core.management.base import CommandError

from audit import keys
from audit.models import Event
from cases.access.roles import RECORDS_MANAGER
from cases.actors import Actor
from cases.models import Case, Letter, Person
from cases.models.letter import fingerprint_of
from processes.acts.cases import open_case
from processes.acts.documents import judge_document
from processes.acts.holds import place_hold
from tests.fixtures.loan import Office
from tests.proof.conftest import Auditor, Superuser

pytestmark = pytest.mark.django_db(transaction=True)


def verify(case: Case | None = None) -> list[str]:
    """What `manage.py verify` says of all, or of one case."""
    out = io.StringIO()
    try:
        call_command("verify", *([case.reference] if case else []), stdout=out)
    except CommandError as error:
        assert error.returncode == 1, error
    lines = out.getvalue().splitlines()
    return lines[: next(at for at, one in enumerate(lines) if one.startswith("Looked at"))]


@contextmanager
def changed(superuser: Superuser, table: str, change: str, *values: Any) -> Iterator[None]:
    """A table with a change that nobody recorded, for a while."""
    superuser.run(f"CREATE TEMP TABLE kept AS TABLE {table}")
    try:
        superuser.run(f"{change.replace('TABLE', table)}", *values)
        yield
    finally:
        superuser.run(f"DELETE FROM {table}; INSERT INTO {table} SELECT * FROM kept")
        superuser.run("DROP TABLE kept")


ROWS = {  # what is changed, and what of it is named
    "outcome = 'approved'": "differ in outcome",
    "opened_at = opened_at - interval '9 days'": "differ in opened_at",
    "owner_id = NULL": "differ in owner_id",
    "restricted = true": "differ in restricted",
    "parent_id = id": "differ in parent_id",
    "source = 'portal'": "differ in source",
    "step_version = 7": "differ in step_version",
    "code_digest = 'ffff'": "differ in code_digest",
    "entered_at = now()": "differ in entered_at",
    "kind = 'nothing'": "differ in kind",
    "waits = '[[1]]'": "nobody wrote so",
}


@pytest.mark.parametrize("change", ROWS)
def test_a_changed_row_of_a_case_is_named(
    change: str, office: Office, superuser: Superuser
) -> None:
    case, other = office.open(), office.open()
    assert verify() == []
    with changed(superuser, "cases_case", f"UPDATE TABLE SET {change} WHERE id = %s", case.pk):
        found = verify()
        assert found and ROWS[change] in " ".join(found), found
        assert all(line.startswith(case.reference) for line in found)
        assert verify(other) == []


def test_a_restricted_case_cannot_be_opened_to_all_unseen(desk: Any, superuser: Superuser) -> None:
    case = open_case(
        kind="trial",
        facts={"script": "patience"},
        title="Zephyr",
        actor=Actor.of(desk.people.sanne),
        owner=desk.people.sanne,
        restricted=True,
    )
    assert verify() == []
    with changed(superuser, "cases_case", "UPDATE TABLE SET restricted = false"):
        assert "differ in restricted" in verify(case)[0]


def test_changed_work_papers_and_holds_are_named(desk: Any, superuser: Superuser) -> None:
    case = desk.open("review")
    paper = desk.send_document(case, "payslip")
    judge_document(document_id=paper.pk, accept=True, reason="", actor=Actor.of(desk.people.sanne))
    desk.people.ada.groups.add(Group.objects.get_or_create(name=RECORDS_MANAGER)[0])
    keeper = Person.objects.get(pk=desk.people.ada.pk)
    place_hold(case_ids=[case.pk], reason="A court asked.", actor=Actor.of(keeper))
    assert verify() == []
    for table, change, said in (
        ("cases_task", "UPDATE TABLE SET due_at = due_at + interval '1 day'", "tasks"),
        ("cases_task", "UPDATE TABLE SET role = 'auditor'", "tasks"),
        ("cases_document", "UPDATE TABLE SET judged_by = 'person:999'", "the verdict on"),
        ("cases_document", "UPDATE TABLE SET reason = 'Seen.'", "the verdict on"),
        ("cases_document", "UPDATE TABLE SET media_type = 'text/html'", "the document"),
        ("cases_hold", "UPDATE TABLE SET lifted_at = now()", "the row of the hold"),
        ("cases_hold", "UPDATE TABLE SET of_person = true", "the row of the hold"),
        ("cases_hold", "DELETE FROM TABLE", "the row of the hold"),
    ):
        with changed(superuser, table, change):
            assert said in " ".join(verify()), (table, change)


def test_the_text_of_a_letter_that_a_process_sent_is_proven(
    office: Office, engine: Any, superuser: Superuser
) -> None:
    case = office.open()
    engine.settle()
    letter = Letter.objects.filter(case=case).earliest("pk")
    assert letter.written_by == "engine" and verify(case) == []
    sent = Event.objects.filter(case_id=case.pk, type="activity.completed").earliest("number")
    sealed = fingerprint_of(letter.subject, letter.text)
    assert sent.data["result"]["fingerprint"] == sealed
    assert sealed not in sent.data.text  # who knows the text could ask for it after an erasure
    for change in (
        "UPDATE TABLE SET text = text || ' We refuse.'",
        "UPDATE TABLE SET subject = 'Refused'",
        "UPDATE TABLE SET to_name = 'Eve'",
        "DELETE FROM TABLE",
    ):
        with changed(superuser, "cases_letter", change):
            assert "the row of the letter does not say" in verify(case)[0]


@pytest.mark.parametrize(
    "change",
    [
        "text = 'nothing'",
        "text = '[]'",
        "text = '{}'",
        "signatures = '[\"x\"]'",
        "signatures = '{}'",
        "day = day + 1",
        "made_at = made_at + interval '1 day'",
        "position = position + 1",
    ],
)
def test_an_anchor_that_is_none_is_named(
    change: str, office: Office, superuser: Superuser, auditor: Auditor
) -> None:
    case = office.open()
    auditor.anchor()
    auditor.anchor()
    with (
        changed(superuser, "audit_anchor", f"UPDATE TABLE SET {change} WHERE number = 1"),
        with_a_wrong_outcome(superuser, case),
    ):
        found = verify()
    assert found[0].startswith("anchor 1: ") and found[-1].startswith(case.reference)
    assert verify() == []


@contextmanager
def with_a_wrong_outcome(superuser: Superuser, case: Case) -> Iterator[None]:
    """Something else is wrong, too: with the row of this case."""
    run = superuser.run
    run("UPDATE cases_case SET outcome = 'approved' WHERE id = %s", case.pk)
    try:
        yield
    finally:
        run("UPDATE cases_case SET outcome = '' WHERE id = %s", case.pk)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("master = 'another'", "is not among LONGCASE_MASTER_KEYS"),
        ("wrapped = wrapped || '\\x00'", "does not open the key of case"),
    ],
)
def test_a_key_that_is_none_is_told_of_its_case(
    change: str, said: str, office: Office, superuser: Superuser
) -> None:
    case, other = office.open(), office.open()
    update = f"UPDATE TABLE SET {change} WHERE case_id = %s"
    with changed(superuser, "audit_casekey", update, case.pk):
        found = verify()
        assert len(found) == 1 and found[0].startswith(case.reference) and said in found[0]
        assert verify(other) == []
    keys.forget()


def test_rows_that_cannot_be_read_hide_no_other_case(office: Office, superuser: Superuser) -> None:
    one, two = office.open(), office.open()
    update = "UPDATE TABLE SET told = '[1]' WHERE case_id = %s"
    with (
        changed(superuser, "cases_searchentry", update, one.pk),
        with_a_wrong_outcome(superuser, two),
    ):
        found = verify()
    assert [line.split(",")[0].split(":")[0] for line in found] == [one.reference, two.reference]
