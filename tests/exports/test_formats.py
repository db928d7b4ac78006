"""Each format, read with a reader that knows nothing of us: the same cases, events and texts."""

from __future__ import annotations

import csv
import gzip
import io
import json
import subprocess
import sys
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import jsonschema
import pypdf
import pytest

from audit import standalone
from audit.models import Event
from audit.read import events_of
from cases.models import Case
from processes.exports.jsonlines import schema
from processes.exports.sheets import EVENT_COLUMNS
from processes.exports.texts import harmless
from tests.exports import readers
from tests.exports.conftest import NASTY

pytestmark = pytest.mark.django_db(transaction=True)
SHOWN = NASTY.replace("\x01", "␁")  # what no XML can hold


def test_json_lines_prove_a_case_and_fit_their_schema(desk: Any, nasty: Case, take: Any) -> None:
    path = take(desk.people.ada, "jsonl")
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    for line in lines:
        jsonschema.validate(line, schema())
    events = [line["event"] for line in lines if "event" in line]
    stored = events_of(nasty.pk)
    assert [one["data_text"] for one in events] == [one.data_text for one in stored]
    assert [one["hash"] for one in events] == [bytes(one.hash).hex() for one in stored]
    assert (lines[0]["reference"], lines[0]["title"]) == (nasty.reference, NASTY)
    assert path.name == f"{nasty.reference}.jsonl"

    # The verifier that knows nothing of Longcase finds it whole, and finds a changed byte
    verifier = str(Path(standalone.__path__[0]) / "longcase_verify.py")
    run = [sys.executable, verifier, str(path)]
    assert subprocess.run(run, capture_output=True).returncode == 0
    honest = path.read_bytes()
    path.write_bytes(honest.replace(b"case.opened", b"case.opemed", 1))
    assert subprocess.run(run, capture_output=True).returncode != 0

    # Nor does it believe a readable text that says another thing than what is sealed beside it
    at = next(at for at, line in enumerate(lines) if "opened_text" in line.get("event", {}))
    event, wrong = lines[at]["event"], b"Event %d: reads otherwise" % lines[at]["event"]["number"]
    event["opened_text"] = event["opened_text"][:-1] + ',"paid":true}'
    body = b"".join(json.dumps(line).encode() + b"\n" for line in lines[:-1])
    end = {"lines": len(lines) - 1, "sha256": sha256(body).hexdigest()}
    path.write_bytes(body + json.dumps({"end": end}).encode() + b"\n")
    done = subprocess.run(run, capture_output=True)
    assert done.returncode == 1 and wrong in done.stdout


def test_several_cases_as_json_lines_are_a_file_each(desk: Any, nasty: Case, take: Any) -> None:
    other = desk.open("patience")
    with zipfile.ZipFile(take(desk.people.ada, "jsonl")) as file:
        assert file.namelist() == [f"{nasty.reference}.jsonl", f"{other.reference}.jsonl"]
        assert json.loads(file.read(f"{other.reference}.jsonl").splitlines()[0])["case"] == other.pk


@pytest.mark.parametrize("form", ["xes", "xes-gz"])
def test_xes_has_a_trace_a_case_and_an_event_an_event(
    desk: Any, nasty: Case, take: Any, form: str
) -> None:
    other = desk.open("patience")
    content = take(desk.people.ada, form).read_bytes()
    traces = readers.xes(gzip.decompress(content) if form == "xes-gz" else content)
    assert [trace["concept:name"] for trace, _events in traces] == [
        nasty.reference,
        other.reference,
    ]
    assert sum(len(events) for _trace, events in traces) == Event.objects.count()
    trace, events = traces[0]
    assert (trace["title"], trace["amount"], trace["result"]) == (SHOWN, -1234.5, SHOWN)
    stored = events_of(nasty.pk)
    assert [one["event_type"] for one in events] == [one.type for one in stored]
    assert [one["time:timestamp"] for one in events] == [one.recorded_at for one in stored]
    review = [(one["lifecycle:transition"], one["org:resource"]) for one in events
              if one["concept:name"] == "task first"]  # fmt: skip
    assert review == [
        ("schedule", "Longcase"),
        ("assign", "Milan Kovač"),
        ("complete", "Milan Kovač"),
    ]
    (done,) = [one for one in events if one["event_type"] == "task.completed"]
    assert (done["data_reason"], done["data_outcome"]) == (SHOWN, "approve")


def test_ocel_relates_events_to_cases_tasks_documents_people_and_rules(
    desk: Any, nasty: Case, take: Any
) -> None:
    log = readers.ocel_json(take(desk.people.ada, "ocel-json").read_bytes())
    objects = {one["id"]: one for one in log["objects"]}
    assert len(log["events"]) == nasty.head_number
    case = objects[nasty.reference]
    now = {one["name"]: one["value"] for one in case["attributes"]}  # the last of each
    assert (case["type"], now["title"], now["amount"]) == ("trial", NASTY, -1234.5)
    types = {one["type"] for one in log["objects"]}
    assert {"task", "document", "person", "rule", "engine"} <= types
    (done,) = [one for one in log["events"] if one["type"] == "task.completed"]
    how = {one["qualifier"]: objects[one["objectId"]]["type"] for one in done["relationships"]}
    assert how == {"case": "trial", "actor": "person", "completed": "task"}
    (document,) = [one for one in log["objects"] if one["type"] == "document"]
    told = {one["name"]: one["value"] for one in document["attributes"]}
    assert (told["filename"], told["state"]) == ("=cmd عربى 😀.pdf", "received")
    (task,) = [one for one in log["objects"] if one["type"] == "task" and one["id"].endswith("1.1")]
    states = [one["value"] for one in task["attributes"] if one["name"] == "state"]
    assert states == ["open", "taken", "done"]


