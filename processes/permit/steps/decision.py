"""The decision: drafted, taken by somebody else, and sent."""

from __future__ import annotations

from typing import Any

from processes.engine.clockwords import stop_clock
from processes.engine.words import ask_review, ask_task, start
from processes.permit.activities import letter
from processes.permit.kind import permit
from processes.permit.models import Decision, PermitApplication, Step
from processes.permit.papers import AUTHORITY, CASEWORKER
from processes.permit.steps.assessment import CHANGED, what_is_assessed
from processes.permit.term import extend_on_request, in_time, term
from timers.spans import days, working_days


@permit.step(Step.DRAFT)
async def draft(case: PermitApplication) -> Any:
    start(extend_on_request())
    return await in_time(case, write_draft(case))


async def write_draft(case: PermitApplication) -> Any:
    judged = what_is_assessed(case)
    written = await ask_task(
        "draft",
        role=CASEWORKER,
        due=working_days(5),
        title="Draft the decision",
        outcomes=[("grant", "Draft: grant the permit"), ("refuse", "Draft: refuse it", True)],
        asks=[("conditions", "Conditions of the permit", "text")],
        show={"against": case.grounds, "conditions": case.conditions},
        met="the permit authority decides",
    )
    if what_is_assessed(case) != judged:
        return case.assess_anew(reason=CHANGED)
    is_grant = written.outcome == "grant"
    return case.put_to_decision(
        proposal=str(Decision.GRANTED if is_grant else Decision.REFUSED),
        grounds="" if is_grant else written.reason,
        conditions=written.result.get("conditions") or (case.conditions if is_grant else ""),
        by=written.by,
    )


@permit.step(Step.DECISION)
async def decision(case: PermitApplication) -> Any:
    start(extend_on_request())
    return await in_time(case, take_decision(case))


async def take_decision(case: PermitApplication) -> Any:
    """Somebody else than who drafted it decides."""
    judged = what_is_assessed(case)
    taken = await ask_review(
        "decision",
        role=AUTHORITY,
        due=working_days(5),
        title="Decision",
        outcomes=[
            ("decide", "Decide as drafted"),
            ("draft_anew", "Send it back to be drafted anew", True),
        ],
        unlike=case.drafted_by,
        show={
            "drafted": str(Decision(case.proposal).label),
            "grounds": case.grounds,
            "conditions": case.conditions,
        },
        met="the decision is sent, or drafted anew",
    )
    if taken.outcome == "draft_anew":
        return case.draft_anew(reason=taken.reason)
    if what_is_assessed(case) != judged:
        return case.assess_anew(reason=CHANGED)
    return case.decide(by=taken.by)


@permit.step(Step.SENDING)
async def sending(case: PermitApplication) -> Any:
    """A decision is only made in time when it is also sent in time."""
    if case.decision == Decision.BY_DEFAULT:
        return await send_decision(case)
    return await in_time(case, send_decision(case))


async def send_decision(case: PermitApplication) -> Any:
    await ask_task(
        "send_decision",
        role=CASEWORKER,
        due=days(14) if case.decision == Decision.BY_DEFAULT else working_days(3),
        title="Send the decision",
        outcomes=[("send", "Print and send it")],
        show={"decision": str(Decision(case.decision).label)},
        met="the objection term begins",
    )
    if not term().is_stopped:
        await stop_clock("term")
    await letter(f"decision_{case.decision}")
    return case.open_objection_term()
