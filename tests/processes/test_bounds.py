"""Everything has a limit, a setting and a clear error."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection, transaction

from cases.errors import Invalid
from processes.models import Incident
from tests.processes.conftest import Trials

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_step_waits_for_so_many_things_at_once(trials: Trials, settings: Any) -> None:
    settings.LONGCASE_OPEN_WAITS = 8
    case = trials.open("busy")  # which asks for nine
    assert "LONGCASE_OPEN_WAITS" in Incident.objects.get(case=case).came
    assert trials.types(case) == ["case.opened", "step.entered", "incident.opened"]


def test_the_limit_counts_what_is_open_and_not_what_was(trials: Trials, settings: Any) -> None:
    settings.LONGCASE_OPEN_WAITS = 1
    assert trials.fresh(trials.open("many")).result == "500"


def test_a_result_too_large_for_an_event_is_the_activitys_own_fault(
    trials: Trials, settings: Any
) -> None:
    settings.LONGCASE_EVENT_BYTES = 20_000
    case = trials.open("large_result")
    trials.engine.advance(hours=3)
    assert Incident.objects.get(case=case).kind == "activity"
    assert trials.fresh(case).waits[0]["on"] == "operators"


def test_facts_too_long_are_refused_naming_the_field(trials: Trials) -> None:
    with pytest.raises(Invalid) as refused:
        trials.open("x" * 61)
    assert "script" in refused.value.fields


@pytest.mark.parametrize(
    "act", ["UPDATE audit_event SET actor = 'nobody'", "DELETE FROM audit_event"]
)
def test_history_is_append_only_for_its_owner_too(trials: Trials, act: str) -> None:
    case = trials.open("race")
    before = trials.types(case)
    with pytest.raises(Exception, match="append-only|refuse|may not|never"), transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(act)
    assert trials.types(case) == before


def test_every_event_has_somebody_who_did_it(trials: Trials, people: Any) -> None:
    from tests.histories.stories import STORIES

    case = STORIES["two_reviews"](trials, people)
    for event in trials.events(case):
        kind, _, key = event.actor.partition(":")
        assert kind in ("person", "party", "service", "engine") and (key or kind == "engine")
    # What the engine did for somebody names them
    second = [e for e in trials.events(case) if e.type == "task.opened"][1]
    assert (second.actor, second.on_behalf) == ("engine", f"person:{people.milan.pk}")
    closing = trials.events(case)[-1]
    assert (closing.actor, closing.on_behalf) == ("engine", f"person:{people.ayse.pk}")
