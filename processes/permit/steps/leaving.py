"""Suspension, resumption and withdrawal."""

from __future__ import annotations

from typing import Any

from processes.engine.clockwords import pause_clock, resume_clock
from processes.engine.words import ask_task
from processes.permit.activities import letter
from processes.permit.kind import permit
from processes.permit.models import PermitApplication, Step
from processes.permit.papers import CASEWORKER
from processes.permit.term import term


@permit.step(Step.SUSPENDED)
async def suspended(case: PermitApplication) -> Any:
    """The term stands still and nobody works on the case until a caseworker resumes it."""
    reason = case.outcome_reason
    await letter("suspended", reason=reason)
    if term().is_paused:  # such as for data that are missing: one pause ends the other
        await resume_clock("term")
    if term().is_running:
        await pause_clock("term", reason=reason)
    await ask_task(
        "resume",
        role=CASEWORKER,
        title="Resume the case",
        outcomes=[("resume", "Resume it")],
        show={"suspended_because": reason},
        met="the case goes on where it stood",
    )
    if term().is_paused:
        await resume_clock("term")
    await letter("resumed", limit_at=term().limit_at)
    return go_on(case)


def go_on(case: PermitApplication) -> Any:
    """Back to the step at which it was suspended; a decision goes on with its draft."""
    step: Any = Step(case.suspended_from)
    if step == Step.RECEIPT:
        return case.resume_receipt()
    if step == Step.COMPLETENESS:
        return case.resume_completeness()
    if step == Step.AWAITING_DATA:
        return case.resume_awaiting_data()
    if step == Step.ASSESSMENT:
        return case.resume_assessment()
    if step in (Step.DRAFT, Step.DECISION):
        return case.resume_draft()
    return go_on_after_decision(case, step)


def go_on_after_decision(case: PermitApplication, step: Any) -> Any:
    if step == Step.SENDING:
        return case.resume_sending()
    if step == Step.OBJECTION_TERM:
        return case.resume_objection_term()
    if step == Step.OBJECTION:
        return case.resume_objection()
    if step == Step.APPEAL_TERM:
        return case.resume_appeal_term()
    if step == Step.APPEAL:
        return case.resume_appeal()
    return case.resume_irrevocable()


@permit.step(Step.WITHDRAWING)
async def withdrawing(case: PermitApplication) -> Any:
    await letter("withdrawn")
    return case.close_withdrawn()
