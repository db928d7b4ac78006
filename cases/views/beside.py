"""Acts beside a case: relate it to another, part the two again, undo what was just done."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from audit.models import Event
from cases import access
from cases.errors import NoSuchCase
from cases.forms import EmptyForm, ReasonForm, RelateForm
from cases.models import Case
from cases.once import Answer
from cases.views.acting import carry_out
from cases.views.case import told
from cases.views.pages import case_for, head_of
from cases.views.signing import actor_of, person_of, signed_in
from processes.acts import relations, undoing


@require_http_methods(["GET", "POST"])
@signed_in
def relate(request: HttpRequest, reference: str) -> HttpResponse:
    """Relate a case to another one, with the reason."""
    case = case_for(person_of(request), reference)
    access.require(actor_of(request), "work on case", case)
    form = RelateForm(request.POST or None)

    def act() -> Answer:
        other = relations.relate_cases(
            case_id=case.pk,
            reference=form.cleaned_data["reference"],
            reason=form.cleaned_data["reason"],
            actor=actor_of(request),
        )
        said = _("%(case)s and %(other)s are related now.") % {"case": case, "other": other}
        return Answer(case.get_absolute_url(), said)

    return _form_page(request, case, form, act, act_name="relate")


@require_http_methods(["GET", "POST"])
@signed_in
def part(request: HttpRequest, reference: str, other: str) -> HttpResponse:
    """Say that two cases do not belong together after all."""
    case = case_for(person_of(request), reference)
    access.require(actor_of(request), "work on case", case)
    far = case_for(person_of(request), other)
    form = ReasonForm(request.POST or None)

    def act() -> Answer:
        relations.part_cases(
            case_id=case.pk,
            other_id=far.pk,
            reason=form.cleaned_data["reason"],
            actor=actor_of(request),
        )
        said = _("%(case)s and %(other)s are not related any more.") % {"case": case, "other": far}
        return Answer(case.get_absolute_url(), said)

    return _form_page(request, case, form, act, act_name="part", other=far)


@require_http_methods(["GET", "POST"])
@signed_in
def undo(request: HttpRequest, reference: str, number: int) -> HttpResponse:
    """Take back what an event did, as an event of its own."""
    case = case_for(person_of(request), reference)
    event = Event.objects.filter(case_id=case.pk, number=number).first()
    if event is None:
        raise NoSuchCase(_("There is no such event in this case."))
    form = EmptyForm(request.POST or None)

    def act() -> Answer:
        undoing.undo_event(case_id=case.pk, number=number, actor=actor_of(request))
        return Answer(case.get_absolute_url(), _("That is undone."))

    return _form_page(request, case, form, act, act_name="undo", event=event)


def _form_page(
    request: HttpRequest, case: Case, form: Any, act: Any, *, act_name: str, **more: Any
) -> HttpResponse:
    def show(form: Any, status: int = 200) -> HttpResponse:
        fresh = case_for(person_of(request), case.reference)
        head = head_of(request, fresh)
        context = {**head, "form": form, "act": act_name, **more}
        if "event" in more:
            entries = told([more["event"]], head["words"], all_events=True)
            context["entry"] = entries[0]
        return render(request, "cases/beside.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)
