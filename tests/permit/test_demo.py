"""The demo's permits stand everywhere."""

from __future__ import annotations

import pytest

from cases.models import Case
from processes.models import Incident
from timers.models import Clock

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_demo_has_a_permit_at_each_turn(demo: None) -> None:
    permits = Case.objects.filter(kind="permit")
    assert set(permits.values_list("step", flat=True)) >= {
        "receipt",
        "completeness",
        "awaiting_data",
        "assessment",
        "draft",
        "decision",
        "sending",
        "objection_term",
        "appeal_term",
        "suspended",
        "archived",
        "no_permit_needed",
        "withdrawn",
    }
    clocks = Clock.objects.filter(case_id__in=permits.values("pk"), name="term")
    assert set(clocks.values_list("state", flat=True)) == {"running", "paused", "stopped"}
    assert any(clock.stood.extended for clock in clocks)
    assert not Incident.objects.filter(case__kind="permit").exists()
