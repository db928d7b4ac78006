"""The demo's loan cases: real applicants, living through the process up to now."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.core.files.base import ContentFile

from cases.actors import Actor, party, service
from cases.models import Case, Person, Task
from processes.acts.cases import move_case, open_case
from processes.acts.documents import judge_document, receive_document
from processes.acts.messages import answer_callback, deliver_message
from processes.acts.notes import add_note
from processes.acts.tasks import claim_task, complete_task
from processes.loan import rules
from processes.standins import World
from processes.stories import Story, live_through

FOLDER = Path(__file__).resolve().parents[1] / "demo"
FILES = {
    "identity": "identity.png",
    "payslip": "payslip.pdf",
    "bank_statement": "bank_statement.pdf",
}
APPLICANT = party("applicant")


@dataclass
class People:
    """Who works on the demo's cases."""

    caseworkers: list[Person]
    underwriter: Person
    second: Person


@dataclass
class Life:
    """One case, and what its people do with it."""

    case: Case
    owner: Person
    people: People
    world: World

    def papers(self) -> list[str]:
        facts: Any = self.case
        return rules.papers_for(
            amount=facts.amount, income=facts.income, term_months=facts.term_months
        )

    def send(self, *names: str, again: str = "") -> None:
        """The applicant sends papers, or all that are needed."""
        for name in names or self.papers():
            content = (FOLDER / "documents" / FILES[name]).read_bytes()
            file = ContentFile(content + again.encode(), name=FILES[name])
            receive_document(case_id=self.case.pk, name=name, file=file, actor=APPLICANT)

    def judge(self, *names: str, reject: str = "") -> None:
        """The caseworker judges what came in, or those named."""
        found = self.case.documents.filter(state="received")  # type: ignore[attr-defined]
        for document in found.filter(name__in=names) if names else found:
            judge_document(
                document_id=document.pk,
                accept=not reject,
                reason=reject,
                actor=Actor.of(self.owner),
            )

    def take(self, by: Person) -> Task:
        """Somebody takes the open task."""
        task = Task.objects.get(case_id=self.case.pk, state="open")
        return claim_task(task_id=task.pk, actor=Actor.of(by))

    def do(self, outcome: str, reason: str = "", *, by: Person | None = None, **ticks: Any) -> None:
        """Somebody takes the open task and completes it."""
        by = by or self.people.underwriter
        complete_task(
            task_id=self.take(by).pk,
            outcome=outcome,
            reason=reason,
            actor=Actor.of(by),
            result=ticks,
        )

    def answer(self, answer: str, reason: str = "") -> None:
        deliver_message(
            case_id=self.case.pk,
            name="offer_answer",
            data={"answer": answer, "reason": reason},
            source="portal",
            key=f"{self.case.reference}-answer",
            actor=party("customer"),
        )

    def appraise(self) -> None:
        (order,) = [o for o in self.world.open_orders() if o.security == self.facts.security]
        address, data = self.world.appraise(order)
        answer_callback(token=address.rpartition("/")[2], data=data)
        self.world.answered(order)

    def note(self, text: str) -> None:
        add_note(case_id=self.case.pk, text=text, actor=Actor.of(self.owner))

    @property
    def facts(self) -> Any:
        return self.case


# -- stories


def silent(life: Life) -> Story:
    """Nothing comes."""
    yield 0


def some_papers(life: Life) -> Story:
    """Two papers came; the caseworker has yet to look."""
    yield 1.2
    life.send("identity", "payslip")


def one_accepted(life: Life) -> Story:
    yield 2
    life.send("identity")
    yield 0.3
    life.judge()


def rejected(life: Life) -> Story:
    yield 2
    life.send()
    yield 1
    life.judge("identity")
    life.judge("payslip", reject="The name of the employer cannot be read.")


def complete(life: Life) -> Story:
    """All papers are in and accepted: underwriting."""
    yield 3
    life.send()
    yield 1
    life.judge()


def taken(life: Life) -> Story:
    yield from complete(life)
    yield 0.6
    life.take(life.people.underwriter)


def sent_back(life: Life) -> Story:
    yield from complete(life)
    yield 1
    life.do("send_back", "The payslip is older than three months.", payslip=True)


def sent_back_twice(life: Life) -> Story:
    yield from sent_back(life)
    yield 4
    life.send("payslip", again=" ")
    yield 1
    life.judge()
    yield 2
    life.do("send_back", "The statement lacks its second page.", bank_statement=True)
    life.note("Called the applicant: the second page comes by post this week.")


def approved(life: Life) -> Story:
    """Underwriting is through; large loans wait for a second person."""
    yield from complete(life)
    yield 1.5
    life.do("approve", "Income steady, burden low.")


def approved_by_all(life: Life) -> Story:
    yield from approved(life)
    if rules.needs_second_person(life.facts.amount):
        yield 1
        life.do("approve", "Agreed.", by=life.people.second)


