"""The receipt of environmental permits in a municipality (Buijs, CoSeLoG), task by task.

    Confirmation of receipt        the application is opened
    T02, T04, T05                  the confirmation is checked, determined, sent; T03 adjusts it
    T06                            the need to stop is assessed, with the advice that then follows
    T07-1 … T07-5                  a colleague advises on one of five aspects
    T08, T09-1 … T09-4             the request for advice goes out; a party's advice is processed
    T10                            it is decided whether to stop
    T11 … T15                      no permit is needed: the letter is written, checked, sent
    T16 … T20                      there are grounds to hold: the report is written, checked, sent

The log has no answers, only what was done next; so what a check found is read from that.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from cases.actors import Actor, party
from cases.models import Case
from processes.acts.messages import deliver_message
from processes.permit import rules
from processes.permit.models import Step
from processes.permit.playlog.people import PermitDriver
from processes.playlog.driver import Answer
from processes.playlog.recorded import Row
from timers import calendars

OPENING = "Confirmation"
CONFIRMATION = ("T02", "T03", "T04", "T05")
UNLICENSED = ("T12", "T13", "T14", "T15")
HOLD_REPORT = ("T17", "T18", "T19", "T20")
PAPERS = {CONFIRMATION: "confirmation", UNLICENSED: "unlicensed", HOLD_REPORT: "hold_report"}
CREATED = {"T11": "create_unlicensed", "T16": "create_hold_report"}
ASPECTS = {f"T07-{n}": name for n, name in enumerate(rules.ASPECTS, start=1)}
PARTIES = {f"T09-{n}": name for n, name in enumerate(rules.PARTIES, start=1)}
CODES = {OPENING, *CONFIRMATION, *UNLICENSED, *HOLD_REPORT, *CREATED, *ASPECTS, *PARTIES}
CODES |= {"T06", "T08", "T10"}


def code_of(row: Row) -> str:
    """The code of a row's activity: its label may have typing errors."""
    return row.activity.split()[0]


@dataclass(kw_only=True)
class ReceiptDriver(PermitDriver):
    """Plays the people of the receipt log."""

    source = "permit-receipt"
    outcomes = {}

    def is_played(self, row: Row) -> bool:
        return code_of(row) in CODES

    def opens(self, row: Row) -> bool:
        return code_of(row) == OPENING

    def outcome_of(self, case: Case) -> str:
        """The log ends where the receipt does: when the case is past it, whatever comes then."""
        return "open" if case.step == Step.RECEIPT else "receipt closed"

    def answer(self, row: Row) -> Answer | None:
        name = self.name_of(row)
        if name in ("open", *(f"advice_{party}" for party in PARTIES.values())):
            return None
        return Answer("task.completed", {"name": name})

    def name_of(self, row: Row) -> str:
        """The task, or the message, that a row stands for."""
        code = code_of(row)
        for codes, paper in PAPERS.items():
            if code in codes:
                acts = ("check", "adjust", "determine", "send")
                return f"{acts[codes.index(code)]}_{paper}"
        others = {
            OPENING: "open",
            "T06": "assess_stop",
            "T08": "request_advice",
            "T10": "decide_stop",
            **CREATED,
            **{code: f"advice_{name}" for code, name in {**ASPECTS, **PARTIES}.items()},
        }
        return others[code]

    def act(self, row: Row) -> None:
        code, name = code_of(row), self.name_of(row)
        if code == OPENING:
            self.register(row)
        elif code in PARTIES:
            self.advise(row, name)
        elif code == "T06":
            outcome, ticks = self.what_was_asked(row)
            self.complete(row, name, outcome, **ticks)
        else:
            self.complete(row, name, self.outcome_for(row, code))

    def outcome_for(self, row: Row, code: str) -> str:
        if code in ASPECTS:
            return "agrees"
        if code == "T10":
            return self.why_stopped(row)
        for codes in PAPERS:
            if code in codes:
                check, adjust, determine, _send = codes
                following = self.next_of(row, (check, adjust, determine))
                if code == check:
                    return {adjust: "adjust", check: "again"}.get(following, "pass")
                if code == determine:
                    return "adjust" if following == adjust else "determine"
                return "done" if code == adjust else "send"
        return "done"

    def next_of(self, row: Row, codes: tuple[str, ...]) -> str:
        return next((code_of(one) for one in self.after(row) if code_of(one) in codes), "")

    def why_stopped(self, row: Row) -> str:
        """Which paper was made afterwards."""
        made = {code_of(one) for one in self.after(row)}
        return "no_permit" if "T11" in made else "hold" if "T16" in made else "go_on"

    def what_was_asked(self, row: Row) -> tuple[str, dict[str, Any]]:
        """The advice that followed an assessment, up to the next one."""
        ticks: dict[str, Any] = {}
        asked_outside = False
        following = ""
        for one in self.after(row):
            code = code_of(one)
            if code in ("T06", "T10"):
                following = code
                break
            asked_outside |= code == "T08"
            if code in ASPECTS:
                ticks[f"aspect_{ASPECTS[code]}"] = True
            elif code in PARTIES:
                ticks[f"party_{PARTIES[code]}"] = True
        if asked_outside and not any(name.startswith("party_") for name in ticks):
            ticks[f"party_{PARTIES['T09-1']}"] = True  # the log ends before an answer came
        if ticks:
            return "advice", ticks
        return ("later" if following == "T06" else "clear"), {}

    def register(self, row: Row) -> None:
        recorded = self.cases[row.case_id].attributes
        began = datetime.fromisoformat(recorded["start"])
        self.open(
            row,
            received_on=calendars.default().local(began).date(),
            parts="environment",
            channel=recorded["channel"].lower(),
        )

    def advise(self, row: Row, name: str) -> None:
        """The recorded person processes what a party sent; after its time it is only kept."""
        on_behalf = party(rules.PARTIES[PARTIES[code_of(row)]]).code
        deliver_message(
            case_id=self.id_of(row),
            name=name,
            data={"view": "agrees", "text": f"As recorded, row {row.seq}."},
            source=f"{self.source}-advice",
            key=row.key,
            actor=Actor.of(self.person(row.resource), on_behalf=on_behalf),
        )
        self.installation.settle()
