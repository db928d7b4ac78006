"""Much data: a read takes as many queries for very many rows, and what is not asked costs none."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from cases.models import Case, Document
from processes.api.reading import PARTS


def queries(calls: Any, path: str) -> list[str]:
    with CaptureQueriesContext(connection) as asked:
        assert calls.get(path).status_code == 200, path
    return [one["sql"] for one in asked if "timers_turn" not in one["sql"]]


@pytest.mark.unsound("copies rows by hand")
def test_a_thousand_papers_and_a_thousand_cases_take_no_more_queries(
    desk: Any, calls_of: Any, people: Any
) -> None:
    # Given a person with one case of one paper
    case = desk.open("review")
    desk.send_document(case, "payslip")
    sanne = calls_of(people.sanne)
    whole = f"cases/{case.reference}?include={','.join(PARTS)}"
    paths = (whole, "cases", "cases?order=-due&limit=200", "cases?find=hartog", "waits", "tasks")
    before = {path: len(queries(sanne, path)) for path in (whole, *paths)}

    # When there are a thousand of each
    paper = Document.objects.get()
    for number in range(2, 1002):
        paper.pk, paper.version = None, number
        paper.save(force_insert=True)
    row = Case.objects.get(pk=case.pk)
    row_values = {one.attname: getattr(row, one.attname) for one in Case._meta.concrete_fields}
    Case.objects.bulk_create(
        Case(**{**row_values, "id": 10_000 + number, "reference": f"TR-2026-1{number:05}"})
        for number in range(1000)
    )

    # Then each read takes as many queries, and gives a page of them
    for path, count in before.items():
        assert len(queries(sanne, path)) <= count, path
    told = sanne.get(whole).json()
    assert len(told["documents"]) == 1001

    # And cases of one moment all come once, forward and back
    for order in ("-opened", "step", "due"):
        there, back = [], []
        path: str | None = f"cases?limit=200&order={order}"
        while path:
            told = sanne.get(path).json()
            there += [one["id"] for one in told["results"]]
            last, path = path, told["next"]
        path = last
        while path:
            told = sanne.get(path).json()
            back = [one["id"] for one in told["results"]] + back
            path = told["previous"]
        assert len(there) == len(set(there)) == 1001 and back == there, order


def test_what_is_not_included_costs_no_query(desk: Any, calls_of: Any, people: Any) -> None:
    case = desk.open("review")
    desk.send_document(case, "payslip")
    sanne = calls_of(people.sanne)
    plain = queries(sanne, f"cases/{case.reference}")
    tables = ("document", "requirement", "task", "clock", "audit_event", "relation")
    for table in tables:
        read = [one for one in plain if one.startswith(f'SELECT "{_table(table)}"')]
        assert read == [], (table, read)
    everything = queries(sanne, f"cases/{case.reference}?include={','.join(PARTS)}")
    assert len(plain) < len(everything) <= 24
    for part in PARTS:
        assert len(queries(sanne, f"cases/{case.reference}?include={part}")) <= len(plain) + 5, part


def _table(name: str) -> str:
    return {"clock": "timers_clock", "audit_event": "audit_event"}.get(name, f"cases_{name}")
