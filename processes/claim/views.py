"""The pages of the payment runs."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from cases import access
from cases.errors import NoSuchCase
from cases.tags import Tag
from cases.views.signing import actor_of, person_of, signed_in
from cases.views.work import page_of
from processes.claim import runs
from processes.claim.models import PaymentOrder
from timers import clock

PAGE_ROWS = 50
SECTION = "payment-runs"


@require_safe
@signed_in
def payment_runs(request: HttpRequest) -> HttpResponse:
    """The runs, the newest first, each with what it paid and what it still has to pay."""
    access.require(actor_of(request), runs.SEE_RUNS)
    page = page_of(request)
    first = (page - 1) * PAGE_ROWS
    person = person_of(request)
    shown = list(runs.latest(person)[first : first + PAGE_ROWS + 1])
    context = {
        "rows": [(one, run_tag(one)) for one in runs.totals(shown[:PAGE_ROWS], person)],
        "page": page,
        "has_next": len(shown) > PAGE_ROWS,
        "section": SECTION,
    }
    return render(request, "claim/payment_runs.html", context)


@require_safe
@signed_in
def payment_run(request: HttpRequest, pk: int) -> HttpResponse:
    """One run with its orders. Whose claim it is, only those read who may see the claim."""
    access.require(actor_of(request), runs.SEE_RUNS)
    person = person_of(request)
    run = runs.latest(person).filter(pk=pk).first()
    if run is None:
        raise NoSuchCase(_("There is no payment run of this number."))
    page = page_of(request)
    first = (page - 1) * PAGE_ROWS
    orders = list(runs.orders_of(run, person)[first : first + PAGE_ROWS + 1])
    cases = [order.case_id for order in orders]
    visible = access.visible_cases(person).filter(pk__in=cases)
    seen = set(visible.values_list("pk", flat=True))
    (totals,) = runs.totals([run], person)
    context = {
        "run": run,
        "totals": totals,
        "state": run_tag(totals),
        "orders": [(one, order_tag(one), one.case_id in seen) for one in orders[:PAGE_ROWS]],
        "page": page,
        "has_next": len(orders) > PAGE_ROWS,
        "section": SECTION,
    }
    return render(request, "claim/payment_run.html", context)


def run_tag(one: runs.RunTotals) -> Tag:
    """How far a run is."""
    if one.failed.count:
        return Tag(_("Something failed"), "bad", "stopped")
    if one.is_done:
        return Tag(_("Done"), "good", "done")
    if one.run.run_at > clock.now():
        return Tag(_("To come"), "", "clock")
    return Tag(_("Being paid"), "info", "review")


def order_tag(order: PaymentOrder) -> Tag:
    """How far a payment is. `is_refused` comes with the query."""
    if order.state == "paid":
        return Tag(_("Paid"), "good", "done")
    if order.state == "left":
        return Tag(_("Taken out of the run"), "", "closed")
    if order.case.stopped_at:
        return Tag(_("Stopped by a fault"), "bad", "stopped")
    if getattr(order, "is_refused", False):
        return Tag(_("The bank refused it: the payments clerk decides"), "bad", "refused")
    if order.run.run_at > clock.now():
        return Tag(_("To be paid"), "", "clock")
    return Tag(_("Being paid"), "info", "review")
