"""The demo's onboardings: businesses of the demo's applicants, at every turn of an onboarding."""

from __future__ import annotations

import csv
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.core.files.base import ContentFile

from cases.actors import Actor, party, service
from cases.models import Case, Person, Task
from processes.acts.cases import get_case, move_case, open_case
from processes.acts.documents import judge_document, receive_document
from processes.acts.messages import deliver_message
from processes.acts.tasks import claim_task, complete_task
from processes.standins import World
from processes.stories import Story, live_through

FOLDER = Path(__file__).resolve().parents[1] / "demo"
FILES = {"identity": "identity.png", "bank_letter": "bank_statement.pdf"}
OTHER_FILE = "payslip.pdf"
TEAM = "Relations"
# login, given and family name, team, roles
PEOPLE: list[tuple[str, str, str, str, list[str]]] = [
    ("hanna", "Hanna", "Berg", TEAM, ["caseworker"]),
    ("ravi", "Ravi", "Patel", TEAM, ["analyst"]),
    ("elif", "Elif", "Kaya", TEAM, ["analyst"]),
    ("marten", "Marten", "Visser", TEAM, ["compliance officer"]),
    ("chiara", "Chiara", "Rossi", TEAM, ["compliance officer"]),
    ("wout", "Wout", "de Jong", TEAM, ["compliance lead"]),
]


class Life:
    """One business, and what its people and ours do."""

    def __init__(self, key: str, people: dict[str, Person], facts: dict[str, Any]) -> None:
        self.key, self.people, self.facts = key, people, facts
        self.opened: Case | None = None

    def open(self) -> None:
        self.opened = open_case(
            kind="onboarding",
            facts=self.facts,
            title=self.facts["name"],
            actor=service("website"),
            owner=self.people["hanna"],
            team=self.people["hanna"].team,
            source="demo",
            source_key=self.key,
        )

    @property
    def case(self) -> Any:
        assert self.opened is not None
        return get_case(self.opened.pk)

    def send(self, *, all_but: int = 0, again: str = "") -> None:
        """The business sends the papers that are missing, or all but some."""
        for wait in self.case.waits:
            missing = wait.get("missing", [])
            for name in missing[: len(missing) - all_but]:
                file = FILES.get(name, OTHER_FILE)
                content = (FOLDER / "documents" / file).read_bytes() + again.encode()
                receive_document(
                    case_id=self.case.pk,
                    name=name,
                    file=ContentFile(content, name=file),
                    actor=party("business"),
                )

    def judge(self) -> None:
        for document in self.case.documents.filter(state="received"):
            judge_document(
                document_id=document.pk,
                accept=True,
                reason="",
                actor=Actor.of(self.people["hanna"]),
            )

    def do(self, by: str, outcome: str, reason: str = "", *, of: Any = None, **ticks: Any) -> None:
        """Somebody takes the open task of the case, or of an owner's, and completes it."""
        task = Task.objects.get(case_id=(of or self.case).pk, state="open")
        actor = Actor.of(self.people[by])
        claim_task(task_id=task.pk, actor=actor)
        complete_task(
            task_id=task.pk, outcome=outcome, reason=reason, actor=actor, result=dict(ticks)
        )

    def move(self, name: str, reason: str) -> None:
        move_case(
            case_id=self.case.pk,
            name=name,
            data={"reason": reason},
            actor=Actor.of(self.people["hanna"]),
        )


def asked(life: Life) -> Story:
    """Papers are asked for."""
    life.open()
    yield 0


def some_papers(life: Life) -> Story:
    yield from asked(life)
    yield 3
    life.send(all_but=1)


def assessed(life: Life) -> Story:
    """All papers are in: an analyst is to look."""
    yield from asked(life)
    yield 4
    life.send()
    yield 1
    life.judge()


def sent_back(life: Life) -> Story:
    yield from assessed(life)
    yield 2
    life.do("ravi", "send_back", "The extract is older than three months.", extract=True)


def in_approval(life: Life) -> Story:
    yield from assessed(life)
    yield 2
    life.do("ravi", "approve", "A sound file.")


def half_approved(life: Life) -> Story:
    """A high risk: the head of compliance is to agree."""
    yield from in_approval(life)
    yield 1
    life.do("marten", "approve", "The origin of the money is clear.")


def active(life: Life) -> Story:
    yield from in_approval(life)
    yield 2
    life.do("elif", "approve")


def reviewed(life: Life) -> Story:
    """A change brought the review about early."""
    yield from active(life)
    yield 40
    deliver_message(
        case_id=life.case.pk,
        name="change_reported",
        data={"what": "We have moved to another town."},
        source="demo",
        key=f"{life.key}-moved",
        actor=party("business"),
    )


def long_active(life: Life) -> Story:
    """A high risk is reviewed every year."""
    yield from half_approved(life)
    yield 1
    life.do("wout", "approve")


def ended(life: Life) -> Story:
    yield from active(life)
    yield 30
    life.move("offboard", "The business moves abroad.")
    yield 6
    life.do("hanna", "done")


def withdrawn(life: Life) -> Story:
    yield from some_papers(life)
    yield 2
    life.move("withdraw", "Found another supplier.")


def matched(life: Life) -> Story:
    """One has looked at a possible match of an owner, a second is to look."""
    yield from asked(life)
    yield 1
    (owner,) = Case.objects.filter(parent=life.case.pk)
    life.do("marten", "no_match", "Born thirty years later than the listed one.", of=owner)


# What happens, days since the request, and what is special about the business.
STORIES: list[tuple[Callable[[Life], Story], float, dict[str, Any]]] = [
    (asked, 2, {}),
    (some_papers, 9, {"relation": "supplier"}),
    (assessed, 12, {}),
    (sent_back, 17, {"relation": "supplier"}),
    (in_approval, 15, {"activity": "cash"}),
    (half_approved, 18, {"activity": "games", "country": "BR"}),
    (active, 45, {}),
    (reviewed, 75, {}),
    (long_active, 385, {"activity": "games", "country": "BR"}),
    (ended, 80, {}),
    (withdrawn, 15, {}),
    (matched, 8, {"owner": "Boris Listman"}),
    (asked, 1, {"name": "Ghostly Events"}),
    (asked, 34, {"relation": "supplier"}),
]


def play(people: dict[str, Person]) -> int:
    """Open the onboardings that are not there yet, and let them live up to now."""
    known = set(Case.objects.filter(source="demo").values_list("source_key", flat=True))
    with (FOLDER / "applicants.csv").open(encoding="utf-8", newline="") as file:
        applicants = list(csv.DictReader(file))[::-1]  # loans take them from the front
    lives = []
    for (story, age, special), row in zip(STORIES, applicants, strict=False):
        key = f"business-{row['source_row']}"
        if key not in known:
            lives.append((age, story(Life(key, people, business_of(row, dict(special))))))
    return live_through(lives, world=World())


def business_of(row: dict[str, str], special: dict[str, Any]) -> dict[str, Any]:
    """The business of an applicant: theirs alone, unless the story has another owner."""
    owner = special.pop("owner", row["applicant_name"])
    family = row["applicant_name"].partition(" ")[2]
    return {
        "name": f"{family} {row['purpose']}",
        "relation": "customer",
        "email": row["email"],
        "registration_number": f"{row['national_id'][:7]}5",
        "country": "NL",
        "activity": "trade",
        "turnover": Decimal(row["amount"]),
        "owners": f"{owner}; 1980-01-01; NL; 100; {row['national_id'][:8]}1",
        **special,
    }
