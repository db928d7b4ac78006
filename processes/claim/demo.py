"""The demo's claims: trips, expenses and damage of the demo's applicants, at every turn."""

from __future__ import annotations

import csv
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from cases.actors import Actor, party, service
from cases.models import Case, Person, Task
from processes.acts.cases import get_case, move_case, open_case
from processes.acts.messages import deliver_message
from processes.acts.tasks import claim_task, complete_task
from processes.standins import World
from processes.stories import Story, live_through
from timers import calendars, clock

APPLICANTS = Path(__file__).resolve().parents[1] / "demo" / "applicants.csv"
APPLICANT = party("applicant")
TEAM = "Claims"
# login, given and family name, team, roles
PEOPLE: list[tuple[str, str, str, str, list[str]]] = [
    ("mila", "Mila", "Janssen", TEAM, ["caseworker"]),
    ("adrie", "Adrie", "Bos", TEAM, ["administration", "payments clerk"]),
    ("piet", "Piet", "Prins", TEAM, ["pre-approver"]),
    ("bodil", "Bodil", "Holm", TEAM, ["budget owner"]),
    ("sofie", "Sofie", "Maes", TEAM, ["supervisor"]),
    ("dirk", "Dirk", "Groot", TEAM, ["director"]),
    ("faye", "Faye", "Okafor", TEAM, ["fraud examiner"]),
]


class Life:
    """One claimant, with a claim and perhaps a permit or a policy."""

    def __init__(self, key: str, name: str, people: dict[str, Person]) -> None:
        self.key, self.name, self.people = key, name, people
        self.keys = 0

    def open(self, kind: str, **facts: Any) -> Case:
        self.keys += 1
        owner = self.people["mila"]
        return open_case(
            kind=kind,
            facts=facts,
            title=self.name,
            actor=service("website"),
            owner=owner,
            team=owner.team,
            source="demo",
            source_key=self.key if self.keys == 1 else f"{self.key}-{self.keys}",
        )

    def claim(self, amount: str, **facts: Any) -> Case:
        known = {"claimant_name": self.name, "description": "Train and hotel", "unit": "library"}
        return self.open("claim", **{**known, "amount": Decimal(amount), **facts})

    def permit(self, *, in_days: int, long: int = 3) -> Case:
        first = calendars.default().local(clock.now()).date() + timedelta(days=in_days)
        return self.open(
            "travel_permit",
            claimant_name=self.name,
            amount=Decimal("450.00"),
            destination="Lisbon",
            purpose="A conference",
            trip_start=first,
            trip_end=first + timedelta(days=long),
        )

    def damage(self, amount: str, **facts: Any) -> Case:
        today = calendars.default().local(clock.now()).date()
        policy = self.open(
            "policy",
            holder_name=self.name,
            covers="Household goods",
            cover_limit=Decimal("20000.00"),
            own_risk=Decimal("150.00"),
            starts_date=today - timedelta(days=200),
            ends_date=today + timedelta(days=530),
        )
        return self.claim(
            amount,
            claim_type="insurance",
            description="Water in the kitchen",
            incurred_date=today - timedelta(days=3),
            belongs_to=policy.reference,
            **facts,
        )

    def do(self, case: Case, outcome: str, reason: str = "", **result: Any) -> None:
        """The person of its role takes the open task of a case and completes it."""
        task = Task.objects.get(case_id=case.pk, state="open")
        of_role = {role: login for login, _, _, _, roles in PEOPLE for role in roles}
        actor = Actor.of(self.people[of_role[task.role]])
        claim_task(task_id=task.pk, actor=actor)
        complete_task(task_id=task.pk, outcome=outcome, reason=reason, actor=actor, result=result)

    def approve(self, case: Case, **result: Any) -> Story:
        """All approve, one after the other; the last one names `result`."""
        while (task := Task.objects.filter(case_id=case.pk, state="open").first()) is not None:
            self.do(case, "approve", **(result if task.asks else {}))
            yield 0.5

    def tell(self, case: Case, name: str, **data: Any) -> None:
        deliver_message(
            case_id=case.pk,
            name=name,
            data=data,
            source="demo",
            key=f"{self.key}-{name}-{get_case(case.pk).head_number}",
            actor=APPLICANT,
        )


