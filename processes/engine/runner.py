"""The deterministic runner: a pure function of a step's code and its events.

It drives plain coroutines with a loop of its own. `deliver` is given the events of a visit one by
one. Events that record commands are compared with what the code asked for; events that settle
them let the code go on. Replay and real running are the same calls, so they cannot differ.
"""

from __future__ import annotations

import hashlib
import sys
import threading
from collections import deque
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils import translation

from audit.record import Recorded
from cases.fsm import Move
from processes.decisions.tables import Decision
from processes.engine import guard, places
from processes.engine.commands import (
    ISSUING,
    AskDocuments,
    CallActivity,
    CancelWaits,
    Command,
    Waitable,
)
from processes.engine.errors import (
    ActivityFailed,
    Cancelled,
    NotDeterministic,
    ReplayMismatch,
    StepBroken,
)
from processes.engine.phrases import phrase
from processes.engine.standing import ask, document_state
from timers import clocks


class _Here(threading.local):
    """The runner at work in this thread. Reading it is no call that the guard would see."""

    runner: Runner | None = None
    speaks = False  # the installation's language, for what step code says


_here = _Here()


@contextmanager
def speaking() -> Iterator[None]:
    """What step code asks for is recorded: never in the language of who happens to read. Around
    many deliveries, for to change the language takes as long as to deliver an event."""
    if _here.speaks:
        yield
        return
    with translation.override(settings.LANGUAGE_CODE):
        _here.speaks = True
        try:
            yield
        finally:
            _here.speaks = False


def current() -> Runner:
    """The runner whose step code runs now. Words of a step mean nothing elsewhere."""
    if _here.runner is None:
        raise StepBroken("This word belongs into the code of a step; outside of it nothing waits.")
    return _here.runner


@dataclass(frozen=True, slots=True)
class StepCode:
    """The code of one step, one version, as it stands in the source."""

    kind: str
    step: str
    version: int
    function: Any
    digest: str
    text: str
    file: str
    line: int


class Strand(Waitable):
    """One coroutine in progress. The step's code is the main strand; races add more."""

    __slots__ = ("coroutine", "waits_for", "deadlines", "runner", "_throw")

    def __init__(self, runner: Runner, coroutine: Coroutine[Any, Any, Any]) -> None:
        super().__init__()
        self.runner = runner
        self.coroutine = coroutine
        self.waits_for: Waitable | None = None
        self.deadlines: list[Any] = []
        self._throw: BaseException | None = None

    def throw(self, error: BaseException) -> None:
        """Wake it with an error at the line where it waits."""
        if not self.settled:
            self._throw = error
            self.waits_for = None
            self.runner.ready.append(self)

    def cancel(self) -> None:
        self.throw(Cancelled())

    def wake(self, waitable: Waitable) -> None:
        if self.waits_for is waitable:
            self.waits_for = None
            self.runner.ready.append(self)

    def resume(self) -> None:
        """Run until it waits or ends."""
        error, self._throw = self._throw, None
        self.runner.strand = self
        profile = sys.getprofile()
        try:
            sys.setprofile(guard._watch)
            if error is not None:
                waitable = self.coroutine.throw(error)
            else:
                waitable = self.coroutine.send(None)
        except StopIteration as end:
            sys.setprofile(profile)
            self.settle(end.value)
        except Cancelled:
            sys.setprofile(profile)
            self.settle(None)
        except Exception as failure:
            sys.setprofile(profile)
            self.settle(error=failure)
        except guard.Reached as reached:
            sys.setprofile(profile)
            refusal = NotDeterministic(str(reached))
            self.settle(error=refusal.with_traceback(reached.__traceback__))
        except SystemExit as end:  # it would end the worker, and each worker after it
            sys.setprofile(profile)
            self.settle(error=StepBroken(f"Step code may not end the process ({end!r})."))
        except BaseException:
            sys.setprofile(profile)
            raise
        else:
            sys.setprofile(profile)
            if not isinstance(waitable, Waitable):
                self.settle(
                    error=StepBroken(
                        "Step code may await only the words of a step; it awaited "
                        f"{waitable!r}, which no engine can wait for durably."
                    )
                )
                return
            if isinstance(waitable, Command) and waitable.runner is None:
                self.runner.issue(waitable)
            self.waits_for = waitable
            waitable.on_settle(lambda: self.wake(waitable))


