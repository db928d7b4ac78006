"""Across cases: what they wait for, and for operators what has stopped."""

from __future__ import annotations

from typing import Any, ClassVar

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from cases import access
from processes.acts import incidents as acts
from processes.api import safe, shapes
from processes.api.base import Api
from processes.api.pages import Order, PageQuery, page
from processes.api.parsing import body_of, query_of
from processes.api.schema import listed
from processes.api.tasks import Nothing
from processes.models import Incident
from timers import clock


class WaitQuery(PageQuery):
    kind = s.CharField(required=False, max_length=40, help_text="The kind of the cases.")
    on = s.CharField(required=False, max_length=80, help_text="On whom the first wait is.")
    late = s.BooleanField(required=False, help_text="true: the first wait is past its date.")
    order = s.ChoiceField(["due", "-due", "opened", "-opened"], required=False, default="due")


class CaseWaits(s.Serializer):
    """One open case and all that it waits for, the earliest end first."""

    case = s.CharField()
    kind = s.CharField()
    title = s.CharField()
    step = s.CharField()
    waits = shapes.WaitShape(many=True)


class Waits(Api):
    @extend_schema(
        operation_id="list_waits",
        tags=["cases"],
        parameters=[WaitQuery],
        responses={200: listed(CaseWaits)},
    )
    def get(self, request: Request) -> Response:
        """What open cases wait for, and until when: in one query, a case a row."""
        query = query_of(request, WaitQuery)
        rows = self.caller.cases().filter(closed_at=None)
        if "kind" in query:
            rows = rows.filter(kind=query["kind"])
        if "on" in query:
            rows = rows.filter(waiting_on=query["on"])
        if "late" in query:
            now = clock.now()
            late = rows.filter(waiting_until__lt=now)
            rows = late if query["late"] else rows.exclude(waiting_until__lt=now)
        orders = {"due": Order("waiting_until", is_date=True), "opened": Order("")}
        found = page(request, rows, query["order"], orders)
        return Response(
            found.told(
                [
                    {
                        "case": one.reference,
                        "kind": one.kind,
                        "title": one.title,
                        "step": str(one.step),
                        "waits": [shapes.wait(wait) for wait in one.waits],
                    }
                    for one in found.rows
                ]
            )
        )


class IncidentQuery(PageQuery):
    state = s.ChoiceField(["open", "closed", "all"], required=False, default="open")
    order = s.ChoiceField(["opened", "-opened"], required=False, default="-opened")


class Operators(Api):
    """Only for those who may repair cases, and of the cases that they may see."""

    acts: ClassVar = {"GET": "operate", "POST": "operate"}

    def rows(self) -> Any:
        access.require(self.caller.actor, "repair case", kind="")
        seen = self.caller.cases("operate")
        return Incident.objects.select_related("case").filter(case__in=seen)

    def one(self, pk: int) -> Incident:
        found = self.rows().filter(pk=min(pk, 2**63 - 1)).first()
        if found is None:
            raise NotFound(_("There is no such incident."))
        self.subject = found.case_id
        return found


class Incidents(Operators):
    @extend_schema(
        operation_id="list_incidents",
        tags=["operations"],
        parameters=[IncidentQuery],
        responses={200: listed(shapes.IncidentShape)},
    )
    def get(self, request: Request) -> Response:
        """Cases that cannot go on by themselves, and why."""
        query = query_of(request, IncidentQuery)
        rows = self.rows()
        if query["state"] != "all":
            rows = rows.filter(closed_at__isnull=query["state"] == "open")
        found = page(request, rows, query["order"], {"opened": Order("")})
        return Response(found.told([shapes.incident(one) for one in found.rows]))


class OneIncident(Operators):
    @extend_schema(
        operation_id="read_incident", tags=["operations"], responses={200: shapes.IncidentShape}
    )
    def get(self, request: Request, pk: int) -> Response:
        """What stopped a case, what was expected, what came, and what helps."""
        return Response(shapes.incident(self.one(pk)))


class Said(s.Serializer):
    sentence = s.CharField()
    incident = shapes.IncidentShape()


class RetryIncident(Operators):
    @extend_schema(
        operation_id="retry_incident",
        tags=["operations"],
        request=Nothing,
        responses={200: Said},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Let a stopped case try again, with a fresh allowance of attempts."""

        def act() -> Response:
            body_of(request, Nothing)
            incident = self.one(pk)
            safe.locked(request, incident.case)
            said = acts.retry_incident(incident_id=pk, actor=self.caller.actor)
            return Response({"sentence": said, "incident": shapes.incident(self.one(pk))})

        return self.once(act)
