"""Building permits of a municipality (BPI Challenge 2015, municipality 1), phase by phase.

The log has 398 codes, many of them questions; a question answered False is a branch not taken.
Played are the rows that bring a permit into its next phase, and those of missing data, extension,
suspension, withdrawal and objection. A phase that was passed over is gone through on the way; a
row for a phase that the permit is past was booked late, and changes nothing. Nobody plays that a
decision becomes irrevocable: six weeks after the decision was sent it must have become so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.files.base import ContentFile

from cases.actors import Actor, party
from cases.errors import Refused
from cases.models import Case
from processes.acts.documents import receive_document
from processes.acts.messages import deliver_message
from processes.permit import rules
from processes.permit.models import Decision, PermitApplication, Step
from processes.permit.playlog.people import PermitDriver
from processes.playlog.recorded import RecordedCase, Row
from timers import calendars

# The row → the step that it brings a permit to.
PHASES = {
    "01_HOOFD_015": Step.COMPLETENESS,
    "01_HOOFD_195": Step.ASSESSMENT,
    "01_HOOFD_375": Step.DRAFT,
    "01_HOOFD_494a": Step.DECISION,
    "01_HOOFD_495": Step.SENDING,
    "01_HOOFD_510_2": Step.OBJECTION_TERM,
    "01_HOOFD_510_2a": Step.OBJECTION_TERM,
    "01_HOOFD_515": Step.OBJECTION_TERM,
}
REGISTERED = "01_HOOFD_010"
IRREVOCABLE = ("01_BB_770", "01_BB_775")
CLOSED = ("01_HOOFD_815", "01_HOOFD_814")
ENDED = ("05_EIND_025", "05_EIND_065", "05_EIND_070")
ASKED = ("08_AWB45_020_1", "08_AWB45_025")
SUPPLIED = ("08_AWB45_030", "08_AWB45_045")  # the first is a question: did they come?
UNTREATED = "08_AWB45_060"  # a question
EXTENDED = "06_VD_010"  # a question
SUSPENDED = ("07_OPS_010", "11_AH_II_035")
RESUMED = ("07_OPS_070", "11_AH_II_145")
OBJECTED = ("01_BB_540", "01_BB_630")  # questions: objection, appeal
AFFECTED = "01_BB_730"  # a question: does the decision fall?
REFUSAL = "01_HOOFD_380"  # a question: are there grounds to refuse?
QUESTIONS = {UNTREATED, EXTENDED, "07_OPS_010", *OBJECTED}

# How far along the main line a step is; steps beside it count as the one they return to.
RANK = {
    step: rank
    for rank, steps in enumerate(
        (
            (Step.RECEIPT,),
            (Step.COMPLETENESS, Step.AWAITING_DATA),
            (Step.ASSESSMENT,),
            (Step.DRAFT,),
            (Step.DECISION,),
            (Step.SENDING,),
            (Step.OBJECTION_TERM, Step.IRREVOCABLE),
        )
    )
    for step in steps
}
PARTS = {
    "Bouw": "build",
    "Sloop": "demolish",
    "Kap": "fell",
    "Handelen in strijd met regels RO": "use",
    "Aanleg (Uitvoeren werk of werkzaamheid)": "groundwork",
    "Milieu (vergunning)": "environment",
    "Milieu (neutraal wijziging)": "environment",
    "Milieu (omgevingsvergunning beperkte milieutoets)": "environment",
    "Milieu (melding)": "environment",
    "Monument": "monument",
    "Reclame": "sign",
    "Inrit/Uitweg": "driveway",
    "Brandveilig gebruik (vergunning)": "fire_safety",
    "Brandveilig gebruik (melding)": "fire_safety",
    "Gebiedsbescherming": "nature",
    "Flora en Fauna": "nature",
}
REACHED = {
    Step.RECEIPT: "registered",
    Step.COMPLETENESS: "received",
    Step.AWAITING_DATA: "received",
    Step.ASSESSMENT: "receptive",
    Step.DRAFT: "advice known",
    Step.DECISION: "draft ready",
    Step.SENDING: "decision taken",
    Step.OBJECTION_TERM: "sent",
    Step.WITHDRAWN: "aborted",
    Step.ARCHIVED: "handled",
}


def answer_of(row: Row) -> str:
    return row.values.get("answer", "")


@dataclass(kw_only=True)
class PhasesDriver(PermitDriver):
    """Plays the people of the building permits."""

    source = "permit-bpic2015m1"
    outcomes = {}

    def is_played(self, row: Row) -> bool:
        if row.activity in QUESTIONS:
            return answer_of(row) == "True"
        return row.activity in HANDLERS

    def opens(self, row: Row) -> bool:
        """The first row that is played: a phase may be booked before the registration."""
        return row is next(one for one in self.rows_of[row.case_id] if self.is_played(one))

    def act(self, row: Row) -> None:
        if self.opens(row):
            self.register(row)
        HANDLERS[row.activity](self, row)

    # -- how it ended

    def recorded_outcome(self, case: RecordedCase) -> str:
        """The farthest phase that the rows of a case record.

        The log's own last phase is no measure: it was read later than the rows end.
        """
        reached, found = -1, "not opened"
        for row in self.rows_of.get(case.case_id, []):
            code = row.activity
            if not self.is_played(row):
                continue
            if code in CLOSED:
                return found if found in ("aborted", "not treated") else "handled"
            if code in ENDED and found not in ("handled", "not treated"):
                found, reached = "aborted", 99
            elif code == UNTREATED and reached < RANK[Step.ASSESSMENT]:
                found, reached = "not treated", 99
            elif (code == AFFECTED and answer_of(row) == "True") and found == "sent":
                reached, found = RANK[Step.DRAFT], "advice known"
            else:
                step = PHASES.get(
                    code, Step.OBJECTION_TERM if code in IRREVOCABLE else Step.RECEIPT
                )
                if RANK[step] > reached:
                    reached, found = RANK[step], REACHED[step]
        return found

    def outcome_of(self, case: Case) -> str:
        """Where ours stands, in the log's words. What the engine does after the last row, that a
        decision sent becomes irrevocable, is no other end."""
        permit = PermitApplication.objects.get(pk=case.pk)
        if permit.decision == Decision.NOT_TREATED:
            return "not treated"
        if permit.step == Step.IRREVOCABLE:
            return "sent"
        if permit.step == Step.SUSPENDED:
            return REACHED.get(Step(permit.suspended_from), permit.step)
        return REACHED.get(Step(permit.step), permit.step)

    # -- rows

    def register(self, row: Row) -> None:
        recorded = self.cases[row.case_id].attributes
        named = [PARTS[part.strip()] for part in recorded["parts"].split(",") if part.strip()]
        began = datetime.fromisoformat(recorded["first"])
        self.open(
            row,
            received_on=calendars.default().local(began).date(),
            parts=" ".join(dict.fromkeys(named)) or "build",
        )

    def registered(self, row: Row) -> None:
        """Opening it was all."""

    def phase(self, row: Row) -> None:
        self.bring(row, PHASES[row.activity])

    def bring(self, row: Row, target: Any) -> None:
        """Do what is to be done until the case stands at a step, or past it."""
        while True:
            step: Any = Step(self.step_of(row) or "")
            if step == Step.SUSPENDED:
                self.complete(row, "resume", "resume")
            elif step not in RANK or RANK[step] >= RANK[target]:
                if step == Step.AWAITING_DATA and target == Step.COMPLETENESS:
                    return
                if step not in RANK:
                    raise Refused(f"The permit is at “{step.label}”: no phase comes after it.")
                return
            else:
                self.step_on(row, step)
            if self.step_of(row) == step:
                raise Refused(f"The permit does not leave “{step.label}”.")

    def step_on(self, row: Row, step: Any) -> None:
        """What leads from a step to the next one of the main line."""
        match step:
            case Step.RECEIPT:
                for name, outcome in RECEIPT:
                    self.complete(row, name, outcome)
            case Step.COMPLETENESS:
                self.complete(row, "completeness", "complete")
            case Step.AWAITING_DATA:
                self.supply(row)
            case Step.ASSESSMENT:
                for task in self.open_tasks(row):
                    self.finish(row, task, "for")
            case Step.DRAFT:
                self.complete(row, "draft", "refuse" if self.is_refused(row) else "grant")
            case Step.DECISION:
                self.complete(row, "decision", "decide")
            case Step.SENDING:
                self.complete(row, "send_decision", "send")

    def is_refused(self, row: Row) -> bool:
        rows = self.rows_of[row.case_id]
        return any(one.activity == REFUSAL and answer_of(one) == "True" for one in rows)

    def irrevocable(self, row: Row) -> None:
        """The clerk notes what must have come about by itself."""
        step = self.step_of(row)
        if step == Step.OBJECTION:
            self.judge(row, falls=False)
            step = self.step_of(row)
        if step == Step.APPEAL_TERM:
            return  # noted before the six weeks for an appeal are over; the engine waits for them
        if step != Step.IRREVOCABLE:
            raise Refused(
                f"The permit is at “{Step(step or '').label}”: the six weeks after a decision was "
                "sent are not over."
            )

    def closed(self, row: Row) -> None:
        if self.step_of(row) == Step.IRREVOCABLE:
            self.complete(row, "close_file", "archive")
        elif self.permit(row).decision == Decision.NOT_TREATED:
            return  # closed in the log at once, in ours when nobody can object any more
        else:
            self.move(row, "close_early")

    def ended(self, row: Row) -> None:
        self.move(row, "withdraw")

    def asked(self, row: Row) -> None:
        """The applicant is asked for data; once the content is assessed, it was booked late."""
        self.bring(row, Step.COMPLETENESS)
        if self.step_of(row) == Step.COMPLETENESS and self.is_asked_first(row):
            few = any(
                one.activity == "08_AWB45_010" and answer_of(one) == str(rules.FEW_DATA_DAYS)
                for one in self.rows_of[row.case_id]
            )
            ticks = {"drawings": True, **({"short": True} if few else {})}
            self.complete(row, "completeness", "missing", **ticks)

    def is_asked_first(self, row: Row) -> bool:
        """Whether this is the first of the rows that book one request."""
        rows = self.rows_of[row.case_id]
        before = [one.activity for one in rows[: rows.index(row)]]
        asked = [place for place, code in enumerate(before) if code in ASKED]
        return not asked or any(code in SUPPLIED for code in before[asked[-1] :])

    def supplied(self, row: Row) -> None:
        if self.step_of(row) != Step.AWAITING_DATA:
            return
        if answer_of(row) != "False":
            self.supply(row)
        elif not any(task.name == "untreated" for task in self.open_tasks(row)):
            self.nothing_comes(row)

    def supply(self, row: Row) -> None:
        """What the case still waits for comes in."""
        for wait in self.case(row).waits:
            for name in wait.get("missing", ()):
                text = f"{name} of application {row.case_id}, row {row.seq}\n"
                receive_document(
                    case_id=self.id_of(row),
                    name=name,
                    file=ContentFile(text.encode(), name=f"{name}.txt"),
                    actor=Actor.of(self.person(row.resource), on_behalf=party("applicant").code),
                )
                self.installation.settle()

    def untreated(self, row: Row) -> None:
        """A request that was not booked is made on the way."""
        if self.step_of(row) in (Step.RECEIPT, Step.COMPLETENESS):
            self.bring(row, Step.COMPLETENESS)
            self.complete(row, "completeness", "missing", drawings=True)
        if self.step_of(row) == Step.AWAITING_DATA:
            if not any(task.name == "untreated" for task in self.open_tasks(row)):
                self.nothing_comes(row)
            self.complete(row, "untreated", "untreated")

    def nothing_comes(self, row: Row) -> None:
        self.deliver(row, "nothing_comes", {"reason": f"As recorded, row {row.seq}."})

    def extended(self, row: Row) -> None:
        self.deliver(row, "extend_term", {"reason": f"As recorded, row {row.seq}."})

    def suspended(self, row: Row) -> None:
        if self.step_of(row) != Step.SUSPENDED:
            self.move(row, "suspend")

    def resumed(self, row: Row) -> None:
        if self.step_of(row) == Step.SUSPENDED:
            self.complete(row, "resume", "resume")

    def objected(self, row: Row) -> None:
        """An objection, or an appeal; what was booked after the six weeks is excused."""
        step = self.step_of(row)
        if step not in (Step.OBJECTION_TERM, Step.IRREVOCABLE):
            return
        said = {"by": "A neighbour", "email": "", "grounds": f"As recorded, row {row.seq}."}
        self.deliver(row, "objection", said)
        if step == Step.IRREVOCABLE:
            self.complete(row, "late_objection", "excused")

    def affected(self, row: Row) -> None:
        if self.step_of(row) == Step.OBJECTION:
            self.judge(row, falls=answer_of(row) == "True")

    def judge(self, row: Row, *, falls: bool) -> None:
        for task in self.open_tasks(row):
            if task.name == "hearing":
                self.finish(row, task, "done")
        self.complete(row, "objection", "founded" if falls else "unfounded")

    def deliver(self, row: Row, name: str, data: dict[str, str]) -> None:
        deliver_message(
            case_id=self.id_of(row),
            name=name,
            data=data,
            source=f"{self.source}-messages",
            key=row.key,
            actor=self.actor(row),
        )
        self.installation.settle()

    def permit(self, row: Row) -> PermitApplication:
        return PermitApplication.objects.get(pk=self.id_of(row))


RECEIPT = (
    ("check_confirmation", "pass"),
    ("determine_confirmation", "determine"),
    ("send_confirmation", "send"),
    ("assess_stop", "clear"),
    ("decide_stop", "go_on"),
)
HANDLERS: dict[str, Callable[[PhasesDriver, Row], None]] = {
    REGISTERED: PhasesDriver.registered,
    **dict.fromkeys(PHASES, PhasesDriver.phase),
    **dict.fromkeys(IRREVOCABLE, PhasesDriver.irrevocable),
    **dict.fromkeys(CLOSED, PhasesDriver.closed),
    **dict.fromkeys(ENDED, PhasesDriver.ended),
    **dict.fromkeys(ASKED, PhasesDriver.asked),
    **dict.fromkeys(SUPPLIED, PhasesDriver.supplied),
    UNTREATED: PhasesDriver.untreated,
    EXTENDED: PhasesDriver.extended,
    **dict.fromkeys(SUSPENDED, PhasesDriver.suspended),
    **dict.fromkeys(RESUMED, PhasesDriver.resumed),
    **dict.fromkeys(OBJECTED, PhasesDriver.objected),
    AFFECTED: PhasesDriver.affected,
}
