"""Erasing a person: afterwards nothing of what was planted is anywhere (U6)."""

from __future__ import annotations

import gzip
import json
import logging
import zipfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import connection

from audit.read import events_of
from cases.actors import Actor
from cases.models import Case, Destruction, DestructionRow, Erasure, StepDay
from cases.snapshots import write_steps
from processes.acts import destructions
from processes.acts.cases import get_case
from processes.engine.replay import as_it_stood
from processes.engine.verify import verify
from processes.erasing.facts import ERASED
from processes.work import destructions as work
from tests.cases.conftest import Visitor
from tests.erasing.planted import WORDS, plant

pytestmark = pytest.mark.django_db(transaction=True)


def dump() -> dict[str, str]:
    """Every row of every table of this database, by table, as Postgres writes them."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables "
            "WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1"
        )
        tables = [table for (table,) in cursor.fetchall()]
        found = {}
        for table in tables:
            with cursor.copy(f"COPY {table} TO STDOUT") as copy:
                found[table] = b"".join(bytes(piece) for piece in copy).decode()
    return found


def stored() -> Iterator[bytes]:
    """The bytes of every file in storage, and its name."""
    folders = [""]
    while folders:
        folder = folders.pop()
        inner, names = default_storage.listdir(folder)
        folders += [f"{folder}/{one}".strip("/") for one in inner]
        for name in names:
            path = f"{folder}/{name}".strip("/")
            with default_storage.open(path) as file:
                yield path.encode() + b" " + file.read()


def still_in(text: str, *, words: dict[str, str] = WORDS) -> list[str]:
    """Which of the planted words stand in a text, however they are written there."""
    told = text.casefold()
    return [name for name, word in words.items() if word.casefold() in told]


def unpacked(path: Path) -> str:
    """What a file of an export says, also within its parts."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            return "\n".join(packed.read(one).decode() for one in packed.namelist())
    data = path.read_bytes()
    return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode()


def figures_of_the_past() -> list[Any]:
    """The days that visits of steps took, made anew from history."""
    write_steps(date(2026, 1, 1), date(2028, 12, 31))
    rows = StepDay.objects.order_by("team", "day", "kind", "step", "took_days")
    return list(rows.values_list("team", "day", "kind", "step", "took_days", "visits"))


def erase(case: Case, first: Any, second: Any) -> Destruction:
    held = destructions.request_erasure(
        case_ids=[case.pk],
        reason="The person asked for it by letter.",
        basis="GDPR, article 17",
        stays=False,
        actor=Actor.of(first),
    )
    destructions.approve(destruction_id=held.pk, actor=Actor.of(second))
    assert work.carry_on(held.pk)
    return Destruction.objects.get(pk=held.pk)


@pytest.fixture
def colleague(office: Any) -> Any:
    return office.person("joyce", "underwriter")


def test_nothing_of_an_erased_person_is_left(
    office: Any,
    engine: Any,
    world: Any,
    program: Any,
    colleague: Any,
    ruth: Any,
    bas: Any,
    caplog: Any,
    calls_of: Any,
    tmp_path: Path,
) -> None:
    ada = office.person("ada", "auditor")

    # Given a closed case in which each place that keeps words holds one of ours
    caplog.set_level(logging.DEBUG)
    case = plant(office, engine, program, colleague, ruth)
    before = "\n".join(dump().values()) + b"\n".join(stored()).decode(errors="replace")
    before += "\n".join(str(event.data) for event in events_of(case.pk))  # sealed, so in no dump
    assert set(still_in(before)) == set(WORDS)
    head = case.head_number

    # When its time has come, and two people have it erased
    engine.advance(days=366)
    figures = figures_of_the_past()
    held = erase(case, ruth, bas)
    row = held.rows.get()
    assert (row.state, row.why) == (DestructionRow.State.ERASED, "")

    # Then no dump of the database has any of it, no file, and no log
    assert {table: left for table, text in dump().items() if (left := still_in(text))} == {}
    assert still_in(b"\n".join(stored()).decode(errors="replace")) == []
    assert still_in(caplog.text) == []

    # Then neither the API tells any of it, nor an export, nor a page
    calls = calls_of(office.supervisor)
    for path in ("?include=events,tasks,documents,requirements,related,retention", "/events"):
        answer = calls.get(f"cases/{case.reference}{path}")
        assert answer.status_code == 200
        assert still_in(json.dumps(answer.json(), ensure_ascii=False)) == []
    for form in ("jsonl", "ocel-json", "xes", "csv-cases", "csv-events"):
        out = tmp_path / form
        said = {"by": ada.username, "why": "a study", "out": str(out)}
        call_command("export", form, case.reference, **said)
        assert still_in(unpacked(out)) == [], form
    page = Visitor(office.supervisor).open(f"{case.get_absolute_url()}print")
    assert page.status == 200 and still_in(page.html) == []

    # Then the history is whole, tells of the erasure without a name, and still replays
    assert list(verify()) == []
    certificate = Erasure.objects.get(case=case)
    last = events_of(case.pk)[-1]
    assert (last.type, last.number) == ("case.erased", certificate.event_number)
    assert last.data["certificate"] == certificate.number
    assert (last.actor, last.on_behalf) == ("engine", f"person:{bas.pk}")
    assert {event.data.get("text", ERASED) for event in events_of(case.pk)} == {ERASED}
    for number in (1, head // 2, head):
        assert as_it_stood(get_case(case.pk), number).number == number
    assert get_case(case.pk).title == ERASED

    # Then no figure has changed
    assert figures_of_the_past() == figures != []

    # Then the certificate says what was destroyed
    assert certificate.key_destroyed and certificate.events == head
    assert set(certificate.files.values()) == {"deleted"}
    assert {"cases.Note", "cases.Letter", "cases.Document", "cases.Task"} <= set(certificate.counts)