class Runner:
    """One visit of a step: its code, driven by its events."""

    def __init__(
        self,
        *,
        code: StepCode,
        case: Any,
        visit: int,
        documents: dict[str, str] | None = None,
        history: Sequence[Recorded] = (),
    ) -> None:
        self.code = code
        self.case = case
        self.visit = visit
        self.documents = dict(documents or {})
        self.replaced: dict[str, int] = {}  # papers accepted once, of which a newer version came in
        self.clocks: dict[str, clocks.ClockState] = {}
        self.commands: dict[int, Command] = {}
        self.issued: deque[Command] = deque()
        self.ready: deque[Strand] = deque()
        self.strand: Strand | None = None
        self.main: Strand | None = None
        self.strands: list[Strand] = []
        self.now: datetime | None = None
        self.completed: list[tuple[Command, Any]] = []  # with something to compensate
        self.history = history  # of the visit, also what was not delivered yet
        self.is_live = False  # it runs for the first time; else it is a replay
        self.changes: dict[str, bool] = {}  # what changed() gave, by name
        self.marks: list[str] = []  # names of changes that are to be recorded
        self.is_traced = False  # note the line of each command
        self._chance = 0
        self._seed = b""

    # -- what the outside asks

    @property
    def is_done(self) -> bool:
        return self.main is not None and self.main.settled

    @property
    def error(self) -> BaseException | None:
        return self.main.error if self.main is not None else None

    def outcome(self) -> Move:
        """The transition that the code returned. Raises the code's error, or StepBroken."""
        assert self.main is not None
        value = self.main.take()
        for strand in self.strands:
            if strand.error is not None and not strand.heard:
                raise strand.error  # of something that was started and that nobody awaited
        if callable(value):
            value = value()
        if not isinstance(value, Move):
            raise StepBroken(
                f"{places.place(self.code.file, self.code.line)}: the code of step "
                f"“{self.code.step}” ended with {value!r}; it must return a transition of the "
                "case, such as `return case.decline(reason=…)`."
            )
        return value

    def open_commands(self) -> list[Command]:
        """What was recorded and is neither settled nor given up."""
        return [
            c
            for c in self.commands.values()
            if c.opens and not c.settled and not c.is_cancelled and c.recorded_at is not None
        ]

    # -- events

    def start(self, entered: Recorded) -> None:
        """The step was entered: run its code from the top."""
        self._seed = entered.hash
        self.now = entered.recorded_at
        self.clocks = clocks.decode_all(entered.data.get("clocks", {}))
        self.main = self.spawn(self.code.function(self.case))
        self.drive()

    def deliver(self, event: Recorded) -> None:
        """The next event of the visit. Raises ReplayMismatch when the code asks otherwise."""
        self.now = event.recorded_at
        if event.type in ISSUING:
            if event.type in clocks.COMMANDED:
                clocks.track(self.clocks, event.type, event.data, event.recorded_at)
            if event.structure.get("command", -1) >= 0:
                self._recorded(event)
        else:
            self._settle(event)
        if self.ready:
            self.drive()

    def _recorded(self, event: Recorded) -> None:
        # Which activity it was is no secret, and with what is not asked again.
        data = event.structure if event.type == "activity.scheduled" else event.data
        command = self.issued.popleft() if self.issued else None
        if command is None or command.event != event.type or not command.same(data):
            raise ReplayMismatch(
                number=event.number,
                expected=phrase(event.type, data),
                came=command.words() if command else "nothing more",
                place=(command.place if command else "") or self.place(),
            )
        command.recorded(data, event.recorded_at)
        if event.type == "activity.done":
            if "error" in data:
                command.settle(error=ActivityFailed(data["name"], data["error"], final=True))
            else:
                command.settle(data["result"])
        elif event.type == "table.decided":
            command.settle(Decision.recorded(data))
        elif event.type == "wait.cancelled":
            command.settle()
        elif event.type in clocks.COMMANDED:
            command.settle(self.clocks[data["name"]])
        elif isinstance(command, AskDocuments):
            ask(self.documents, data)
            if command.is_met(self.documents):
                command.settle(dict(self.documents))

    def _settle(self, event: Recorded) -> None:
        data = event.data
        settle = _SETTLING.get(event.type)
        if settle is not None:
            command = self.commands.get(data["command"])
            if command is not None and not command.is_cancelled:
                settle(self, command, data, event)
        elif event.type == "facts.changed":
            for name, (_before, after) in data["changes"].items():
                setattr(self.case, name, after)
        elif event.type == "due.moved":
            moved = self.commands.get(data["command"])
            if moved is not None:
                moved.until = data["due_at"]
        elif event.type in clocks.EVENTS:
            clocks.track(self.clocks, event.type, data, event.recorded_at)
        elif event.type.startswith("document."):
            if event.type == "document.received" and (
                self.documents.get(data["name"]) == "accepted" or data["name"] in self.replaced
            ):
                self.replaced[data["name"]] = data["version"]
            self.documents[data["name"]] = document_state(event.type)
            for command in self.open_commands():
                if isinstance(command, AskDocuments) and command.is_met(self.documents):
                    command.settle(dict(self.documents))

    # -- the loop

    def spawn(self, coroutine: Coroutine[Any, Any, Any]) -> Strand:
        strand = Strand(self, coroutine)
        if self.strand is not None:
            strand.deadlines = list(self.strand.deadlines)
        self.strands.append(strand)
        self.ready.append(strand)
        return strand

    def drive(self) -> None:
        """Run every strand that can go on, in order, until all wait."""
        if not _here.speaks:
            with speaking():
                self.drive()
            return
        outer, _here.runner = _here.runner, self
        try:
            while self.ready:
                strand = self.ready.popleft()
                if not strand.settled:
                    strand.resume()
        finally:
            self.strand = None
            _here.runner = outer

    def issue(self, command: Command) -> None:
        """The code asks for this."""
        command.runner = self
        command.number = len(self.commands) + 1
        if self.strand is not None and self.strand.deadlines:
            command.deadline = self.strand.deadlines[-1]
        self.commands[command.number] = command
        self.issued.append(command)
        if self.is_traced and self.strand is not None:
            frame = places.frame_of(self.strand.coroutine)
            command.place = places.of_caller(sys._getframe(1)) or (
                places.place(frame.f_code.co_filename, frame.f_lineno) if frame else ""
            )

    def has_changed(self, name: str) -> bool:
        """Whether this visit comes to a change of the code after it was made. The first answer
        holds for the whole visit; a yes is recorded, so that every replay gives it again."""
        if name not in self.changes:
            marked = any(e.type == "code.changed" and e.data["name"] == name for e in self.history)
            if self.is_live and not marked:
                self.marks.append(name)
            self.changes[name] = marked or self.is_live
        return self.changes[name]

    def cancelled(self, command: Command) -> None:
        """The code gave this up. Neighbours in one breath are one event."""
        last = self.issued[-1] if self.issued else None
        if not isinstance(last, CancelWaits):
            last = CancelWaits()
            self.issue(last)
        last.commands.append(command.number)
        if isinstance(command, CallActivity) and command.definition.compensate is not None:
            self.completed.append((command, None))  # perhaps it took effect all the same

    def chance(self) -> bytes:
        """Thirty-two bytes that no one could foresee and every replay gives again."""
        self._chance += 1
        return hashlib.sha256(b"%s %d" % (self._seed, self._chance)).digest()

    def close(self) -> None:
        """Forget the coroutines without letting them run on. What their `finally` blocks still
        ask for means nothing."""
        outer, _here.runner = _here.runner, self
        try:
            for strand in self.strands:
                if not strand.settled:
                    strand.settled = True
                    with suppress(Exception):
                        strand.coroutine.close()
        finally:
            _here.runner = outer

    # -- looking

    def place(self) -> str:
        pauses = self.pauses()
        if not pauses:
            return places.place(self.code.file, self.code.line)
        return places.place(pauses[0].file, pauses[0].line)

    def pauses(self) -> list[places.Pause]:
        """The line of each strand, with its local variables."""
        found = []
        for strand in self.strands:
            frames = places.frames_of(strand.coroutine)
            if frames and not strand.settled:
                found.append(places.pause(frames))
        return found


