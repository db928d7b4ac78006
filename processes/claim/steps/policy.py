"""What happens in each step of an insurance policy."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

from processes.claim import messages, rules
from processes.claim.activities import look_at_claims
from processes.claim.models.policy import Policy, Step
from processes.engine.words import first_of, message, now, sleep_until
from processes.kinds import Kind
from processes.retention import Retention
from timers.spans import months

policy = Kind(
    Policy,
    title=_("Policy"),
    prefix="PO",
    initial=Step.ACTIVE,
    main_line=[
        (_("In force"), [Step.ACTIVE]),
        (_("Run-off"), [Step.RUN_OFF]),
        (_("Ended"), [Step.ENDED]),
    ],
    messages={"claim_news": messages.claim_news},
    message_titles=messages.TITLES,
    may_come=("claim_news",),
    form="processes.claim.forms.PolicyForm",
    check_facts=rules.unfit_policy,
    found_by=("holder_name", "email", "covers"),
    retention={
        "": Retention(years=7, since="ends_date", basis=_("General Tax Act, article 52: accounts"))
    },
    plain=("claim", "what"),
)


def news() -> Any:
    return message("claim_news", of="customer", met="its claims are looked at")


@policy.step(Step.ACTIVE)
async def active(case: Policy) -> Any:
    """In force until the end of its last day. News of its claims are kept in its history."""
    while now() < rules.end_of(case.ends_date):
        await first_of(news(), sleep_until(rules.end_of(case.ends_date), name="end of the cover"))
    return case.end_cover()


@policy.step(Step.RUN_OFF)
async def run_off(case: Policy) -> Any:
    """A year in which damage of its time may still be claimed; and until every claim has ended."""
    ends_at = months(12).after(rules.end_of(case.ends_date))
    while True:
        claims = await look_at_claims()
        if now() < ends_at:
            await first_of(news(), sleep_until(ends_at, name="end of the time to claim"))
        elif claims["open"]:
            await news()
        else:
            return case.close()
