"""Cases that staff say belong together: listed, related, and parted again."""

from __future__ import annotations

from typing import Any, ClassVar

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from cases import access
from cases.models import Case, Relation
from processes.acts import relations as acts
from processes.acts.cases import get_case
from processes.api import reading, safe, shapes
from processes.api.base import Api
from processes.api.pages import Order, PageQuery, page
from processes.api.parsing import Strict, body_of, query_of
from processes.api.schema import listed


class RelationQuery(PageQuery):
    order = s.ChoiceField(["related", "-related"], required=False, default="-related")


class Relate(Strict):
    reference = s.CharField(max_length=40, help_text="Of the other case.")
    reason = s.CharField(max_length=4000, help_text="Both histories keep it.")


class Part(Strict):
    reason = s.CharField(max_length=4000, help_text="Both histories keep it.")


class Related(Api):
    acts: ClassVar = {"GET": "read", "POST": "facts"}
    fields_at: ClassVar = {"*": ""}

    @extend_schema(
        operation_id="list_related",
        tags=["cases"],
        parameters=[RelationQuery],
        responses={200: listed(shapes.RelationShape)},
    )
    def get(self, request: Request, reference: str) -> Response:
        """The cases that this one was related to, among those that the caller may see."""
        query = query_of(request, RelationQuery)
        case = self.case(reference)
        rows = Relation.objects.filter(case=case, other__in=self.caller.cases())
        rows = rows.select_related("other__owner", "other__team")
        found = page(request, rows, query["order"], {"related": Order("")})
        return Response(found.told([shapes.relation(one) for one in found.rows]))

    @extend_schema(
        operation_id="relate_cases",
        tags=["cases"],
        request=Relate,
        responses={200: shapes.CaseShape},
    )
    def post(self, request: Request, reference: str) -> Response:
        """Relate a case to another one, both ways. Both histories tell it."""

        def act() -> Response:
            body = body_of(request, Relate)
            case = self.changed(reference)
            access.require(self.caller.actor, "work on case", case)
            self._require_seen(body["reference"])
            acts.relate_cases(
                case_id=case.pk,
                reference=body["reference"],
                reason=body["reason"],
                actor=self.caller.actor,
            )
            return told(case, self)

        return self.once(act)

    def _require_seen(self, wanted: str) -> None:
        """A token may show fewer cases than the person or program behind it may see."""
        if not self.caller.cases().filter(reference__iexact=wanted.strip()).exists():
            raise acts.unknown(wanted)


class PartRelated(Api):
    acts: ClassVar = {"POST": "facts"}
    fields_at: ClassVar = {"*": ""}

    @extend_schema(
        operation_id="part_cases",
        tags=["cases"],
        request=Part,
        responses={200: shapes.CaseShape},
    )
    def post(self, request: Request, reference: str, other: str) -> Response:
        """Say that two cases do not belong together after all. Both histories tell it."""

        def act() -> Response:
            body = body_of(request, Part)
            case = self.changed(reference)
            access.require(self.caller.actor, "work on case", case)
            far = self.caller.cases().filter(reference__iexact=other).first()
            if far is None:
                raise acts.NotRelated(_("These cases are not related, or not any more."))
            acts.part_cases(
                case_id=case.pk, other_id=far.pk, reason=body["reason"], actor=self.caller.actor
            )
            return told(case, self)

        return self.once(act)


def told(case: Case, view: Api) -> Response:
    fresh = get_case(case.pk)
    data: dict[str, Any] = reading.composite(fresh, view.caller, {"related"})
    return Response(data, headers={"ETag": safe.etag(fresh)})
