"""The demo's fines: one at each turn that a fine can take."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from cases.actors import Actor, party, service
from cases.models import Case, Person, Task
from processes.acts.cases import move_case, open_case
from processes.acts.messages import deliver_message
from processes.acts.tasks import claim_task, complete_task
from processes.standins import World
from processes.stories import Story, live_through

PEOPLE: list[tuple[str, str, str, str, list[str]]] = [
    ("ilse", "Ilse", "Maas", "Fines office", ["caseworker"]),
]


class Life:
    """One fine, and what happens to it."""

    def __init__(self, key: str, clerk: Person, **facts: Any) -> None:
        self.key, self.clerk, self.facts = key, clerk, facts
        self.told = 0
        self.case: Case | None = None

    def open(self) -> None:
        self.case = open_case(
            kind="enforcement",
            facts=self.facts,
            title=self.facts["offender_name"],
            actor=service("roadside camera"),
            owner=self.clerk,
            team=self.clerk.team,
            source="demo",
            source_key=self.key,
        )

    @property
    def case_id(self) -> int:
        assert self.case is not None
        return self.case.pk

    def tell(self, name: str, who: Actor, **data: Any) -> None:
        self.told += 1
        deliver_message(
            case_id=self.case_id,
            name=name,
            data=data,
            source="demo",
            key=f"{self.key}-{self.told}",
            actor=who,
        )

    def do(self) -> None:
        task = Task.objects.get(case_id=self.case_id, state="open")
        claim_task(task_id=task.pk, actor=Actor.of(self.clerk))
        complete_task(task_id=task.pk, outcome="done", reason="", actor=Actor.of(self.clerk))


OFFENDER, POST, PREFECT = party("offender"), service("post"), service("prefecture")


def created(life: Life) -> Story:
    life.open()
    yield 0


def sent(life: Life) -> Story:
    yield from created(life)
    yield 6
    life.tell("posted", service("printing house"), expenses="13.00")


def notified(life: Life) -> Story:
    yield from sent(life)
    yield 4
    life.tell("delivered", POST)


def part_paid(life: Life) -> Story:
    yield from notified(life)
    yield 75
    life.tell("payment", OFFENDER, amount="40.00")


def paid(life: Life) -> Story:
    yield from created(life)
    yield 9
    life.tell("payment", OFFENDER, amount=str(life.facts["amount"]))


def appealed(life: Life) -> Story:
    yield from notified(life)
    yield 12
    life.tell("appeal_to_prefect", OFFENDER)


def rejected(life: Life) -> Story:
    yield from appealed(life)
    yield 8
    life.do()
    yield 30
    life.tell("ruling_of_prefect", PREFECT, outcome="rejected")


def upheld(life: Life) -> Story:
    yield from appealed(life)
    yield 5
    life.do()
    yield 40
    life.tell("ruling_of_prefect", PREFECT, outcome="upheld")
    yield 3
    life.do()


def collected(life: Life) -> Story:
    yield from notified(life)
    yield 110
    move_case(case_id=life.case_id, name="hand_over", data={}, actor=Actor.of(life.clerk))


# What happens, days since the offence, who, for what, and the fine.
STORIES: list[tuple[Callable[[Life], Story], float, str, str, str]] = [
    (created, 2, "Dario Conti", "Parked on a crossing", "42.00"),
    (sent, 9, "Femke Prins", "72 km/h where 50 are allowed", "173.00"),
    (notified, 38, "Aylin Şahin", "Drove through a red light", "167.00"),
    (appealed, 30, "Bram de Groot", "Parked in a bay for the disabled", "87.00"),
    (rejected, 66, "Ewa Nowak", "Telephone in hand while driving", "165.00"),
    (part_paid, 120, "Luis Ortega", "Parked on a crossing", "42.00"),
    (paid, 20, "Mina Karimi", "61 km/h where 50 are allowed", "84.00"),
    (upheld, 90, "Teun Bos", "Drove in a bus lane", "91.00"),
    (collected, 190, "Rosa Lima", "No valid inspection", "130.00"),
]


def play(people: dict[str, Person]) -> int:
    """Open the fines that are not there yet, and let them live up to now."""
    known = set(Case.objects.filter(source="demo").values_list("source_key", flat=True))
    lives = []
    for number, (story, age, name, offence, amount) in enumerate(STORIES, 1):
        key = f"fine-{number}"
        if key not in known:
            life = Life(
                key,
                people["ilse"],
                offender_name=name,
                email=f"{name.split()[0].lower()}@offender.example",
                offence=offence,
                amount=Decimal(amount),
                raised_amount=Decimal(amount) * 2,
            )
            lives.append((age, story(life)))
    return live_through(lives, world=World())
