"""The authoring words for business clocks. They live on the case, so they outlast the step.

    await start_clock("term", at=case.received_on)
    async with deadline(clock_limit("term"), then="the permit is granted by law") as too_late:
        ...
        await pause_clock("term", reason="we wait for the applicant's data", at_most=days(42))

A kind declares its clocks: permit.clock("term", title=_("Legal term"), limit=days(56)). Each word
is done at once and recorded. What stands as asked already (a clock paused by staff meanwhile) is
no error: the history says that nothing changed.
"""

from __future__ import annotations

from dataclasses import dataclass

from processes.engine.commands import MoveClock
from processes.engine.errors import StepBroken
from processes.engine.runner import current
from timers.clocks import ClockState
from timers.reckoning import When
from timers.spans import Span


@dataclass(frozen=True, slots=True)
class ClockLimit:
    """The limit of a clock, for deadline() and sleep(): it moves with the clock."""

    name: str


def start_clock(name: str, *, at: When | None = None, limit: Span | None = None) -> MoveClock:
    """Start a clock now, or count from this day or moment. Gives the clock as it then stands.

    `limit` takes the place of the declared one. A clock that was stopped starts afresh.
    """
    return MoveClock("clock.started", name, at=at, limit=limit)


def pause_clock(
    name: str, *, reason: str, at_most: Span | None = None, at: When | None = None
) -> MoveClock:
    """Let a clock stand still, for at most this long if that is said here or in its terms."""
    return MoveClock("clock.paused", name, at=at, reason=reason, at_most=at_most)


def resume_clock(name: str, *, at: When | None = None) -> MoveClock:
    """Let a paused clock go on: its limit moves by the time really used."""
    return MoveClock("clock.resumed", name, at=at)


def extend_clock(name: str, *, reason: str, by: Span | None = None) -> MoveClock:
    """Give a clock more time, as far and as often as its terms allow."""
    return MoveClock("clock.extended", name, by=by, reason=reason)


def stop_clock(name: str, *, at: When | None = None) -> MoveClock:
    """What the clock measured is done. Closing the case stops all its clocks."""
    return MoveClock("clock.stopped", name, at=at)


def clock_limit(name: str) -> ClockLimit:
    """The limit of a clock that was started. Raises StepBroken for one that was not."""
    if name not in current().clocks:
        raise StepBroken(
            f"The clock “{name}” was not started in this case; start_clock({name!r}) comes first."
        )
    return ClockLimit(name)


def clock_state(name: str) -> ClockState | None:
    """A clock as the history so far says it stands; None before it was started."""
    return current().clocks.get(name)
