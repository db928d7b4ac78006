"""A case as its events say it stands: folded from its first event, or from a checkpoint.

No code is run. Folding from the entry of a step gives the same as from the first event, but for
tasks of earlier visits, which had all ended by then.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from audit.record import Recorded
from processes.engine.places import Pause
from processes.engine.standing import Open, track, waits_of
from timers import clocks
from timers.clocks import ClockState

Tasks = dict[tuple[int, int], dict[str, Any]]  # by visit and command


@dataclass(slots=True)
class Stood:
    """A case as it stood: everything here is folded from its events up to `number`."""

    reference: str
    number: int
    at: datetime
    step: str
    visit: int
    facts: dict[str, Any]
    documents: dict[str, str]
    waits: list[dict[str, Any]]
    clocks: dict[str, ClockState]
    tasks: list[dict[str, Any]]
    closed: bool
    code_digest: str
    code_changed: bool = False  # the step's code of today differs from the one that ran
    outcome: str = ""
    is_stopped: bool = False  # by an incident
    pauses: list[Pause] = field(default_factory=list)
    note: str = ""  # why there is no line to show
    lack: str = ""  # the same in a word: closed, unentered, codeless, gone, erased, differs, failed


class Folding:
    """Takes the events of a case one by one and says how it stands after each."""

    def __init__(self, reference: str) -> None:
        self._reference = reference
        self._last: Recorded | None = None
        self._open: Open = {}
        self._documents: dict[str, str] = {}
        self._clocks: dict[str, ClockState] = {}
        self._tasks: Tasks = {}
        self._facts: dict[str, Any] = {}
        self._step, self._visit, self._code_digest = "", 0, ""
        self._outcome, self._is_closed, self._is_stopped = "", False, False

    @classmethod
    def from_checkpoint(
        cls, reference: str, entered: Recorded, undoing: Iterable[Recorded] = ()
    ) -> Folding:
        """Begin with the entry of a step, which says how the case stood there. `undoing` are the
        events that its own data name so: what was still being undone."""
        found = cls(reference)
        found._documents = dict(entered.data.get("documents", {}))
        found._clocks = clocks.decode_all(entered.data.get("clocks", {}))
        found._open = {event.data["command"]: event for event in undoing}
        found.take(entered)
        return found

    def take(self, event: Recorded) -> None:
        """Move on by one event."""
        self._last, data = event, event.data
        track(self._open, self._documents, event)
        clocks.track(self._clocks, event.type, data, event.recorded_at)
        match event.type:
            case "case.opened":
                self._facts = dict(data["facts"])
            case "step.entered":
                self._enter(event)
            case "code.moved":
                self._code_digest = data["code"]
            case "facts.changed":
                self._facts.update({name: after for name, (_b, after) in data["changes"].items()})
            case "incident.opened" | "incident.closed":
                self._is_stopped = event.type == "incident.opened"
            case _:
                _fold_work(self._tasks, self._visit, event)

    def _enter(self, event: Recorded) -> None:
        data = event.data
        self._step, self._visit = data["step"], data["visit"]
        self._facts = dict(data["facts"])
        self._is_closed = bool(data.get("closed"))
        self._outcome = data.get("outcome", "")
        self._code_digest = data.get("code", "")
        for task in self._tasks.values():
            if task["state"] == "open":
                task["state"] = "cancelled"

    def stood(self) -> Stood:
        """How the case stands now. It does not move on with later events. Raises ValueError before
        the first event."""
        if self._last is None:
            raise ValueError("Nothing has happened yet.")
        tasks = {key: dict(task) for key, task in self._tasks.items()}
        _end_advice(tasks)
        waits = waits_of(self._open, self._documents, self._clocks)
        return Stood(
            reference=self._reference,
            number=self._last.number,
            at=self._last.recorded_at,
            step=self._step,
            visit=self._visit,
            facts=dict(self._facts),
            documents=dict(self._documents),
            waits=[] if self._is_closed else waits,
            clocks=dict(self._clocks),
            tasks=list(tasks.values()),
            closed=self._is_closed,
            code_digest=self._code_digest,
            outcome=self._outcome,
            is_stopped=self._is_stopped,
        )


def fold_all(reference: str, events: Sequence[Recorded]) -> Stood:
    """What its events, from the first on, say of a case."""
    folding = Folding(reference)
    for event in events:
        folding.take(event)
    return folding.stood()


def _fold_work(tasks: Tasks, visit: int, event: Recorded) -> None:
    """What an event changes of the work of people."""
    data, kind = event.data, event.type
    if kind == "task.opened":
        tasks[visit, data["command"]] = {
            "visit": visit,
            "command": data["command"],
            "name": data["name"],
            "title": data["title"],
            "role": data["role"],
            "due_at": data["due_at"],
            "state": "open",
            "holder": None,
            "outcome": "",
        }
    elif kind == "due.moved":
        if (visit, data["command"]) in tasks:
            tasks[visit, data["command"]]["due_at"] = data["due_at"]
    elif kind == "wait.cancelled":
        for number in data["commands"]:
            if (visit, number) in tasks:
                tasks[visit, number]["state"] = "cancelled"
    elif kind.startswith("task."):
        _fold_task(tasks, visit, event)
    elif kind.startswith("advice."):
        _fold_advice(tasks, event)


def _fold_advice(tasks: Tasks, event: Recorded) -> None:
    data = event.data
    key = data["visit"], data["command"]
    if event.type == "advice.asked":
        tasks[key] = {
            "visit": data["visit"],
            "command": data["command"],
            "name": data["name"],
            "title": data["name"],
            "role": "",
            "due_at": None,
            "state": "open",
            "holder": data["to"],
            "outcome": "",
            "about": (data["about"]["visit"], data["about"]["command"]),
        }
    elif key in tasks:
        given = event.type == "advice.given"
        tasks[key]["state"] = "done" if given else "cancelled"
        tasks[key]["outcome"] = data.get("outcome", "")


def _end_advice(tasks: Tasks) -> None:
    """A request for advice ends with the task that it is about."""
    for task in tasks.values():
        about = tasks.get(task["about"]) if "about" in task else None
        if about is not None and about["state"] != "open" and task["state"] == "open":
            task["state"] = "cancelled"


def _fold_task(tasks: Tasks, visit: int, event: Recorded) -> None:
    data = event.data
    number: Any = data.get("task", data.get("command"))
    task = tasks.get((data.get("visit", visit), number))
    if task is None:
        return
    match event.type:
        case "task.claimed":
            task["holder"] = data["person"]
        case "task.handed_over":
            task["holder"] = data["to"]
        case "task.released":
            task["holder"] = None
        case "task.completed":
            task["state"], task["outcome"] = "done", data["outcome"]
        case "task.taken_back":
            task["state"] = "taken_back"