def appraised(life: Life) -> Story:
    yield from approved_by_all(life)
    yield 6
    life.appraise()


def offered(life: Life) -> Story:
    yield from approved_by_all(life)
    if life.facts.secured:
        yield 6
        life.appraise()
    yield 1
    large = rules.needs_second_person(life.facts.amount)
    life.do("approve", by=life.people.second if large else life.people.underwriter)


def paid_out(life: Life) -> Story:
    yield from offered(life)
    yield 3
    life.answer("accept")


def bank_is_down(life: Life) -> Story:
    """The customer accepts while the bank is down: attempts run out, and operators are asked."""
    yield from offered(life)
    yield 3
    life.world.behave("bank", "down")
    life.answer("accept")
    yield 0.05
    life.world.behave("bank", "ok")


def refused(life: Life) -> Story:
    yield from offered(life)
    yield 5
    life.answer("decline", "Another bank asks for less interest.")


def declined(life: Life) -> Story:
    yield from complete(life)
    yield 2
    life.do("decline", "The income does not carry another loan.")


def withdrawn(life: Life) -> Story:
    yield 4
    life.send("identity")
    yield 3
    move_case(
        case_id=life.case.pk,
        name="withdraw",
        data={"reason": "The applicant bought a cheaper car."},
        actor=Actor.of(life.owner),
    )


Choose = Callable[[dict[str, Any]], bool]


def any_(facts: dict[str, Any]) -> bool:
    return not facts["secured"] and not large(facts)


def secured(facts: dict[str, Any]) -> bool:
    return bool(facts["secured"]) and not large(facts)


def large(facts: dict[str, Any]) -> bool:
    return rules.needs_second_person(Decimal(facts["amount"]))


# What happens, days since the application (with room for weekends and holidays), and which
# applicant fits. In the order of interest: the first 24 are the demo; after the last it begins
# anew.
STORIES: list[tuple[Callable[[Life], Story], float, Choose]] = [
    (some_papers, 5, any_),
    (complete, 12, any_),
    (complete, 20, any_),
    (taken, 11, any_),
    (one_accepted, 10, any_),
    (silent, 17.2, any_),
    (some_papers, 26, any_),
    (rejected, 9, any_),
    (sent_back, 14, any_),
    (approved, 13, large),
    (approved_by_all, 14, secured),
    (approved_by_all, 25, secured),
    (appraised, 22, secured),
    (approved_by_all, 13, any_),
    (offered, 16, any_),
    (offered, 50, any_),
    (paid_out, 25, any_),
    (bank_is_down, 24, any_),
    (silent, 38, any_),
    (declined, 17, any_),
    (refused, 28, any_),
    (withdrawn, 19, any_),
    (silent, 0.1, any_),
    (sent_back_twice, 28, any_),
    (paid_out, 39, secured),
    (offered, 24, large),
    (silent, 7.5, any_),
    (paid_out, 33, any_),
    (some_papers, 6, large),
    (silent, 34, any_),
]


# -- playing them


def play(*, count: int, people: People) -> int:
    """Open so many cases and let them live up to now. Returns how many are new.

    A case that an earlier run opened is left alone.
    """
    world = World()
    known = set(Case.objects.filter(source="demo").values_list("source_key", flat=True))
    lives: list[tuple[float, Story]] = []
    for place, (facts, story, age) in enumerate(plan(count)):
        if facts["source_row"] not in known:
            owner = people.caseworkers[place % len(people.caseworkers)]
            life = live(facts, story, owner=owner, people=people, world=world)
            lives.append((age, life))
    return live_through(lives, world=world)


def live(
    facts: dict[str, Any],
    story: Callable[[Life], Story],
    *,
    owner: Person,
    people: People,
    world: World,
) -> Story:
    """Open a case and let it follow its story."""
    yield from story(Life(begin_case(facts, owner=owner), owner, people, world))


def plan(count: int) -> Iterator[tuple[dict[str, Any], Callable[[Life], Story], float]]:
    """So many applicants, each with a story and its age in days."""
    with (FOLDER / "applicants.csv").open(encoding="utf-8", newline="") as file:
        free = list(csv.DictReader(file))
    for row in free:
        row["secured"] = row["secured"] == "1"  # type: ignore[assignment]
    for number in range(min(count, len(free))):
        story, age, fits = STORIES[number % len(STORIES)]
        chosen = next((row for row in free if fits(row)), free[0])
        free.remove(chosen)
        yield chosen, story, age


def begin_case(facts: dict[str, Any], *, owner: Person) -> Case:
    facts = dict(facts)
    key = facts.pop("source_row")
    return open_case(
        kind="loan",
        facts=facts,
        title=facts["applicant_name"],
        actor=service("website"),
        owner=owner,
        team=owner.team,
        source="demo",
        source_key=key,
    )
