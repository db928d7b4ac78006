"""Each word of a step, from asking to answer."""

from __future__ import annotations

from typing import Any

import pytest

from audit.read import events_of
from cases.actors import Actor
from cases.models import Case
from processes.acts.cases import get_case, open_case
from processes.acts.messages import deliver_message
from processes.models import Incident
from tests.trial import activities

pytestmark = pytest.mark.django_db(transaction=True)
SERVICE = Actor("service:test")


@pytest.fixture(autouse=True)
def calm_world() -> None:
    activities.effects.clear()
    activities.trouble.clear()


def open_trial(script: str, **facts: Any) -> Case:
    return open_case(kind="trial", facts={"script": script, **facts}, title=script, actor=SERVICE)


def send(case: Case, name: str, key: str = "", **data: Any) -> Any:
    return deliver_message(
        case_id=case.pk,
        name=name,
        data=data,
        source="test",
        key=key or f"{case.pk}-{name}",
        actor=SERVICE,
    )


def test_a_case_lives_through_activities_messages_and_a_timer(engine: Any) -> None:
    case = open_trial("loan")
    engine.settle()
    send(case, "documents")
    send(case, "review")
    engine.settle()
    engine.advance(seconds=2)

    after = get_case(case.pk)
    assert after.step == "done", [e.type for e in events_of(case.pk)]
    assert after.result == "closed"
    assert [what for what, _ in activities.effects] == ["verify", "appraisal", "decide", "notify"]
    assert not Incident.objects.exists()
