"""A fines office: its people, its offenders, and the post."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import Group

from cases.actors import Actor, party, service
from cases.models import Case, Letter, Person, Task, Team
from processes.acts.cases import get_case, move_case, open_case
from processes.acts.messages import Delivery, deliver_message
from processes.acts.tasks import claim_task, complete_task
from processes.engine.verify import verify


class Fines:
    def __init__(self, engine: Any) -> None:
        self.engine = engine
        self.team = Team.objects.create(name="Fines")
        self.clerk = Person.objects.create_user("clerk", team=self.team)
        self.clerk.groups.add(Group.objects.get_or_create(name="caseworker")[0])
        self.sent = 0

    def open(self, **facts: Any) -> Case:
        known = {
            "offender_name": "Dario Example",
            "email": "dario@offender.example",
            "offence": "Parked on a crossing",
            "amount": Decimal("36.00"),
            "raised_amount": Decimal("74.00"),
        }
        return open_case(
            kind="enforcement",
            facts={**known, **facts},
            title="Dario Example",
            actor=service("camera"),
            team=self.team,
        )

    def tell(self, case: Case, name: str, **data: Any) -> Delivery:
        """Something comes from outside."""
        self.sent += 1
        told = deliver_message(
            case_id=case.pk,
            name=name,
            data=data,
            source="outside",
            key=str(self.sent),
            actor=party("outside"),
        )
        self.engine.settle()
        return told

    def notified(self) -> Case:
        case = self.open()
        self.tell(case, "posted", expenses="13.00")
        self.tell(case, "delivered")
        return case

    def do(self, case: Case, name: str) -> None:
        task = Task.objects.get(case_id=case.pk, name=name, state="open")
        claim_task(task_id=task.pk, actor=Actor.of(self.clerk))
        complete_task(task_id=task.pk, outcome="done", reason="", actor=Actor.of(self.clerk))
        self.engine.settle()

    def move(self, case: Case, name: str, **data: Any) -> None:
        move_case(case_id=case.pk, name=name, data=data, actor=Actor.of(self.clerk))
        self.engine.settle()

    def now(self, case: Case) -> Any:
        return get_case(case.pk)

    def letters(self, case: Case) -> list[str]:
        found = Letter.objects.filter(case_id=case.pk).order_by("written_at", "pk")
        return [one.subject.partition(" (")[0] for one in found]


@pytest.fixture
def fines(engine: Any) -> Iterator[Fines]:
    """An office. Whatever its test did, history is intact afterwards and the rows equal it."""
    yield Fines(engine)
    assert not [f"{one.reference}, event {one.number}: {one.words}" for one in verify()]
