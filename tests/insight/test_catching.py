"""Who writes the tables of insight, and what comes first."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from processes.insight import catching, writing
from processes.insight.models import CasePath
from tests.exports.test_killed import has_queue
from tests.fixtures.installation import Installation
from timers import clock
from timers.models import Timer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The calls for a worker, which nobody hears."""
    calls: list[dict[str, Any]] = []
    monkeypatch.setattr(catching.catch_up, "apply_async", lambda **how: calls.append(how))
    return calls


def due(case_id: int, *, seconds: float) -> Timer:
    at = clock.now() - timedelta(seconds=seconds)
    return Timer.objects.create(
        case_id=case_id, visit=1, command=99, purpose="command", due_at=at, data="{}"
    )


def test_a_worker_is_called_while_the_tables_are_behind(desk: Any, called: Any) -> None:
    assert catching.publish_behind() == 0
    case = desk.open("patience")
    writing.feed.number()
    assert catching.publish_behind() == 1
    assert [one["queue"] for one in called] == ["long"] and called[0]["expires"] <= 60

    # And the call does it, once
    catching.catch_up()
    assert CasePath.objects.filter(pk=case.pk).exists()
    assert writing.behind() == 0 and catching.publish_behind() == 0 and len(called) == 1


def test_timers_that_are_due_come_first(desk: Any, called: Any) -> None:
    case = desk.open("patience")
    writing.feed.number()
    timer = due(case.pk, seconds=2)
    assert catching.publish_behind() == 0 and called == []
    catching.catch_up()  # called before they were due
    assert not CasePath.objects.exists()

    # They are fired: it goes on. One that is due this very moment is no backlog
    timer.delete()
    timer = due(case.pk, seconds=0.1)
    catching.catch_up()
    assert CasePath.objects.filter(pk=case.pk).exists()
    timer.delete()  # no history set it


@pytest.mark.slow
def test_a_worker_of_the_long_lane_writes_them(installation: Installation, desk: Any) -> None:
    case = desk.open("patience")
    installation.start("long")
    installation.wait(has_queue, "the queue of the long lane")
    installation.start("clock")
    installation.wait(lambda: CasePath.objects.filter(pk=case.pk).exists(), "the case's row")