def _activity_completed(runner: Runner, command: Command, data: Any, event: Recorded) -> None:
    definition = getattr(command, "definition", None)
    if definition is not None and definition.compensate is not None:
        command.done_as = data.get("key", "")  # type: ignore[attr-defined]
        runner.completed.append((command, data.get("result")))
    command.settle(data.get("result"))


def _activity_failed(runner: Runner, command: Command, data: Any, event: Recorded) -> None:
    name, is_final = getattr(command, "name", ""), data.get("final", False)
    definition = getattr(command, "definition", None)
    if not is_final and definition is not None and definition.compensate is not None:
        runner.completed.append((command, None))  # perhaps it took effect all the same
    command.settle(error=ActivityFailed(name, data["error"], final=is_final))


def _timer_fired(runner: Runner, command: Command, data: Any, event: Recorded) -> None:
    command.settle(event.recorded_at)


def _answered(runner: Runner, command: Command, data: Any, event: Recorded) -> None:
    from processes.engine.words import Answer

    command.settle(Answer(data.get("data"), event.actor, event.recorded_at))


def _task_completed(runner: Runner, command: Command, data: Any, event: Recorded) -> None:
    from processes.engine.words import Outcome

    command.settle(
        Outcome(
            data["outcome"], data["reason"], event.actor, event.recorded_at, data.get("result", {})
        )
    )


def _subcase_closed(runner: Runner, command: Command, data: Any, event: Recorded) -> None:
    from processes.engine.words import SubcaseEnd

    command.settle(SubcaseEnd(data["reference"], data["outcome"], data.get("facts", {})))


_SETTLING = {
    "activity.completed": _activity_completed,
    "activity.failed": _activity_failed,
    "timer.fired": _timer_fired,
    "task.completed": _task_completed,
    "message.received": _answered,
    "message.matched": _answered,
    "party.answered": _answered,
    "subcase.closed": _subcase_closed,
}
