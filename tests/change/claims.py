"""Open claims in the steps that wait, and changes to their code."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from cases.models import Task
from processes.claim.models.claim import Step
from processes.claim.steps.claim import claim
from tests.change.editing import Change, asked, entered, never

KIND = claim
TAKEN_BACK = 'message("taken_back", of="applicant", met="the applicant changes the claim"),'
AGAIN = 'message("resubmitted", of="applicant", met="the claim goes to its approvers again"),'
SMALL = {"account": ""}  # else claims of the same sum to the same account are looked at
LARGE = {  # the bookkeeper lets it be paid
    "account": "",
    "claim_type": "insurance",
    "amount": Decimal("3000.00"),
    "budget": "project",
    "incurred_date": date(2026, 11, 2),
}


def fill(office: Any, engine: Any, number: int) -> None:
    """So many open claims, spread over the steps, each brought there through the acts alone."""
    parts: list[list[Any]] = [[] for _ in range(8)]
    early, chased, *later = parts
    for place in range(number):
        if place % 8 == 0:
            early.append(office.claim(**SMALL, is_draft=True))
        if place % 8 == 1:
            chased.append(office.claim(**LARGE))
    approve_all(office, engine, chased)
    engine.advance(days=33)  # these drafts were reminded once, and the bookkeeper was chased
    drafts, administration, supervision, returned, looked_at, approved = later
    for place in range(number):
        match place % 8:
            case 2:
                drafts.append(office.claim(**SMALL, is_draft=True))
            case 3:
                administration.append(office.claim(**SMALL, budget="project"))
            case 4:
                supervision.append(office.claim(**SMALL))
            case 5:
                returned.append(office.claim(**SMALL))
            case 6:
                looked_at.append(office.claim(**SMALL))
            case 7:
                approved.append(office.claim(**{**LARGE, "incurred_date": date(2026, 12, 28)}))
    engine.settle()
    for one in supervision:
        office.judge(one, "approve")
    for one in returned:
        office.judge(one, "send_back", "The bill is missing.")
    for one in looked_at:
        office.move(one, "ask_fraud_look", reason="The bill looks odd.")
    approve_all(office, engine, approved)


def approve_all(office: Any, engine: Any, cases: list[Any]) -> None:
    """Everyone of their chains approves."""
    while cases:
        engine.settle()
        asked_now = waiting()
        cases = [one for one in cases if one.pk in asked_now]
        for one in cases:
            office.judge(one, "approve")


def waiting() -> set[int]:
    """The cases with a question to a person."""
    return set(Task.objects.filter(state="open").values_list("case_id", flat=True))


CHANGES = [
    Change(
        "insert",
        Step.DRAFT,
        old="""        await sleep(days(number), name="reminder")
""",
        new="""        await sleep(days(number), name="reminder")
        await leave_run()
""",
        marked="""        await sleep(days(number), name="reminder")
        if changed("nothing is paid meanwhile"):
            await leave_run()
""",
        differs=asked("timer.fired"),
    ),
    Change(
        "insert",
        Step.FRAUD_LOOK,
        old="""    end = await subcase(
        "fraud_look",
""",
        new="""    await letter("received")
    end = await subcase(
        "fraud_look",
""",
        marked="""    if changed("the claimant is told of the look"):
        await letter("received")
    end = await subcase(
        "fraud_look",
""",
        differs=entered,
    ),
    Change(
        "remove",
        Step.RETURNED,
        old="""    await letter("returned", reason=case.return_reason)
""",
        new="",
        marked="""    if not changed("no letter when it is returned"):
        await letter("returned", reason=case.return_reason)
""",
        differs=entered,
    ),
    Change(
        "rename",
        Step.APPROVED,
        old="""        "not_requested",
""",
        new="""        "chase_the_bookkeeper",
""",
        marked="""        "chase_the_bookkeeper" if changed("a new name") else "not_requested",
""",
        differs=asked("task.opened", "not_requested"),
    ),
    Change(
        "reorder",
        Step.RETURNED,
        old=f"{TAKEN_BACK}\n            {AGAIN}",
        new=f"{AGAIN}\n            {TAKEN_BACK}",
        differs=entered,
    ),
    Change(
        "deadline",
        Step.DRAFT,
        old="""    async with deadline(days(180), then="the draft lapses") as too_late:""",
        new="""    async with deadline(days(240), then="the draft lapses") as too_late:""",
        differs=never,
    ),
    Change(
        "deadline",
        Step.APPROVED,
        old="""sleep(working_days(10), name="chase the bookkeeper")""",
        new="""sleep(working_days(5), name="chase the bookkeeper")""",
        differs=never,
    ),
]
MOVED = CHANGES[0]
RESTARTED = CHANGES[3]
