"""Lists of cases whose time has come, and requests of people: made, reviewed, approved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from cases import access
from cases.errors import NoSuchCase
from cases.forms import EmptyForm, ReasonForm
from cases.models import Destruction, DestructionRow, Erasure, Hold
from cases.once import Answer
from cases.queries import PAGE_ROWS
from cases.views.acting import carry_out
from cases.views.signing import actor_of, person_of, signed_in
from cases.views.work import page_of
from processes.acts import destructions
from processes.erasing import erase
from processes.erasing.views.shared import SECTION, actors
from processes.work import destructions as work


@require_safe
@signed_in
def index(request: HttpRequest) -> HttpResponse:
    """Lists and requests, what waits for whom first; and the newest certificates."""
    return _show_index(request, EmptyForm())


def _show_index(request: HttpRequest, form: Any, status: int = 200) -> HttpResponse:
    access.require(actor_of(request), "see destructions")
    page = page_of(request)
    first = (page - 1) * PAGE_ROWS
    rows = Destruction.objects.select_related("first_by", "second_by")
    ordered = rows.extra(select={"over": "ended_at IS NOT NULL"}, order_by=["over", "-id"])
    shown = list(ordered[first : first + PAGE_ROWS + 1])
    counts = destructions.counts(shown)
    person = person_of(request)
    context = {
        "form": form,
        "rows": [
            {"made": one, "counts": counts[one.pk], "yours": destructions.may_approve(person, one)}
            for one in shown[:PAGE_ROWS]
        ],
        "page": page,
        "has_next": len(shown) > PAGE_ROWS,
        "certificates": Erasure.objects.select_related("case").order_by("-pk")[:10],
        "holds": Hold.objects.filter(lifted_at=None).count(),
        **SECTION,
    }
    return render(request, "processes/erasing/index.html", context, status=status)


@require_http_methods(["GET", "POST"])
@signed_in
def make(request: HttpRequest) -> HttpResponse:
    """Make a list of what has come, now."""
    access.require(actor_of(request), "destroy cases")

    def act() -> Answer:
        made = destructions.make_list(actor=actor_of(request))
        n = made.rows.count()
        said = ngettext("The list has %(n)s case.", "The list has %(n)s cases.", n) % {"n": n}
        return Answer(made.get_absolute_url(), said)

    def show(form: Any, status: int = 200) -> HttpResponse:
        return _show_index(request, form, status)

    if request.method == "POST":
        return carry_out(request, form=EmptyForm(request.POST), act=act, show=show)
    return redirect("destructions")


def _found(request: HttpRequest, pk: int) -> Destruction:
    access.require(actor_of(request), "see destructions")
    found = Destruction.objects.select_related("first_by", "second_by").filter(pk=pk).first()
    if found is None:
        raise NoSuchCase(_("There is no such list or request."))
    return found


@require_safe
@signed_in
def destruction(request: HttpRequest, pk: int) -> HttpResponse:
    """A list or request: each case, why it is on it, what became of it."""
    return _show(request, _found(request, pk), EmptyForm())


def _show(request: HttpRequest, made: Destruction, form: Any, status: int = 200) -> HttpResponse:
    person, page = person_of(request), page_of(request)
    first = (page - 1) * PAGE_ROWS
    rows = made.rows.select_related("case").order_by("pk")[first : first + PAGE_ROWS + 1]
    shown = list(rows)
    states = erase.states_of([one.case for one in shown[:PAGE_ROWS]])
    named = actors(made.asked_by, made.dropped_by, *(one.settled_by for one in shown))
    context = {
        "made": made,
        "form": form,
        "counts": destructions.counts([made])[made.pk],
        "rows": [_told(one, states[one.case_id], named) for one in shown[:PAGE_ROWS]],
        "page": page,
        "has_next": len(shown) > PAGE_ROWS,
        "asked_by": named(made.asked_by),
        "dropped_by": named(made.dropped_by),
        "yours": destructions.may_approve(person, made),
        "destroys": access.may(person, "destroy cases"),
        **SECTION,
    }
    return render(request, "processes/erasing/destruction.html", context, status=status)


def _told(row: DestructionRow, state: Any, named: Callable[[str], str]) -> dict[str, Any]:
    kept, hold, why_not = state
    listed = row.state == DestructionRow.State.LISTED
    return {
        "row": row,
        "kept": kept,
        "hold": hold if listed else None,
        "why_not": str(why_not) if listed and why_not is not None else "",
        "by": named(row.settled_by),
    }


@require_http_methods(["GET", "POST"])
@signed_in
def approve(request: HttpRequest, pk: int) -> HttpResponse:
    """The first approval, or the second on which it is carried out."""
    made = _found(request, pk)
    access.require(actor_of(request), "destroy cases")

    def act() -> Answer:
        held = destructions.approve(destruction_id=pk, actor=actor_of(request))
        if held.second_at is None:
            return Answer(
                held.get_absolute_url(),
                _("You approved it. It is carried out when a second person approves it too."),
            )
        return Answer(held.get_absolute_url(), _("Two people have approved it. It is carried out."))

    def show(form: Any, status: int = 200) -> HttpResponse:
        return _show(request, _found(request, pk), form, status)

    if request.method != "POST":
        return redirect(made.get_absolute_url())
    answer = carry_out(request, form=EmptyForm(request.POST), act=act, show=show)
    if Destruction.objects.filter(pk=pk, second_at__isnull=False, begun_at=None).exists():
        work.publish(pk)
    return answer


@require_http_methods(["GET", "POST"])
@signed_in
def drop(request: HttpRequest, pk: int) -> HttpResponse:
    """Give it up, for a reason."""
    made = _found(request, pk)
    access.require(actor_of(request), "destroy cases")

    def act() -> Answer:
        destructions.drop(
            destruction_id=pk,
            reason=form.cleaned_data["reason"],
            actor=actor_of(request),
        )
        return Answer(reverse("destructions"), _("It was given up. No case of it is erased now."))

    form = ReasonForm(request.POST or None)
    return _small(request, form, act, "drop", made.get_absolute_url(), made=made)


@require_http_methods(["GET", "POST"])
@signed_in
def take_off(request: HttpRequest, pk: int, row_pk: int) -> HttpResponse:
    """Take one case off, for a reason."""
    made = _found(request, pk)
    access.require(actor_of(request), "destroy cases")
    row = made.rows.select_related("case").filter(pk=row_pk).first()
    if row is None:
        raise NoSuchCase(_("There is no such case on this list."))
    form = ReasonForm(request.POST or None)

    def act() -> Answer:
        destructions.take_off(
            row_id=row_pk, reason=form.cleaned_data["reason"], actor=actor_of(request)
        )
        said = _("%(case)s was taken off.") % {"case": row.case.reference}
        return Answer(made.get_absolute_url(), said)

    return _small(request, form, act, "off", made.get_absolute_url(), made=made, row=row)


def _small(
    request: HttpRequest,
    form: Any,
    act: Callable[[], Answer],
    what: str,
    back: str,
    **context: Any,
) -> HttpResponse:
    """A page with one small form."""

    def show(form: Any, status: int = 200) -> HttpResponse:
        shown = {"form": form, "act": what, "back": back, **context, **SECTION}
        return render(request, "processes/erasing/act.html", shown, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)
