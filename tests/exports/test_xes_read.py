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
