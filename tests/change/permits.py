"""Open permits in the steps that wait for people, and changes to their code."""

from __future__ import annotations

from typing import Any

from processes.permit.kind import permit
from processes.permit.models import Step
from tests.change.editing import Change, asked, entered, never

KIND = permit
LETTER = (
    'await letter("data_needed", papers=words, reason=case.missing_reason, days=case.data_days)'
)
STEPS = ["completeness", "awaiting_data", "assessment", "draft", "decision"]


def fill(office: Any, engine: Any, number: int) -> None:
    """So many open permits, spread over the steps, each brought there through the acts alone."""
    for _ in range(number // 6):
        office.to("awaiting_data")
    engine.advance(days=15)  # these were reminded once
    for place in range(number - number // 6):
        office.to(STEPS[place % 5])


CHANGES = [
    Change(
        "insert",
        Step.AWAITING_DATA,
        old="""        await sleep(days(14), name="reminder")
""",
        new="""        await sleep(days(14), name="reminder")
        await letter("data_received")
""",
        marked="""        await sleep(days(14), name="reminder")
        if changed("a letter before the reminder"):
            await letter("data_received")
""",
        differs=asked("timer.fired"),
    ),
    Change(
        "insert",
        Step.COMPLETENESS,
        old="""    judged = await ask_task(
        "completeness",
""",
        new="""    await note_reminder(papers=[])
    judged = await ask_task(
        "completeness",
""",
        marked="""    if changed("papers are noted first"):
        await note_reminder(papers=[])
    judged = await ask_task(
        "completeness",
""",
        differs=entered,
    ),
    Change(
        "remove",
        Step.AWAITING_DATA,
        old=f"""    {LETTER}
""",
        new="",
        differs=entered,
    ),
    Change(
        "rename",
        Step.DRAFT,
        old="""        "draft",
        role=CASEWORKER,
""",
        new="""        "write_draft",
        role=CASEWORKER,
""",
        marked="""        "write_draft" if changed("drafts are written") else "draft",
        role=CASEWORKER,
""",
        differs=asked("task.opened", "draft"),
    ),
    Change(
        "reorder",
        Step.AWAITING_DATA,
        old=f"""    {LETTER}
    if term().is_running:
        await pause_clock("term", reason="we wait for the applicant's data", at_most=given)
""",
        new=f"""    if term().is_running:
        await pause_clock("term", reason="we wait for the applicant's data", at_most=given)
    {LETTER}
""",
        differs=entered,
    ),
    Change(
        "deadline",
        Step.COMPLETENESS,
        old="""        due=working_days(10),
        title="Check whether the application is complete",
""",
        new="""        due=working_days(20),
        title="Check whether the application is complete",
""",
        differs=never,
    ),
]
MOVED = CHANGES[0]
RESTARTED = CHANGES[3]
