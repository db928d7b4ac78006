"""The demo's fines stand everywhere."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from django.core.management import call_command

from cases.models import Case
from processes.engine.verify import verify

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_demo_has_a_fine_at_each_turn(settings: Any) -> None:
    settings.LONGCASE_DEMO = True
    call_command("demo", cases=1)
    steps = Counter(Case.objects.filter(kind="enforcement").values_list("step", flat=True))
    assert steps == {
        "created": 1,
        "sent": 1,
        "notified": 3,
        "penalised": 1,
        "paid": 1,
        "cancelled": 1,
        "collection": 1,
    }
    count = Case.objects.count()
    call_command("demo", cases=1)
    assert Case.objects.count() == count
    assert not list(verify())
