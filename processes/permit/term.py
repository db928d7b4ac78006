"""The legal term of a permit, which runs from receipt to the decision that was sent."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from processes.engine.clockwords import clock_limit, clock_state, extend_clock
from processes.engine.words import deadline, message, sleep, start
from processes.permit import rules
from processes.permit.activities import letter, was_written
from processes.permit.models import PermitApplication
from processes.permit.papers import CASEWORKER
from timers.clocks import ClockState


def term() -> ClockState:
    """The clock of the legal term, which runs from receipt on."""
    state = clock_state("term")
    assert state is not None
    return state


async def in_time(case: PermitApplication, work: Coroutine[Any, Any, Any]) -> Any:
    """The work of a step, within the legal term.

    When the term passes, the policy of the case decides: the permit is granted by default, or
    the applicant gets a letter that says we are late, and the work goes on.
    """
    if term().is_stopped:  # the decision that it was for was sent, and fell
        return await work
    if not case.by_default:
        start(tell_when_late())
        return await work
    async with deadline(clock_limit("term"), then="the permit is granted by default") as too_late:
        return await work
    assert too_late
    return case.grant_by_default()


async def tell_when_late() -> None:
    await sleep(clock_limit("term"), name="end of the term")
    if not await was_written(name="term_passed"):
        await letter("term_passed")


async def extend_on_request() -> None:
    """The authority may extend the term, once and before it is over. The applicant is told why."""
    if term().extended or term().is_stopped:
        return
    asked = await message(
        "extend_term", of=CASEWORKER, met=f"the term is {rules.EXTENSION_DAYS} days longer"
    )
    if term().extended or term().has_passed or term().is_stopped:
        return
    await extend_clock("term", reason=asked.data["reason"])
    await letter("term_extended", reason=asked.data["reason"], limit_at=term().limit_at)
