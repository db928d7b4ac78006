"""One closed case, played again from where a change first touches it. Nothing is written."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from types import SimpleNamespace
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django_fsm import TransitionNotAllowed

from audit.record import Recorded
from cases.models import Case
from processes.backtest.answers import Answers, Given, NoData
from processes.decisions.errors import NoDecision
from processes.decisions.tables import TableVersion
from processes.engine import casetime
from processes.engine import commands as asked
from processes.engine.errors import StepBroken
from processes.engine.restarting import RESTART
from processes.engine.run import Run
from processes.engine.runner import Runner, StepCode
from processes.engine.stopping import describe
from processes.kinds import Kind, kind_of
from timers import calendars, clocks, clockwork
from timers.clocks import RESUME, due_times

MOST_VISITS = 200  # of one case; past this its code goes in circles
MOST_EVENTS = 20_000
MAIL = "the mail"  # on what the activities wait that write letters


class NotPlayable(Exception):
    """The history of this case cannot be played again, changed or not. The text says why."""


@dataclass(frozen=True, slots=True)
class Change:
    """What is tried: the code of some steps, and a version of some tables, by owner and name."""

    codes: dict[str, StepCode] = field(default_factory=dict)
    tables: dict[tuple[str, str], TableVersion] = field(default_factory=dict)

    def touches(self, entered: Recorded, visit: Sequence[Recorded]) -> bool:
        """Whether a recorded visit would have run anything of it."""
        if entered.data["step"] in self.codes:
            return True
        names = {name for _owner, name in self.tables}
        return any(e.type == "table.decided" and e.data["name"] in names for e in visit)


@dataclass(frozen=True, slots=True)
class End:
    """How a case ended: recorded, or played."""

    outcome: str
    closed_at: datetime
    reviews: int
    path: tuple[str, ...]  # the steps it entered


def recorded_end(events: Sequence[Recorded]) -> End:
    """How the recorded case ended. Raises NotPlayable for one that is open, or was reopened."""
    entries = [event for event in events if event.type == "step.entered"]
    last = entries[-1] if entries else None
    if last is None or not last.data.get("closed"):
        raise NotPlayable("it is not closed")
    if any(event.data.get("reopened") for event in entries):
        raise NotPlayable("it was reopened")
    if any(event.data["transition"] == RESTART for event in entries):
        raise NotPlayable("a step of it was restarted")
    reviews = sum(
        event.type == "task.opened" and event.data.get("review", False) for event in events
    )
    path = tuple(event.data["step"] for event in entries)
    return End(last.data["outcome"], last.recorded_at, reviews, path)


def play(case: Case, events: Sequence[Recorded], change: Change, *, first: int) -> End:
    """How the case ends with the change, from the visit entered by event number `first` on.

    Raises NoData, and StepBroken or whatever the changed code raises.
    """
    return _Trial(case, events, change).play(first)


class _Trial:
    """A case in memory, its time, and what is going to happen to it."""

    def __init__(self, case: Case, events: Sequence[Recorded], change: Change) -> None:
        self.kind: Kind = kind_of(case.kind)
        self.events, self.change = events, change
        self.case_id = case.pk
        row = {f.attname: getattr(case, f.attname) for f in Case._meta.concrete_fields}
        self.run = Run(row={**row, "closed_at": None, "outcome": ""}, kind=self.kind)
        self.runner: Runner | None = None
        self.clocks: dict[str, Any] = {}
        self.documents: dict[str, str] = {}
        self.now = case.opened_at
        self.visit = 0
        self.reviews = 0
        self.path: list[str] = []
        self._numbers = count(1)
        self._order = count()
        self._due: list[tuple[datetime, int, int, str, dict[str, Any], str]] = []
        self._by_clock: dict[int, str] = {}  # commands that end with a clock's limit

    def play(self, first: int) -> End:
        before = [event for event in self.events if event.number < first]
        later = [event for event in self.events if event.number >= first]
        entered = later[0]
        self.answers = Answers(self.kind, later)
        self.unasked = [event for event in self.answers.unasked if event.number != first]
        self.path = [event.data["step"] for event in before if event.type == "step.entered"]
        self.reviews = sum(e.type == "task.opened" and e.data.get("review", False) for e in before)
        self.visit = entered.data["visit"] - 1
        self.now = entered.recorded_at
        self.clocks = clocks.decode_all(entered.data.get("clocks", {}))
        self.documents = dict(entered.data.get("documents", {}))
        self.run.row["step"] = entered.data["step"]
        self.run.build(entered.data["facts"])
        try:
            if not self._enter(entered.data["transition"], entered.data["facts"]):
                self._go_on()
        finally:
            if self.runner is not None:
                self.runner.close()
        case = self.run.case
        outcome = case.outcome or str(case.step)
        return End(outcome, self.now, self.reviews, tuple(self.path))

    # -- steps

    def _enter(self, transition: str, facts: dict[str, Any]) -> bool:
        """Enter the step in which the case stands; whether it is closed there."""
        if self.runner is not None:
            self.clocks, self.documents = self.runner.clocks, self.runner.documents
            self.runner.close()
            self.runner = None
        step = str(self.run.case.step)
        self.visit += 1
        self.path.append(step)
        self._due, self._by_clock = [], {}
        if len(self.path) > MOST_VISITS:
            raise StepBroken(f"It enters more than {MOST_VISITS} steps, so it goes in circles.")
        if self.kind.is_closing(step):
            return True
        code = self.change.codes.get(step) or self.kind.code_of(step)
        entered = self._told(
            "step.entered",
            {
                "step": step,
                "visit": self.visit,
                "transition": transition,
                "facts": facts,
                "documents": dict(self.documents),
                "clocks": clocks.encode_all(self.clocks),
            },
        )
        self.run.entered, self.run.events = entered, []
        self.run.row["step"], self.run.row["visit"] = step, self.visit
        if code is None:
            return False
        outcome, reason = self.run.case.outcome, self.run.case.outcome_reason
        self.run.build(facts)
        self.run.case.outcome, self.run.case.outcome_reason = outcome, reason
        self.runner = Runner(
            code=code, case=self.run.case, visit=self.visit, documents=self.documents
        )
        self.runner.is_live = True
        self.runner.start(entered)
        return False

    def _go_on(self) -> None:
        """Until the case is closed."""
        for _turn in range(MOST_EVENTS):
            if self.runner is not None:
                while self.runner.issued:
                    self._perform(self.runner.issued[0])
                self.runner.marks.clear()
                if self.runner.is_done:
                    move = self.runner.outcome()
                    if self._enter(move.name, self.run.facts):
                        return
                    continue
            if self._next():
                return
        raise StepBroken(f"More than {MOST_EVENTS} events did not bring it to an end.")

    # -- what the code asks

    def _perform(self, command: asked.Command) -> None:
        runner = self.runner
        assert runner is not None
        data = {"command": command.number, **command.data()}
        match command:
            case asked.DoInside():
                given = self._given(command)
                data |= {k: v for k, v in given.asked.data.items() if k in ("result", "error")}
            case asked.CallActivity():
                self._comes(command, self._given(command))
            case asked.SetTimer():
                self._set_timer(command, data)
            case asked.MoveClock():
                data |= self._clock(command)
            case asked.DecideByTable():
                data |= self._decide(command)
            case asked.AskDocuments():
                self._ask_papers(command)
            case asked.AskTask():
                self.reviews += command.is_review
                self._answer(command, command.name)
            case asked.AwaitMessage() | asked.AskParty():
                self._answer(command, command.name)
            case asked.OpenSubcase():
                given = self._answer(command, command.name)
                data |= {"reference": given.asked.data["reference"], "child": 0}
        runner.deliver(self._told(command.event, data))

    def _given(self, command: asked.CallActivity) -> Given:
        """What a recorded run of an activity gave. A letter goes the same way, whatever it says."""
        arguments = None if command.definition.on == MAIL else command.arguments
        return self.answers.of(command.event, command.name, arguments)

    def _answer(self, command: asked.Command, name: str) -> Given:
        """Its recorded answer comes as long after the question as it did."""
        given = self.answers.of(command.event, name)
        self._comes(command, given)
        return given

    def _comes(self, command: asked.Command, given: Given) -> None:
        for took, event in given.answers:
            told = {**event.data, "command": command.number}
            self._later(self.now + took, event.type, told, event.actor)

    def _ask_papers(self, command: asked.AskDocuments) -> None:
        runner = self.runner
        assert runner is not None
        good = ("accepted",) if command.enough == "accepted" else ("accepted", "received")
        for name in command.names:
            if runner.documents.get(name) in good and not command.afresh:
                continue
            for took, event in self.answers.papers(name):
                self._later(self.now + took, event.type, dict(event.data), event.actor)

    def _set_timer(self, command: asked.SetTimer, data: dict[str, Any]) -> None:
        if command.clock:
            casetime.clock_of(self._run_with_clocks(), command.clock)
            self._by_clock[command.number] = command.clock
            return
        due_at = command.at or casetime.due_after(self.run, command.span, self.now, data)
        data["due_at"] = due_at
        self._later(due_at, "timer.fired", {"command": command.number, "due_at": due_at}, "engine")

    def _run_with_clocks(self) -> Run:
        """The run, with the clocks as the code sees them."""
        assert self.runner is not None
        self.run.clocks = self.runner.clocks
        return self.run

    def _clock(self, command: asked.MoveClock) -> dict[str, Any]:
        turn: Any = SimpleNamespace(now=self.now)
        return casetime.asked_by_code(command, turn, self._run_with_clocks(), self.now)

    def _decide(self, command: asked.DecideByTable) -> dict[str, Any]:
        table = command.table
        version = self.change.tables.get((table.owner, table.name))
        try:
            version = version or table.on(timezone.localdate(self.now))
            return version.decide(command.facts).data()
        except NoDecision as error:
            raise StepBroken(str(error)) from None

    # -- what happens next

    def _next(self) -> bool:
        """Let the earliest thing happen; whether it closed the case. Raises NoData when nothing
        is left that could."""
        while self._due and self._is_given_up(self._due[0][2]):
            heapq.heappop(self._due)
        limit = self._next_limit()
        times = [
            self._due[0][0] if self._due else None,
            limit[0] if limit else None,
            self.unasked[0].recorded_at if self.unasked else None,
        ]
        known = [at for at in times if at is not None]
        if not known:
            words = _("in step “%(step)s” it waits for what never came")
            raise NoData(words % {"step": self.kind.step_label(self.path[-1])})
        at = min(known)
        self.now = max(self.now, at)
        if times[2] == at:
            return self._unasked(self.unasked.pop(0))
        if times[1] == at and limit:
            self._clock_is_due(limit[1], limit[2])
            return False
        _at, _order, _command, type, data, actor = heapq.heappop(self._due)
        if self.runner is not None:
            self.runner.deliver(self._told(type, data, actor))
        return False

    def _is_given_up(self, number: int) -> bool:
        if self.runner is None or number == 0:
            return False
        command = self.runner.commands.get(number)
        return command is None or command.settled or command.is_cancelled

    def _next_limit(self) -> tuple[datetime, str, str] | None:
        states = self.runner.clocks if self.runner is not None else self.clocks
        found = [
            (at, name, mark)
            for name, state in states.items()
            for mark, at in due_times(state).items()
        ]
        return min(found) if found else None

    def _clock_is_due(self, name: str, mark: str) -> None:
        """As casetime.fire, without telling anybody."""
        runner = self.runner
        states = runner.clocks if runner is not None else self.clocks
        state = states[name]
        due_at = due_times(state)[mark]
        if mark == "pause" and state.after_pause == RESUME:
            until = state.dates.pause_until or self.now
            calendar = calendars.named(state.calendar)
            data = clockwork.resumed(state, until=until, at=self.now, calendar=calendar)
            told = self._told("clock.resumed", {**data, "automatic": True})
        else:
            passed = {"name": name, "mark": mark, "due_at": due_at, "limit_at": state.limit_at}
            told = self._told(casetime.PASSED.get(mark, "clock.warned"), passed)
        if runner is None:
            clocks.track(states, told.type, told.data, told.recorded_at)
            return
        runner.deliver(told)
        if mark == "limit":
            for number, clock in sorted(self._by_clock.items()):
                if clock == name and not self._is_given_up(number) and self.runner is runner:
                    runner.deliver(self._told("timer.fired", {"command": number, "due_at": due_at}))

    def _unasked(self, event: Recorded) -> bool:
        """What people did by hand, where the case still stands so that they could."""
        if event.type == "step.entered":
            name, given = event.data["transition"], event.data.get("data", {})
            try:
                getattr(self.run.case, name)(**given)
            except TransitionNotAllowed:
                return False
            return self._enter(name, self.run.facts)
        if event.type == "facts.changed":
            if self.runner is not None:
                self.runner.deliver(self._told(event.type, event.data, event.actor))
            else:
                for fact, (_before, after) in event.data["changes"].items():
                    setattr(self.run.case, fact, after)
            return False
        states = self.runner.clocks if self.runner is not None else self.clocks
        if event.data["name"] in states:
            clocks.track(states, event.type, event.data, event.recorded_at)
        return False

    def _later(self, at: datetime, type: str, data: dict[str, Any], actor: str) -> None:
        number = data.get("command", 0)
        heapq.heappush(self._due, (at, next(self._order), number, type, data, actor))

    def _told(self, type: str, data: dict[str, Any], actor: str = "engine") -> Recorded:
        """An event that is written nowhere."""
        number = next(self._numbers)
        seed = number.to_bytes(32, "big")
        told = Recorded(self.case_id, number, type, "", actor, "", self.now, self.now, seed)
        told._data = data
        return told


def why(error: BaseException) -> str:
    """An error of played code, in a sentence."""
    return describe(error)


def days_between(one: datetime, other: datetime) -> float:
    return (other - one) / timedelta(days=1)
