"""The replay inspector: a case as it stood after any of its events. It writes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import takewhile
from typing import Any

from audit.read import events_of
from audit.record import Recorded
from cases.models import Case
from processes.engine.errors import ReplayMismatch
from processes.engine.places import Pause
from processes.engine.run import Run
from processes.engine.runner import Runner
from processes.engine.standing import Open, track, waits_of
from processes.engine.stopping import describe
from processes.engine.visits import parked_from, replay_visit, version_of
from processes.kinds import Kind, kind_of
from timers import clocks
from timers.clocks import ClockState


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
    code_changed: bool  # the step's code of today differs from the one that ran
    pauses: list[Pause] = field(default_factory=list)
    note: str = ""  # why there is no line to show


class NoSuchEvent(LookupError):
    """The case has no event of that number."""


def as_it_stood(case: Case, number: int | None = None) -> Stood:
    """The case after event `number`; after its last one unless given. Raises NoSuchEvent."""
    events = events_of(case.pk, upto=number)
    if not events or (number is not None and events[-1].number != number):
        raise NoSuchEvent(
            f"{case.reference} has no event {number}; its events are 1 to {case.head_number}."
        )
    stood = fold_case(case, events)
    kind = kind_of(case.kind)
    entered = max((i for i, e in enumerate(events) if e.type == "step.entered"), default=None)
    if entered is None or stood.closed:
        stood.note = "The case is closed." if stood.closed else "No step was entered yet."
        return stood
    visit = events[entered:]
    if not stood.code_digest:
        stood.note = "This step has no code: it waits for staff."
        return stood
    code = kind.code_of(stood.step, version_of(visit))
    if code is None:
        stood.note = f"The code of this step, version {version_of(visit)}, is gone."
        return stood
    stood.code_changed = code.digest != stood.code_digest
    try:
        runner = replayed(kind, case, visit, later=_marks_after(case, events[-1].number))
        if runner.error is not None:
            stood.note = describe(runner.error)
        stood.pauses = runner.pauses()
        runner.close()
    except ReplayMismatch as mismatch:
        stood.note = str(mismatch)
    except Exception as error:
        stood.note = describe(error)
    return stood


def _marks_after(case: Case, number: int) -> list[Recorded]:
    """What the same visit recorded of changed code after this event."""
    if number >= case.head_number:
        return []
    found = events_of(case.pk, after=number, types=["code.changed", "step.entered"])
    return list(takewhile(lambda event: event.type == "code.changed", found))


def replayed(
    kind: Kind,
    case: Case,
    visit: Sequence[Recorded],
    *,
    version: int | None = None,
    later: Sequence[Recorded] = (),
) -> Runner:
    """Run a step's code against the events of one visit, its entry first: the version that the
    visit has, or another. Raises ReplayMismatch, and LookupError for code that is gone."""
    entered = visit[0]
    step = entered.data["step"]
    version = version or version_of(visit)
    code = kind.code_of(step, version)
    if code is None:
        raise LookupError(f"The code of step “{step}”, version {version}, is gone.")
    row = {f.attname: getattr(case, f.attname) for f in Case._meta.concrete_fields}
    run = Run(row={**row, "step": step, "closed_at": None}, kind=kind)
    run.entered = entered
    return replay_visit(
        code,
        entered,
        visit[1:],
        build=run.build_as_entered,
        live_from=parked_from(visit),
        later=later,
    )


def fold_case(case: Case, events: Sequence[Recorded]) -> Stood:
    """What its events say of a case, without running any code."""
    open_: Open = {}
    documents: dict[str, str] = {}
    stood = Stood(
        reference=case.reference,
        number=events[-1].number,
        at=events[-1].recorded_at,
        step="",
        visit=0,
        facts={},
        documents=documents,
        waits=[],
        clocks={},
        tasks=[],
        closed=False,
        code_digest="",
        code_changed=False,
    )
    tasks: dict[tuple[int, int], dict[str, Any]] = {}
    for event in events:
        data = event.data
        track(open_, documents, event)
        clocks.track(stood.clocks, event.type, data, event.recorded_at)
        if event.type == "case.opened":
            stood.facts = dict(data["facts"])
        elif event.type == "step.entered":
            stood.step, stood.visit = data["step"], data["visit"]
            stood.facts = dict(data["facts"])
            stood.closed = bool(data.get("closed"))
            stood.code_digest = data.get("code", "")
            for task in tasks.values():
                if task["state"] == "open":
                    task["state"] = "cancelled"
        elif event.type == "code.moved":
            stood.code_digest = data["code"]
        elif event.type == "facts.changed":
            stood.facts.update({name: after for name, (_b, after) in data["changes"].items()})
        elif event.type == "task.opened":
            tasks[stood.visit, data["command"]] = {
                "visit": stood.visit,
                "command": data["command"],
                "name": data["name"],
                "title": data["title"],
                "role": data["role"],
                "due_at": data["due_at"],
                "state": "open",
                "holder": None,
                "outcome": "",
            }
        elif event.type == "due.moved":
            if (stood.visit, data["command"]) in tasks:
                tasks[stood.visit, data["command"]]["due_at"] = data["due_at"]
        elif event.type == "wait.cancelled":
            for number in data["commands"]:
                if (stood.visit, number) in tasks:
                    tasks[stood.visit, number]["state"] = "cancelled"
        elif event.type.startswith("task."):
            _fold_task(tasks, stood.visit, event)
        elif event.type.startswith("advice."):
            _fold_advice(tasks, event)
    stood.waits = [] if stood.closed else waits_of(open_, documents, stood.clocks)
    _end_advice(tasks)
    stood.tasks = list(tasks.values())
    return stood


def _fold_advice(tasks: dict[tuple[int, int], dict[str, Any]], event: Recorded) -> None:
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


def _end_advice(tasks: dict[tuple[int, int], dict[str, Any]]) -> None:
    """A request for advice ends with the task that it is about."""
    for task in tasks.values():
        about = tasks.get(task["about"]) if "about" in task else None
        if about is not None and about["state"] != "open" and task["state"] == "open":
            task["state"] = "cancelled"


def _fold_task(tasks: dict[tuple[int, int], dict[str, Any]], visit: int, event: Recorded) -> None:
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
