"""A relations desk: its people, its businesses, and what they do."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.contrib.auth.models import Group
from django.core.files.base import ContentFile

from cases.actors import Actor, party, service
from cases.models import Case, Letter, Person, Task, Team
from processes.acts.cases import get_case, move_case, open_case
from processes.acts.documents import judge_document, receive_document
from processes.acts.messages import deliver_message
from processes.acts.tasks import claim_task, complete_task

ADA = "Ada Example; 1970-05-31; NL; 60; 999900001"
BOB = "Bob Sample; 1980-01-02; DE; 40; 999900002"
PEOPLE = {
    "casey": ["caseworker"],
    "anna": ["analyst"],
    "abel": ["analyst"],
    "carl": ["compliance officer"],
    "cora": ["compliance officer"],
    "lead": ["compliance lead", "compliance officer"],
}


class Desk:
    """People are there already when another process has made them."""

    def __init__(self, engine: Any) -> None:
        self.engine = engine
        self.team, _ = Team.objects.get_or_create(name="Relations")
        self.people: dict[str, Person] = {}
        for name, roles in PEOPLE.items():
            person, _ = Person.objects.get_or_create(username=name, defaults={"team": self.team})
            person.groups.set([Group.objects.get_or_create(name=role)[0] for role in roles])
            self.people[name] = person

    def open(self, **facts: Any) -> Case:
        known = {
            "name": "Example Bakery",
            "relation": "customer",
            "email": "office@bakery.example",
            "registration_number": "12345678",
            "country": "NL",
            "activity": "trade",
            "turnover": Decimal("20000.00"),
            "owners": f"{ADA}\n{BOB}",
        }
        case = open_case(
            kind="onboarding",
            facts={**known, **facts},
            title="Example Bakery",
            actor=service("website"),
            owner=self.people["casey"],
            team=self.team,
        )
        self.engine.settle()
        return case

    def send(self, case: Case, *names: str, text: str = "") -> None:
        """Papers come in, and the caseworker accepts them."""
        for name in names:
            content = f"{name} of {case.pk} {text}".encode()
            document = receive_document(
                case_id=case.pk,
                name=name,
                file=ContentFile(content, name=f"{name}.pdf"),
                actor=party("business"),
            )
            judge_document(
                document_id=document.pk,
                accept=True,
                reason="",
                actor=Actor.of(self.people["casey"]),
            )
        self.engine.settle()

    def send_all(self, case: Case) -> None:
        (wait,) = [one for one in self.now(case).waits if one["kind"] == "documents"]
        self.send(case, *wait["missing"])

    def task(self, case: Case) -> Task:
        return Task.objects.get(case_id=case.pk, state="open")

    def do(self, case: Case, by: str, outcome: str, reason: str = "", **ticks: Any) -> None:
        task, actor = self.task(case), Actor.of(self.people[by])
        claim_task(task_id=task.pk, actor=actor)
        complete_task(
            task_id=task.pk, outcome=outcome, reason=reason, actor=actor, result=dict(ticks)
        )
        self.engine.settle()

    def to_assessment(self, **facts: Any) -> Case:
        case = self.open(**facts)
        self.send_all(case)
        return case

    def to_active(self, **facts: Any) -> Case:
        """A relation of low risk that has begun."""
        case = self.to_assessment(**facts)
        self.do(case, "anna", "approve")
        self.do(case, "abel", "approve")
        return case

    def move(self, case: Case, name: str, **data: Any) -> None:
        move_case(case_id=case.pk, name=name, data=data, actor=Actor.of(self.people["casey"]))
        self.engine.settle()

    def tell(self, case: Case, what: str) -> None:
        deliver_message(
            case_id=case.pk,
            name="change_reported",
            data={"what": what},
            source="website",
            key=what,
            actor=party("business"),
        )
        self.engine.settle()

    def now(self, case: Case) -> Any:
        return get_case(case.pk)

    def step(self, case: Case) -> str:
        return str(self.now(case).step)

    def owners(self, case: Case) -> list[Case]:
        return list(Case.objects.filter(parent=case.pk).order_by("pk"))

    def letters(self, case: Case) -> list[str]:
        found = Letter.objects.filter(case_id=case.pk).order_by("written_at", "pk")
        return [one.subject.partition(" (")[0] for one in found]
