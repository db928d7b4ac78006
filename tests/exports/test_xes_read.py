"""Logs in XES read as recorded cases: ours as they were, others by a mapping, broken ones told."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from audit.models import Event
from processes.exports.activities import Namer, variant_of
from processes.playlog import recorded, xes
from tests.playlog.test_playing import NOTICE, PAID, PENALTY, write

LOG = """<?xml version="1.0" encoding="UTF-8"?>
<log xes.version="1.0" xmlns="http://www.xes-standard.org/">
  <string key="concept:name" value="fines"/>
  <global scope="event"><string key="concept:name" value="__INVALID__"/></global>
  {traces}
</log>
"""
CASES = "case_id,first,last,events,outcome\nA1,x,2006-12-05T00:00:00+01:00,2,open\n"
EVENTS = (
    "case_id,seq,timestamp,activity,lifecycle,resource,amount,expense\n"
    "A1,1,2006-07-24T00:00:00+02:00,Create Fine,complete,561,35.0,\n"
    "A1,2,2006-12-05T00:00:00+01:00,Send Fine,complete,,,11.0\n"
)
TRACE = """<trace><string key="ID" value="A1"/><string key="end" value="open"/>
  <event><string key="concept:name" value="Create"/><float key="fineAmount" value="35.0"/>
    <string key="org:resource" value="561"/><string key="lifecycle:transition" value="complete"/>
    <date key="time:timestamp" value="2006-07-24T00:00:00+02:00"/></event>
  <event><string key="concept:name" value="Send Fine"/><float key="expense" value="11.0"/>
    <string key="lifecycle:transition" value="complete"/>
    <date key="time:timestamp" value="2006-12-05T00:00:00+01:00"/></event>
</trace>"""
MAPPING = {
    "log": "fine-traffic",
    "case": {"id": "ID", "outcome": "end"},
    "event": {"columns": {"amount": "fineAmount"}},
    "activities": {"Create": "Create Fine"},
}


def test_a_mapped_log_is_the_same_as_a_folder(tmp_path: Path) -> None:
    for name, text in (("cases", CASES), ("events", EVENTS)):
        (tmp_path / f"{name}.csv.gz").write_bytes(gzip.compress(text.encode()))
    cases = recorded.read_cases(tmp_path, count=0)
    rows = recorded.read_rows(tmp_path, cases)
    (tmp_path / "log.xes.gz").write_bytes(gzip.compress(LOG.format(traces=TRACE).encode()))
    (tmp_path / "mapping.json").write_text(json.dumps(MAPPING))
    mapping = xes.mapping_of(tmp_path / "mapping.json")
    found, ours = xes.read(tmp_path / "log.xes.gz", mapping)
    assert ours == rows and mapping.log == "fine-traffic"
    assert {one: case.outcome for one, case in found.items()} == {"A1": "open"}
    assert found["A1"].ended_at == cases["A1"].ended_at


def as_xes(folder: Path) -> str:
    """A folder's log as XES, by the names of its columns."""
    traces = []
    for case_id, case in recorded.read_cases(folder, count=0).items():
        lines = [f'<string key="concept:name" value="{case_id}"/>']
        lines.append(f'<string key="outcome" value="{case.outcome}"/>')
        for row in recorded.read_rows(folder, {case_id: case}):
            told = {"concept:name": row.activity, "org:resource": row.resource, **row.values}
            told["lifecycle:transition"] = row.lifecycle
            own = "".join(f'<string key="{k}" value="{v}"/>' for k, v in told.items() if v)
            at = f'<date key="time:timestamp" value="{row.at.isoformat()}"/>'
            lines.append(f"<event>{own}{at}</event>")
        traces.append(f"<trace>{''.join(lines)}</trace>")
    return LOG.format(traces="".join(traces))


@pytest.mark.django_db(transaction=True)
def test_a_log_in_xes_plays_as_its_folder_does(tmp_path: Path, capsys: Any) -> None:
    folder = write(tmp_path, {"paid": ("paid", [*NOTICE, PENALTY, PAID])})
    path = tmp_path / "fine-traffic.xes"
    path.write_text(as_xes(folder), encoding="utf-8")
    call_command("playlog", "enforcement", str(path))
    first = capsys.readouterr().out
    assert "1 ran through, 1 ended as recorded" in first
    call_command("playlog", "enforcement", str(folder))
    again = capsys.readouterr().out
    assert "\n0 of 5 rows played now" in again  # they are the same rows
    assert first.splitlines()[-1] == again.splitlines()[-1]  # and came to the same end


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("form", ["xes", "xes-gz"])
def test_our_own_log_comes_back_whole(
    desk: Any, nasty: Any, take: Any, capsys: Any, form: str
) -> None:
    for script in ("patience", "patience", "review"):
        desk.open(script)
    path = take(desk.people.ada, form)
    # Counted from the database alone
    variants, count = set(), 0
    for case_id in Event.objects.values_list("case_id", flat=True).distinct().order_by():
        events = list(Event.objects.filter(case_id=case_id).order_by("number"))
        namer, count = Namer(), count + len(events)
        variants.add(variant_of([namer.name(one).name for one in events]))  # type: ignore[arg-type]
    call_command("playlog", "trial", str(path), "--look")
    said = capsys.readouterr().out
    assert f"4 cases, {count} events, {len(variants)} variants" in said and len(variants) == 3
    # Each text comes back as it was shown
    cases, rows = xes.read(path, xes.Reading())
    assert cases[nasty.reference].attributes["title"].startswith('=HYPERLINK("x") عربى')
    assert len(rows) == count


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("nothing", "cannot be read as XES"),
        ("<log/>", "has no trace"),
        (LOG.format(traces="<trace><event/></trace>"), "no concept:name"),
        (
            LOG.format(traces='<trace><string key="concept:name" value="1"/><event/></trace>'),
            "no moment in time:timestamp",
        ),
        ('<!DOCTYPE l [<!ENTITY a "b">]><log>&a;</log>', "cannot be read as XES"),
    ],
)
def test_what_is_no_log_says_why(tmp_path: Path, content: str, why: str) -> None:
    path = tmp_path / "log.xes"
    path.write_text(content)
    with pytest.raises(xes.NoXes, match=why):
        xes.look(path, xes.Reading())


def test_a_mapping_that_names_what_there_is_not_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mapping.json"
    path.write_text(json.dumps({"case": {"name": "x"}}))
    with pytest.raises(xes.NoXes, match="what there is not: name"):
        xes.mapping_of(path)
    with pytest.raises(CommandError, match="reads a log in XES"):
        call_command("playlog", "trial", str(tmp_path), "--look")
