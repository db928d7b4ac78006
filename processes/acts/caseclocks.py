"""Acts on the business clocks of a case: pause, resume, extend, and set a pause right.

Each is recorded with its reason and moves the limit, the warnings and whatever the code of the
step lets end with the clock, in one commit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cases import access
from cases.actors import Actor
from cases.errors import ClockNotMoved, Invalid
from processes.acts.locking import acting_on
from processes.engine.casetime import calendar_of
from processes.engine.run import Run
from processes.engine.turn import Turn
from timers import clockwork
from timers.clocks import ClockRefused, ClockState
from timers.reckoning import When
from timers.spans import Span

REASON_CHARACTERS = 4000


def pause_clock(
    *,
    case_id: int,
    name: str,
    reason: str,
    actor: Actor,
    since: When | None = None,
    at_most: Span | None = None,
) -> ClockState:
    """Let a clock stand still, from now or from an earlier day. Raises ClockNotMoved, Invalid."""
    return _move(
        case_id,
        name,
        actor,
        "clock.paused",
        lambda turn, run, state: clockwork.paused(
            state,
            run.kind.clocks.get(name),
            since=since or turn.now,
            reason=_reason(reason),
            at_most=at_most,
            at=turn.now,
            calendar=calendar_of(state),
        ),
    )


def resume_clock(
    *, case_id: int, name: str, actor: Actor, reason: str = "", until: When | None = None
) -> ClockState:
    """Let a paused clock go on, now or from an earlier day. Raises ClockNotMoved."""
    return _move(
        case_id,
        name,
        actor,
        "clock.resumed",
        lambda turn, run, state: clockwork.resumed(
            state,
            until=until or turn.now,
            at=turn.now,
            calendar=calendar_of(state),
            reason=reason.strip()[:REASON_CHARACTERS],
        ),
    )


def extend_clock(
    *, case_id: int, name: str, reason: str, actor: Actor, by: Span | None = None
) -> ClockState:
    """Give a clock more time, as far and as often as its terms allow. Raises ClockNotMoved."""
    return _move(
        case_id,
        name,
        actor,
        "clock.extended",
        lambda turn, run, state: clockwork.extended(
            state,
            run.kind.clocks.get(name),
            by=by,
            reason=_reason(reason),
            at=turn.now,
            calendar=calendar_of(state),
        ),
    )


def correct_pause(
    *,
    case_id: int,
    name: str,
    pause: int,
    since: When | None,
    until: When | None,
    reason: str,
    actor: Actor,
) -> ClockState:
    """Set the days of a pause right, by its place from 0; without `since` it never was.

    For supervisors. Raises ClockNotMoved, Invalid, NotAllowed.
    """
    return _move(
        case_id,
        name,
        actor,
        "clock.corrected",
        lambda turn, run, state: clockwork.corrected(
            state,
            pause=pause,
            since=since,
            until=until,
            reason=_reason(reason),
            at=turn.now,
            calendar=calendar_of(state),
        ),
        right="correct clock",
    )


def _move(
    case_id: int,
    name: str,
    actor: Actor,
    type: str,
    data_of: Callable[[Turn, Run, ClockState], dict[str, Any]],
    *,
    right: str = "work on case",
) -> ClockState:
    with acting_on(case_id, actor=actor) as (turn, run):
        access.require(actor, right, run.case)
        state = run.clocks.get(name)
        if state is None:
            known = ", ".join(sorted(run.clocks)) or "none"
            raise ClockNotMoved(f"{run.reference} has no clock “{name}”. It has: {known}.")
        try:
            data = data_of(turn, run, state)
        except ClockRefused as refusal:
            raise ClockNotMoved(str(refusal)) from refusal
        turn.feed(run, type, data, actor=actor.code, on_behalf=actor.on_behalf)
        return run.clocks[name]


def _reason(text: str) -> str:
    reason = text.strip()
    if not reason or len(reason) > REASON_CHARACTERS:
        raise Invalid(
            "Say why; the reason stays with the case.",
            {"reason": f"1 to {REASON_CHARACTERS} characters"},
        )
    return reason
