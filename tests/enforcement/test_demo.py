"""The demo's fines stand everywhere."""

from __future__ import annotations

from collections import Counter

import pytest

from cases.models import Case

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_demo_has_a_fine_at_each_turn(demo: None) -> None:
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
