"""The demo's onboardings stand at every turn."""

from __future__ import annotations

from collections import Counter

import pytest

from cases.models import Case, Task

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_demo_has_an_onboarding_at_each_turn(demo: None) -> None:
    steps = Counter(Case.objects.filter(kind="onboarding").values_list("step", flat=True))
    assert steps == {
        "checks": 1,
        "owners": 1,
        "awaiting_documents": 3,
        "assessment": 1,
        "approval": 2,
        "active": 1,
        "review": 2,
        "retained": 1,
        "withdrawn": 1,
        "lapsed": 1,
    }
    waiting = Task.objects.filter(case__kind__in=["onboarding", "owner"], state="open")
    assert {task.name for task in waiting} >= {"screening", "second_screening", "periodic"}
