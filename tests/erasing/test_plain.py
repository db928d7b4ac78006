"""Which texts of events are not sealed: listed here, so that whoever adds one to them means it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

pytestmark = pytest.mark.django_db(transaction=True)

TAGS = ("$decimal", "$date", "$datetime", "$uuid", "$seconds")
NAMED_BY_THE_KIND = ("documents", "clocks")  # the keys below are names of papers and of clocks

# Words of the process, codes, and names that its authors gave. None of these tells who somebody is.
OF_ANY_CASE = """
because code digest enough from kind limit_then mark media_type met name names[] of on otherwise
outcome outcomes[][] reference role source step title transition unlike[] until_clock version words
clocks.*.name clocks.*.passed[] documents.*
"""
# What kinds declare as plain: codes of theirs, and actors such as person:7.
OF_KINDS = """
args.about args.belongs_to args.claim args.country args.names[] args.papers[] args.parent args.party
args.type args.what data.answer data.by data.claim data.flags data.outcome data.papers data.prefect
data.proposal data.risk data.route.chain data.route.flags data.route.release data.what
facts.activity facts.approved_by facts.assessed_by facts.belongs_to facts.budget facts.chain
facts.channel facts.claim_type facts.country facts.decided_by facts.decision facts.drafted_by
facts.flags facts.missing_data facts.missing_papers facts.of_claim facts.parts facts.prefect
facts.proposal facts.relation facts.release facts.returned_by facts.risk facts.suspended_from
facts.unit inputs.activity inputs.budget inputs.relation inputs.type inputs.unit outputs.approver
outputs.decider outputs.release outputs.risk outputs.second_approver outputs[].paper result.flags[]
show.risk show.unit
"""


def plain_texts(value: Any, path: str = "") -> Iterator[str]:
    """Where the stored data of an event has a text that anybody can read who has no key."""
    if isinstance(value, dict):
        for key, below in value.items():
            if key == "$box" or key.startswith("$sealed") or key in TAGS:
                continue
            shown = "*" if path.rpartition(".")[2] in NAMED_BY_THE_KIND else key
            yield from plain_texts(below, f"{path}.{shown}" if path else shown)
    elif isinstance(value, list):
        for one in value:
            yield from plain_texts(one, f"{path}[]")
    elif isinstance(value, str) and value:
        yield path


def test_no_text_of_the_demo_stays_plain_but_those_that_are_listed(demo: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT type, data FROM audit_event")
        rows = cursor.fetchall()
    found: dict[str, set[str]] = {}
    for type, data in rows:
        for path in plain_texts(json.loads(data)):
            found.setdefault(path, set()).add(type)
    listed = {*OF_ANY_CASE.split(), *OF_KINDS.split()}
    assert {path: types for path, types in found.items() if path not in listed} == {}
    assert listed - set(found) == set(), "no event has these any more"
    assert len({type for type, _ in rows}) > 30  # the demo goes through nearly all there are


def test_the_test_would_notice() -> None:
    data = {"$box": "1.2.x", "said": {"$sealed": 0}, "why": "ill", "rows": [{"who": "Jan"}], "n": 1}
    assert list(plain_texts(data)) == ["why", "rows[].who"]