# -- stories


def draft(life: Life) -> Story:
    life.claim("0", is_draft=True)
    yield 0


def new(life: Life) -> Story:
    life.claim("120.50")
    yield 0


def with_the_budget_owner(life: Life) -> Story:
    case = life.claim("860.00", budget="project", needs_permit=True)
    yield 1
    life.do(case, "approve")


def returned(life: Life) -> Story:
    case = life.claim("730.00", budget="project")
    yield 2
    life.do(case, "send_back", "The bill of the hotel is missing.")


def submitted_again(life: Life) -> Story:
    yield from returned(life)
    case = Case.objects.get(source="demo", source_key=life.key)
    yield 1
    move_case(case_id=case.pk, name="take_back", data={}, actor=APPLICANT)
    yield 1
    life.tell(case, "resubmitted", amount="690.00")


def in_the_next_run(life: Life) -> Story:
    case = life.claim("89.95")
    yield 0.2
    yield from life.approve(case)


def paid(life: Life) -> Story:
    case = life.claim("310.00", account="")
    yield 1
    yield from life.approve(case)


def rejected(life: Life) -> Story:
    case = life.claim("45.00")
    yield 1
    life.do(case, "reject", "These are private costs.")


def recovered(life: Life) -> Story:
    yield from paid(life)
    yield 9
    claim = Case.objects.get(source="demo", source_key=life.key)
    life.open(
        "recovery",
        of_claim=claim.reference,
        debtor_name=life.name,
        amount=Decimal("60.00"),
        reason="The hotel gave this part back.",
    )


def trip_ahead(life: Life) -> Story:
    permit = life.permit(in_days=20)
    yield 1
    yield from life.approve(permit)


def trip_claimed(life: Life) -> Story:
    permit = life.permit(in_days=5)
    yield 1
    yield from life.approve(permit)
    yield 12
    life.claim("520.00", belongs_to=permit.reference, needs_permit=True)


def trip_forgotten(life: Life) -> Story:
    """No claim came: the traveller is reminded."""
    permit = life.permit(in_days=3)
    yield 1
    yield from life.approve(permit)


def damage(life: Life) -> Story:
    life.damage("1450.00")
    yield 0


def looked_at(life: Life) -> Story:
    """A large damage is with the fraud examiner."""
    life.damage("12500.00")
    yield 0


def paid_in_part(life: Life) -> Story:
    case = life.damage("2300.00")
    yield 1
    yield from life.approve(case, amount="900.00", more_follows=True)


# What happens, and days since it began.
STORIES: list[tuple[Callable[[Life], Story], float]] = [
    (draft, 6),
    (new, 2),
    (with_the_budget_owner, 4),
    (returned, 9),
    (submitted_again, 12),
    (in_the_next_run, 1.5),
    (paid, 14),
    (rejected, 7),
    (recovered, 30),
    (trip_ahead, 5),
    (trip_claimed, 22),
    (trip_forgotten, 75),
    (damage, 3),
    (looked_at, 5),
    (paid_in_part, 20),
]


def play(people: dict[str, Person]) -> int:
    """Open the claims that are not there yet, and let them live up to now."""
    known = set(Case.objects.filter(source="demo").values_list("source_key", flat=True))
    with APPLICANTS.open(encoding="utf-8", newline="") as file:
        applicants = list(csv.DictReader(file))
    lives = []
    middle = len(applicants) // 2  # loans take them from the front, others from the end
    for (story, age), row in zip(STORIES, applicants[middle:], strict=False):
        key = f"claim-{row['source_row']}"
        if key not in known:
            lives.append((age, story(Life(key, row["applicant_name"], people))))
    return live_through(lives, world=World())
