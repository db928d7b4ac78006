"""The campaign's eye for dates: who was late was told of, once."""

from __future__ import annotations

from typing import Any

import pytest

from audit.read import events_of
from cases.models import Task
from crash.checks import _overdue

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_late_task_that_nobody_was_told_of_is_found(office: Any, engine: Any, world: Any) -> None:
    # Given a review that fell overdue
    case = office.to_underwriting(engine)
    engine.advance(days=9)
    story = [{"type": e.type, "data": e.data, "actor": e.actor} for e in events_of(case.pk)]
    assert not list(_overdue({1: story}))

    # Then a history that is silent about it, or says it twice, is found
    silent = [event for event in story if event["type"] != "task.overdue"]
    told = next(event for event in story if event["type"] == "task.overdue")
    assert list(_overdue({1: silent}))
    assert list(_overdue({1: [*story, told]}))

    # And so is one that calls a task overdue before its date
    Task.objects.filter(case_id=case.pk).update(overdue_at=case.opened_at)
    assert list(_overdue({1: story}))
    Task.objects.filter(case_id=case.pk).update(overdue_at=None)
