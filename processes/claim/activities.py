"""The outside work of claims, and what they look up in our own database."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Sum

from cases.models import Case
from processes.activities import Attempt, activity
from processes.claim import rules
from processes.claim.models import Claim, PaymentOrder, PaymentRun, Policy, TravelPermit
from processes.claim.models.permit import APPROVED
from processes.claim.services import bank
from processes.engine import inbox
from processes.letters import send_letter
from timers import clock
from timers.spans import seconds

# -- what stands out


@activity(inside=True)
def assess_claim(
    attempt: Attempt,
    *,
    type: str,
    amount: Decimal,
    account: str,
    incurred_date: date | None,
    belongs_to: str,
    needs_permit: bool,
) -> dict[str, Any]:
    """What the approvers of a claim should know of it, its permit or policy, and claims like it."""
    parent = parent_of(belongs_to, before=attempt.case_id)
    doubles = _doubles(attempt.case_id, account=account, amount=amount)
    flags = rules.flags_of_claim(
        type=type,
        amount=amount,
        incurred_date=incurred_date,
        needs_permit=needs_permit,
        parent=parent,
        doubles=len(doubles),
    )
    return {
        "flags": flags,
        "doubles": doubles,
        "own_risk": parent["own_risk"] if parent else Decimal(0),
    }


def parent_of(reference: str, *, before: int) -> dict[str, Any] | None:
    """What a claim needs to know of its permit or policy; `claimed` is what its claims before
    this one ask for, those that were refused aside. None when there is none of this reference."""
    permit = TravelPermit.objects.filter(reference=reference).first() if reference else None
    policy = Policy.objects.filter(reference=reference).first() if reference else None
    parent = permit or policy
    if parent is None:
        return None
    others = Claim.objects.filter(parent=parent.pk, is_draft=False, pk__lt=before)
    others = others.exclude(step__in=["rejected", "withdrawing", "withdrawn", "lapsed"])
    found = {
        "kind": parent.kind,
        "claimed": others.aggregate(all=Sum("amount"))["all"] or Decimal(0),
    }
    if permit is not None:
        approved = permit.step in APPROVED
        return {**found, "is_approved": approved, "limit": permit.amount, "own_risk": Decimal(0)}
    assert policy is not None
    ends = policy.ends_date
    if policy.step == "cancelled" and policy.closed_at is not None:
        ends = min(ends, policy.closed_at.date())
    return {
        **found,
        "starts": policy.starts_date,
        "ends": ends,
        "limit": policy.cover_limit,
        "own_risk": policy.own_risk,
    }


def _doubles(case_id: int, *, account: str, amount: Decimal) -> list[str]:
    """References of earlier claims of the same amount to the same account, of late, not refused."""
    if not account:
        return []
    since = clock.now() - timedelta(days=rules.DOUBLE_DAYS)
    same = Claim.objects.filter(account=account, amount=amount, opened_at__gte=since)
    same = same.filter(pk__lt=case_id).exclude(step__in=["rejected", "withdrawn", "lapsed"])
    return list(same.order_by("pk").values_list("reference", flat=True)[:5])


# -- parents and children


@activity(inside=True)
def tell_parent(attempt: Attempt, *, parent: str, claim: str, what: str) -> bool:
    """Tell the permit or policy what became of one of its claims. False when it is closed: then
    nobody waits for it, and the claim's own history tells."""
    found = Case.objects.filter(reference=parent, closed_at=None).first()
    if found is None:
        return False
    inbox.store(
        source="claim",
        key=attempt.key,
        name="claim_news",
        to=f"id:{found.pk}",
        data={"claim": claim, "what": what},
        actor="engine",
        on_behalf=attempt.on_behalf,
    )
    return True


@activity(inside=True)
def look_at_claims(attempt: Attempt) -> dict[str, int]:
    """How many claims of a permit or policy are open, and how many have ended. Drafts do not
    count: nobody has submitted them."""
    claims = Claim.objects.filter(parent=attempt.case_id, is_draft=False)
    still_open = claims.filter(closed_at=None).count()
    return {"open": still_open, "closed": claims.count() - still_open}


# -- payment


@activity(inside=True)
def next_batch(attempt: Attempt) -> dict[str, Any]:
    """The moment of the daily batch that requests the payment."""
    return {"at": rules.next_batch(clock.now())}


@activity(inside=True)
def join_run(attempt: Attempt, *, amount: Decimal) -> dict[str, Any]:
    """Put a payment into the next run. Its key pays it once, whatever dies meanwhile."""
    now = clock.now()
    run, _ = PaymentRun.objects.get_or_create(
        run_at=rules.next_run(now), defaults={"begun_at": now}
    )
    PaymentOrder.objects.get_or_create(
        key=attempt.key, defaults={"run": run, "case_id": attempt.case_id, "amount": amount}
    )
    return {"run_at": run.run_at, "order": attempt.key}


@activity(inside=True)
def leave_run(attempt: Attempt) -> int:
    """Take a claim that is not to be paid out of its run. Returns how many orders were waiting."""
    waiting = PaymentOrder.objects.filter(case_id=attempt.case_id, state="waiting")
    return waiting.update(state="left", settled_at=clock.now())


@activity(inside=True)
def settle_order(attempt: Attempt, *, booking: str) -> int:
    """Note in the run that the payment was made."""
    waiting = PaymentOrder.objects.filter(case_id=attempt.case_id, state="waiting")
    return waiting.update(state="paid", booking=booking, settled_at=clock.now())


@activity(timeout=seconds(15), attempts=10, longest_retry_seconds=1800, on="the bank")
def pay_claim(
    attempt: Attempt, *, name: str, account: str, amount: Decimal, reference: str
) -> dict[str, Any]:
    """Transfer what was approved; without an account, to the claimant's own with the bank."""
    # A worker may die after the bank took the order, or its answer be lost: the key lets the bank
    # know the second order for the first.
    answer = bank.call(
        "POST",
        "/payouts",
        key=attempt.key,
        body={"customer": name, "account": account, "amount": amount, "reference": reference},
    )
    return {"booking": bank.field(answer, "booking", str)}


def letter(name: str, **more: Any) -> Any:
    """Ask for a letter of the claim process."""
    return send_letter(template=f"claim/letters/{name}.txt", **more)
