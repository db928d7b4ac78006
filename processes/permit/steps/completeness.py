"""Completeness, and the time in which the applicant sends what is missing."""

from __future__ import annotations

from typing import Any

from processes.engine.clockwords import pause_clock, resume_clock
from processes.engine.words import (
    ask_review,
    ask_task,
    deadline,
    documents,
    first_of,
    message,
    sleep,
)
from processes.permit import rules
from processes.permit.activities import letter, note_reminder
from processes.permit.kind import permit
from processes.permit.models import PermitApplication, Step
from processes.permit.papers import AUTHORITY, CASEWORKER
from processes.permit.rules import asked_for
from processes.permit.term import in_time, term
from timers.spans import days, working_days


@permit.step(Step.COMPLETENESS)
async def completeness(case: PermitApplication) -> Any:
    return await in_time(case, judge_completeness(case))


async def judge_completeness(case: PermitApplication) -> Any:
    judged = await ask_task(
        "completeness",
        role=CASEWORKER,
        due=working_days(10),
        title="Check whether the application is complete",
        outcomes=[("complete", "It is complete"), ("missing", "Ask for the ticked data", True)],
        asks=[
            *((paper, f"Missing: {title}", "yes") for paper, title in rules.PAPERS.items()),
            ("short", f"It is little: {rules.FEW_DATA_DAYS} days are enough", "yes"),
        ],
        show={
            "parts": asked_for(case.parts),
            "site": case.site,
            "asked_before": case.missing_reason,
        },
        met="it is assessed, or the applicant is asked for what is missing",
    )
    if judged.outcome == "complete":
        return case.find_complete()
    papers = rules.ticked(judged.result, rules.PAPERS) or ["description"]
    given = rules.FEW_DATA_DAYS if judged.result.get("short") else rules.DATA_DAYS
    return case.ask_data(papers=" ".join(papers), reason=judged.reason, days=given)


@permit.step(Step.AWAITING_DATA)
async def awaiting_data(case: PermitApplication) -> Any:
    """The term stands still while the applicant has 42 days (or 28). When they are over, or the
    applicant says that nothing comes, it goes on, and the authority says whether the application
    is left untreated."""
    papers = case.missing_data.split()
    words = rules.words_for(papers, rules.PAPERS)
    given = days(case.data_days)
    await letter("data_needed", papers=words, reason=case.missing_reason, days=case.data_days)
    if term().is_running:
        await pause_clock("term", reason="we wait for the applicant's data", at_most=given)
    async with deadline(given, then="the authority may leave the application untreated") as late:
        came = await first_of(
            wanted_papers(case, papers, afresh=True),
            message("nothing_comes", met="the authority may leave the application untreated"),
            remind(papers),
        )
    if term().is_paused:
        await resume_clock("term")
    if not late and came.place == 0:
        await letter("data_received")
        return case.look_again()
    return await in_time(case, judge_missing(case, papers))


async def judge_missing(case: PermitApplication, papers: list[str]) -> Any:
    """What comes while the authority thinks still counts."""
    judged = ask_review(
        "untreated",
        role=AUTHORITY,
        due=days(28),
        title="Leave the application untreated?",
        outcomes=[
            ("untreated", "Leave it untreated", True),
            ("treat", "Assess it with what is there", True),
        ],
        show={"missing": ", ".join(rules.words_for(papers, rules.PAPERS))},
        met="it ends untreated, or is assessed as it is",
    )
    came = await first_of(judged, wanted_papers(case, papers, afresh=False))
    if came.place == 1:
        await letter("data_received")
        return case.look_again()
    if came.value.outcome == "treat":
        return case.find_complete()
    return case.leave_untreated(reason=came.value.reason, by=came.value.by)


def wanted_papers(case: PermitApplication, papers: list[str], *, afresh: bool) -> Any:
    return documents(
        *papers,
        enough="received",
        afresh=afresh,
        reason=case.missing_reason,
        met="the application is looked at again",
    )


async def remind(papers: list[str]) -> None:
    while True:
        await sleep(days(14), name="reminder")
        missing = await note_reminder(papers=papers)
        if missing:
            await letter("data_reminder", papers=rules.words_for(missing, rules.PAPERS))
