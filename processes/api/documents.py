"""Documents: hand in, versions, download, accept, reject."""

from __future__ import annotations

from datetime import date
from typing import Any, ClassVar

from django.db.models import F
from django.http import FileResponse
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiTypes, extend_schema
from rest_framework import serializers as s
from rest_framework.exceptions import NotFound
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from audit import reads
from cases.errors import Invalid
from cases.models import Document
from processes.acts import documents as acts
from processes.acts.cases import get_case
from processes.api import safe, shapes
from processes.api.base import Api
from processes.api.pages import Order, PageQuery, page
from processes.api.parsing import Strict, body_of, query_of, unkept
from processes.api.schema import listed

ORDERS = {"received": Order("")}


class DocumentQuery(PageQuery):
    name = s.CharField(required=False, max_length=80)
    state = s.ChoiceField(["received", "accepted", "rejected"], required=False)
    order = s.ChoiceField(["received", "-received"], required=False, default="received")


class Upload(Strict):
    name = s.RegexField(
        r"^[a-z0-9][a-z0-9_.-]{0,79}$",
        help_text="The document that is asked for, as payslip; or other.",
    )
    file = s.FileField(allow_empty_file=True, max_length=1000)


class Accept(Strict):
    reason = s.CharField(required=False, default="", allow_blank=True, max_length=4000)
    dated = s.DateField(
        required=False, default=None, allow_null=True, help_text="The day that is written on it."
    )


class Reject(Strict):
    reason = s.CharField(max_length=4000, help_text="The sender reads it.")


class Files(MultiPartParser):
    """Multipart forms; their texts are looked through as JSON is."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        found = super().parse(stream, media_type, parser_context)
        if said := unkept({name: list(values) for name, values in found.data.lists()}):
            raise Invalid(said)
        return found


class CaseDocuments(Api):
    acts: ClassVar = {"GET": "read", "POST": "documents"}
    parser_classes = (Files,)

    @extend_schema(
        operation_id="list_documents",
        tags=["documents"],
        parameters=[DocumentQuery],
        responses={200: listed(shapes.DocumentShape)},
    )
    def get(self, request: Request, reference: str) -> Response:
        """The documents of a case, every version of each."""
        query = query_of(request, DocumentQuery)
        case = self.case(reference)
        rows = Document.objects.filter(case=case.pk)
        for name in ("name", "state"):
            if name in query:
                rows = rows.filter(**{name: query[name]})
        rows = rows.annotate(case_reference=F("case__reference"))
        found = page(request, rows, query["order"], ORDERS)
        told = [shapes.document(one, one.case_reference) for one in found.rows]
        return Response(found.told(told))

    @extend_schema(
        operation_id="hand_in_document",
        tags=["documents"],
        request={"multipart/form-data": Upload},
        responses={201: shapes.DocumentShape},
    )
    def post(self, request: Request, reference: str) -> Response:
        """Hand in a new version of a document. The same bytes again are the same version."""
        return self.once(lambda: self._hand_in(reference))

    def _hand_in(self, reference: str) -> Response:
        body = body_of(self.request, Upload)
        case = self.changed(reference)
        found = acts.receive_document(
            case_id=case.pk, name=body["name"], file=body["file"], actor=self.caller.actor
        )
        response = told(found)
        response.status_code = 201
        response["Location"] = f"/api/v1/documents/{found.pk}"
        return response


class OneDocument(Api):
    @extend_schema(
        operation_id="read_document", tags=["documents"], responses={200: shapes.DocumentShape}
    )
    def get(self, request: Request, pk: int) -> Response:
        """What is known of one version of a document."""
        return told(document_for(self, pk))


class DocumentFile(Api):
    @extend_schema(
        operation_id="download_document",
        tags=["documents"],
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, pk: int) -> Any:
        """The bytes of a document as they came in, checked against their digest."""
        found = document_for(self, pk)
        reads.of_file(found.digest)
        response = FileResponse(
            acts.open_document(found),
            as_attachment=True,
            filename=found.filename,
            content_type="application/octet-stream",
        )
        response["X-Content-Type-Options"] = "nosniff"
        response["Content-Security-Policy"] = "default-src 'none'; sandbox"
        return response


class Judge(Api):
    acts: ClassVar = {"POST": "judge"}
    accept = True

    def judged(self, pk: int, reason: str, dated: date | None = None) -> Response:
        document = document_for(self, pk)
        self.caller.require_scope("judge", document.case.kind)
        safe.locked(self.request, document.case)
        return told(
            acts.judge_document(
                document_id=pk,
                accept=self.accept,
                reason=reason,
                actor=self.caller.actor,
                dated=dated,
            )
        )


class AcceptDocument(Judge):
    @extend_schema(
        operation_id="accept_document",
        tags=["documents"],
        request=Accept,
        responses={200: shapes.DocumentShape},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Accept the newest version of a document."""

        def act() -> Response:
            body = body_of(request, Accept)
            return self.judged(pk, body["reason"], body["dated"])

        return self.once(act)


class RejectDocument(Judge):
    accept = False

    @extend_schema(
        operation_id="reject_document",
        tags=["documents"],
        request=Reject,
        responses={200: shapes.DocumentShape},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Reject the newest version of a document; the sender reads why."""
        return self.once(lambda: self.judged(pk, body_of(request, Reject)["reason"]))


def document_for(view: Api, pk: int) -> Document:
    cases = view.caller.cases("read", view.act(view.request.method))
    rows = Document.objects.select_related("case")
    found = rows.filter(pk=pk, case__in=cases).first() if pk < 2**63 else None
    if found is None:
        raise NotFound(_("There is no such document among the cases you may see."))
    view.subject = found.case_id
    view.caller.note_read(found)
    return found


def told(document: Document) -> Response:
    case = get_case(document.case_id)
    return Response(shapes.document(document, case.reference), headers={"ETag": safe.etag(case)})
