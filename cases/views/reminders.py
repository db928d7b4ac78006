"""A person's own reminder on a case."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from cases import access, dates
from cases.forms import BulkRemindForm, EmptyForm
from cases.models import Reminder
from cases.once import Answer
from cases.views.acting import carry_out
from cases.views.pages import case_for, head_of
from cases.views.signing import actor_of, person_of, signed_in
from processes.acts import reminders


@require_http_methods(["GET", "POST"])
@signed_in
def remind(request: HttpRequest, reference: str) -> HttpResponse:
    """Be told of a case on a day; or see on which one, and cancel it."""
    case = case_for(person_of(request), reference)
    access.require(actor_of(request), "be reminded", case)
    known = Reminder.objects.filter(case_id=case.pk, person=person_of(request)).first()
    initial = {"day": dates.local_date(known.due_at), "text": known.text} if known else None
    form = BulkRemindForm(request.POST or None, initial=initial)

    def act() -> Answer:
        told = reminders.set_reminder(
            case_id=case.pk,
            day=form.cleaned_data["day"],
            text=form.cleaned_data["text"],
            actor=actor_of(request),
        )
        said = _("You are reminded of it on %(day)s.") % {"day": dates.day(told.due_at)}
        return Answer(case.get_absolute_url(), said)

    def show(form: BulkRemindForm, status: int = 200) -> HttpResponse:
        fresh = case_for(person_of(request), reference)
        context = {**head_of(request, fresh), "form": form, "reminder": known}
        return render(request, "cases/remind.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


@require_http_methods(["GET", "POST"])
@signed_in
def cancel(request: HttpRequest, reference: str) -> HttpResponse:
    """Take one's reminder off a case."""
    case = case_for(person_of(request), reference)
    access.require(actor_of(request), "be reminded", case)

    def act() -> Answer:
        reminders.cancel_reminder(case_id=case.pk, actor=actor_of(request))
        return Answer(case.get_absolute_url(), _("You are not reminded of it any more."))

    def show(form: EmptyForm, status: int = 200) -> HttpResponse:
        return redirect("remind-case", reference)

    if request.method == "POST":
        return carry_out(request, form=EmptyForm(request.POST), act=act, show=show)
    return redirect("remind-case", reference)
