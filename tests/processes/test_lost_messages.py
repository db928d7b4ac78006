"""Messages of long activities are hints: a broker that loses them costs seconds."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from processes.acts.cases import open_case
from processes.engine import wake
from processes.models import Activity
from processes.work import sweeps
from tests.processes.conftest import SERVICE
from timers import clock

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def lost(monkeypatch: Any) -> list[timedelta]:
    """A broker that loses every message; how old the activity was at each."""
    sent: list[timedelta] = []

    def lose(case_id: int, visit: int, command: int, *_: Any) -> None:
        row = Activity.objects.get(case_id=case_id, visit=visit, command=command)
        sent.append(clock.now() - row.due_at)

    monkeypatch.setattr(wake, "publish", lose)
    return sent


def test_a_lost_message_is_sent_again_soon_and_then_ever_more_rarely(
    engine: Any, lost: list[timedelta]
) -> None:
    # Given a long activity, and a broker that loses what it is given
    open_case(kind="trial", facts={"script": "long"}, title="long", actor=SERVICE)
    lost.clear()

    # When the sweep looks every second for five minutes
    for _ in range(300):
        sweeps.publish_long_activities()
        engine.turned.advance(seconds=1)

    # Then it was called for after seconds, and never more often than its age asks for
    ages = [round(age.total_seconds()) for age in lost]
    assert ages[:4] == [0, 6, 13, 27]
    assert len(ages) <= 10
    assert max(b - a for a, b in zip(ages, ages[1:], strict=False)) <= 61
