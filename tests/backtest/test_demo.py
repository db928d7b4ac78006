"""Changes tried on the closed cases of the demo."""

from __future__ import annotations

import re
from collections import Counter
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.urls import reverse

from audit.models import Event
from cases.models import Case, Person
from processes.backtest import changes
from processes.backtest.comparing import closed_cases, compare, grouped
from processes.decisions.library import table_of
from processes.kinds import kind_of, kinds
from processes.loan.models import LoanApplication

pytestmark = pytest.mark.usefixtures("demo")


def tried(kind: str, change: Any) -> list[Any]:
    return list(compare(closed_cases(Case.objects.select_related("team"), kind), change))


def everything() -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT (SELECT count(*) FROM audit_event), (SELECT count(*) FROM cases_task),"
            " (SELECT count(*) FROM processes_activity), (SELECT count(*) FROM timers_timer),"
            " (SELECT sum(head_number) FROM cases_case), (SELECT count(*) FROM cases_letter)"
        )
        return list(cursor.fetchall())


def test_unchanged_code_gives_what_was_recorded_and_writes_nothing() -> None:
    before = everything()
    found: Counter[str] = Counter()
    for kind in kinds().values():
        for step in kind.codes:
            change = changes.of_version(kind, step, max(kind.codes[step]))
            results = tried(kind.name, change)
            assert not [
                (one.case.reference, one.words)
                for one in results
                if one.finding not in ("same", "untouched")
            ]
            found.update(f"{kind.name} {step}" for one in results if one.finding == "same")
    assert found["permit assessment"] and found["claim approved"] and found["owner checks"]
    assert found["loan checks"] and found["enforcement sent"]
    assert everything() == before


def loans_judged() -> dict[str, Decimal]:
    """The closed loans that came to underwriting, with the amount as it was judged."""
    judged = Event.objects.filter(type="table.decided").values_list("case_id", "data")
    amounts = {pk: data["inputs"]["amount"] for pk, data in judged if data["name"] == "who_judges"}
    closed = LoanApplication.objects.filter(closed_at__isnull=False, pk__in=amounts)
    return {case.reference: amounts[case.pk] for case in closed}


def table_with(limit: int) -> str:
    table = table_of("loan", "who_judges")
    assert table is not None
    return re.sub("50000", str(limit), table.newest.text)


def test_a_second_judge_from_a_smaller_amount_on_has_no_data_where_there_was_one() -> None:
    amounts = loans_judged()
    limit = int(min(amounts.values())) - 1
    change = changes.of_table(kind_of("loan"), table_with(limit), file="who_judges.csv")
    results = {one.case.reference: one for one in tried("loan", change)}
    for reference, amount in amounts.items():
        if amount <= 50_000:
            assert results[reference].finding == "no data", results[reference]
            assert "Second underwriting" in results[reference].words
        else:
            assert results[reference].finding == "same", results[reference]
    assert any(amount <= 50_000 for amount in amounts.values())


def test_code_that_declines_at_once_ends_cases_otherwise(tmp_path: Path) -> None:
    code = tmp_path / "strict.py"
    code.write_text("async def underwriting(case):\n    return case.decline(reason='too risky')\n")
    change = changes.of_file(kind_of("loan"), "underwriting", code)
    results = tried("loan", change)
    differing = [one for one in results if one.finding == "differs"]
    assert differing
    for one in differing:
        assert one.would.outcome == "declined" and one.would.path[-1] == "declined"
        assert one.would.closed_at <= one.was.closed_at and one.reviews <= 0
    groups = grouped(results, "outcome")
    paid = groups["paid_out"]
    assert paid.outcomes["paid_out", "declined"] == paid.counts["differs"] > 0
    assert paid.days < 0 and paid.reviews < 0


def test_code_that_asks_for_what_was_never_recorded_or_reaches_outside_is_told(
    tmp_path: Path,
) -> None:
    asks = tmp_path / "asks.py"
    asks.write_text(
        "from processes.engine.words import ask_review\n\n\n"
        "async def underwriting(case):\n"
        "    await ask_review('fraud_look', role='underwriter')\n"
        "    return case.decline(reason='')\n"
    )
    results = tried("loan", changes.of_file(kind_of("loan"), "underwriting", asks))
    words = {one.words for one in results if one.finding == "no data"}
    assert words == {"“Fraud look” was never asked for in this case"}
    peeks = tmp_path / "peeks.py"
    peeks.write_text(
        "import time\n\n\nasync def underwriting(case):\n    time.time()\n"
        "    return case.decline(reason='')\n"
    )
    results = tried("loan", changes.of_file(kind_of("loan"), "underwriting", peeks))
    failing = [one for one in results if one.finding == "fails"]
    assert failing and all("peeks.py" in one.words and "now()" in one.words for one in failing)


def test_the_command_reports_and_says_what_is_wrong_with_a_change(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "who_judges.csv"
    table.write_text(table_with(1))
    call_command("backtest", "loan", table=table, by="team")
    said = capsys.readouterr().out
    assert "no data" in said and "Second underwriting" in said
    with pytest.raises(CommandError, match="Name one change"):
        call_command("backtest", "loan")
    with pytest.raises(CommandError, match="no version 9. It has: "):
        call_command("backtest", "loan", step="underwriting", step_version=9)
    table.write_text("table,nonsense\n")
    with pytest.raises(CommandError, match="nonsense|title|columns"):
        call_command("backtest", "loan", table=table)


def test_supervisors_try_a_table_on_the_page_and_see_their_own_cases_alone(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = reverse("try-table", args=["loan", "who_judges"])
    supervisor = Person.objects.get(username="petra")
    client.force_login(supervisor, backend="cases.backend.PersonBackend")
    page = client.get(address)
    assert page.status_code == 200 and "50000" in page.content.decode()
    answer = client.post(address, {"text": table_with(1), "by": "team"})
    assert answer.status_code == 200
    shown = set(re.findall(r"LN-\d+-\d+", answer.content.decode()))
    own = set(Case.objects.filter(team=supervisor.team).values_list("reference", flat=True))
    assert shown and shown <= own
    assert "the command goes on" not in answer.content.decode()
    monkeypatch.setattr("processes.backtest.views.PAGE_TIME", timedelta(seconds=-1))
    cut = client.post(address, {"text": table_with(1), "by": ""}).content.decode()
    assert "the command goes on" in cut and "of 1 closed case" in cut
    wrong = client.post(address, {"text": "table,who_judges\n", "by": ""})
    assert wrong.status_code == 422
    caseworker = Person.objects.filter(groups__name="caseworker").exclude(
        groups__name="supervisor"
    )[0]
    client.force_login(caseworker, backend="cases.backend.PersonBackend")
    assert client.get(address).status_code == 403
