"""Exports: ask for a file of cases, follow it, take it."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import transaction
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiTypes, extend_schema
from rest_framework import serializers as s
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from cases.errors import Invalid, NoSuchCase
from cases.models import Case, Export, Token
from processes.acts import exports as acts
from processes.api.base import Api
from processes.api.pages import Order, PageQuery, page
from processes.api.parsing import Strict, body_of, query_of
from processes.api.schema import listed
from processes.api.tasks import Nothing
from processes.exports.formats import formats
from processes.exports.gathering import PEOPLE
from processes.exports.jsonlines import schema
from processes.exports.views import answer_with
from processes.plain import plain
from processes.work import exports as work

STATES = ("waiting", "running", "done", "failed", "cancelled", "removed")
MOST_NAMED = 1_000


class ExportQuery(PageQuery):
    order = s.ChoiceField(["made", "-made"], required=False, default="-made")


class NewExport(Strict):
    format = s.ChoiceField(sorted(formats()))
    reason = s.CharField(
        max_length=acts.REASON_CHARACTERS, help_text="Why; kept for good, auditors read it."
    )
    cases = s.ListField(
        child=s.CharField(max_length=40),
        required=False,
        min_length=1,
        max_length=MOST_NAMED,
        help_text="References; or give `kind`, `state` or `everything` instead.",
    )
    kind = s.CharField(required=False, max_length=40)
    state = s.ChoiceField(["open", "closed", "all"], required=False)
    everything = s.BooleanField(
        required=False, help_text="All that you may take away; of people, auditors and exporters."
    )
    people = s.ChoiceField(PEOPLE, required=False, help_text="Staff by name, or by code.")
    separator = s.ChoiceField(acts.SEPARATORS, required=False, help_text="Of columns of CSV.")
    bom = s.BooleanField(required=False, help_text="CSV begins with a byte order mark: for Excel.")


class ExportShape(s.Serializer):
    """A file of cases: what was asked, how far it is, and what the file holds."""

    id = s.IntegerField()
    state = s.ChoiceField(STATES)
    format = s.CharField()
    cases = s.IntegerField()
    done = s.IntegerField(help_text="Cases that are written.")
    reason = s.CharField()
    told = s.CharField(help_text="Which cases, in words.")
    made_at = s.DateTimeField()
    ended_at = s.DateTimeField(allow_null=True)
    expires_at = s.DateTimeField(allow_null=True)
    filename = s.CharField(allow_blank=True)
    size = s.IntegerField(allow_null=True)
    digest = s.CharField(allow_blank=True, help_text="SHA-256 of the file.")
    events = s.IntegerField(allow_null=True)
    variants = s.IntegerField(allow_null=True)
    failed = s.CharField(allow_blank=True, help_text="Why there is no file.")


class Exports(Api):
    acts: ClassVar = {"GET": "read", "POST": "read"}

    @extend_schema(
        operation_id="list_exports",
        tags=["exports"],
        parameters=[ExportQuery],
        responses={200: listed(ExportShape)},
    )
    def get(self, request: Request) -> Response:
        """Your exports, the newest first; auditors and administrators see all."""
        query = query_of(request, ExportQuery)
        found = page(request, acts.exports_of(self.caller.who), query["order"], {"made": Order("")})
        return Response(found.told([told(one) for one in found.rows]))

    @extend_schema(
        operation_id="export_cases",
        tags=["exports"],
        request=NewExport,
        responses={202: ExportShape},
    )
    def post(self, request: Request) -> Response:
        """Ask for a file of cases: those named, those of a kind and state, or everything that you
        may take away. Workers make it; it is given out to you alone."""
        return self.once(self._ask)

    def _ask(self) -> Response:
        body = body_of(self.request, NewExport)
        what, cases = self._chosen(body)
        token = self.request.auth
        made = acts.ask(
            caller=self.caller,
            form=body["format"],
            what=what,
            cases=cases,
            reason=body["reason"],
            options={name: body[name] for name in ("people", "separator", "bom") if name in body},
            token=token if isinstance(token, Token) else None,
        )
        transaction.on_commit(lambda: work.publish(made.pk))
        return Response(told(made), status=202, headers={"Location": f"/api/v1/exports/{made.pk}"})

    def _chosen(self, body: dict[str, Any]) -> tuple[str, Any]:
        named, narrowed = body.get("cases"), "kind" in body or "state" in body
        if sum([bool(named), narrowed, bool(body.get("everything"))]) != 1:
            said = _("Name cases, or give a kind or a state, or ask for everything.")
            raise Invalid(said, {"cases": said})
        if named:
            found = acts.exportable(self.caller).filter(reference__in=named)
            known = set(found.values_list("reference", flat=True))
            if missing := [one for one in named if one not in known]:
                raise NoSuchCase(
                    _("There is no case %(reference)s among those that you may take away.")
                    % {"reference": missing[0]}
                )
            return (acts.CASE if len(known) == 1 else acts.CASES), found
        if body.get("everything"):
            return acts.EVERYTHING, Case.objects.all()
        cases = Case.objects.all()
        if "kind" in body:
            cases = cases.filter(kind=body["kind"])
        if body.get("state") in ("open", "closed"):
            cases = cases.filter(closed_at__isnull=body["state"] == "open")
        return acts.LIST, cases


class ExportSchema(Api):
    @extend_schema(
        operation_id="read_export_schema",
        tags=["exports"],
        responses={200: OpenApiTypes.OBJECT},
    )
    def get(self, request: Request) -> Response:
        """The JSON Schema of each line of a case exported as JSON lines."""
        return Response(schema())


class OneExport(Api):
    @extend_schema(operation_id="read_export", tags=["exports"], responses={200: ExportShape})
    def get(self, request: Request, pk: int) -> Response:
        """How far an export is, and what its file holds."""
        return Response(told(export_for(self, pk)))


class ExportFile(Api):
    @extend_schema(
        operation_id="download_export",
        tags=["exports"],
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, pk: int) -> Any:
        """The file: for whoever asked for it, while they may see every case in it."""
        return answer_with(export_for(self, pk), self.caller)


class CancelExport(Api):
    acts: ClassVar = {"POST": "read"}

    @extend_schema(
        operation_id="cancel_export",
        tags=["exports"],
        request=Nothing,
        responses={200: ExportShape},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Stop making a file."""
        return self.once(lambda: _ended(self, pk, acts.cancel))


