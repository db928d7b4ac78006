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
from datetime import timedelta
from decimal import Decimal

from django.contrib.auth.models import Group
from django.core.files.base import ContentFile

from audit import codec
from cases import access
from cases.actors import Actor, service
from cases.errors import Refused
from cases.models import Case, Document, Person, Task, Team
from processes.acts.cases import move_case, open_case
from processes.acts.documents import judge_document, receive_document
from processes.acts.messages import deliver_message
from processes.acts.tasks import claim_task, complete_task, release_task
from processes.loan.models import Step
from processes.playlog.driver import Answer, Driver
from processes.playlog.recorded import Row
from processes.work.inline import Inline
from processes.work.results import Claim, Done
from timers import clock

SOURCE = "bpic2012"
MACHINE = "112"
ROLES = ("caseworker", "underwriter", "senior underwriter")
COLLEAGUES = ("colleague", "second-colleague", "third-colleague")
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
                paid = codec.decode(claim.arguments)
                return Done(claim, result={"booking": f"B-{paid['customer']}"})
            case _:
                return super().attempt(claim)

    def credit_answers(self, case_id: int, *, score: int) -> None:
        claim = self.held.pop(case_id, None)
        if claim is not None:
            self.record([Done(claim, result={"score": score})])
            self.settle()


@dataclass(kw_only=True)
class LoanDriver(Driver):
    """Plays the people of the log."""

    installation: Bank
    source = SOURCE
    outcomes = {str(step): outcome for step, outcome in OUTCOMES.items()}
    _people: dict[str, Person] = field(default_factory=dict)
    _team: Team | None = None
    _groups: list[Group] = field(default_factory=list)

    @classmethod
    def installation_on(cls, turned: clock.Turned) -> Bank:
        return Bank(turned)

    def is_timer(self, row: Row) -> bool:
        return row.activity == "A_CANCELLED" and row.resource == MACHINE

    def answer(self, row: Row) -> Answer | None:
        """The bank ended applications by a daily run, so ours may lie a day off."""
        if self.is_timer(row):
            return Answer("step.entered", {"closed": True}, within=timedelta(days=1))
        return None

    def prepare(self) -> None:
        self._team, _ = Team.objects.get_or_create(name="Recorded loans")
        self._groups = [Group.objects.get_or_create(name=name)[0] for name in ROLES]

    def is_played(self, row: Row) -> bool:
        return row.activity in HANDLERS

    def opens(self, row: Row) -> bool:
        return row.activity == "A_SUBMITTED"

    def act(self, row: Row) -> None:
        HANDLERS[row.activity](self, row)

    # -- rows

    def submitted(self, row: Row) -> None:
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
        self.was_opened(row, case)

    def preaccepted(self, row: Row) -> None:
        self.installation.credit_answers(self.id_of(row), score=650)

    def declined(self, row: Row) -> None:
        case_id = self.id_of(row)
        step = self.step_of(row)
        if step == Step.CHECKS and row.resource == MACHINE:
            self.installation.credit_answers(case_id, score=300)
        elif step == Step.UNDERWRITING:
            self.judge(row, "decline", "Declined in the recorded case.")
        else:
            self.move(row, "turn_down", "Declined in the recorded case.")

    def cancelled(self, row: Row) -> None:
        self.move(row, "withdraw", "Cancelled in the recorded case.")

    def accepted(self, row: Row) -> None:
        if self.step_of(row) == Step.CHECKS:
            self.installation.credit_answers(self.id_of(row), score=650)
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
            self.installation.settle()

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
                self.installation.settle()

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
        self.installation.settle()

    def open_task(self, row: Row) -> Task:
        task = Task.objects.filter(case_id=self.id_of(row), state="open").first()
        if task is None:
            raise Refused("No review is open.")
        return task

    def take(self, row: Row, task: Task) -> Person:
        """The recorded person takes the task; where four eyes forbid it, a colleague does. At this
        bank one clerk often judged the papers and decided, too."""
        person = self.person(row.resource)
        for colleague in COLLEAGUES:
            if not (access.is_barred(person, task) or access.is_own_request(person, task.case)):
                break
            person = self.person(f"{row.resource or 'pool'}-{colleague}")
        if task.holder_id not in (None, person.pk):
            assert task.holder is not None
            release_task(task_id=task.pk, actor=Actor.of(task.holder), reason="Handed on.")
        claim_task(task_id=task.pk, actor=Actor.of(person))
        return person

    def move(self, row: Row, name: str, reason: str) -> None:
        move_case(
            case_id=self.id_of(row), name=name, data={"reason": reason}, actor=self.actor(row)
        )
        self.installation.settle()

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