def test_ocel_as_sqlite_says_the_same(desk: Any, nasty: Case, take: Any) -> None:
    log = readers.ocel_json(take(desk.people.ada, "ocel-json").read_bytes())
    base = readers.ocel_sqlite(take(desk.people.ada, "ocel-sqlite"))
    for sort, table in (("events", "event"), ("objects", "object")):
        rows = base.execute(f"SELECT ocel_id, ocel_type FROM {table}").fetchall()
        assert {tuple(row) for row in rows} == {(one["id"], one["type"]) for one in log[sort]}
    relations = {
        (one["id"], relation["objectId"], relation["qualifier"])
        for one in log["events"]
        for relation in one["relationships"]
    }
    assert {tuple(row) for row in base.execute("SELECT * FROM event_object")} == relations
    first = base.execute("SELECT * FROM object_trial WHERE ocel_changed_field IS NULL").fetchone()
    assert (first["title"], first["amount"]) == (NASTY, -1234.5)
    base.close()


def test_staff_are_codes_where_that_is_asked(desk: Any, nasty: Case, take: Any) -> None:
    for form in ("ocel-json", "xes", "csv-events", "csv-cases"):
        text = take(desk.people.ada, form, people="codes").read_text(encoding="utf-8-sig")
        assert "Kovač" not in text and "de Wit" not in text, form
        assert f"person:{desk.people.sanne.pk}" in text, form


def test_csv_tells_no_spreadsheet_to_compute(desk: Any, nasty: Case, take: Any) -> None:
    content = take(desk.people.ada, "csv-cases").read_bytes()
    assert content.startswith(b"\xef\xbb\xbf")
    (row,) = csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    assert (row["title"], row["fact.amount"]) == (f"'{SHOWN}", "-1234.50")
    assert row["step.trying.entered_at"] and float(row["step.trying.days"]) >= 0
    plain = take(desk.people.ada, "csv-events", bom=False, separator=";").read_text(
        encoding="utf-8"
    )
    rows = list(csv.DictReader(io.StringIO(plain, newline=""), delimiter=";"))
    assert len(rows) == nasty.head_number and tuple(rows[0]) == EVENT_COLUMNS
    for row in rows:
        assert not any(str(cell).startswith(tuple("=+-@\t\r")) for cell in row.values())


@pytest.mark.parametrize(
    "text", ["=1", "+1", "-1", "@x", "\tx", "\rx", "\nx", " =1", "＝1", "\u00a0=1"]
)
def test_what_looks_like_a_formula_is_text(text: str) -> None:
    assert harmless(text) == f"'{text}"
    assert harmless(f"a{text}") == f"a{text}"


def test_excel_has_numbers_dates_and_texts_as_such(desk: Any, nasty: Case, take: Any) -> None:
    book = readers.workbook(take(desk.people.ada, "xlsx"))
    assert list(book) == ["Cases", "Events", "About"]
    head, row = book["Cases"]
    told = {name: row.get(column) for column, name in head.items()}
    assert told["fact.amount"] == -1234.5
    assert "HYPERLINK" in told["title"] and "😀" in told["title"]
    assert isinstance(told["opened_at"], float) and told["opened_at"] > 40_000  # days
    assert len(book["Events"]) == nasty.head_number + 1


def test_excels_limits_are_told_in_words(
    desk: Any, take: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.open("patience", title="x", result="y" * 400)
    monkeypatch.setattr("processes.exports.texts.EXCEL_CHARACTERS", 200)
    monkeypatch.setattr("processes.exports.sheets.EXCEL_ROWS", 3)
    book = readers.workbook(take(desk.people.ada, "xlsx"))
    sheets = [name for name in book if name.startswith("Events")]
    events = Event.objects.count()
    assert sum(len(book[name]) - 1 for name in sheets) == events and len(sheets) == -(-events // 2)
    about = " ".join(str(cell) for row in book["About"] for cell in row.values())
    assert "goes over" in about and "too long for a cell" in about
    cells = [cell for row in book["Cases"] for cell in row.values() if isinstance(cell, str)]
    assert any(cell.endswith("in the export as JSON lines]") for cell in cells)
    assert all(len(cell) <= 200 for cell in cells)


def test_a_case_file_is_read_whole(desk: Any, nasty: Case, take: Any) -> None:
    path = take(desk.people.ada, "pdf")
    paper = pypdf.PdfReader(path)
    text = " ".join(" ".join(page.extract_text() for page in paper.pages).split())
    document = nasty.documents.get()
    for wanted in (nasty.reference, "An audit", "Ada Brandt", "中文", "한국어", "[fox face]"):
        assert wanted in text, wanted
    for heading in ("Facts", "Reviews", "1 document", "Notes", "events"):
        assert heading in text, heading
    assert document.digest in text.replace(" ", "")
    assert list(paper.attachments) == ["=cmd عربى 😀.pdf"]
    assert paper.attachments["=cmd عربى 😀.pdf"][0] == b"%PDF-1.4 passport"
    assert f"{nasty.head_number} of {nasty.head_number} fit together" in text


def test_a_document_that_is_too_large_is_told(
    desk: Any, nasty: Case, take: Any, settings: Any
) -> None:
    settings.LONGCASE_EXPORT_ATTACH_BYTES = 3
    paper = pypdf.PdfReader(take(desk.people.ada, "pdf"))
    assert not paper.attachments
    assert "Not attached: it is too large" in " ".join(page.extract_text() for page in paper.pages)
