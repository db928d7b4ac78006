"""Notes of a case: all of them, adding one, correcting one by another."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from cases import access, queries
from cases.errors import NoSuchCase
from cases.forms import NoteForm
from cases.models import Case, Note, Person
from cases.once import Answer
from cases.views.acting import carry_out
from cases.views.drafting import filled_in
from cases.views.pages import case_for, head_of
from cases.views.signing import actor_of, person_of, signed_in
from processes.acts import notes as acts


@require_http_methods(["GET", "POST"])
@signed_in
def notes(request: HttpRequest, reference: str) -> HttpResponse:
    """All notes, newest first, with the form for another one."""
    person = person_of(request)
    case = case_for(person, reference)
    form = NoteForm(request.POST or None, people=queries.colleagues(person).exclude(pk=person.pk))

    def show(form: NoteForm, status: int = 200) -> HttpResponse:
        found = queries.notes_of(case)
        for one in found:
            one.case = case
        context = {
            **head_of(request, case),
            "tab": "notes",
            "notes": [(one, _may_strike(person, one)) for one in found],
            "form": form,
            "may_note": access.may(person, "note case", case),
            "draft": filled_in(request, form),
        }
        return render(request, "cases/notes.html", context, status=status)

    if request.method == "POST":
        act = _act(request, case, form)
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


@require_http_methods(["GET", "POST"])
@signed_in
def correct(request: HttpRequest, reference: str, number: int) -> HttpResponse:
    """Write another note in the place of one, which stays readable, struck."""
    person = person_of(request)
    case = case_for(person, reference)
    note = case.notes.select_related("author").filter(number=number).first()
    if note is None:
        raise NoSuchCase(_("There is no such note on this case."))
    note.case = case
    people = queries.colleagues(person).exclude(pk=person.pk)
    form = NoteForm(request.POST or None, initial={"text": note.text}, people=people)

    def show(form: NoteForm, status: int = 200) -> HttpResponse:
        context = {
            **head_of(request, case),
            "note": note,
            "form": form,
            "may_strike": _may_strike(person, note),
            "draft": filled_in(request, form),
        }
        return render(request, "cases/correct_note.html", context, status=status)

    if request.method == "POST":
        act = _act(request, case, form, strikes=note)
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


def _may_strike(person: Person, note: Note) -> bool:
    return not hasattr(note, "struck_by") and acts.may_strike(person, note)


def _act(
    request: HttpRequest, case: Case, form: NoteForm, strikes: Note | None = None
) -> Callable[[], Answer]:
    def act() -> Answer:
        tell = form.cleaned_data["tell"]
        _note, mentions = acts.add_note(
            case_id=case.pk,
            text=form.cleaned_data["text"],
            actor=actor_of(request),
            also=[tell] if tell else [],
            strikes=strikes,
        )
        said = " ".join([_("The note is kept."), *mentions.sentences()])
        return Answer(reverse("case-notes", args=[case.reference]), said)

    return act
