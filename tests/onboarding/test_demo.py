"""The demo's onboardings stand at every turn."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from django.core.management import call_command

from cases.models import Case, Task
from processes.engine.verify import verify

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_demo_has_an_onboarding_at_each_turn(settings: Any) -> None:
    settings.LONGCASE_DEMO = True
    call_command("demo", cases=1)
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
    count = Case.objects.count()
    call_command("demo", cases=1)
    assert Case.objects.count() == count
    assert not list(verify())
