"""Recorded permits of two municipalities through the permit kind. Skipped where they are absent."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from audit.models import Event
from cases.models import Case
from processes.engine.verify import verify
from timers.models import Clock

pytestmark = pytest.mark.django_db(transaction=True)


def play(folder: Path, cases: int) -> str:
    out = StringIO()
    call_command("playlog", "permit", folder, cases=cases, at_least=95.0, stdout=out)
    return out.getvalue()


def digest(report: str) -> str:
    return next(line for line in report.splitlines() if line.startswith("digest "))


def test_receipt_runs_task_by_task_as_recorded(recorded_data: Path) -> None:
    report = play(recorded_data / "permit-receipt", cases=25)
    assert "25 recorded cases, 25 opened" in report
    assert "25 have each act in the recorded order" in report
    assert list(verify()) == []
    before = Event.objects.count()
    again = play(recorded_data / "permit-receipt", cases=25)
    assert Event.objects.count() == before, again
    assert digest(again) == digest(report)


def test_building_permits_run_phase_by_phase_as_recorded(recorded_data: Path) -> None:
    report = play(recorded_data / "permit-bpic2015m1", cases=15)
    assert "15 recorded cases, 15 opened" in report
    assert "15 ran through, 15 ended as recorded" in report
    assert list(verify()) == []
    # Each decision that was sent had six weeks of its own, counted by the engine
    sent = Case.objects.filter(kind="permit", step__in=("objection_term", "irrevocable"))
    assert sent.exists()
    for case in sent:
        clock = Clock.objects.get(case_id=case.pk, name="objection")
        days = (clock.stood.dates.limit_on - clock.stood.started_at.date()).days  # type: ignore[operator]
        assert days in (42, 43)  # started at night, it began on the next day here
