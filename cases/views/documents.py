"""Documents of a case: the list, receiving, judging, asking, reading."""

from __future__ import annotations

from typing import Any

from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from cases import access, queries, tags
from cases.errors import NoSuchCase
from cases.forms import AskDocumentsForm, JudgeForm, UploadForm
from cases.models import Case, Document, Person
from cases.once import Answer
from cases.views.acting import carry_out, undo_of
from cases.views.pages import case_for, head_of
from cases.views.signing import actor_of, person_of, signed_in
from processes.acts import documents
from processes.kinds import kind_of

# Shown in the browser; anything else is only ever downloaded, so that no upload runs as a page.
SHOWN_TYPES = {"application/pdf", "image/png", "image/jpeg", "image/gif", "image/webp"}


def document_for(person: Person, pk: int) -> Document:
    """The document, unless the person may not see its case."""
    found = (
        Document.objects.select_related("case")
        .filter(pk=pk, case__in=access.visible_cases(person))
        .first()
    )
    if found is None:
        raise NoSuchCase(_("There is no such document among the cases you may see."))
    return found


@require_safe
@signed_in
def document_list(request: HttpRequest, reference: str) -> HttpResponse:
    """What was asked for, what came in, and the letters that went out."""
    case = case_for(person_of(request), reference)
    head = head_of(request, case)
    versions = [
        (one, tags.document_tag(one), head["words"].document(one.name))
        for one in head["file"].documents
    ]
    asked = [(one, tags.requirement_tag(one)) for one in head["file"].requirements]
    context = {"tab": "documents", "versions": versions, "asked": asked}
    context["letters"] = queries.letters_of(case)
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
        received = documents.receive_document(
            case_id=case.pk,
            name=form.cleaned_data["name"],
            file=form.cleaned_data["file"],
            actor=actor_of(request),
        )
        said = _("%(file)s is recorded.") % {"file": received.filename}
        return Answer(received.get_absolute_url(), said)

    return _form_page(request, case, form, "cases/receive.html", act)


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

    return _form_page(request, case, form, "cases/ask_documents.html", act)


@require_http_methods(["GET", "POST"])
@signed_in
def document(request: HttpRequest, pk: int) -> HttpResponse:
    """One document: what it is, where to read it, and the form to judge it."""
    found = document_for(person_of(request), pk)
    form = JudgeForm(request.POST or None, document=found)
    case = case_for(person_of(request), found.case.reference)

    def act() -> Answer:
        accept = form.cleaned_data["verdict"] == "accept"
        documents.judge_document(
            document_id=pk,
            accept=accept,
            reason=form.cleaned_data["reason"],
            actor=actor_of(request),
        )
        said = _("%(file)s is accepted.") if accept else _("%(file)s is rejected.")
        said %= {"file": found.filename}
        return Answer(case.get_absolute_url(), said, undo=undo_of(case, person_of(request)))

    def more() -> dict[str, Any]:
        fresh = document_for(person_of(request), pk)
        versions = case.documents.filter(name=found.name).order_by("-version")
        return {
            "document": fresh,
            "tag": tags.document_tag(fresh),
            "may_judge": fresh.state == "received"
            and case.is_open
            and access.may(person_of(request), "judge document", fresh),
            "versions": list(versions),
            "is_shown": fresh.media_type in SHOWN_TYPES,
        }

    return _form_page(request, case, form, "cases/document.html", act, more=more)


@require_safe
@signed_in
def document_file(request: HttpRequest, pk: int) -> HttpResponseBase:
    """The bytes of a document, as they came in."""
    found = document_for(person_of(request), pk)
    show = found.media_type in SHOWN_TYPES and "download" not in request.GET
    response = FileResponse(
        documents.open_document(found),
        as_attachment=not show,
        filename=found.filename,
        content_type=found.media_type if show else "application/octet-stream",
    )
    response["Cache-Control"] = "no-store"
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    return response


def _form_page(
    request: HttpRequest, case: Case, form: Any, template: str, act: Any, more: Any = dict
) -> HttpResponse:
    def show(form: Any, status: int = 200) -> HttpResponse:
        fresh = case_for(person_of(request), case.reference)
        context = {**head_of(request, fresh), "form": form, **more()}
        if "document" in context:
            words = context["words"]
            context["document_title"] = words.document(context["document"].name)
            context["from_whom"] = words.actor(context["document"].received_from)
            context["judged_by"] = words.actor(context["document"].judged_by or "engine")
        return render(request, template, context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)
