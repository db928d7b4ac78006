"""Recorded claims of a university through the claim kind. Skipped where the logs are absent."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from audit.models import Event
from cases.models import Case
from processes.engine.verify import verify

pytestmark = pytest.mark.django_db(transaction=True)


def play(folder: Path, *, cases: int, **more: Any) -> str:
    out = StringIO()
    call_command("playlog", "claim", folder, cases=cases, at_least=95.0, stdout=out, **more)
    return out.getvalue()


def test_recorded_claims_end_as_they_did_and_are_paid_by_our_runs(recorded_data: Path) -> None:
    # Given recorded claims, when they run through the kind
    report = play(recorded_data / "claim-domestic", cases=12)

    # Then they end as recorded, each act in its order, and history is intact
    assert "12 recorded cases, 12 opened" in report
    assert "12 ended as recorded" in report
    assert "12 have each act in the recorded order" in report
    assert list(verify()) == []

    # And a second run changes nothing
    before = Event.objects.count()
    play(recorded_data / "claim-domestic", cases=12)
    assert Event.objects.count() == before


def test_claims_of_trips_are_children_of_their_permits(recorded_data: Path) -> None:
    report = play(
        recorded_data / "claim-international", cases=6, parents=recorded_data / "travel-permit"
    )
    assert "6 ended as recorded" in report
    permits = Case.objects.filter(kind="travel_permit")
    assert permits.exists()
    assert Case.objects.filter(kind="claim", parent__in=permits).count() >= permits.count()
    assert list(verify()) == []
