"""Notes of a case, and adding one."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from cases import access, queries
from cases.forms import NoteForm
from cases.once import Answer
from cases.views.acting import carry_out
from cases.views.pages import case_for, head_of
from cases.views.signing import actor_of, person_of, signed_in
from processes.acts import notes as acts


@require_http_methods(["GET", "POST"])
@signed_in
def notes(request: HttpRequest, reference: str) -> HttpResponse:
    """All notes, newest first, with the form for another one."""
    person = person_of(request)
    case = case_for(person, reference)
    form = NoteForm(request.POST or None)

    def act() -> Answer:
        access.require(actor_of(request), "note case", case)
        acts.add_note(case_id=case.pk, text=form.cleaned_data["text"], actor=actor_of(request))
        return Answer(reverse("case-notes", args=[case.reference]), _("The note is kept."))

    def show(form: NoteForm, status: int = 200) -> HttpResponse:
        context = {
            **head_of(request, case),
            "tab": "notes",
            "notes": queries.notes_of(case),
            "form": form,
            "may_note": access.may(person, "note case", case),
        }
        return render(request, "cases/notes.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)
