"""Holds: those that stand, and placing and lifting one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from cases import access
from cases.errors import NoSuchCase
from cases.forms import ReasonForm
from cases.models import Case, Hold
from cases.once import Answer
from cases.queries import PAGE_ROWS
from cases.views.acting import carry_out
from cases.views.pages import case_for, head_of
from cases.views.signing import actor_of, person_of, signed_in
from cases.views.work import page_of
from processes.acts import holds
from processes.erasing.forms import (
    HoldForm,
)
from processes.erasing.views.shared import SECTION, actors


@require_safe
@signed_in
def hold_list(request: HttpRequest) -> HttpResponse:
    """The holds that stand."""
    access.require(actor_of(request), "see destructions")
    page = page_of(request)
    first = (page - 1) * PAGE_ROWS
    rows = Hold.objects.filter(lifted_at=None).select_related("case").order_by("-pk")
    shown = list(rows[first : first + PAGE_ROWS + 1])
    named = actors(*(one.placed_by for one in shown))
    context = {
        "holds": [(one, named(one.placed_by)) for one in shown[:PAGE_ROWS]],
        "lifts": access.may(person_of(request), "hold case"),
        "page": page,
        "has_next": len(shown) > PAGE_ROWS,
        **SECTION,
    }
    return render(request, "processes/erasing/holds.html", context)


@require_http_methods(["GET", "POST"])
@signed_in
def hold(request: HttpRequest, reference: str) -> HttpResponse:
    """Hold a case, or all cases of its person."""
    case = case_for(person_of(request), reference)
    access.require(actor_of(request), "hold case")
    form = HoldForm(request.POST or None)

    def act() -> Answer:
        reason, actor = form.cleaned_data["reason"], actor_of(request)
        if form.cleaned_data["of_person"]:
            placed = holds.hold_person(case_id=case.pk, reason=reason, actor=actor)
        else:
            placed = holds.place_hold(case_ids=[case.pk], reason=reason, actor=actor)
        n = len(placed)
        said = ngettext("%(n)s case is held.", "%(n)s cases are held.", n) % {"n": n}
        return Answer(case.get_absolute_url(), said)

    return _case_form(request, case, form, act, "hold")


@require_http_methods(["GET", "POST"])
@signed_in
def lift(request: HttpRequest, pk: int) -> HttpResponse:
    """Lift a hold, with those that were placed together with it."""
    access.require(actor_of(request), "hold case")
    found = Hold.objects.select_related("case").filter(pk=pk).first()
    if found is None:
        raise NoSuchCase(_("There is no such hold."))
    case = case_for(person_of(request), found.case.reference)
    form = ReasonForm(request.POST or None)

    def act() -> Answer:
        lifted = holds.lift_hold(
            hold_id=pk, reason=form.cleaned_data["reason"], actor=actor_of(request)
        )
        n = len(lifted)
        said = ngettext(
            "The hold of %(n)s case is lifted.", "The holds of %(n)s cases are lifted.", n
        )
        return Answer(case.get_absolute_url(), said % {"n": n})

    together = Hold.objects.filter(batch=found.batch, lifted_at=None).select_related("case")
    return _case_form(request, case, form, act, "lift", hold=found, together=list(together[:50]))


def _case_form(
    request: HttpRequest,
    case: Case,
    form: Any,
    act: Callable[[], Answer],
    what: str,
    **more: Any,
) -> HttpResponse:
    def show(form: Any, status: int = 200) -> HttpResponse:
        shown = case_for(person_of(request), case.reference)
        context = {**head_of(request, shown), "form": form, "act": what, **more}
        return render(request, "processes/erasing/hold.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)
