"""What happens in a fraud look."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

from processes.claim.models.fraud_look import FraudLook, Step
from processes.engine.words import ask_review
from processes.kinds import Kind
from processes.retention import Retention
from timers.spans import working_days

fraud_look = Kind(
    FraudLook,
    title=_("Fraud look"),
    prefix="FL",
    initial=Step.LOOKING,
    main_line=[(_("Look"), [Step.LOOKING]), (_("Finding"), [Step.CLEARED])],
    correctable=(),
    found_by=("claimant_name", "of_claim"),
    retention={
        Step.CONFIRMED: Retention(years=8, basis=_("protocol on warnings of insurers")),
        "": Retention(years=1, basis=_("looks that found nothing")),
    },
    plain=("of_claim",),
)


@fraud_look.step(Step.LOOKING)
async def looking(case: FraudLook) -> Any:
    """An examiner has ten working days, and gives reasons for either finding."""
    review = await ask_review(
        "fraud_look",
        role="fraud examiner",
        due=working_days(10),
        title="Fraud look",
        outcomes=[("clear", "Nothing found: clear it", True), ("confirm", "Fraud", True)],
        unlike=list(filter(None, [case.claimant])),
        show={
            "claim": case.of_claim,
            "claimant": case.claimant_name,
            "amount": case.amount,
            "why_it_is_looked_at": case.suspicion,
        },
        met="the claim goes on to its approvers, or is rejected",
    )
    if review.outcome == "confirm":
        return case.confirm(finding=review.reason)
    return case.clear(finding=review.reason)
