"""The recorded fines of a police force (Road Traffic Fine Management Process) as fines of ours.

What each recorded row becomes:

    Create Fine                 an officer opens the fine
    Send Fine                   the printing house posts the notice, with its expenses
    Insert Fine Notification    the post delivers it
    Add penalty                 not sent at all: the engine raises the fine after 60 days
    Payment                     the offender pays
    Insert Date Appeal …        the offender appeals to the prefect
    Send Appeal …               a clerk sends the appeal on
    Receive Result Appeal …     the prefect rejects it: upheld appeals leave no further rows
    Notify Result Appeal …      a clerk tells the offender
    Appeal to Judge             the offender appeals to the judge
    Send for Credit Collection  what is left goes to the collector

A payment of all that is due after which the log still sends the notice or raises the fine was
not cleared then: it comes in doubt. The log has dates only, so each row is at midnight.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import Group

from cases.actors import Actor, party, service
from cases.errors import Refused
from cases.models import Case, Person, Task, Team
from processes.acts.cases import move_case, open_case
from processes.acts.messages import deliver_message
from processes.acts.tasks import claim_task, complete_task
from processes.enforcement.models import Step
from processes.playlog.driver import Answer, Driver
from processes.playlog.recorded import Row

SOURCE = "fine-traffic"
OFFENDER = party("offender")
PENALTY, PAYMENT = "Add penalty", "Payment"
GOES_ON = frozenset(
    {"Send Fine", "Insert Fine Notification", PENALTY, "Send for Credit Collection"}
)
# Recorded activity → the message of ours, who sends it, and its data.
MESSAGES: dict[str, tuple[str, Actor, dict[str, Any]]] = {
    "Insert Fine Notification": ("delivered", service("post"), {}),
    "Insert Date Appeal to Prefecture": ("appeal_to_prefect", OFFENDER, {}),
    "Receive Result Appeal from Prefecture": (
        "ruling_of_prefect",
        service("prefecture"),
        {"outcome": "rejected"},
    ),
    "Appeal to Judge": ("appeal_to_judge", OFFENDER, {}),
    "Send Fine": ("posted", service("printing house"), {}),
    PAYMENT: ("payment", OFFENDER, {}),
}
TASKS = {
    "Send Appeal to Prefecture": "send_to_prefect",
    "Notify Result Appeal to Offender": "tell_ruling_of_prefect",
}
COLLECTION = "Send for Credit Collection"
COLLECTOR = service("collection run")


@dataclass(kw_only=True)
class FinesDriver(Driver):
    """Plays officers, offenders, post and prefecture."""

    source = SOURCE
    outcomes = {str(Step.PAID): "paid", str(Step.COLLECTION): "credit collection"}
    officers: dict[str, Person] = field(default_factory=dict)
    team: Team | None = None
    raised: dict[str, Decimal] = field(default_factory=dict)  # recorded case → its raised fine
    parts: dict[str, Decimal] = field(default_factory=dict)  # row.key of a payment → its amount
    goes_on: dict[str, int] = field(default_factory=dict)  # case → its last row that shows it open

    def prepare(self) -> None:
        self.team, _ = Team.objects.get_or_create(name="Recorded fines")

    def look_ahead(self, rows: list[Row]) -> None:
        """What the law says of an offence, and the payments, which the log gives as totals."""
        totals: dict[str, Decimal] = {}
        for row in rows:
            if row.activity == PENALTY:
                self.raised[row.case_id] = Decimal(row.values["amount"])
            if row.activity == PAYMENT:
                total = Decimal(row.values["totalpaymentamount"])
                self.parts[row.key] = total - totals.get(row.case_id, Decimal(0))
                totals[row.case_id] = total
            if row.activity in GOES_ON:
                self.goes_on[row.case_id] = row.seq

    def is_played(self, row: Row) -> bool:
        return True

    def is_timer(self, row: Row) -> bool:
        return row.activity == PENALTY

    def opens(self, row: Row) -> bool:
        return row.activity == "Create Fine"

    def answer(self, row: Row) -> Answer | None:
        if self.opens(row):
            return Answer("case.opened")
        if self.is_timer(row):
            return self.timer_answers()[PENALTY]
        if row.activity == COLLECTION:
            return Answer("step.entered", {"step": str(Step.COLLECTION)})
        if row.activity in TASKS:
            return Answer("task.completed", {"name": TASKS[row.activity], "outcome": "done"})
        # A message that came before it was awaited is kept; that is an answer too.
        return None

    def timer_answers(self) -> dict[str, Answer]:
        entered = {"step": str(Step.PENALISED), "transition": "penalise"}
        return {PENALTY: Answer("step.entered", entered, same_date=True)}

    def actor_code(self, row: Row) -> str:
        if row.activity in MESSAGES:
            return MESSAGES[row.activity][1].code
        if row.activity == COLLECTION:
            return COLLECTOR.code
        return f"person:{self.officer(row.resource).pk}"

    def outcome_of(self, case: Case) -> str:
        """The log calls a fine appealed that neither was paid nor went to collection."""
        found = super().outcome_of(case)
        fine: Any = case.fine  # type: ignore[attr-defined]
        facts = (fine.prefect, fine.judge)
        if found == "open" and (any(facts) or self.waits_for_court(case)):
            return "appealed"
        return found

    def waits_for_court(self, case: Case) -> bool:
        """An appeal that came in since its step was entered shows in what the case waits for."""
        begun = {
            "send_to_prefect",
            "ruling_of_prefect",
            "tell_ruling_of_prefect",
            "ruling_of_judge",
        }
        return any(wait["name"] in begun for wait in case.waits)

    def why(self, case: Case) -> str:
        fine: Any = case.fine  # type: ignore[attr-defined]
        is_raised = case.step in (Step.PENALISED, Step.COLLECTION)
        due = (fine.raised_amount if is_raised else fine.amount) + fine.expenses
        return f"paid {fine.paid} of {due} that are due, where the log ends"

    def act(self, row: Row) -> None:
        if self.opens(row):
            self.open(row)
        elif row.activity in MESSAGES:
            name, actor, data = MESSAGES[row.activity]
            deliver_message(
                case_id=self.id_of(row),
                name=name,
                data=self.data_of(row) or data,
                source=f"{SOURCE} messages",
                key=row.key,
                actor=actor,
            )
        elif row.activity in TASKS:
            self.do(row, TASKS[row.activity])
        elif row.activity == COLLECTION:
            move_case(case_id=self.id_of(row), name="hand_over", data={}, actor=COLLECTOR)
        else:
            raise Refused(f"A fine knows nothing of “{row.activity}”.")

    def open(self, row: Row) -> None:
        amount = Decimal(row.values["amount"])
        case = open_case(
            kind="enforcement",
            facts={
                "offender_name": f"Offender {row.case_id}",
                "offence": f"Article {row.values.get('article', '')}",
                "amount": amount,
                "raised_amount": self.raised.get(row.case_id, amount * 2),
            },
            title=f"Offender {row.case_id}",
            actor=Actor.of(self.officer(row.resource)),
            team=self.team,
            source=SOURCE,
            source_key=row.case_id,
        )
        self.was_opened(row, case)

    def data_of(self, row: Row) -> dict[str, Any]:
        if row.activity == "Send Fine":
            return {"expenses": row.values["expense"]}
        if row.activity != PAYMENT:
            return {}
        in_doubt = self.goes_on.get(row.case_id, 0) > row.seq
        return {"amount": str(self.parts[row.key]), "in_doubt": in_doubt}

    def do(self, row: Row, name: str) -> None:
        task = Task.objects.filter(case_id=self.id_of(row), name=name, state="open").first()
        if task is None:
            raise Refused(f"The task {name} is not open.")
        clerk = Actor.of(self.officer(row.resource))
        claim_task(task_id=task.pk, actor=clerk)
        complete_task(task_id=task.pk, outcome="done", reason="", actor=clerk)

    def officer(self, number: str) -> Person:
        """The recorded officer; rows without one are done by the pool."""
        name = f"officer-{number or 'pool'}"
        if name not in self.officers:
            person, _ = Person.objects.get_or_create(
                username=name, defaults={"team": self.team, "first_name": name.capitalize()}
            )
            person.groups.set([Group.objects.get_or_create(name="caseworker")[0]])
            self.officers[name] = person
        return self.officers[name]


drivers = {"fine-traffic": FinesDriver}
