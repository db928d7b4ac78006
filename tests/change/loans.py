"""Open loans in every step that waits, and the changes that a lender would make to its code."""

from __future__ import annotations

from typing import Any

from processes.loan.models import Step
from processes.loan.steps import loan
from tests.change.editing import Change, asked, entered, never

KIND = loan


def fill(office: Any, engine: Any, number: int) -> None:
    """So many open loans, spread over the steps, each brought there through the acts alone."""
    parts: list[list[Any]] = [[] for _ in range(6)]
    for place in range(number):
        big = {"amount": "60000", "income": "9000"} if place % 6 == 2 else {}
        house = {"secured": True, "security": "A house"} if place % 6 == 3 else {}
        parts[place % 6].append(office.open(**big, **house))
    engine.settle()
    at_papers, *further = parts
    for case in [case for part in further for case in part]:
        office.accept(case, "identity", "payslip", "bank_statement")
    engine.settle()
    at_first, at_second, at_appraisal, at_decision, at_offer = further
    for case in at_second + at_appraisal + at_decision + at_offer:
        office.do(case, "approve")
    engine.settle()
    for case in at_offer:
        office.do(case, "approve")
    engine.settle()
    assert len({len(part) for part in parts}) <= 2 and at_papers and at_first


CHANGES = [
    Change(
        "insert",
        Step.UNDERWRITING,
        old="""                second = await judge_second(case, unlike=first.by)
""",
        new="""                await score_credit(
                    national_id=case.national_id,
                    amount=case.amount,
                    income=case.income,
                    term_months=case.term_months,
                )
                second = await judge_second(case, unlike=first.by)
""",
        marked="""                if changed("a fresh score for the second person"):
                    await score_credit(
                        national_id=case.national_id,
                        amount=case.amount,
                        income=case.income,
                        term_months=case.term_months,
                    )
                second = await judge_second(case, unlike=first.by)
""",
        differs=asked("task.opened", "second_underwriting"),
    ),
    Change(
        "insert",
        Step.OFFER,
        old="""    async with deadline(days(30), then="the offer expires") as too_late:
""",
        new="""    await papers_still_missing(papers=[])
    async with deadline(days(30), then="the offer expires") as too_late:
""",
        marked="""    if changed("look at the papers again"):
        await papers_still_missing(papers=[])
    async with deadline(days(30), then="the offer expires") as too_late:
""",
        differs=entered,
    ),
    Change(
        "remove",
        Step.APPRAISAL,
        old="""            await letter("appraisal")
""",
        new="",
        marked="""            if not changed("no letter about the appraisal"):
                await letter("appraisal")
""",
        differs=asked("activity.scheduled", "processes.send_letter"),
    ),
    Change(
        "rename",
        Step.DECISION,
        old="""        "decision",
        role=role,
""",
        new="""        "final_decision",
        role=role,
""",
        marked="""        "final_decision" if changed("final decision") else "decision",
        role=role,
""",
        differs=asked("task.opened", "decision"),
    ),
    Change(
        "reorder",
        Step.OFFER,
        old="""    await letter("offer")
    async with deadline(days(30), then="the offer expires") as too_late:
        answer""",
        new="""    async with deadline(days(30), then="the offer expires") as too_late:
        await letter("offer")
        answer""",
        differs=entered,
    ),
    Change(
        "deadline",
        Step.AWAITING_DOCUMENTS,
        old="""async with deadline(days(30), then="the application lapses") as too_late:""",
        new="""async with deadline(days(60), then="the application lapses") as too_late:""",
        differs=never,
    ),
    Change(
        "deadline",
        Step.AWAITING_DOCUMENTS,
        old="""        await sleep(days(7), name="reminder")""",
        new="""        await sleep(days(10), name="reminder")""",
        differs=never,
    ),
]
MOVED = CHANGES[0]
RESTARTED = CHANGES[3]
