"""The demo's claims stand at every turn."""

from __future__ import annotations

import pytest

from cases.models import Case
from processes.models import Incident

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_demo_has_claims_and_what_belongs_to_them_at_each_turn(demo: None) -> None:
    claims = Case.objects.filter(kind="claim")
    assert set(claims.values_list("step", flat=True)) >= {
        "draft",
        "supervision",
        "budget",
        "returned",
        "administration",
        "paid",
        "rejected",
        "fraud_look",
        "part_paid",
    }
    permits = Case.objects.filter(kind="travel_permit").values_list("step", flat=True)
    assert set(permits) == {"planned", "claiming"}
    for kind in ("policy", "fraud_look", "recovery"):
        assert Case.objects.filter(kind=kind, closed_at=None).exists()
    assert claims.filter(parent__kind="travel_permit").exists()
    assert not Incident.objects.filter(closed_at=None, case__kind="claim").exists()