class RemoveExport(Api):
    acts: ClassVar = {"POST": "read"}

    @extend_schema(
        operation_id="remove_export",
        tags=["exports"],
        request=Nothing,
        responses={200: ExportShape},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Take a file away before its time. That it was made stays."""
        return self.once(lambda: _ended(self, pk, acts.remove))


def _ended(view: Api, pk: int, act: Any) -> Response:
    body_of(view.request, Nothing)
    found = export_for(view, pk)
    return Response(told(act(export_id=found.pk, actor=view.caller.actor)))


def export_for(view: Api, pk: int) -> Export:
    found = acts.exports_of(view.caller.who).filter(pk=min(pk, 2**63 - 1)).first()
    if found is None:
        raise NotFound(_("There is no such export among yours."))
    return found


def told(export: Export) -> dict[str, Any]:
    return {
        "id": export.pk,
        "state": export.state,
        "format": export.form,
        "cases": export.count,
        "done": acts.done_of(export),
        "reason": export.reason,
        "told": export.told,
        "made_at": plain(export.made_at),
        "ended_at": plain(export.ended_at),
        "expires_at": plain(export.expires_at),
        "filename": export.filename,
        "size": export.size,
        "digest": export.digest,
        "events": export.events,
        "variants": export.variants,
        "failed": export.failed,
    }
