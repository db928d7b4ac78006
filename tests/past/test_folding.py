"""A case as it stood, folded from the nearest checkpoint, is the same as folded from its start."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

from audit.read import events_of
from cases.models import Case
from processes.engine.folding import Stood
from processes.engine.replay import NoSuchEvent, fold_case, moment_of
from processes.engine.verify import differences_of

pytestmark = pytest.mark.django_db(transaction=True)


def told(stood: Stood) -> dict[str, Any]:
    """All that is folded; of the tasks those that are open, as others ended with their visits."""
    found = asdict(stood)
    found["tasks"] = [task for task in found["tasks"] if task["state"] == "open"]
    return found


def test_each_moment_of_each_demo_case_is_the_fold_of_its_events(demo: None) -> None:
    checked = 0
    for case in Case.objects.order_by("pk"):
        events = events_of(case.pk)
        before: dict[str, Any] | None = None
        for place, event in enumerate(events, start=1):
            moment = moment_of(case, event.number)
            after = told(fold_case(case, events[:place]))
            assert told(moment.after) == after, (case.reference, event.number)
            assert (told(moment.before) if moment.before else None) == before
            assert moment.event.hash == event.hash
            before, checked = after, checked + 1
        # The last moment is the present, as the rows have it
        assert list(differences_of(case)) == []
        assert moment.after.step == case.step
    assert checked > 500


def test_an_event_that_is_not_there_is_refused(desk: Any) -> None:
    case = desk.open("patience")
    for number in (0, -1, case.head_number + 1):
        with pytest.raises(NoSuchEvent, match=f"1 to {case.head_number}"):
            moment_of(case, number)
