"""The recorded claims of a university (BPI Challenge 2020) as claims of ours.

What each recorded row becomes, of a declaration and, in the log of parents, of its travel permit:

    SAVED by EMPLOYEE            a draft is opened
    SUBMITTED by EMPLOYEE        it is opened, or submitted again
    APPROVED, FINAL_APPROVED by  the person of that role approves the step of the chain
    REJECTED by a role           that person returns it to the applicant
    REJECTED by MISSING          the bookkeeper's system refuses it after approval; before, whoever
                                 is asked at that time returns it
    REJECTED by EMPLOYEE         the applicant takes it back
    Request Payment              the bookkeeper requests the payment
    Payment Handled              not sent: a payment run of the engine must pay it
    Start trip, End trip         not sent: the dates stand in the permit, the engine moves it on
    Send Reminder                not sent: the engine must remind the traveller

Who approves depended on unit and budget there, which the log does not tell. So each recorded round
gets a unit of the table `recorded/who_approves.csv` whose chain is the recorded one; the table
itself has every chain that there can be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar, Self

from django.contrib.auth.models import Group
from django.test.utils import override_settings

from audit import codec
from cases.actors import Actor, party, service
from cases.errors import Refused
from cases.models import Case, Person, Task, Team
from processes.acts.cases import move_case, open_case
from processes.acts.messages import deliver_message
from processes.acts.tasks import claim_task, complete_task
from processes.claim import rules
from processes.claim.models import Claim
from processes.claim.models.claim import Step
from processes.claim.models.permit import Step as PermitStep
from processes.decisions.library import load
from processes.playlog.driver import Answer, Driver
from processes.playlog.recorded import RecordedCase, Row
from processes.work.inline import Inline
from processes.work.results import Claim as Claimed
from processes.work.results import Done
from timers import calendars, clock

WHO_APPROVED = load(Path(__file__).with_name("recorded"), owner="claim")["who_approves"]
# The university was closed between the years, and on the Monday in August when it opens its year.
FREE_DAYS = [
    "2017-08-28",
    *(f"2017-12-{day}" for day in (27, 28, 29)),
    *(f"2018-12-{day}" for day in (24, 27, 28, 31)),
]
LEAST = Decimal("0.01")  # some amounts are recorded as 0; a claim of ours is of something
# Each unit and its chain, the shortest chains first.
CHAINS = {
    unit: [
        link
        for link in rules.STEP_OF
        if WHO_APPROVED.decide(type="expense", unit=unit, budget="own", amount=LEAST)[link]
    ]
    for unit in (f"unit {number}" for number in range(1, 25))
}
REMINDERS_FROM = date(2018, 3, 1)  # before this day nobody was reminded
LINKS = {
    "ADMINISTRATION": "administration",
    "PRE_APPROVER": "pre_approver",
    "BUDGET OWNER": "budget_owner",
    "SUPERVISOR": "supervisor",
    "DIRECTOR": "director",
}
APPLICANT = party("applicant")
BOOKKEEPER = service("bookkeeper")
CHAIN_STEPS = frozenset(rules.ROLE_OF)
AFTER_APPROVAL = frozenset({"approved", "payment_requested", "planned", "travelling", "claiming"})


class Bookkeeping(Inline):
    """The installation, with a bank that pays what it is told to."""

    def attempt(self, claim: Claimed) -> Done | None:
        if claim.name == "claim.pay_claim":
            paid = codec.decode(claim.arguments)
            return Done(claim, result={"booking": f"B-{paid['name'].removeprefix('Claimant ')}"})
        return super().attempt(claim)


@dataclass(kw_only=True)
class ClaimDriver(Driver):
    """Plays the people of the log."""

    source = "bpic2020-claims"
    parents_source = "bpic2020-permits"
    outcomes: ClassVar[dict[str, str]] = {
        str(Step.PAID): "paid",
        str(Step.DRAFT): "saved",
        str(Step.LAPSED): "saved",
        # What the log calls rejected has not been submitted again before it ends.
        str(Step.REJECTED): "rejected",
        str(Step.RETURNED): "rejected",
        str(Step.TAKEN_BACK): "rejected",
    }
    parents_outcomes: ClassVar[dict[str, str]] = {
        str(PermitStep.REJECTED): "rejected",
        str(PermitStep.RETURNED): "rejected",
        str(PermitStep.TAKEN_BACK): "rejected",
    }
    _team: Team | None = None
    _people: dict[str, Person] = field(default_factory=dict)
    _units: dict[tuple[bool, str], str] = field(default_factory=dict)  # submitting row → its unit
    _approved: dict[str, Row] = field(default_factory=dict)  # permit → its last final approval
    _trips: dict[str, dict[str, date]] = field(default_factory=dict)  # permit → its days
    _settings: Any = None
    _own_table: Any = None

    @classmethod
    def installation_on(cls, turned: clock.Turned) -> Bookkeeping:
        return Bookkeeping(turned)

    @classmethod
    def parent_of(cls, case: RecordedCase) -> str:
        return case.attributes.get("permit", "").replace("travel permit ", "travelpermit")

    def __enter__(self) -> Self:
        self._settings = override_settings(LONGCASE_FREE_DAYS=FREE_DAYS)
        self._settings.enable()
        self._own_table, rules.WHO_APPROVES = rules.WHO_APPROVES, WHO_APPROVED
        return super().__enter__()

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        rules.WHO_APPROVES = self._own_table
        self._settings.disable()

    # -- looking ahead: what the log tells only later, an applicant's form tells at once

    def look_ahead(self, rows: list[Row]) -> None:
        rows_of: dict[tuple[bool, str], list[Row]] = {}
        for row in rows:
            rows_of.setdefault((row.is_parents, row.case_id), []).append(row)
        for (is_parents, case_id), own in rows_of.items():
            word = "Permit" if is_parents else "Declaration"
            self._look_at_units([row for row in own if row.activity.startswith(f"{word} ")])
            if is_parents:
                self._look_at_trip(case_id, own)

    def _look_at_units(self, rows: list[Row]) -> None:
        for place, row in enumerate(rows):
            if " SUBMITTED " in row.activity:
                self._units[row.is_parents, row.key] = unit_for(rows[place + 1 :])

    def _look_at_trip(self, case_id: str, rows: list[Row]) -> None:
        local = calendars.default().local
        days = self._trips.setdefault(case_id, {})
        for row in rows:
            if row.activity in ("Start trip", "End trip"):
                days[row.activity] = local(row.at).date()
            if row.activity.startswith("Permit FINAL_APPROVED"):
                self._approved[case_id] = row

    # -- what the framework asks

    def prepare(self) -> None:
        self._team, _ = Team.objects.get_or_create(name="Recorded claims")
        for role in ("caseworker", *rules.ROLE_OF.values()):
            self._people[role] = self._person(role)

    def _person(self, role: str) -> Person:
        name = role.replace(" ", "-")
        person, is_new = Person.objects.get_or_create(
            username=f"recorded-{name}",
            defaults={"team": self._team, "first_name": role.capitalize()},
        )
        if is_new:
            person.groups.set([Group.objects.get_or_create(name=role)[0]])
        return person

    @property
    def time_after(self) -> timedelta:
        """What was requested in the last days of the log is paid in the runs after them."""
        return timedelta(days=8)

    def is_timer(self, row: Row) -> bool:
        if not row.is_parents:
            return row.activity == "Payment Handled"
        if row.activity in ("Start trip", "End trip"):
            # A permit that was asked for or approved late is moved on at once when it is approved.
            approved = self._approved.get(row.case_id)
            return approved is not None and approved.at < row.at
        return row.activity == "Send Reminder"

    def answer(self, row: Row) -> Answer | None:
        if not self.is_timer(row):
            return None
        return self.timer_answers()[row.activity]

    def timer_answers(self) -> dict[str, Answer]:
        return {
            "Payment Handled": Answer(
                "step.entered", {"step": "paid"}, actor="engine", within=timedelta(days=1)
            ),
            "Start trip": Answer("step.entered", {"step": "travelling"}, same_date=True),
            "End trip": Answer("step.entered", {"step": "claiming"}, same_date=True),
            "Send Reminder": Answer(
                "activity.scheduled",
                {
                    "name": "processes.send_letter",
                    "args": {"template": "claim/letters/claim_reminder.txt"},
                },
                within=timedelta(days=1),
            ),
        }

    def is_played(self, row: Row) -> bool:
        word = "Permit " if row.is_parents else "Declaration "
        if row.activity.startswith(word):
            return True
        return row.activity == "Request Payment" and not row.is_parents

    def opens(self, row: Row) -> bool:
        is_submission = " SUBMITTED " in row.activity or " SAVED " in row.activity
        return is_submission and self.known_id(row) is None

    def actor_code(self, row: Row) -> str:
        if " APPROVED " in row.activity or " FINAL_APPROVED " in row.activity:
            return Actor.of(self._people[role_of(row)]).code
        return ""

    def outcome_of(self, case: Case) -> str:
        if case.source != self.parents_source or str(case.step) in self.parents_outcomes:
            return super().outcome_of(case)
        steps = set(Claim.objects.filter(parent=case.pk).values_list("step", flat=True))
        for step in (Step.PAID, Step.DRAFT):
            if step in steps:
                return self.outcomes[str(step)]
        return self.outcomes[str(Step.REJECTED)] if steps & set(self.outcomes) else "open"

    def act(self, row: Row) -> None:
        what = row.activity.split(" ", 1)[1].partition(" by ")[0]
        ACTS[what](self, row)

    # -- rows

    def saved(self, row: Row) -> None:
        if row.is_parents:
            raise Refused("A travel permit is asked for by submitting it.")
        if self.known_id(row) is not None:
            raise Refused("It was submitted before, and is no draft again.")
        self.open_claim(row, is_draft=True)

    def submitted(self, row: Row) -> None:
        if self.known_id(row) is None:
            if row.is_parents:
                self.open_permit(row)
            else:
                self.open_claim(row)
            return
        name = "submitted" if self.step_of(row) == Step.DRAFT else "resubmitted"
        if name == "resubmitted" and self.step_of(row) in CHAIN_STEPS:
            self.move(row, "take_back")
        self.tell(row, name, {"unit": self.unit(row)}, APPLICANT)

    def open_claim(self, row: Row, *, is_draft: bool = False) -> None:
        recorded = self.cases[row.case_id]
        parent = self.parent_of(recorded)
        permit = self.ids.get((self.parents_source, parent))
        facts: dict[str, Any] = {
            "claimant_name": f"Claimant {row.case_id}",
            "amount": max(money(recorded.attributes["amount"]), LEAST),
            "unit": self.unit(row),
            "is_draft": is_draft,
            "needs_permit": bool(parent),
        }
        if permit is not None:
            facts["belongs_to"] = Case.objects.values_list("reference", flat=True).get(pk=permit)
        self.open("claim", row, facts)

    def open_permit(self, row: Row) -> None:
        trip = self._trips[row.case_id]
        facts = {
            "claimant_name": f"Traveller {row.case_id}",
            "amount": money(self.parents[row.case_id].attributes["requested_budget"]),
            "unit": self.unit(row),
            "trip_start": trip["Start trip"],
            "trip_end": trip["End trip"],
            "reminders_from": REMINDERS_FROM,
        }
        self.open("travel_permit", row, facts)

    def open(self, kind: str, row: Row, facts: dict[str, Any]) -> None:
        case = open_case(
            kind=kind,
            facts=facts,
            title=facts["claimant_name"],
            actor=service("portal"),
            team=self._team,
            source=self.source_of(row),
            source_key=row.case_id,
        )
        self.was_opened(row, case)

    def approved(self, row: Row) -> None:
        self.judge(row, role_of(row), "approve")

    def rejected(self, row: Row) -> None:
        who = row.activity.partition(" by ")[2]
        if who == "EMPLOYEE":
            self.move(row, "take_back")
        elif self.step_of(row) in AFTER_APPROVAL:
            name = "permit_rejected" if row.is_parents else "payment_rejected"
            self.tell(row, name, {"reason": "Rejected in the recorded case."}, BOOKKEEPER)
        else:
            role = "" if who == "MISSING" else role_of(row)
            self.judge(row, role, "send_back", "Rejected in the recorded case.")

    def payment_requested(self, row: Row) -> None:
        if self.step_of(row) != Step.APPROVED:
            raise Refused(f"A payment is requested, and the claim stands at {self.step_of(row)}.")
        self.tell(row, "payment_requested", {}, BOOKKEEPER)

    # -- what they are made of

    def judge(self, row: Row, role: str, outcome: str, reason: str = "") -> None:
        task = Task.objects.filter(case_id=self.id_of(row), state="open").first()
        if task is None:
            raise Refused(f"No approval is open; it stands at {self.step_of(row)}.")
        if role and task.role != role:
            raise Refused(f"The {role} is not asked now, but the {task.role}.")
        person = self._people[task.role]
        claim_task(task_id=task.pk, actor=Actor.of(person))
        complete_task(task_id=task.pk, outcome=outcome, reason=reason, actor=Actor.of(person))

    def tell(self, row: Row, name: str, data: dict[str, Any], actor: Actor) -> None:
        deliver_message(
            case_id=self.id_of(row),
            name=name,
            data=data,
            source=f"{self.source_of(row)}-post",
            key=row.key,
            actor=actor,
        )

    def move(self, row: Row, name: str) -> None:
        move_case(case_id=self.id_of(row), name=name, data={}, actor=APPLICANT)

    def unit(self, row: Row) -> str:
        return self._units.get((row.is_parents, row.key), "")


def role_of(row: Row) -> str:
    """The role that a row names, as our people have it."""
    return rules.ROLE_OF[rules.STEP_OF[LINKS[row.activity.partition(" by ")[2]]]]


def money(text: str) -> Decimal:
    return Decimal(text or "0").quantize(Decimal("0.01"))


def unit_for(rows: list[Row]) -> str:
    """The unit whose chain is that of these rows, as far as they go along one round."""
    asked: list[str] = []
    is_whole = False
    for row in rows:
        what, _, who = row.activity.split(" ", 1)[1].partition(" by ")
        if what == "SUBMITTED" or who not in LINKS:
            break
        asked.append(LINKS[who])
        if what != "APPROVED":
            is_whole = what == "FINAL_APPROVED"
            break
    for unit, chain in CHAINS.items():
        if chain[: len(asked)] == asked and (not is_whole or len(chain) == len(asked)):
            return unit
    return ""  # no chain can be so: the rows that do not fit are refused, each with its reason


ACTS: dict[str, Callable[[ClaimDriver, Row], None]] = {
    "SAVED": ClaimDriver.saved,
    "SUBMITTED": ClaimDriver.submitted,
    "APPROVED": ClaimDriver.approved,
    "FINAL_APPROVED": ClaimDriver.approved,
    "REJECTED": ClaimDriver.rejected,
    "Payment": ClaimDriver.payment_requested,
}

driver = ClaimDriver
