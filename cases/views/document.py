"""One document: what it is, its pages, the form to judge it, its bytes."""

from __future__ import annotations

from typing import Any

from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from audit import reads
from cases import access, queries, remarks, tags
from cases.errors import NoSuchCase
from cases.models import Document, Person
from cases.once import Answer
from cases.views.acting import undo_of
from cases.views.documents import form_page
from cases.views.pages import case_for
from cases.views.paper_forms import JudgeForm
from cases.views.signing import actor_of, person_of, signed_in
from cases.words import Words
from processes import previews, storing
from processes.acts import documents
from processes.kinds import kind_of
from timers import clock

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
    access.note_read(person, found)
    return found


def is_shown(document: Document) -> bool:
    """Whether a browser may show the file itself. One that is not what it is called may not."""
    return document.media_type in SHOWN_TYPES and remarks.OTHER_CONTENT not in document.remarks


@require_http_methods(["GET", "POST"])
@signed_in
def document(request: HttpRequest, pk: int) -> HttpResponse:
    """One document: what it is, its pages, and the form to judge it."""
    person = person_of(request)
    found = document_for(person, pk)
    rule = kind_of(found.case.kind).validity.get(found.name)
    counts_for = rule.span.words() if rule else ""
    form = JudgeForm(request.POST or None, document=found, counts_for=counts_for)
    case = case_for(person, found.case.reference)

    def act() -> Answer:
        accept = form.cleaned_data["verdict"] == "accept"
        documents.judge_document(
            document_id=pk,
            accept=accept,
            reason=form.cleaned_data["reason"],
            actor=actor_of(request),
            dated=form.cleaned_data.get("dated") if accept else None,
        )
        said = _("%(file)s is accepted.") if accept else _("%(file)s is rejected.")
        said %= {"file": found.filename}
        return Answer(case.get_absolute_url(), said, undo=undo_of(case, person))

    def more() -> dict[str, Any]:
        return _told(person, document_for(person, pk))

    return form_page(request, case, form, "cases/document.html", act, more=more)


def _told(person: Person, found: Document) -> dict[str, Any]:
    if found.case.erased_at is None:
        storing.look_for_lost([found])
    versions = list(
        Document.objects.filter(case=found.case_id, name=found.name).order_by("-version")
    )
    codes = [found.received_from, found.judged_by or "engine"]
    words = Words(kind_of(found.case.kind), people=queries.people_named(codes))
    wanted = found.case.requirements.filter(name=found.name).values_list("title", flat=True)
    return {
        "document": found,
        "document_title": next(iter(wanted), words.document(found.name)),
        "from_whom": words.actor(found.received_from),
        "judged_by": words.actor(codes[1]),
        "tag": tags.document_tag(found),
        "valid": tags.valid_tag(found, clock.now()),
        "may_judge": found.state == "received"
        and found.pk == versions[0].pk
        and found.case.is_open
        and access.may(person, "judge document", found),
        "versions": versions,
        "remarks": remarks.sentences(found.remarks),
        "twins": queries.same_files(person, found),
        "page_numbers": range(1, previews.page_count(found) + 1) if not found.lost_at else (),
        "is_shown": is_shown(found) and not found.lost_at,
    }


@require_safe
@signed_in
def document_file(request: HttpRequest, pk: int) -> HttpResponseBase:
    """The bytes of a document, as they came in."""
    found = document_for(person_of(request), pk)
    show = is_shown(found) and "download" not in request.GET
    reads.of_file(found.digest)
    response = FileResponse(
        documents.open_document(found),
        as_attachment=not show,
        filename=found.filename,
        content_type=found.media_type if show else "application/octet-stream",
    )
    response["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    return _guarded(response)


@require_safe
@signed_in
def document_page(request: HttpRequest, pk: int, number: int) -> HttpResponseBase:
    """One page of a document as a picture that we drew."""
    found = document_for(person_of(request), pk)
    try:
        drawn = previews.picture_of(found, number)
    except (previews.NoPreview, storing.DocumentDamaged) as refusal:
        return _guarded(HttpResponse(str(refusal), status=422, content_type="text/plain"))
    response = HttpResponse(drawn, content_type="image/png")
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return _guarded(response)


def _guarded(response: HttpResponseBase) -> HttpResponseBase:
    response["Cache-Control"] = "no-store"
    response["X-Content-Type-Options"] = "nosniff"
    return response
