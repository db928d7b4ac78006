"""A person's absences: who stands in, and from when to when."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from cases import absence, access, dates
from cases.errors import NoSuchCase
from cases.forms import EmptyForm
from cases.models import Absence, Person
from cases.once import Answer
from cases.views.acting import carry_out
from cases.views.signing import actor_of, person_of, signed_in
from processes.acts import absences as acts

SHOWN = 50


class AbsenceForm(forms.Form):
    """The first and the last day, and who does the work meanwhile."""

    from_date = forms.DateField(
        label=gettext_lazy("First day away"), widget=forms.DateInput(attrs={"type": "date"})
    )
    until_date = forms.DateField(
        label=gettext_lazy("Last day away"), widget=forms.DateInput(attrs={"type": "date"})
    )
    substitute = forms.ModelChoiceField(
        Person.objects.none(),
        label=gettext_lazy("Who stands in"),
        required=False,
        empty_label=gettext_lazy("nobody"),
        help_text=gettext_lazy(
            "They see and do this person's own cases and tasks; history names both."
        ),
    )
    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=200, required=False)

    def __init__(self, *args: Any, person: Person, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        people = Person.objects.filter(is_active=True).exclude(pk=person.pk)
        if person.team_id is not None:
            people = people.filter(team=person.team_id)
        self.fields["substitute"].queryset = people.order_by("last_name", "first_name", "username")


def person_for(request: HttpRequest, pk: int) -> Person:
    """The person, for whoever may enter their absences. Raises NoSuchCase."""
    found = Person.objects.select_related("team").filter(pk=pk).first()
    if found is None or not access.may(person_of(request), "enter absence", found):
        raise NoSuchCase(_("There is no such person among those whose absences you enter."))
    return found


@require_http_methods(["GET", "POST"])
@signed_in
def absences(request: HttpRequest, pk: int) -> HttpResponse:
    """Enter an absence; see those that are and were."""
    other = person_for(request, pk)
    first = absence.today().isoformat()
    form = AbsenceForm(request.POST or None, person=other, initial={"from_date": first})

    def act() -> Answer:
        entered = acts.enter_absence(person=other, actor=actor_of(request), **form.cleaned_data)
        return Answer(request.path, _said(entered))

    def show(form: AbsenceForm, status: int = 200) -> HttpResponse:
        rows = list(
            other.absences.select_related("substitute").order_by("-from_date", "-pk")[:SHOWN]
        )
        today = absence.today()
        context = {
            "other": other,
            "is_me": other == person_of(request),
            "form": form,
            "rows": [
                {
                    "absence": one,
                    "ends": one.until_date >= today,
                    "is_now": one.from_date <= today <= one.until_date,
                    "warning": _warning(one) if one.until_date >= today else "",
                }
                for one in rows
            ],
        }
        return render(request, "cases/absences.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


def _said(entered: Absence) -> str:
    told = {"person": entered.person, "day": dates.day(entered.until_date)}
    said = _("%(person)s is away until %(day)s.") % told
    warning = _warning(entered)
    return f"{said} {warning}" if warning else said


def _warning(one: Absence) -> str:
    """A substitute who is away too: nobody stands in for both."""
    if one.substitute is None:
        return ""
    for other in absence.overlapping(one.substitute, one.from_date, one.until_date):
        return _("%(who)s is away too, from %(first)s to %(last)s; nobody stands in then.") % {
            "who": one.substitute,
            "first": dates.day(other.from_date),
            "last": dates.day(other.until_date),
        }
    return ""


@require_http_methods(["GET", "POST"])
@signed_in
def end_absence(request: HttpRequest, pk: int, absence_pk: int) -> HttpResponse:
    """Somebody is back sooner, or does not go."""
    other = person_for(request, pk)
    found = other.absences.select_related("substitute").filter(pk=absence_pk).first()
    if found is None:
        raise NoSuchCase(_("This absence was ended, or withdrawn, already."))
    back = reverse("absences", args=[pk])
    form = EmptyForm(request.POST or None)

    def act() -> Answer:
        acts.end_absence(absence_id=absence_pk, actor=actor_of(request))
        return Answer(back, _("The absence is ended."))

    def show(form: EmptyForm, status: int = 200) -> HttpResponse:
        context = {"other": other, "absence": found, "form": form, "back": back}
        return render(request, "cases/absence_end.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)
