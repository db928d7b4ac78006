"""The read log itself: what is in a row, that nothing changes it, and that it is written first."""

from __future__ import annotations

import getpass
import hashlib
from datetime import timedelta
from io import StringIO
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings
from django.core.management import call_command, get_commands
from django.db import IntegrityError, OperationalError, connection
from django.test import Client

from audit import reads, readseals
from audit.models import Read, ReadSeal
from cases import absence
from cases.actors import Actor
from processes.acts.absences import enter_absence
from timers import clock

pytestmark = pytest.mark.django_db


def written(**more: Any) -> Read:
    reading = reads.Reading(actor="person:7", **more)
    reads.write(reading, at=clock.now(), through="page", what="case")
    return Read.objects.latest("pk")


def attempt(statement: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SAVEPOINT attempt")
        with pytest.raises(IntegrityError) as refusal:
            cursor.execute(statement)
        cursor.execute("ROLLBACK TO SAVEPOINT attempt")
    return str(refusal.value)


@pytest.mark.parametrize("table", ["audit_read", "audit_read_seal"])
def test_nothing_is_changed_or_removed(table: str) -> None:
    written(case_id=1)
    readseals.seal()
    for statement in (
        f"UPDATE {table} SET digest = digest",
        f"DELETE FROM {table}",
        f"TRUNCATE {table}",
    ):
        assert "append-only" in attempt(statement)
    assert Read.objects.count() == ReadSeal.objects.count() == 1


def test_more_cases_than_a_row_names_take_several_rows() -> None:
    written(case_id=1, case_ids=dict.fromkeys(range(1, 2502)))
    rows = list(Read.objects.all())
    assert [len(row.case_ids) for row in rows] == [1000, 1000, 500]
    assert all(row.case_id == 1 and 1 not in row.case_ids for row in rows)


def test_marks_tell_whether_a_word_was_looked_for_and_not_which(settings: Any) -> None:
    one, again, other = (reads.marks_of([word]) for word in ("hartog", "hartog", "bakery"))
    assert one == again != other and isinstance(one[0], UUID)
    assert one[0].bytes != hashlib.sha256(b"hartog").digest()[:16]
    settings.LONGCASE_READ_LOG_KEY = "another"
    assert reads.marks_of(["hartog"]) != one


def test_a_number_too_large_for_a_case_is_left_out() -> None:
    assert written(case_id=10**30).case_id is None


# -- seals


def superuser(statement: str) -> None:
    """As whoever owns the table and turns its triggers off."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(statement)
        cursor.execute("SET LOCAL session_replication_role = origin")


def findings(**more: Any) -> list[str]:
    return [one.words for one in readseals.verify(**more)]


@pytest.fixture
def sealed() -> list[Read]:
    """Three seals of two rows each."""
    for _round in range(3):
        written(case_id=1, digest=bytes(32))
        written(case_ids={5: None, 6: None})
        readseals.seal()
    assert findings() == []
    return list(Read.objects.all())


@pytest.mark.parametrize(
    "change",
    [
        "actor = 'person:8'",
        "on_behalf = 'person:8'",
        "through = 'api'",
        "what = 'x'",
        "item = 'pk:1'",
        "outcome = 'refused'",
        "case_id = 9",
        "case_number = 9",
        "case_ids = '{9}'",
        "purpose = 'audit'",
        "digest = NULL",
        "marks = '{7b1f0c7e-3f0f-4f0e-9d6c-1a2b3c4d5e6f}'",
        "at = at + interval '1 second'",
    ],
)
def test_a_changed_row_shows(sealed: list[Read], change: str) -> None:
    superuser(f"UPDATE audit_read SET {change} WHERE id = {sealed[2].pk}")
    (found,) = findings()
    assert found.startswith("Seal 2") and "changed" in found


def test_a_removed_row_shows_by_its_number(sealed: list[Read]) -> None:
    superuser(f"DELETE FROM audit_read WHERE id = {sealed[3].pk}")
    (found,) = findings()
    assert f"lacks row {sealed[3].pk}" in found


def test_a_row_that_was_slipped_in_shows(sealed: list[Read]) -> None:
    # One in the place of a number that never came, and long before the newest seals
    superuser(f"UPDATE audit_read SET id = -1 WHERE id = {sealed[0].pk}")
    assert any("lacks row" in one for one in findings())
    assert any("Row -1 was slipped in" in one for one in findings())


def test_removed_changed_and_cut_off_seals_show(sealed: list[Read]) -> None:
    head = reads.head()
    assert head[0] == 3
    superuser("UPDATE audit_read_seal SET rows = 1 WHERE number = 2")
    assert "Seal 2 was changed" in findings()[0]
    superuser("UPDATE audit_read_seal SET rows = 2 WHERE number = 2")
    assert findings(anchored=head) == []
    superuser("DELETE FROM audit_read_seal WHERE number = 3")
    superuser(f"DELETE FROM audit_read WHERE id >= {sealed[4].pk}")
    assert findings() == []  # which is what anchors are for
    assert "Seal 3 is gone" in findings(anchored=head)[0]
    superuser("DELETE FROM audit_read_seal WHERE number = 1")
    assert "Seal 1 is missing" in findings()[0]


def test_a_row_committed_late_is_sealed_by_the_next_seal(sealed: list[Read]) -> None:
    # Given a number that was given out before the last seal, and whose commit comes now
    superuser("DELETE FROM audit_read_seal WHERE number = 3")
    superuser(f"DELETE FROM audit_read WHERE id = {sealed[4].pk}")
    readseals.seal()
    assert ReadSeal.objects.get(number=3).ids == f"{{[{sealed[5].pk},{sealed[5].pk + 1})}}"
    superuser(
        f"INSERT INTO audit_read (id, {reads.COLUMNS}) VALUES ({sealed[4].pk}, now(), 'person:7', "
        "'', 'page', 'case', '', 'shown', 1, NULL, NULL, '', NULL, NULL)"
    )
    assert reads.head()[0] == 4
    assert ReadSeal.objects.get(number=4).ids == f"{{[{sealed[4].pk},{sealed[4].pk + 1})}}"
    assert findings() == []


def test_whole_months_alone_can_be_given_up_and_it_is_sealed(sealed: list[Read]) -> None:
    month = clock.now().date().replace(day=1)
    assert readseals.months() == [(month, 6)]
    assert readseals.drop_month(month, by="system:root") == 6
    assert Read.objects.count() == 0 and readseals.months() == []
    (found,) = findings()  # nobody could have done so by the command
    assert found.endswith(f"gives up the rows of {month:%Y-%m}, which had not had their time.")
    last = ReadSeal.objects.latest("number")
    assert (last.kind, last.rows, last.by) == ("dropped", 6, "system:root")
    superuser("UPDATE audit_read_seal SET by = 'system:eve' WHERE kind = 'dropped'")
    assert "was changed" in findings()[0]


def test_a_month_that_has_had_its_time_is_given_up_and_nothing_is_wrong() -> None:
    old = clock.now() - timedelta(days=500)
    reads.write(reads.Reading(actor="person:7", case_id=1), at=old, through="page", what="case")
    written(case_id=2)
    readseals.seal()
    assert readseals.drop_month(old.date(), by="system:root") == 1
    assert Read.objects.count() == 1 and findings() == []
    # Nor does it help to say that it was given up years from now
    superuser("DELETE FROM audit_read_seal WHERE kind = 'dropped'")
    seal = ReadSeal.objects.latest("number")
    later = ReadSeal(
        number=seal.number + 1,
        kind="dropped",
        month=clock.now().date().replace(day=1),
        sealed_at=clock.now() + timedelta(days=5000),
        rows=1,
        digest=bytes(32),
        by="system:root",
    )
    later.hash = readseals._hash(bytes(seal.hash), later)
    later.save(force_insert=True)
    superuser("DELETE FROM audit_read")
    assert any("which had not had their time" in one for one in findings())


# -- written before it is shown


def test_a_page_whose_row_cannot_be_written_is_not_shown(
    desk: Any, people: Any, monkeypatch: Any
) -> None:
    case = desk.open("review", title="Zephyr Mills")
    client = Client(raise_request_exception=False)
    client.force_login(people.sanne, backend="cases.backend.PersonBackend")
    document = desk.send_document(case, "payslip")
    assert client.get(case.get_absolute_url()).status_code == 200

    def fails(*_args: Any, **_more: Any) -> None:
        raise OperationalError("no room on the disk")

    monkeypatch.setattr(reads, "write", fails)
    for address in (
        case.get_absolute_url(),
        f"/documents/{document.pk}/file",
        f"/api/v1/cases/{case.reference}",
        "/work/",
    ):
        answer = client.get(address)
        assert answer.status_code == 503, address
        assert b"Zephyr" not in answer.content and b"%PDF" not in answer.content
    assert client.get("/settings/").status_code == 200  # which shows no case


def test_a_row_tells_who_saw_what_at_which_event(desk: Any, people: Any, visit: Any) -> None:
    case = desk.open("review", title="Zephyr Mills")
    page = visit(people.sanne).open(f"{case.get_absolute_url()}history/?upto=3")
    row = Read.objects.latest("pk")
    assert (row.actor, row.through, row.what) == (
        f"person:{people.sanne.pk}",
        "page",
        "case-history",
    )
    assert (row.case_id, row.case_number, row.item) == (case.pk, case.head_number, "upto:3")
    assert bytes(row.digest) == hashlib.sha256(page.response.content).digest()
    document = desk.send_document(case, "payslip")
    visit(people.sanne).client.get(f"/documents/{document.pk}/file").close()
    row = Read.objects.latest("pk")
    assert (row.what, row.item, row.case_id) == ("document-file", f"pk:{document.pk}", case.pk)
    assert bytes(row.digest).hex() == document.digest


def test_what_is_hidden_is_logged_as_tried_and_answers_as_what_is_not_there(
    desk: Any, people: Any, visit: Any
) -> None:
    case = desk.open("review", title="Zephyr Mills")
    for reference in (case.reference, "TR-2026-999999"):
        page = visit(people.eve).open(f"/cases/{reference}/")
        row = Read.objects.latest("pk")
        assert (page.status, row.outcome) == (404, "not_found")
        assert row.case_id == int(reference[-6:]) and row.case_number is None


def test_lists_and_searches_tell_which_cases_they_showed_and_keep_no_word(
    desk: Any, people: Any, visit: Any
) -> None:
    one, two = (desk.open("review", title=name) for name in ("Zephyr Mills", "Zephyr Farm"))
    for address in ("/cases/", "/find/?find=zephyr", "/work/?show=waiting"):
        visit(people.sanne).open(address)
        row = Read.objects.latest("pk")
        assert row.case_id is None and set(row.case_ids) == {one.pk, two.pk}, address
    row = Read.objects.get(what="find")
    assert row.marks == reads.marks_of(["zephyr"])
    with connection.cursor() as cursor:
        cursor.execute("SELECT string_agg(r::text, '|') FROM audit_read r")
        told = cursor.fetchone()[0].lower()
    assert "zephyr" not in told and "sanne" not in told


# -- commands, webhooks, customers, the door from outside


def test_a_replay_on_the_command_line_is_logged_with_the_name_of_its_user(desk: Any) -> None:
    case = desk.open("review", title="Zephyr Mills")
    call_command("replay", case.reference, at=2, stdout=StringIO())
    row = Read.objects.get()
    assert row.actor == f"system:{getpass.getuser()}"
    assert (row.through, row.what, row.item, row.case_id) == (
        "command",
        "replay",
        "event:2",
        case.pk,
    )


def test_each_command_prints_no_case_or_is_known_to_log() -> None:
    """A new command has to be named here: what does it show of cases?"""
    logs = {"replay", "export"}
    numbers_alone = {"checkfiles", "letgo", "movecases", "opencases", "playlog", "rebuildsearch"}
    numbers_alone |= {"replaycheck", "restartstep", "verify", "versions", "teamfigures", "filedrop"}
    numbers_alone |= {
        "mailin",
        "readlog",
        "paymentruns",
        "erase",
        "erasures",
        "backtest",
        "anchor",
        "insight",
    }  # references, counts and findings
    of_the_installation = {"dbrole", "clients", "clock", "decisions", "demo", "process", "standins"}
    of_the_installation |= {"startkind", "turnclock", "words", "calendars"}
    of_the_installation |= {"masterkey", "rewrapkeys", "anchor", "dbrole", "verifyanchors"}
    ours = {name for name, app in get_commands().items() if app in settings.OUR_APPS}
    assert ours - logs - numbers_alone - of_the_installation == set()


def test_a_program_is_logged_with_the_one_it_asks_for(desk: Any, people: Any, program: Any) -> None:
    case = desk.open("review", title="Zephyr Mills")
    calls = program("read:*", "behalf:*", name="portal")
    assert calls.get(
        f"cases/{case.reference}", **{"Longcase-On-Behalf-Of": f"person:{people.sanne.pk}"}
    ).status_code == 200  # fmt: skip
    row = Read.objects.latest("pk")
    assert (row.actor, row.on_behalf) == ("service:portal", f"person:{people.sanne.pk}")
    assert (row.through, row.what, row.case_id) == ("api", "api:OneCase", case.pk)
    calls.get("events?limit=500")
    row = Read.objects.latest("pk")
    assert (row.what, row.case_ids) == ("api:Events", [case.pk])


def test_a_substitute_is_logged_with_the_one_who_is_away(
    desk: Any, people: Any, visit: Any
) -> None:
    case = desk.open("review", title="Zephyr Mills")
    enter_absence(
        person=people.sanne,
        from_date=absence.today(),
        until_date=absence.today(),
        substitute=people.petra,
        actor=Actor.of(people.petra),
    )
    visit(people.petra).open(case.get_absolute_url())
    row = Read.objects.latest("pk")
    assert (row.actor, row.on_behalf) == (
        f"person:{people.petra.pk}",
        f"person:{people.sanne.pk}",
    )
