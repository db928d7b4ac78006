"""What each payment run paid, what it still has to pay, and what of that failed. Sums are in euro.

An order that waits has failed when its claim is stopped by a fault, or when the bank refused it and
a payments clerk has to decide. Each claim goes on by itself: a run is done when no order waits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum

from cases.access import ACTS, AUDITOR, OPERATOR, SUPERVISOR, has_role
from cases.models import Task
from processes.claim.models import PaymentOrder, PaymentRun

SEE_RUNS = "see payment runs"
ACTS.add_rule(
    SEE_RUNS,
    has_role("bookkeeper")
    | has_role("payments clerk")
    | has_role(SUPERVISOR)
    | has_role(AUDITOR)
    | has_role(OPERATOR),
)

REFUSED = "payment_refused"  # the task of the clerk
_WAITING = Q(state="waiting")
_FAILED = _WAITING & (Q(is_refused=True) | Q(case__stopped_at__isnull=False))
_PARTS = {
    "paid": Q(state="paid"),
    "open": _WAITING & ~_FAILED,
    "failed": _FAILED,
    "left": Q(state="left"),
}


@dataclass(frozen=True, slots=True)
class Part:
    """Some of the orders of a run: how many, and how much together."""

    count: int
    amount: Decimal


@dataclass(frozen=True, slots=True)
class RunTotals:
    """A run with the four parts of its orders."""

    run: PaymentRun
    paid: Part
    open: Part
    failed: Part
    left: Part  # taken out before the bank was asked

    @property
    def is_done(self) -> bool:
        return not self.open.count and not self.failed.count


def orders() -> QuerySet[PaymentOrder]:
    """The orders, each with `is_refused`: the bank said no, and a clerk decides."""
    clerk = Task.objects.filter(case=OuterRef("case"), state="open", name=REFUSED)
    return PaymentOrder.objects.annotate(is_refused=Exists(clerk))


def orders_of(run: PaymentRun) -> QuerySet[PaymentOrder]:
    """The orders of a run: those that wait first, the largest of each first."""
    return orders().filter(run=run).select_related("case").order_by("-state", "-amount", "pk")


def totals(runs: Sequence[PaymentRun]) -> list[RunTotals]:
    """These runs with what each paid, in the order given. Two queries, however many orders."""
    asked: dict[str, Any] = {}
    for name, which in _PARTS.items():
        asked[f"{name}_count"] = Count("pk", filter=which)
        asked[f"{name}_amount"] = Sum("amount", filter=which)
    rows = orders().filter(run__in=runs).values("run").annotate(**asked)
    found = {row["run"]: row for row in rows}
    return [_totals(run, found.get(run.pk, {})) for run in runs]


def _totals(run: PaymentRun, row: dict[str, Any]) -> RunTotals:
    parts = {
        name: Part(row.get(f"{name}_count") or 0, row.get(f"{name}_amount") or Decimal("0.00"))
        for name in _PARTS
    }
    return RunTotals(run=run, **parts)


def latest() -> QuerySet[PaymentRun]:
    """All runs, the newest first."""
    return PaymentRun.objects.order_by("-run_at")
