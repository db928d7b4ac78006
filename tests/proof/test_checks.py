"""Checks over all cases by a worker, in slices; their page; and the chain of one case."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, connections
from django.db.utils import ProgrammingError
from django.test import Client

from audit import record
from audit.chain import GENESIS
from audit.verify import verify_case
from cases.actors import Actor
from cases.models import Case, Person
from processes import proof
from processes.acts.notes import add_note
from processes.engine.verify import verify
from processes.models import CheckFinding, CheckRun
from processes.proof import anchoring, checking, role, runs
from tests.audit.conftest import NINE, History
from tests.fixtures.loan import Office
from tests.proof.conftest import Superuser


@pytest.fixture
def cases(office: Office, settings: Any) -> list[Case]:
    settings.LONGCASE_ANCHOR_KEYS = ["7" * 64]
    return [office.open() for _ in range(5)]


@pytest.fixture
def nadia(db: None) -> Person:
    person = Person.objects.create_user("nadia")
    person.groups.set([Group.objects.get_or_create(name="auditor")[0]])
    return person


@pytest.fixture
def page(nadia: Person) -> Client:
    client = Client()
    client.force_login(nadia)
    return client


# --- By a worker -----------------------------------------------------------------------------


@pytest.fixture
def one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "BATCH", 2)
    real = runs.clock.monotonic
    ticks = iter(range(10_000))
    monkeypatch.setattr(runs.clock, "monotonic", lambda: real() + next(ticks))


def test_a_check_goes_on_where_the_last_slice_ended(
    cases: list[Case], nadia: Person, superuser: Superuser, one_at_a_time: None
):
    anchoring.make()
    superuser.save("honest")
    wrong = (cases[0], cases[4])
    for case in wrong:
        superuser.run(
            "UPDATE audit_event SET actor = 'person:1' WHERE case_id = %s AND number = 1", case.pk
        )
    run = runs.ask(how="all", actor=Actor.of(nadia), by_worker=False)
    assert runs.ask(how="all", actor=Actor.of(nadia), by_worker=False) == run

    while not runs.work_on(run.pk, seconds=1.5):  # one batch a slice
        pass

    run.refresh_from_db()
    assert (run.state, run.cases, run.anchors, run.found) == ("done", 5, 1, 2)
    assert run.events == sum(Case.objects.values_list("head_number", flat=True))
    found = CheckFinding.objects.filter(run=run).values_list("reference", "number")
    assert list(found) == [(case.reference, 1) for case in wrong]
    assert not run.is_clean and runs.last_clean() is None
    superuser.put_back("honest")


def test_since_builds_on_the_last_clean_check_and_says_what_it_left(
    cases: list[Case], nadia: Person, office: Office
):
    first = runs.ask(how="since", actor=Actor.of(nadia), by_worker=False)
    assert first.how == "all"  # there is nothing to build on
    assert runs.work_on(first.pk)
    add_note(case_id=cases[2].pk, text="Later.", actor=Actor.of(office.caseworker))

    second = runs.ask(how="since", actor=Actor.of(nadia), by_worker=False)
    assert runs.work_on(second.pk)

    second.refresh_from_db()
    assert (second.how, second.cases, second.found) == ("since", 1, 0)
    assert any("4 cases did not move" in sentence for sentence in second.left)


def test_a_worker_that_died_leaves_the_check_to_the_next(
    cases: list[Case], nadia: Person, clock: Any
):
    run = runs.ask(how="heads", actor=Actor.of(nadia), by_worker=False)
    CheckRun.objects.filter(pk=run.pk).update(
        state="running", lease_until=runs.clock.now() + runs.LEASE
    )
    assert runs.publish_unfinished() == 0
    assert runs.work_on(run.pk)  # another has it
    clock.advance(seconds=runs.LEASE.total_seconds() + 1)
    assert runs.publish_unfinished() == 1
    assert runs.work_on(run.pk)
    run.refresh_from_db()
    assert run.is_clean


# --- Pages -----------------------------------------------------------------------------------


def test_an_auditor_sees_checks_anchors_and_keys_and_starts_a_check(
    cases: list[Case], page: Client, nadia: Person
):
    empty = page.get("/checks/").content.decode()
    assert "No check was made yet." in empty and "There is no anchor yet." in empty
    anchoring.make()
    run = runs.ask(how="all", actor=Actor.of(nadia), by_worker=False)
    runs.work_on(run.pk)

    shown = page.get("/checks/").content.decode()

    key = anchoring.public_keys()[0]["key"]
    assert key in shown and "Nothing found" in shown and "anchor 1" in shown
    assert "LONGCASE_ANCHOR_" in shown  # nothing is written elsewhere, and it says how
    assert page.get(f"/checks/runs/{run.pk}/").status_code == 200
    anchor = page.get("/checks/anchors/1/").content.decode()
    assert "It lies in the database alone." in anchor
    assert page.get("/checks/anchors/2/").status_code == 404
    heads = b"".join(page.get("/checks/anchors/1/heads/").streaming_content)  # type: ignore[attr-defined]
    assert heads.count(b"\n") == 5
    assert b'"text"' in page.get("/checks/anchors/1/file/").content
    assert b"".join(page.get("/checks/anchors.jsonl").streaming_content).count(b"\n") == 1  # type: ignore[attr-defined]


def test_keys_and_verifier_are_anybodys_and_the_rest_is_not(cases: list[Case], office: Office):
    anybody = Client()
    anchoring.make()
    assert anchoring.public_keys()[0]["key"] in anybody.get("/checks/keys.txt").content.decode()
    told = b"".join(anybody.get("/checks/longcase_verify.py").streaming_content)  # type: ignore[attr-defined]
    assert told.startswith(b"#!/usr/bin/env python3")
    anybody.force_login(office.caseworker)
    for path in ("", "runs/1/", "anchors/1/", "anchors/1/file/", "anchors/1/heads/"):
        assert anybody.get(f"/checks/{path}").status_code == 403, path
    assert anybody.get("/checks/anchors.jsonl").status_code == 403
    assert anybody.post("/checks/", {"how": "all"}).status_code == 403
    assert not CheckRun.objects.exists()


def test_the_chain_of_a_case_is_shown_to_who_sees_the_case(
    cases: list[Case], page: Client, superuser: Superuser
):
    case = Case.objects.get(pk=cases[0].pk)
    anchoring.make()
    shown = page.get(f"/checks/cases/{case.reference}/").content.decode()
    assert f"Yes: all {case.head_number} events were hashed" in shown
    assert f"Events up to {case.head_number} are held by anchor 1" in shown

    superuser.save("honest")
    superuser.run("UPDATE audit_event SET data = '{}' WHERE case_id = %s AND number = 2", case.pk)
    shown = page.get(f"/checks/cases/{case.reference}/").content.decode()
    assert "No: event 2 is the first that is wrong." in shown
    superuser.put_back("honest")
    outsider = Client()
    outsider.force_login(Person.objects.create_user("outsider"))
    assert outsider.get(f"/checks/cases/{case.reference}/").status_code == 404


def test_a_long_history_is_hashed_from_the_anchor_on_unless_all_is_asked_for(
    cases: list[Case], office: Office, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(checking, "AT_ONCE", 3)
    anchoring.make()
    case = Case.objects.get(pk=cases[0].pk)
    add_note(case_id=case.pk, text="Later.", actor=Actor.of(office.caseworker))
    later = Case.objects.get(pk=case.pk)

    quick, whole = proof.checked(later), proof.checked(later, whole=True)

    assert (quick.first, quick.hashed, quick.finding) == (case.head_number + 1, 1, None)
    assert (whole.first, whole.hashed, whole.finding) == (1, later.head_number, None)
    assert quick.anchored == case.head_number
    assert (quick.is_left, quick.is_whole) == (False, False)

    # Of one that no anchor holds and that is long, a page hashes nothing, and says so
    other = office.open()
    monkeypatch.setattr(checking, "AT_ONCE", 1)
    unheld = proof.checked(Case.objects.get(pk=other.pk))
    assert (unheld.is_left, unheld.hashed) == (True, 0)


# --- The role of the database ------------------------------------------------------------------


@pytest.fixture
def bound(transactional_db: None) -> Iterator[str]:
    """A role that manage.py dbrole has bound."""
    name = "longcase_bound"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE ROLE {name} LOGIN")
    call_command("dbrole", name, apply=True)
    yield name
    with connection.cursor() as cursor:
        cursor.execute(f"DROP OWNED BY {name}; DROP ROLE {name}")


def test_the_applications_role_adds_to_history_and_changes_nothing_of_it(bound: str):
    assert "superuser" in role.trouble()  # the tests' own
    history = History(1)
    with connection.cursor() as cursor:
        cursor.execute(f"SET ROLE {bound}")
        try:
            history.add("noted")
            assert verify_case(*history.head) is None
            assert role.current().is_bound and role.trouble() == ""
            for table in role.guarded_tables():
                refused = [f"DELETE FROM {table}", f"TRUNCATE {table}"]
                refused += [f"ALTER TABLE {table} DISABLE TRIGGER ALL"]
                if table == "audit_event":
                    refused += ["UPDATE audit_event SET actor = 'person:1'"]
                for statement in refused:
                    with pytest.raises(ProgrammingError, match="permission denied|must be owner"):
                        cursor.execute(statement)
        finally:
            cursor.execute("RESET ROLE")
    assert {"audit_event", "audit_feed", "audit_anchor"} <= set(role.guarded_tables())


def test_a_role_with_more_rights_than_it_needs_is_told(bound: str):
    with connection.cursor() as cursor:
        cursor.execute(f"GRANT UPDATE ON audit_event TO {bound}; SET ROLE {bound}")
        try:
            assert "more rights than to read and add on: audit_event" in role.trouble()
        finally:
            cursor.execute("RESET ROLE")


def test_dbrole_says_what_is_wrong(db: None):
    with pytest.raises(CommandError, match="a superuser of the database"):
        call_command("dbrole")
    with pytest.raises(CommandError, match="There is no role nobody_here"):
        call_command("dbrole", "nobody_here")
    with pytest.raises(CommandError, match="is a superuser"):
        call_command("dbrole", "postgres")


# --- Scenarios U4 and U5 -----------------------------------------------------------------------


def test_two_hundred_actions_at_once_twice_are_one_line_without_gap(
    transactional_db: None, office: Office
):
    """U4, but for dumping and loading, which tests/config has."""
    case = office.open()
    before = Case.objects.get(pk=case.pk).head_number
    gate = threading.Barrier(8)

    def act(number: int) -> None:
        try:
            add_note(case_id=case.pk, text=f"Note {number}.", actor=Actor.of(office.caseworker))
        finally:
            if number % 25 == 24:
                connections.close_all()

    def worker(first: int) -> None:
        gate.wait()
        for number in range(first, first + 25):
            act(number)

    for _round in range(2):  # the second on new connections, as after a restart
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(worker, range(0, 200, 25)))
        assert list(verify(references=[case.reference])) == []

    now = Case.objects.get(pk=case.pk)
    assert now.head_number == before + 400
    assert list(verify()) == []


def test_a_log_of_a_hundred_entries_names_the_first_wrong_one(db: None, superuser: Superuser):
    """U5: one letter in entry 40, swapped, put in; after putting it back it passes."""
    history = History(1, 0, GENESIS)
    rows = []
    for number in range(100):
        draft = record.Draft(
            head=history, type="noted", data={"n": number}, actor="engine", recorded_at=NINE
        )
        rows.append(record.chain(draft))
    with connection.cursor() as cursor:
        record.write(cursor, rows)
    where = "WHERE case_id = 1 AND number ="
    changes = {
        40: [f"UPDATE audit_event SET type = 'noten' {where} 40"],
        10: [
            f"UPDATE audit_event SET number = 1000 {where} 10",
            f"UPDATE audit_event SET number = 10 {where} 20",
            f"UPDATE audit_event SET number = 20 {where} 1000",
        ],
        70: [
            "UPDATE audit_event SET number = number + 1000 WHERE number >= 70",
            "UPDATE audit_event SET number = number - 999 WHERE number >= 1000",
            "INSERT INTO audit_event SELECT case_id, 70, type, data, actor, on_behalf, "
            "happened_at, recorded_at, hash FROM audit_event WHERE number = 69",
        ],
    }
    superuser.save("honest")
    for first, statements in changes.items():
        for statement in statements:
            superuser.run(statement)
        finding = verify_case(*history.head)
        assert finding is not None and finding.number == first, (first, finding)
        superuser.put_back("honest")
        assert verify_case(*history.head) is None
    with connection.cursor() as cursor, pytest.raises(IntegrityError, match="append-only"):
        cursor.execute(f"UPDATE audit_event SET type = 'noten' {where} 40")
