"""Recorded applications of a real bank through the loan kind. Skipped where the log is absent."""

from __future__ import annotations

import os
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from audit.models import Event
from cases.models import Case
from processes.engine.verify import verify

LOG = Path(os.environ.get("LONGCASE_RECORDED_DATA", "../shared/data")) / "loan-bpic2012"
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        not LOG.exists(), reason=f"the recorded log {LOG} is not here (LONGCASE_RECORDED_DATA)"
    ),
]


def play(cases: int) -> str:
    out = StringIO()
    call_command("playlog", "loan", LOG, cases=cases, at_least=95.0, stdout=out)
    return out.getvalue()


def digest(report: str) -> str:
    return next(line for line in report.splitlines() if line.startswith("digest "))


def test_recorded_applications_end_as_they_did_and_expire_by_themselves() -> None:
    # Given recorded cases of a bank, when they run through the loan kind
    report = play(cases=25)

    # Then they end as recorded, history is intact, and the rows equal it
    assert "25 recorded cases, 25 opened" in report
    assert "25 have each act in the recorded order" in report
    assert list(verify()) == []

    # And a second run changes nothing
    before = Event.objects.count()
    again = play(cases=25)
    assert Event.objects.count() == before, again
    assert Case.objects.count() == 25
    assert "\n0 of " in again
    assert digest(again) == digest(report)
