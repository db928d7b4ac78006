"""Restarting a step from its checkpoint: a new visit, on the newest code.

What the visit waited for is cancelled and what its activities did is undone, as when a step is
left. An activity may be kept instead: its result stands in the new checkpoint, and the new visit
gets it when it asks for the same activity with the same arguments.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from audit import codec
from audit.record import Recorded
from cases.actors import Actor
from cases.fsm import Move
from processes.engine import leaving
from processes.engine.run import Run

if TYPE_CHECKING:
    from processes.engine.turn import Turn

RESTART = "restart"  # the name of the transition in history; no kind has an edge of it


@dataclass(frozen=True, slots=True)
class Finished:
    """An activity that this visit has done, and what a restart does with it."""

    number: int  # of the event that tells its result
    name: str
    args: dict[str, Any]
    result: Any
    key: str  # under which the outside knows it
    is_undoable: bool

    def as_kept(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "name": self.name,
            "args": self.args,
            "result": self.result,
            "key": self.key,
        }


def finished(run: Run) -> list[Finished]:
    """The activities that this visit has done and not undone itself, in order; first those that an
    earlier restart kept and that nothing has asked for since."""
    undoable = {leaving.key_of(run, call) for call, _ in _undoable(run)}
    found = [
        Finished(**kept, is_undoable=kept["key"] in undoable)  # as they were kept
        for kept in run.kept
    ]
    asked: dict[int, Recorded] = {}
    for event in run.events:
        data = event.data
        command = data.get("command", 0)
        if event.type == "activity.scheduled" and command > 0:
            asked[command] = event
        is_done = event.type == "activity.completed" and command in asked
        if is_done or (event.type == "activity.done" and "error" not in data):
            call = asked.get(command, event).data
            key = data.get("key") or f"{run.case_id}.{run.visit}.{command}"
            found.append(
                Finished(
                    number=event.number,
                    name=call["name"],
                    args=call["args"],
                    result=data.get("result"),
                    key=key,
                    is_undoable=key in undoable,
                )
            )
    return found


def _undoable(run: Run) -> list[tuple[Any, Any]]:
    return leaving.done_and_undoable(run) + leaving.kept_and_undoable(run)


def restart(
    turn: Turn, run: Run, *, reason: str, keep: Collection[int] = (), actor: Actor
) -> list[Finished]:
    """Enter the step anew from its checkpoint, with the facts as people have corrected them since.

    `keep` are numbers of events of `finished` activities. The case was locked without running its
    code, which may be what is wrong. Returns what is being undone.
    """
    done = finished(run)
    kept = [one for one in done if one.number in keep]
    keys = {one.key for one in kept}
    undo = [
        (call, result) for call, result in _undoable(run) if leaving.key_of(run, call) not in keys
    ]
    undo += leaving.under_way_and_undoable(run)
    run.cause = actor.on_behalf or actor.code
    run.build(run.stored_facts)
    turn.enter(
        run,
        Move(RESTART, {"reason": reason}),
        actor=actor.code,
        on_behalf=actor.on_behalf,
        undo=undo,
        kept=[one.as_kept() for one in kept],
    )
    turn.go_on(run)
    return [one for one in done if one.is_undoable and one.key not in keys]


def not_used_yet(entered: Recorded, events: Collection[Recorded]) -> list[dict[str, Any]]:
    """The kept results of a checkpoint that its visit has not asked for yet."""
    kept = entered.data.get("kept", [])
    if not kept:
        return []
    used = {event.data.get("kept") for event in events}
    return [one for one in kept if one["number"] not in used]


def take_kept(run: Run, name: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
    """The kept result of this very activity, which is then used up."""
    asked = codec.encode(arguments)
    for place, one in enumerate(run.kept):
        if one["name"] == name and codec.encode(one["args"]) == asked:
            return run.kept.pop(place)
    return None
