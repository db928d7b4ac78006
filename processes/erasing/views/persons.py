"""All cases of a person, and the request to erase them."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from cases import access
from cases.errors import Invalid
from cases.models import Person
from cases.once import Answer
from cases.views.acting import carry_out
from cases.views.signing import actor_of, person_of, signed_in
from processes import retention
from processes.acts import destructions
from processes.erasing import erase, people
from processes.erasing.forms import (
    FindForm,
    RequestForm,
)
from processes.erasing.views.shared import SECTION


@require_http_methods(["GET", "POST"])
@signed_in
def person(request: HttpRequest) -> HttpResponse:
    """All cases of a person, whether each can be erased, and the request to do so."""
    access.require(actor_of(request), "destroy cases")
    text = request.GET.get("text", "").strip()[:200].replace("\0", "")
    find = FindForm({"text": text} if text else None)
    found: list[people.Of] = []
    if text:
        try:
            found = _cases_of(person_of(request), text)
        except Invalid as error:
            find.add_error("text", str(error))
    rows = _rows_of(found)
    choices = [(str(one["case"].pk), one["case"].reference) for one in rows]
    form = RequestForm(request.POST or None, choices=choices)

    def act() -> Answer:
        given = form.cleaned_data
        made = destructions.request_erasure(
            case_ids=[int(one) for one in given["cases"]],
            reason=given["reason"],
            basis=given["basis"],
            stays=given["stays"],
            actor=actor_of(request),
        )
        said = _("The request is made. It is carried out when a second person approves it.")
        return Answer(made.get_absolute_url(), said)

    def show(form: Any, status: int = 200) -> HttpResponse:
        chosen = set(request.POST.getlist("cases"))
        for one in rows:
            is_chosen = str(one["case"].pk) in chosen
            one["is_chosen"] = is_chosen if request.method == "POST" else one["of"].is_sure
        context = {
            "find": find,
            "form": form,
            "text": text,
            "rows": rows,
            "facts": people.identifying_facts(),
            "here": request.get_full_path(),
            **SECTION,
        }
        return render(request, "processes/erasing/person.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


def _cases_of(person: Person, text: str) -> list[people.Of]:
    visible = access.visible_cases(person)
    case = visible.filter(reference__iexact=text).first()
    if case is not None:
        return people.cases_of(retention.as_their_kinds([case])[0])
    return people.cases_identified_by(text)


def _rows_of(found: list[people.Of]) -> list[dict[str, Any]]:
    states = erase.states_of([one.case for one in found])
    rows = []
    for one in found:
        kept, hold, why_not = states[one.case.pk]
        rows.append({"case": one.case, "of": one, "kept": kept, "hold": hold, "why_not": why_not})
    return rows
