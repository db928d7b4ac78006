"""What happens in each step of a recovery."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.utils.translation import gettext_lazy as _

from processes.claim import messages
from processes.claim.activities import letter
from processes.claim.models.recovery import Recovery, Step
from processes.engine.words import ask_review, deadline, first_of, message, sleep
from processes.kinds import Kind
from processes.retention import Retention
from timers.spans import days, working_days

recovery = Kind(
    Recovery,
    title=_("Recovery"),
    prefix="RC",
    initial=Step.ASKED,
    main_line=[
        (_("Asked back"), [Step.ASKED]),
        (_("Decision"), [Step.DECISION]),
        (_("Recovered"), [Step.RECOVERED]),
    ],
    messages={"money_back": messages.money_back},
    message_titles=messages.TITLES,
    form="processes.claim.forms.RecoveryForm",
    correctable=("debtor_name", "email", "reason"),
    answer_forms={"money_back": "processes.claim.forms.MoneyBackForm"},
    parent_fact="of_claim",
    found_by=("debtor_name", "email", "of_claim"),
    retention={"": Retention(years=7, basis=_("General Tax Act, article 52: accounts"))},
    plain=("of_claim",),
)

MONEY_MET = "it is counted; when all is back, the recovery is closed"


@recovery.step(Step.ASKED)
async def asked(case: Recovery) -> Any:
    """30 days to pay it back, in one sum or in parts, with a reminder after 20."""
    await letter("recovery", left=case.left)
    sums = [case.received]
    async with deadline(days(30), then="a supervisor decides how to go on") as too_late:
        await first_of(money_in(case, sums), remind())
    if too_late:
        return case.put_to_decision(received=sum(sums))
    await letter("recovered")
    return case.close_recovered(received=sum(sums))


async def money_in(case: Recovery, sums: list[Decimal]) -> None:
    """Count what comes in, until all is back."""
    while sum(sums) < case.amount:
        got = await message("money_back", of="bookkeeper", met=MONEY_MET)
        sums.append(got.data["amount"])


async def remind() -> None:
    await sleep(days(20), name="reminder")
    await letter("recovery_reminder")
    await sleep(days(3650), name="no further reminder")


@recovery.step(Step.DECISION)
async def decision(case: Recovery) -> Any:
    """A supervisor decides. Money that comes in meanwhile counts, and may end it."""
    sums = [case.received]
    review = ask_review(
        "recovery",
        role="supervisor",
        due=working_days(5),
        title="How to go on with a recovery",
        outcomes=[("again", "Ask once more"), ("write_off", "Write it off", True)],
        show={"amount": case.amount, "came_back": case.received, "times_asked": case.asked_times},
        met="it is asked back once more, or written off",
    )
    got = await first_of(review, money_in(case, sums))
    if got.place == 1:
        await letter("recovered")
        return case.close_recovered(received=sum(sums))
    if got.value.outcome == "write_off":
        return case.write_off(received=sum(sums), reason=got.value.reason)
    return case.ask_again(received=sum(sums))
