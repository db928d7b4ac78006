"""Documents of a case: the list, receiving, asking for more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from cases import access, queries, tags
from cases.errors import Invalid
from cases.forms import AskDocumentsForm
from cases.models import Case
from cases.once import Answer
from cases.views.acting import carry_out
from cases.views.pages import case_for, head_of
from cases.views.paper_forms import SeveralForm, UploadForm, limits
from cases.views.signing import actor_of, person_of, signed_in
from cases.views.work import page_of
from processes import storing
from processes.acts import documents
from processes.kinds import kind_of
from timers import clock


@require_safe
@signed_in
def document_list(request: HttpRequest, reference: str) -> HttpResponse:
    """What was asked for, what came in, and the letters that went out."""
    case = case_for(person_of(request), reference)
    head = head_of(request, case)
    file, page, now = head["file"], page_of(request), clock.now()
    first = (page - 1) * queries.PAGE_ROWS
    shown = file.documents[first : first + queries.PAGE_ROWS]
    if case.erased_at is None:
        storing.look_for_lost(shown)
    asked = [(one, tags.requirement_tag(one)) for one in file.requirements]
    waits_for = [one for one, _tag in asked if one.is_open and one.state in ("asked", "rejected")]
    context = {
        "tab": "documents",
        "versions": [
            (
                one,
                tags.document_tag(one),
                head["words"].document(one.name),
                tags.valid_tag(one, now),
            )
            for one in shown
        ],
        "count": len(file.documents),
        "page": page,
        "has_next": len(file.documents) > first + queries.PAGE_ROWS,
        "asked": asked,
        "is_partial": bool(waits_for) and len(waits_for) < len(asked),
        "letters": queries.letters_of(case),
    }
    return render(request, "cases/documents.html", {**head, **context})


@require_http_methods(["GET", "POST"])
@signed_in
def receive(request: HttpRequest, reference: str, name: str = "") -> HttpResponse:
    """Record a document that came in."""
    case = case_for(person_of(request), reference)
    access.require(actor_of(request), "note case", case)
    form = UploadForm(
        request.POST or None,
        request.FILES or None,
        requirements=list(case.requirements.order_by("asked_at", "pk")),
        titles=kind_of(case.kind).document_titles,
        initial={"name": name},
    )

    def act() -> Answer:
        chosen = form.cleaned_data["name"]
        received = documents.receive_document(
            case_id=case.pk,
            name=documents.name_for_other(case.pk) if chosen == documents.OTHER else chosen,
            file=form.cleaned_data["file"],
            actor=actor_of(request),
        )
        said = _("%(file)s is recorded.") % {"file": received.filename}
        twins = queries.same_files(person_of(request), received)
        if twins:
            known = {"file": twins[0].filename, "case": twins[0].case.reference}
            said += " " + _("The same file is there as %(file)s of %(case)s.") % known
        return Answer(received.get_absolute_url(), said)

    return form_page(request, case, form, "cases/receive.html", act)


@require_http_methods(["GET", "POST"])
@signed_in
def receive_several(request: HttpRequest, reference: str) -> HttpResponse:
    """Record documents that came in together; each that is refused is named, the others stay."""
    case = case_for(person_of(request), reference)
    access.require(actor_of(request), "note case", case)
    form = SeveralForm(
        request.POST or None,
        request.FILES or None,
        requirements=list(case.requirements.order_by("asked_at", "pk")),
        titles=kind_of(case.kind).document_titles,
    )

    def act() -> Answer:
        receipts = documents.receive_several(
            case_id=case.pk, files=form.chosen(), actor=actor_of(request)
        )
        kept = sum(one.document is not None for one in receipts)
        refused = [one.why_not for one in receipts if one.document is None]
        if not kept:
            raise Invalid(" ".join(refused))
        said = ngettext("%(n)s document is recorded.", "%(n)s documents are recorded.", kept)
        sentences = [said % {"n": kept}]
        if refused:
            sentences += [_("Not recorded:"), *refused]
        return Answer(reverse("case-documents", args=[case.reference]), " ".join(sentences)[:2000])

    more = {"limits": limits()}
    return form_page(
        request, case, form, "cases/receive_several.html", act, more=lambda: more, apart=True
    )


@require_http_methods(["GET", "POST"])
@signed_in
def ask(request: HttpRequest, reference: str) -> HttpResponse:
    """Ask the applicant for more documents."""
    case = case_for(person_of(request), reference)
    access.require(actor_of(request), "work on case", case)
    form = AskDocumentsForm(request.POST or None, titles=kind_of(case.kind).document_titles)

    def act() -> Answer:
        documents.ask_documents(
            case_id=case.pk,
            names=form.asked(),
            reason=form.cleaned_data["reason"],
            actor=actor_of(request),
        )
        return Answer(case.get_absolute_url(), _("The documents are asked for."))

    return form_page(request, case, form, "cases/ask_documents.html", act)


def form_page(
    request: HttpRequest,
    case: Case,
    form: Any,
    template: str,
    act: Callable[[], Answer],
    more: Callable[[], dict[str, Any]] = dict,
    apart: bool = False,
) -> HttpResponse:
    """A page of a case with one form: shown, or carried out."""

    def show(form: Any, status: int = 200) -> HttpResponse:
        fresh = case_for(person_of(request), case.reference)
        context = {**head_of(request, fresh), "form": form, **more()}
        return render(request, template, context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show, apart=apart)
    return show(form)
