"""Opening a restricted case: who opens it says for what and why, and all of it is kept."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from cases import access
from cases.forms import long_text
from cases.once import Answer
from cases.purposes import PURPOSES
from cases.views.acting import carry_out
from cases.views.signing import actor_of, person_of, signed_in
from processes.acts import openings


class OpenForm(forms.Form):
    """For what a restricted case is opened, and why."""

    purpose = forms.ChoiceField(
        label=gettext_lazy("For what you open it"),
        choices=[("", gettext_lazy("Choose one")), *PURPOSES.items()],
    )
    reason = long_text(
        gettext_lazy("Why"),
        help_text=gettext_lazy(
            "The caseworker, the supervisors of the team and auditors read this."
        ),
        most=openings.REASON_CHARACTERS,
    )


@require_http_methods(["GET", "POST"])
@signed_in
def open_case(request: HttpRequest, reference: str) -> HttpResponse:
    """Say for what and why, then read the case for some hours."""
    person = person_of(request)
    case = openings.case_to_open(person, reference)
    if request.method != "POST" and not access.lacks_purpose(person, case):
        return redirect(case)
    form = OpenForm(request.POST or None)

    def act() -> Answer:
        openings.open_restricted(case_id=case.pk, actor=actor_of(request), **form.cleaned_data)
        said = _("The case is open to you for %(hours)s hours.")
        return Answer(case.get_absolute_url(), said % {"hours": settings.LONGCASE_PURPOSE_HOURS})

    def show(form: OpenForm, status: int = 200) -> HttpResponse:
        context: dict[str, Any] = {
            "reference": reference,
            "form": form,
            "hours": settings.LONGCASE_PURPOSE_HOURS,
            "section": "cases",
        }
        return render(request, "cases/open_restricted.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)
