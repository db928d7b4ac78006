"""Customers and suppliers in the steps that wait, and changes to the code of onboarding."""

from __future__ import annotations

from typing import Any

from processes.onboarding.models import Step
from processes.onboarding.steps import onboarding
from tests.change.editing import Change, asked, entered, never

KIND = onboarding


def fill(office: Any, engine: Any, number: int) -> None:
    """So many open relations, spread over the steps, each brought there through the acts alone.
    The owners of each have come and gone as cases of their own."""
    for _ in range(number // 5):
        office.open()
    engine.advance(days=11)  # these were reminded once
    for _ in range(number // 5):
        office.open()
        office.to_assessment()
        office.do(office.to_assessment(), "anna", "approve")
        office.to_active()


CHANGES = [
    Change(
        "insert",
        Step.AWAITING_DOCUMENTS,
        old="""        await sleep(REMIND_AFTER, name="reminder")
""",
        new="""        await sleep(REMIND_AFTER, name="reminder")
        await letter("received")
""",
        marked="""        await sleep(REMIND_AFTER, name="reminder")
        if changed("a letter before the reminder"):
            await letter("received")
""",
        differs=asked("timer.fired"),
    ),
    Change(
        "remove",
        Step.AWAITING_DOCUMENTS,
        old="""    await letter(name, papers=rules.words_for(papers), reason=case.papers_reason)
""",
        new="",
        marked="""    if not changed("no letter"):
        await letter(name, papers=rules.words_for(papers), reason=case.papers_reason)
""",
        differs=entered,
    ),
    Change(
        "rename",
        Step.ASSESSMENT,
        old="""        "assessment",
        role="analyst",
""",
        new="""        "file_assessment",
        role="analyst",
""",
        marked="""        "file_assessment" if changed("the file is assessed") else "assessment",
        role="analyst",
""",
        differs=asked("task.opened", "assessment"),
    ),
    Change(
        "reorder",
        Step.ACTIVE,
        old="""        sleep(months(12 * case.review_years), name="periodic_review"),
        message("change_reported", of="the business", met="the review comes early"),
""",
        new="""        message("change_reported", of="the business", met="the review comes early"),
        sleep(months(12 * case.review_years), name="periodic_review"),
""",
        differs=entered,
    ),
    Change(
        "deadline",
        Step.ASSESSMENT,
        old="""        due=working_days(5),
        title="Assessment of the file",
""",
        new="""        due=working_days(15),
        title="Assessment of the file",
""",
        differs=never,
    ),
]
MOVED = CHANGES[0]
RESTARTED = CHANGES[2]
