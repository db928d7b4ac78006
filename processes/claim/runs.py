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

from cases.access import ACTS, AUDITOR, OPERATOR, SUPERVISOR, has_role, visible_cases
from cases.models import Person, Task
from processes.claim.models import PaymentOrder, PaymentRun

SEE_RUNS = "see payment runs"
_WHOLE = (
    has_role("bookkeeper") | has_role("payments clerk") | has_role(AUDITOR) | has_role(OPERATOR)
)
ACTS.add_rule(SEE_RUNS, _WHOLE | has_role(SUPERVISOR))

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


def orders(person: Person | None = None) -> QuerySet[PaymentOrder]:
    """The orders, each with `is_refused`: the bank said no, and a clerk decides. To a supervisor
    only those of the cases that they may see; without a person, all."""
    clerk = Task.objects.filter(case=OuterRef("case"), state="open", name=REFUSED)
    found = PaymentOrder.objects.annotate(is_refused=Exists(clerk))
    if person is None or _WHOLE(person):
        return found
    return found.filter(case__in=visible_cases(person).values("pk"))


def orders_of(run: PaymentRun, person: Person | None = None) -> QuerySet[PaymentOrder]:
    """The orders of a run: those that wait first, the largest of each first."""
    found = orders(person).filter(run=run).select_related("case")
    return found.order_by("-state", "-amount", "pk")


def totals(runs: Sequence[PaymentRun], person: Person | None = None) -> list[RunTotals]:
    """These runs with what each paid, in the order given. Two queries, however many orders."""
    asked: dict[str, Any] = {}
    for name, which in _PARTS.items():
        asked[f"{name}_count"] = Count("pk", filter=which)
        asked[f"{name}_amount"] = Sum("amount", filter=which)
    rows = orders(person).filter(run__in=runs).values("run").annotate(**asked)
    found = {row["run"]: row for row in rows}
    return [_totals(run, found.get(run.pk, {})) for run in runs]


def _totals(run: PaymentRun, row: dict[str, Any]) -> RunTotals:
    parts = {
        name: Part(row.get(f"{name}_count") or 0, row.get(f"{name}_amount") or Decimal("0.00"))
        for name in _PARTS
    }
    return RunTotals(run=run, **parts)


def latest(person: Person | None = None) -> QuerySet[PaymentRun]:
    """The runs, the newest first; to a supervisor those with an order that they may see."""
    found = PaymentRun.objects.order_by("-run_at")
    if person is None or _WHOLE(person):
        return found
    return found.filter(pk__in=orders(person).values("run"))
