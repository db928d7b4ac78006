"""The outside work of a loan. Each is safe to try twice: by its key a repeat is known."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from cases.models import Requirement
from processes.activities import Attempt, activity
from processes.letters import send_letter
from processes.loan.services import appraiser, bank, credit, identity
from timers import clock
from timers.spans import seconds


@activity(timeout=seconds(15), attempts=8, longest_retry_seconds=900, on="the identity register")
def check_identity(attempt: Attempt, *, national_id: str, name: str) -> dict[str, Any]:
    """Ask the register whether this number belongs to this name."""
    answer = identity.call(
        "POST", "", key=attempt.key, body={"national_id": national_id, "name": name}
    )
    return {
        "confirmed": identity.field(answer, "confirmed", bool),
        "reason": str(answer.get("reason") or ""),
    }


@activity(timeout=seconds(15), attempts=8, longest_retry_seconds=900, on="the credit bureau")
def score_credit(
    attempt: Attempt, *, national_id: str, amount: Decimal, income: Decimal, term_months: int
) -> dict[str, Any]:
    """Ask the bureau for the score of this person, from 300 to 850."""
    answer = credit.call(
        "POST",
        "",
        key=attempt.key,
        body={
            "national_id": national_id,
            "amount": amount,
            "income": income,
            "term_months": term_months,
        },
    )
    return {"score": credit.field(answer, "score", int)}


@activity(inside=True)
def papers_still_missing(attempt: Attempt, *, papers: list[str]) -> list[str]:
    """Which of these papers the customer has not sent, or must send again."""
    return _missing(attempt.case_id, papers)


@activity(inside=True)
def note_reminder(attempt: Attempt, *, papers: list[str]) -> list[str]:
    """Count a reminder on each paper that is still missing, and say which those are."""
    missing = _missing(attempt.case_id, papers)
    for requirement in Requirement.objects.filter(case_id=attempt.case_id, name__in=missing):
        requirement.reminders += 1
        requirement.reminded_at = clock.now()
        requirement.save(update_fields=["reminders", "reminded_at"])
    return missing


def _missing(case_id: int, papers: list[str]) -> list[str]:
    in_hand = set(
        Requirement.objects.filter(
            case_id=case_id, name__in=papers, state__in=["received", "accepted"]
        ).values_list("name", flat=True)
    )
    return [name for name in papers if name not in in_hand]


@activity(timeout=seconds(15), attempts=12, on="the appraiser")
def cancel_appraisal(
    attempt: Attempt, *, result: dict[str, Any] | None, **order: Any
) -> dict[str, Any]:
    """Call an order off. The appraiser takes a second cancellation for the first.

    Without its number it goes by the key of the order, so that one which is still on its way is
    not taken when it arrives.
    """
    if result is None:
        appraiser.call("POST", "/cancel", key=attempt.key, body={"ordered_by": attempt.undoes})
        return {"order": ""}
    number = result["order"]
    appraiser.call("POST", f"/orders/{number}/cancel", key=attempt.key, body={})
    return {"order": number}


@activity(
    timeout=seconds(15),
    attempts=8,
    longest_retry_seconds=900,
    on="the appraiser",
    compensate=cancel_appraisal,
)
def order_appraisal(
    attempt: Attempt, *, question: str, security: str, amount: Decimal
) -> dict[str, Any]:
    """Order an appraisal of the security; its value comes to the address of the question."""
    answer = appraiser.call(
        "POST",
        "/orders",
        key=attempt.key,
        body={"answer_to": attempt.address_of(question), "security": security, "amount": amount},
    )
    return {"order": appraiser.field(answer, "order", str)}


@activity(timeout=seconds(15), attempts=8, longest_retry_seconds=900, on="the appraiser")
def chase_appraisal(attempt: Attempt, *, question: str, order: str) -> dict[str, Any]:
    """Remind the appraiser of an order, with the address once more."""
    appraiser.call(
        "POST",
        f"/orders/{order}/chase",
        key=attempt.key,
        body={"answer_to": attempt.address_of(question)},
    )
    return {"order": order}


@activity(timeout=seconds(15), attempts=10, longest_retry_seconds=1800, on="the bank")
def pay_out(
    attempt: Attempt, *, customer: str, account: str, amount: Decimal, reference: str
) -> dict[str, Any]:
    """Transfer the loan; without an account, to the customer's own with us."""
    # A worker may die after the bank took the order, or its answer be lost: the key lets the bank
    # know the second order for the first.
    answer = bank.call(
        "POST",
        "/payouts",
        key=attempt.key,
        body={"customer": customer, "account": account, "amount": amount, "reference": reference},
    )
    return {"booking": bank.field(answer, "booking", str)}


def letter(name: str, **more: Any) -> Any:
    """Ask for a letter of the loan process to the customer."""
    return send_letter(template=f"loan/letters/{name}.txt", **more)
