"""The approval chain, as claims and travel permits go through it."""

from __future__ import annotations

from typing import Any

from processes.claim import rules
from processes.engine.words import Outcome, ask_review
from timers.spans import working_days

TITLES = {
    "administration": "Check by the administration",
    "pre_approval": "Pre-approval",
    "budget": "Approval by the budget owner",
    "supervision": "Approval by the supervisor",
    "direction": "Approval by the director",
}
GOES_ON = "approved ones go on, returned ones wait for the applicant, rejected ones are closed"


def approval(case: Any, *, show: dict[str, Any], asks: Any = ()) -> Any:
    """Ask for the approval of the step at which the case stands. Gives an Outcome.

    Whoever approved before in this round, and the claimant, may not. After the sixth time that it
    was submitted again it is not returned any more.
    """
    step = str(case.step)
    outcomes: list[Any] = [("approve", "Approve")]
    if case.rounds < rules.RESUBMISSIONS:
        outcomes.append(("send_back", "Return to the applicant", True))
    outcomes.append(("reject", "Reject for good", True))
    return ask_review(
        step,
        role=rules.ROLE_OF[step],
        due=working_days(5),
        title=TITLES[step],
        outcomes=outcomes,
        unlike=[*case.approved_by.split(), *filter(None, [case.claimant])],
        asks=asks,
        show=show,
        met=GOES_ON,
    )


def is_last(case: Any) -> bool:
    """Whether the step at which the case stands has the last word."""
    return not rules.next_step(case.chain.split(), str(case.step))


def onward(case: Any, *, by: str = "", route: dict[str, Any] | None = None) -> Any:
    """The transition to the next step of the chain."""
    chain = (route["chain"] if route else case.chain).split()
    step = rules.next_step(chain, str(case.step))
    go = {
        "administration": case.to_administration,
        "pre_approval": case.to_pre_approval,
        "budget": case.to_budget,
        "supervision": case.to_supervision,
        "direction": case.to_direction,
    }[step]
    return go(by=by, **({"route": route} if route else {}))


def not_approved(case: Any, review: Outcome) -> Any:
    """The transition of a review that did not approve; None when it did."""
    if review.outcome == "send_back":
        return case.send_back(by=review.by, reason=review.reason)
    if review.outcome == "reject":
        return case.reject(reason=review.reason)
    return None
