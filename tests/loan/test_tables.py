"""The loan's tables: sound, tested row by row, and recorded where they decided."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from audit.read import events_of
from processes.acts.cases import get_case
from processes.decisions.library import known_tables
from processes.decisions.rows import check_folder, untested
from processes.decisions.sound import findings
from processes.engine.replaycheck import FINE, check_case
from processes.loan import rules
from processes.models import Incident, Source

FOLDER = Path(rules.__file__).parent / "tables"


def test_the_tables_are_sound_and_each_rule_has_a_row() -> None:
    results = check_folder(FOLDER)
    assert [one for one in results if one.wrong] == []
    for table in rules.TABLES.values():
        for version in table.versions:
            assert findings(version) == []
            assert untested(version, results) == []
    assert set(rules.TABLES.values()) <= set(known_tables())


def decided(case: Any) -> list[Any]:
    return [one for one in events_of(case.pk) if one.type == "table.decided"]


def test_history_says_which_rule_of_which_version_decided(
    office: Any, engine: Any, world: Any
) -> None:
    case = office.to_underwriting(engine, amount=Decimal(60000))
    office.do(case, "approve")
    engine.settle()
    papers, who = decided(case)
    assert papers.data["outputs"] == [
        {"paper": "identity"},
        {"paper": "payslip"},
        {"paper": "bank_statement"},
    ]
    assert who.data["rules"] == [2]
    assert who.data["version"] == "1"
    assert who.data["because"].startswith("rule 2: amount over 50,000 → ")
    assert who.data["inputs"] == {"amount": Decimal(60000)}
    # And the very text of the table is kept
    assert Source.objects.get(digest=who.data["digest"]).text == rules.WHO_JUDGES.newest.text


def test_a_table_that_changes_leaves_what_it_decided(
    office: Any, engine: Any, world: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Given a loan whose second review is asked for by the table
    case = office.to_underwriting(engine, amount=Decimal(60000))
    office.do(case, "approve")
    engine.settle()
    # When another table takes its place, which asks for none
    newest = rules.WHO_JUDGES.newest
    softer = replace(
        newest,
        rules=(replace(newest.rules[0], tests=(rules.PAPERS_NEEDED.newest.rules[0].tests[0],)),),
    )
    monkeypatch.setattr(rules.WHO_JUDGES, "versions", [softer])
    # Then the case replays as it was decided, and goes on
    assert check_case(get_case(case.pk)).verdict == FINE
    office.do(case, "approve", by=office.second)
    engine.settle()
    assert [one.data["rules"] for one in decided(case)[1:]] == [[2], [1]]  # decision: the new one


def test_a_table_without_an_answer_stops_the_case_and_says_for_what(
    office: Any, engine: Any, world: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    newest = rules.WHO_JUDGES.newest
    monkeypatch.setattr(rules.WHO_JUDGES, "versions", [replace(newest, rules=newest.rules[:1])])
    case = office.to_underwriting(engine, amount=Decimal(60000))
    office.do(case, "approve")
    engine.settle()
    incident = Incident.objects.get(case_id=case.pk, closed_at=None)
    assert "no rule for amount 60,000" in incident.title + incident.came + incident.detail


def run(*words: str) -> str:
    out = StringIO()
    call_command("decisions", *words, stdout=out)
    return out.getvalue()


def test_the_command_checks_tests_and_shows() -> None:
    assert "who_judges.csv: table “who_judges”, version 1: sound" in run("check")
    assert "7 rows" in run("test", str(FOLDER))
    assert "rule 2: amount over 50,000 → second person yes" in run("show")


def test_the_command_fails_where_a_table_is_wrong(tmp_path: Path) -> None:
    text = "table,x\n\nrule,if a,then b\ntype,money,text\n1,> 5,p\n"
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(CommandError):
        run("check", str(tmp_path))
    (tmp_path / "x.rows.csv").write_text("if a,then b\n6,q\n")
    with pytest.raises(CommandError):
        run("test", str(tmp_path))
    (tmp_path / "x.csv").write_text(text.replace("> 5", "more"))
    with pytest.raises(CommandError, match="x.csv, line 5, column 2"):
        run("check", str(tmp_path))
