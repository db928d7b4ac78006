"""The recorded applications of a bank (BPI Challenge 2012) as loans of ours.

What each recorded row becomes:

    A_SUBMITTED            the application is opened
    A_PREACCEPTED          the credit bureau answers: pass
    A_DECLINED             the bureau answers: no (by the machine), else a person declines
    A_ACCEPTED             the papers came in and were accepted
    O_SENT                 judged, decided, offered; an offer that stands is first taken back
    O_SENT_BACK            the customer sent papers with the offer: it is judged anew
    W_Nabellen incomplete  the reviewer sends the file back for missing papers
    W_Valideren START      missing papers are in; the reviewer takes the file
    A_APPROVED             judged, decided, offered, accepted and paid out
    A_CANCELLED            by a person: withdrawn. By the machine, 30 days after the last offer or
                           pre-acceptance: not sent at all. The engine must do it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import Group
from django.core.files.base import ContentFile
from django.db import transaction

from cases.actors import Actor, service
from cases.errors import Refused
from cases.models import Case, Document, Person, Task, Team
from processes.acts.cases import move_case, open_case
from processes.acts.documents import judge_document, receive_document
from processes.acts.messages import deliver_message
from processes.acts.tasks import claim_task, complete_task, release_task
from processes.engine import inbox
from processes.loan.models import Step
from processes.playlog.driver import Driver, Misfit
from processes.playlog.recorded import RecordedCase, Row
from processes.work.inline import Inline
from processes.work.results import Claim, Done
from timers import clock

SOURCE = "bpic2012"
MACHINE = "112"
ROLES = ("caseworker", "underwriter", "senior underwriter")
OUTCOMES = {
    Step.PAID_OUT: "approved",
    Step.DECLINED: "declined",
    Step.LAPSED: "cancelled",
    Step.EXPIRED: "cancelled",
    Step.WITHDRAWN: "cancelled",
}


class Bank(Inline):
    """The installation, with outside services that answer when the log says so."""

    def __init__(self, turned: clock.Turned) -> None:
        super().__init__(turned)
        self.held: dict[int, Claim] = {}  # case → the question the credit bureau has not answered

    def attempt(self, claim: Claim) -> Done | None:
        match claim.name:
            case "loan.check_identity":
                return Done(claim, result={"confirmed": True, "reason": ""})
            case "loan.score_credit":
                self.held[claim.case_id] = claim
                return None
            case "loan.pay_out":
                return Done(claim, result={"booking": f"B-{claim.case_id}"})
            case _:
                return super().attempt(claim)

    def credit_answers(self, case_id: int, *, score: int) -> None:
        claim = self.held.pop(case_id, None)
        if claim is not None:
            self.record([Done(claim, result={"score": score})])
            self.settle()


@dataclass
class LoanDriver(Driver):
    """Plays the people of the log."""

    bank: Bank
    cases: dict[str, RecordedCase]
    source = SOURCE
    outcomes = {str(step): outcome for step, outcome in OUTCOMES.items()}
    _people: dict[str, Person] = field(default_factory=dict)
    _team: Team | None = None
    _groups: list[Group] = field(default_factory=list)
    _ids: dict[str, int] = field(default_factory=dict)  # recorded case → ours

    @classmethod
    def at(cls, turned: clock.Turned, cases: dict[str, RecordedCase]) -> LoanDriver:
        return cls(bank=Bank(turned), cases=cases)

    @property
    def installation(self) -> Bank:
        return self.bank

    @property
    def recorded_cases(self) -> dict[str, RecordedCase]:
        return self.cases

    def is_timer(self, row: Row) -> bool:
        return row.activity == "A_CANCELLED" and row.resource == MACHINE

    def begin(self) -> None:
        """People of earlier runs, and cases that were opened before a restart."""
        self._team, _ = Team.objects.get_or_create(name="Recorded loans")
        self._groups = [Group.objects.get_or_create(name=name)[0] for name in ROLES]
        known = Case.objects.filter(source=SOURCE, source_key__in=list(self.cases))
        self._ids = dict(known.values_list("source_key", "pk"))

    def play(self, row: Row) -> None:
        """One recorded row, at its recorded moment, once: its effect and the note that it was
        played commit together, so a run that was killed goes on where it was."""
        handler = HANDLERS.get(row.activity)
        if handler is None or self.is_timer(row):
            return
        with transaction.atomic():
            stored = inbox.store(
                source=SOURCE,
                key=f"{row.case_id}/{row.seq}",
                name=row.activity,
                to=row.case_id,
                data={"lifecycle": row.lifecycle, "resource": row.resource},
                actor="service:playlog",
                state="used",
            )
            if stored.is_new:
                self._play(handler, row)

    def _play(self, handler: Callable[[LoanDriver, Row], None], row: Row) -> None:
        try:
            if row.activity != "A_SUBMITTED":
                step = self.step_of(row)
                if step is None:
                    raise Refused("The application was never opened.")
                if step in OUTCOMES:
                    self.after_end += 1
                    return
            handler(self, row)
            self.acts += 1
        except Refused as refusal:
            self.misfits.append(Misfit(row.case_id, row.seq, row.activity, str(refusal)))
        self.bank.settle()

    # -- rows

    def submitted(self, row: Row) -> None:
        if row.case_id in self._ids:
            return
        amount = Decimal(self.cases[row.case_id].attributes["amount_requested"])
        case = open_case(
            kind="loan",
            facts={
                "applicant_name": f"Applicant {row.case_id}",
                "national_id": row.case_id,
                "amount": amount,
                "income": Decimal(2500),
                "email": f"applicant-{row.case_id}@example.org",
            },
            title=f"Applicant {row.case_id}",
            actor=service("portal"),
            team=self._team,
            source=SOURCE,
            source_key=row.case_id,
        )
        self._ids[row.case_id] = case.pk

    def preaccepted(self, row: Row) -> None:
        self.bank.credit_answers(self.id_of(row), score=650)

    def declined(self, row: Row) -> None:
        case_id = self.id_of(row)
        step = self.step_of(row)
        if step == Step.CHECKS and row.resource == MACHINE:
            self.bank.credit_answers(case_id, score=300)
        elif step == Step.UNDERWRITING:
            self.judge(row, "decline", "Declined in the recorded case.")
        else:
            self.move(row, "turn_down", "Declined in the recorded case.")

    def cancelled(self, row: Row) -> None:
        self.move(row, "withdraw", "Cancelled in the recorded case.")

    def accepted(self, row: Row) -> None:
        if self.step_of(row) == Step.CHECKS:
            self.bank.credit_answers(self.id_of(row), score=650)
        self.papers(row)

    def offer_sent(self, row: Row) -> None:
        if self.step_of(row) == Step.OFFER:
            self.move(row, "review_again", "A new offer, in place of the one that stood.")
        self.up_to_offer(row)

    def offer_returned(self, row: Row) -> None:
        if self.step_of(row) == Step.OFFER:
            self.upload(row, "signed_offer")
            self.move(row, "review_again", "The customer sent the offer back with papers.")

    def papers_missing(self, row: Row) -> None:
        if row.lifecycle == "START" and self.step_of(row) == Step.UNDERWRITING:
            self.judge(row, "send_back", "Papers are missing.", payslip=True)

    def validating(self, row: Row) -> None:
        if row.lifecycle == "START":
            self.papers(row)
            if self.step_of(row) == Step.UNDERWRITING:
                self.take(row, self.open_task(row))

    def approved(self, row: Row) -> None:
        self.up_to_offer(row)
        if self.step_of(row) == Step.OFFER:
            deliver_message(
                case_id=self.id_of(row),
                name="offer_answer",
                data={"answer": "accept"},
                source=SOURCE,
                key=f"{row.case_id}/{row.seq}/answer",
                actor=Actor("party:customer"),
            )
            self.bank.settle()

    # -- what they are made of

    def up_to_offer(self, row: Row) -> None:
        self.papers(row)
        for step in (Step.UNDERWRITING, Step.DECISION):
            while self.step_of(row) == step:
                self.judge(row, "approve", "")

    def papers(self, row: Row) -> None:
        """The papers that the case waits for come in and are accepted."""
        if self.step_of(row) != Step.AWAITING_DOCUMENTS:
            return
        case = Case.objects.only("waits").get(pk=self.id_of(row))
        for wait in case.waits:
            for name in wait.get("missing", ()):
                document = self.upload(row, name)
                judge_document(
                    document_id=document.pk, accept=True, reason="", actor=self.actor(row)
                )
                self.bank.settle()

    def upload(self, row: Row, name: str) -> Document:
        text = f"{name} of application {row.case_id}, row {row.seq}\n"
        return receive_document(
            case_id=self.id_of(row),
            name=name,
            file=ContentFile(text.encode(), name=f"{name}.txt"),
            actor=Actor("party:applicant"),
        )

    def judge(self, row: Row, outcome: str, reason: str, **result: object) -> None:
        task = self.open_task(row)
        person = self.take(row, task)
        complete_task(
            task_id=task.pk,
            outcome=outcome,
            reason=reason,
            result=result,
            actor=Actor.of(person),
        )
        self.bank.settle()

    def open_task(self, row: Row) -> Task:
        task = Task.objects.filter(case_id=self.id_of(row), state="open").first()
        if task is None:
            raise Refused("No review is open.")
        return task

    def take(self, row: Row, task: Task) -> Person:
        """The recorded person takes the task; where four eyes forbid it, a colleague does."""
        person = self.person(row.resource)
        if f"person:{person.pk}" in task.unlike:
            person = self.person(f"{row.resource or 'pool'}-colleague")
        if task.holder_id not in (None, person.pk):
            assert task.holder is not None
            release_task(task_id=task.pk, actor=Actor.of(task.holder), reason="Handed on.")
        claim_task(task_id=task.pk, actor=Actor.of(person))
        return person

    def move(self, row: Row, name: str, reason: str) -> None:
        move_case(
            case_id=self.id_of(row), name=name, data={"reason": reason}, actor=self.actor(row)
        )
        self.bank.settle()

    def actor(self, row: Row) -> Actor:
        return Actor.of(self.person(row.resource))

    def person(self, resource: str) -> Person:
        name = f"clerk-{resource or 'pool'}"
        if name not in self._people:
            person, _ = Person.objects.get_or_create(
                username=name, defaults={"team": self._team, "first_name": name.capitalize()}
            )
            person.groups.set(self._groups)
            self._people[name] = person
        return self._people[name]

    def id_of(self, row: Row) -> int:
        return self._ids[row.case_id]

    def step_of(self, row: Row) -> Any:
        if row.case_id not in self._ids:
            return None
        return Case.objects.filter(pk=self._ids[row.case_id]).values_list("step", flat=True)[0]


HANDLERS: dict[str, Callable[[LoanDriver, Row], None]] = {
    "A_SUBMITTED": LoanDriver.submitted,
    "A_PREACCEPTED": LoanDriver.preaccepted,
    "A_DECLINED": LoanDriver.declined,
    "A_CANCELLED": LoanDriver.cancelled,
    "A_ACCEPTED": LoanDriver.accepted,
    "O_SENT": LoanDriver.offer_sent,
    "O_SENT_BACK": LoanDriver.offer_returned,
    "W_Nabellen incomplete dossiers": LoanDriver.papers_missing,
    "W_Valideren aanvraag": LoanDriver.validating,
    "A_APPROVED": LoanDriver.approved,
}

driver = LoanDriver
