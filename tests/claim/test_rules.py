"""The pure decisions: payment runs, reminders, and the table with its rows."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from processes.claim import playlog, rules
from processes.decisions.rows import check_folder
from processes.decisions.sound import findings

TABLES = Path(rules.__file__).with_name("tables")


def test_the_table_answers_as_its_rows_say() -> None:
    results = list(check_folder(TABLES))
    assert len(results) >= 14
    assert [one for one in results if one.wrong] == []


@pytest.mark.parametrize("table", [rules.WHO_APPROVES, playlog.WHO_APPROVED])
def test_the_tables_have_no_gap_and_no_contradiction(table: object) -> None:
    assert list(findings(table.newest)) == []  # type: ignore[attr-defined]


def at(text: str) -> datetime:
    return datetime.fromisoformat(f"{text}+00:00").astimezone(UTC)


@pytest.mark.parametrize(
    ("requested", "run"),
    [
        ("2026-11-30T09:00", "2026-12-03T16:30"),  # Monday morning: the run of Thursday
        ("2026-12-02T16:30", "2026-12-03T16:30"),  # the batch of Wednesday is still in it
        ("2026-12-02T16:31", "2026-12-07T16:30"),  # a minute later it is not
        ("2026-12-04T09:00", "2026-12-07T16:30"),
        ("2027-03-26T09:00", "2027-04-01T15:30"),  # Easter Monday is no run; summer time
    ],
)
def test_the_run_that_pays_a_request(requested: str, run: str) -> None:
    assert rules.next_run(at(requested)) == at(run)


@pytest.mark.parametrize(
    ("now", "batch"),
    [
        ("2026-11-30T09:00", "2026-11-30T16:30"),
        ("2026-11-30T16:30", "2026-12-01T16:30"),
        ("2026-12-04T17:00", "2026-12-07T16:30"),  # over the weekend
        ("2026-12-24T17:00", "2026-12-28T16:30"),  # and over Christmas
    ],
)
def test_the_next_daily_batch(now: str, batch: str) -> None:
    assert rules.next_batch(at(now)) == at(batch)


@pytest.mark.parametrize(
    ("trip_end", "since", "first"),
    [
        (date(2026, 12, 10), "2026-12-10T00:00", "2027-02-01T05:00"),
        (date(2026, 12, 1), "2026-12-01T00:00", "2027-01-01T05:00"),
        (date(2026, 12, 2), "2026-12-02T00:00", "2027-02-01T05:00"),
        (date(2027, 1, 31), "2027-01-31T00:00", "2027-03-01T05:00"),
        (date(2026, 1, 5), "2026-12-10T00:00", "2027-01-01T05:00"),  # approved long after the trip
    ],
)
def test_the_first_reminder(trip_end: date, since: str, first: str) -> None:
    assert rules.first_reminder(trip_end, since=at(since)) == at(first)


def test_the_next_reminder_is_two_months_later_whatever_the_clocks_do() -> None:
    first = rules.first_reminder(date(2027, 1, 31), since=at("2027-02-01T00:00"))
    assert rules.reminder_after(first) == at("2027-05-01T04:00")


@pytest.mark.parametrize(
    ("named", "paid"),
    [(None, "850.00"), ("", "850.00"), (Decimal("10.5"), "10.50"), ("2000", "1000.00")],
)
def test_what_is_paid(named: object, paid: str) -> None:
    found = rules.approved_amount(asked=Decimal("1000.00"), own_risk=Decimal("150"), named=named)
    assert f"{found:.2f}" == paid
