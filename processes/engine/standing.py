"""What a case waits for, folded from its events: the open commands and their waits.

A pure function of the events since the step was entered. The engine keeps it while it records, and
`verify` computes it again to compare.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from audit.record import Recorded
from processes.engine.commands import ISSUING
from timers.clocks import COMMANDED, ClockState

_SETTLED_BY = frozenset(
    {
        "activity.completed",
        "activity.failed",
        "timer.fired",
        "task.completed",
        "message.received",
        "message.matched",
        "party.answered",
        "subcase.closed",
    }
)
_WAIT_KINDS = {
    "activity.scheduled": "activity",
    "timer.set": "timer",
    "task.opened": "task",
    "documents.requested": "documents",
    "message.awaited": "message",
    "party.asked": "party",
    "subcase.opened": "subcase",
}

JUDGES = "caseworker"  # of the case's team: they accept and reject what came in
_DONE_AT_ONCE = COMMANDED | {"activity.done", "table.decided"}

Open = dict[int, Recorded]  # command number -> the event that asked


def track(open_: Open, documents: dict[str, str], event: Recorded) -> None:
    """Move the open commands and the states of documents on by one event."""
    kind = event.type
    if kind in ISSUING:
        if kind == "wait.cancelled":
            for number in event.data["commands"]:
                open_.pop(number, None)
        elif kind not in _DONE_AT_ONCE:
            open_[event.structure["command"]] = event
            if kind == "documents.requested":
                ask(documents, event.data)
                _close_met(open_, documents)
                _note_whose_turn(open_, documents, event.data["names"], event)
    elif kind in _SETTLED_BY:
        open_.pop(event.data["command"], None)
    elif kind == "due.moved":
        _move_due(open_, event.data)
    elif kind == "step.entered":
        undo = {number: asked for number, asked in open_.items() if number < 0}
        open_.clear()
        open_.update(undo)
    elif kind.startswith("document.") and "name" in event.data:
        documents[event.data["name"]] = document_state(kind)
        _close_met(open_, documents)
        _note_whose_turn(open_, documents, [event.data["name"]], event)


def document_state(type: str) -> str:
    """The state of a document after an event about it. A verdict that was undone leaves it as it
    came in."""
    return "received" if type == "document.reconsidered" else type.removeprefix("document.")


def _note_whose_turn(
    open_: Open, documents: dict[str, str], changed: Iterable[str], event: Recorded
) -> None:
    """Once all of a request came in it waits for us, who are to judge it, and no more for them."""
    for number, asked in list(open_.items()):
        if asked.type != "documents.requested" or not set(changed) & set(asked.data["names"]):
            continue
        states = {documents.get(name) for name in asked.data["names"]}
        if states <= {"accepted", "received"}:
            open_[number] = _with(asked, all_in_at=event.recorded_at)
        elif asked.data.get("all_in_at") is not None:
            open_[number] = _with(asked, all_in_at=None)


def _move_due(open_: Open, data: Mapping[str, Any]) -> None:
    """A calendar changed: what was counted in working days is due on another day."""
    number, due_at = data["command"], data["due_at"]
    if number not in open_:
        return
    open_[number] = _with(open_[number], due_at=due_at, holidays=data.get("holidays", []))
    for other, asked in list(open_.items()):
        if asked.data.get("until_command") == number:
            open_[other] = _with(asked, until=due_at)


def _with(asked: Recorded, **changes: Any) -> Recorded:
    """The event that asked, as it is to be read from now on."""
    copy = Recorded(
        asked.case_id,
        asked.number,
        asked.type,
        asked.data_text,
        asked.actor,
        asked.on_behalf,
        asked.happened_at,
        asked.recorded_at,
        asked.hash,
    )
    copy._data = {**asked.data, **changes}
    return copy


def ask(documents: dict[str, str], request: Mapping[str, Any]) -> None:
    """Documents are asked for: what came in before counts, unless they are wanted afresh."""
    for name in request["names"]:
        if request.get("afresh") or name not in documents:
            documents[name] = "asked"


def _close_met(open_: Open, documents: dict[str, str]) -> None:
    for number, asked in list(open_.items()):
        if asked.type == "documents.requested" and not missing_of(asked, documents):
            del open_[number]


def missing_of(asked: Recorded, documents: dict[str, str]) -> list[str]:
    """The names of a request that are not in yet."""
    good = ("accepted",) if asked.data.get("enough") == "accepted" else ("accepted", "received")
    return [name for name in asked.data["names"] if documents.get(name) not in good]


def waits_of(
    open_: Open, documents: dict[str, str], clocks: Mapping[str, ClockState]
) -> list[dict[str, Any]]:
    """What the case waits for, the earliest end first; people and parties before machines."""
    waits = []
    for number, asked in open_.items():
        data = asked.data
        if data.get("watch") or asked.type not in _WAIT_KINDS:
            continue
        until = _until(data, clocks)
        is_limit = "limit_then" in data and until != data.get("due_at")
        wait: dict[str, Any] = {
            "kind": _WAIT_KINDS[asked.type],
            "name": data.get("name", ""),
            "on": _on(asked),
            "since": asked.recorded_at,
            "until": until,
            "met": data.get("met", ""),
            "otherwise": data["limit_then"] if is_limit else data.get("otherwise", ""),
            "command": number,
        }
        if asked.type == "documents.requested":
            wait["missing"] = missing_of(asked, documents)
            if data.get("all_in_at") is not None:
                wait["on"], wait["since"], wait["otherwise"] = JUDGES, data["all_in_at"], ""
        waits.append(wait)
    return sorted(waits, key=_order)


def _until(data: Mapping[str, Any], clocks: Mapping[str, ClockState]) -> Any:
    """When it is due: of what a clock limits, when that is up as it stands now."""
    until = data.get("due_at") or data.get("until")
    if "limit_then" in data and data.get("until") is not None:
        until = min(until, data["until"])
    clock = clocks.get(data["until_clock"]) if "until_clock" in data else None
    if clock is None or clock.limit_at is None:
        return until
    return min(until, clock.limit_at) if until else clock.limit_at


def _on(asked: Recorded) -> str:
    """The party or the time behind a wait."""
    data = asked.data
    if asked.type == "timer.set":
        return "time"
    return data.get("on") or data.get("of") or data.get("role") or "Longcase"


_MACHINES = frozenset({"activity", "timer"})


def _order(wait: dict[str, Any]) -> tuple[Any, ...]:
    until = wait["until"]
    return (
        wait["kind"] in _MACHINES,
        until is None,
        until.timestamp() if until else 0.0,
        wait["command"],
    )


def fold(events: Iterable[Recorded]) -> tuple[Open, dict[str, str]]:
    """The open commands and documents after these events."""
    open_: Open = {}
    documents: dict[str, str] = {}
    for event in events:
        track(open_, documents, event)
    return open_, documents
