"""Suspension, resumption and withdrawal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from processes.engine.clockwords import pause_clock, resume_clock
from processes.engine.words import ask_task
from processes.permit.activities import letter
from processes.permit.kind import permit
from processes.permit.models import PermitApplication, Step
from processes.permit.papers import CASEWORKER
from processes.permit.term import term

RESUMED: dict[Any, Callable[[PermitApplication], Any]] = {
    Step.RECEIPT: PermitApplication.resume_receipt,
    Step.COMPLETENESS: PermitApplication.resume_completeness,
    Step.AWAITING_DATA: PermitApplication.resume_awaiting_data,
    Step.ASSESSMENT: PermitApplication.resume_assessment,
    Step.DRAFT: PermitApplication.resume_draft,
    Step.DECISION: PermitApplication.resume_draft,
    Step.SENDING: PermitApplication.resume_sending,
    Step.OBJECTION_TERM: PermitApplication.resume_objection_term,
    Step.IRREVOCABLE: PermitApplication.resume_irrevocable,
    Step.OBJECTION: PermitApplication.resume_objection,
    Step.APPEAL_TERM: PermitApplication.resume_appeal_term,
    Step.APPEAL: PermitApplication.resume_appeal,
}


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
    return RESUMED[Step(case.suspended_from)](case)


@permit.step(Step.WITHDRAWING)
async def withdrawing(case: PermitApplication) -> Any:
    await letter("withdrawn")
    return case.close_withdrawn()
