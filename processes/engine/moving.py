"""Moving a case to another version of its step's code: only where its history fits that code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cases import dates
from cases.actors import Actor
from processes.engine import sources, stopping
from processes.engine.errors import ReplayMismatch
from processes.engine.phrases import phrase
from processes.engine.replaycheck import differs_at, misfit
from processes.engine.run import Run
from processes.engine.standing import Open
from processes.engine.visits import parked_from

if TYPE_CHECKING:
    from processes.engine.turn import Turn

MOVED, ALREADY, STAYS, LEFT = "moved", "already", "stays", "left"


@dataclass(frozen=True, slots=True)
class Moved:
    """What became of one case."""

    case_id: int
    reference: str
    result: str  # moved, already (it has that version), stays (it does not fit), left (the step)
    sentence: str
    visit: int
    was: int  # the version it had before


def move(
    turn: Turn,
    run: Run,
    *,
    step: str,
    to: int,
    reason: str,
    actor: Actor,
    visit: int | None = None,
) -> Moved:
    """Let a case go on under version `to` of its step's code, if its history fits that version.

    The case was locked without running its code. One that does not fit, or that has left the step
    (or this `visit` of it), is left as it is: nothing is recorded. A stopped case goes on at once.
    """
    row = run.row
    was = row["step_version"]

    def answer(result: str, sentence: str) -> Moved:
        return Moved(run.case_id, run.reference, result, sentence, row["visit"], was)

    if run.is_closed or row["step"] != step or visit not in (None, row["visit"]):
        return answer(LEFT, "It has left the step meanwhile.")
    if was == to:
        return answer(ALREADY, f"It has version {to} already.")
    code = run.kind.code_of(step, to)
    if code is None:
        return answer(STAYS, f"There is no version {to} of this step.")
    if not row["code_digest"]:
        return answer(STAYS, "The step had no code when the case entered it: restart the step.")
    mark, live_from = run.mark(), parked_from(run.events)
    row["step_version"], row["code_digest"] = to, code.digest
    try:
        words = _replayed(turn, run, live_from)
    except ReplayMismatch as error:
        words = differs_at(error)
    except Exception as error:
        words = f"the code fails: {stopping.describe(error)} ({stopping.place_of(error)})"
    if words:
        turn.undo(run, mark)
        return answer(STAYS, f"It stays on version {was}: {words}.")
    told: dict[str, Any] = {"step": step, "from": was, "to": to, "code": code.digest}
    told["reason"] = reason
    turn.record(run, "code.moved", told, actor=actor.code, on_behalf=actor.on_behalf)
    run.writes.later.append(lambda: sources.keep(code))
    if run.is_parked:
        stopping.close_incident(turn, run, how="moved", actor=actor.code)
        turn.use_kept(run)
        turn.go_on(run)
    turn.project(run)
    return answer(MOVED, f"It has version {to} now. {timers_stay(run.open)}".strip())


def _replayed(turn: Turn, run: Run, live_from: int | None) -> str:
    """Replay a run under the version that its row names now. What does not fit, in words."""
    assert run.entered is not None
    turn.replay(run, live_from=live_from)
    assert run.runner is not None
    _number, words, place = misfit(run.runner, [run.entered, *run.events])
    return f"{words} ({place})" if place else words


def timers_stay(open_: Open) -> str:
    """What a move does to the dates that a case waits for: it keeps each."""
    kept = [
        f"{phrase(asked.type, asked.data)} keeps {dates.moment(asked.data['due_at'])}"
        for asked in open_.values()
        if asked.data.get("due_at")
    ]
    told = "; ".join(kept)
    return f"{told[0].upper()}{told[1:]}." if told else ""
