"""For operators: outside work under way, timers that are set, and the processes that do both."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from django.db.models import Q, QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from cases import access
from cases.models import Case
from processes import queries
from processes.activities import UnknownActivity, definition_of
from processes.acts import incidents as acts
from processes.api import safe, shapes
from processes.api.base import Api
from processes.api.operations import Operators, Said
from processes.api.pages import Order, PageQuery, page
from processes.api.parsing import Strict, body_of, query_of
from processes.api.schema import listed
from processes.models import Activity
from processes.plain import plain
from timers import clock
from timers.models import Timer

STATES = ("due", "running", "retrying", "stopped")
_BY_DUE = {"due": Order("due_at", is_date=True)}


class GivingUp(Strict):
    reason = s.CharField(max_length=4000, help_text="It stays with the case as the error.")
    never = s.BooleanField(
        required=False,
        default=False,
        help_text="true: the outside has confirmed that nothing came of it and nothing will.",
    )


class GiveUp(Operators):
    fields_at: ClassVar = {"*": ""}

    @extend_schema(
        operation_id="give_up_activity",
        tags=["operations"],
        request=GivingUp,
        responses={200: Said},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Give up the outside work that stopped a case: its step gets the failure."""

        def act() -> Response:
            body = body_of(request, GivingUp)
            incident = self.one(pk)
            safe.locked(request, incident.case)
            said = acts.give_up_activity(
                incident_id=pk,
                reason=body["reason"],
                never=body["never"],
                actor=self.caller.actor,
            )
            return Response({"sentence": said, "incident": shapes.incident(self.one(pk))})

        return self.once(act)


class OfCases(Api):
    """Rows that know their case by its number alone, of the cases that the caller may repair."""

    acts: ClassVar = {"GET": "operate"}

    def narrowed(self, rows: QuerySet[Any], query: dict[str, Any]) -> QuerySet[Any]:
        access.require(self.caller.actor, "repair case", kind="")
        cases = self.caller.cases("operate")
        if "case" in query:
            cases = cases.filter(reference=query["case"])
        if "kind" in query:
            cases = cases.filter(kind=query["kind"])
        return rows.filter(case_id__in=cases.values("pk"))

    def references(self, rows: list[Any]) -> dict[int, str]:
        wanted = {one.case_id for one in rows}
        return dict(Case.objects.filter(pk__in=wanted).values_list("pk", "reference"))


class ActivityQuery(PageQuery):
    state = s.ChoiceField(
        [*STATES, "all"],
        required=False,
        default="all",
        help_text="due: waits for a worker; running: a worker has it; retrying: failed, and tried "
        "again at due_at; stopped: an incident is open.",
    )
    case = s.CharField(required=False, max_length=40)
    kind = s.CharField(required=False, max_length=40, help_text="The kind of the cases.")
    name = s.CharField(required=False, max_length=120)
    order = s.ChoiceField(["due", "-due"], required=False, default="due")


class ActivityShape(s.Serializer):
    id = s.IntegerField()
    case = s.CharField()
    name = s.CharField()
    key = s.CharField(help_text="The idempotency key that the outside gets with each attempt.")
    state = s.ChoiceField(STATES)
    lane = s.CharField(help_text="short or long")
    due_at = s.DateTimeField()
    attempt = s.IntegerField(help_text="How often a worker has begun it.")
    failures = s.IntegerField(help_text="Answers that were errors.")
    losses = s.IntegerField(help_text="Workers that died over it.")
    attempts_allowed = s.IntegerField(
        allow_null=True, help_text="Failures after which an incident opens; null: code unknown."
    )
    worker = s.IntegerField(allow_null=True, help_text="The id of the worker that has it.")
    lease_until = s.DateTimeField(allow_null=True)
    last_error = s.CharField()


class Activities(OfCases):
    @extend_schema(
        operation_id="list_activities",
        tags=["operations"],
        parameters=[ActivityQuery],
        responses={200: listed(ActivityShape)},
    )
    def get(self, request: Request) -> Response:
        """Outside work that cases wait for: under way, waiting for another try, or stopped."""
        query = query_of(request, ActivityQuery)
        now = clock.now()
        rows = self.narrowed(Activity.objects.all(), query)
        if query["state"] != "all":
            rows = rows.filter(_in_state(query["state"], now))
        if "name" in query:
            rows = rows.filter(name=query["name"])
        found = page(request, rows, query["order"], _BY_DUE)
        names = self.references(found.rows)
        return Response(found.told([_activity(one, names[one.case_id], now) for one in found.rows]))


def _in_state(state: str, now: datetime) -> Q:
    free = Q(state="due", worker_id=None)
    return {
        "stopped": Q(state="stopped"),
        "running": Q(state="due", worker_id__isnull=False),
        "retrying": free & Q(due_at__gt=now),
        "due": free & Q(due_at__lte=now),
    }[state]


def _activity(one: Activity, reference: str, now: datetime) -> dict[str, Any]:
    try:
        allowed: int | None = definition_of(one.name).attempts
    except UnknownActivity:
        allowed = None
    state = "retrying" if one.due_at > now else "due"
    if one.state == "stopped":
        state = "stopped"
    elif one.worker_id is not None:
        state = "running"
    return {
        "id": one.pk,
        "case": reference,
        "name": one.name,
        "key": one.key,
        "state": state,
        "lane": one.lane,
        "due_at": plain(one.due_at),
        "attempt": one.attempt,
        "failures": one.failures,
        "losses": one.losses,
        "attempts_allowed": allowed,
        "worker": one.worker_id,
        "lease_until": plain(one.lease_until),
        "last_error": one.last_error,
    }


class TimerQuery(PageQuery):
    overdue = s.BooleanField(
        required=False, help_text="true: past its moment and not fired yet; false: still ahead."
    )
    case = s.CharField(required=False, max_length=40)
    kind = s.CharField(required=False, max_length=40, help_text="The kind of the cases.")
    purpose = s.CharField(required=False, max_length=80)
    order = s.ChoiceField(["due", "-due"], required=False, default="due")


class TimerShape(s.Serializer):
    id = s.IntegerField()
    case = s.CharField()
    purpose = s.CharField(help_text="command, overdue, reminder, …")
    due_at = s.DateTimeField()
    is_overdue = s.BooleanField()


class Timers(OfCases):
    @extend_schema(
        operation_id="list_timers",
        tags=["operations"],
        parameters=[TimerQuery],
        responses={200: listed(TimerShape)},
    )
    def get(self, request: Request) -> Response:
        """Moments at which cases go on by themselves. One that has fired is in the history."""
        query = query_of(request, TimerQuery)
        now = clock.now()
        rows = self.narrowed(Timer.objects.all(), query)
        if "overdue" in query:
            rows = rows.filter(Q(due_at__lt=now) if query["overdue"] else Q(due_at__gte=now))
        if "purpose" in query:
            rows = rows.filter(purpose=query["purpose"])
        found = page(request, rows, query["order"], _BY_DUE)
        names = self.references(found.rows)
        told = [
            {
                "id": one.pk,
                "case": names[one.case_id],
                "purpose": one.purpose,
                "due_at": plain(one.due_at),
                "is_overdue": one.due_at < now,
            }
            for one in found.rows
        ]
        return Response(found.told(told))


class WorkerShape(s.Serializer):
    """A process that gives a sign of life every few seconds: a clock, a worker."""

    id = s.IntegerField(allow_null=True, help_text="Of workers: as activities name them.")
    name = s.CharField()
    kind = s.CharField()
    started_at = s.DateTimeField()
    seen_at = s.DateTimeField(help_text="Its last sign of life.")
    is_silent = s.BooleanField(help_text="It gave none for a minute.")


_TOLD = tuple(WorkerShape().fields)  # not what it is doing, which may name a case


class WorkersShape(s.Serializer):
    results = WorkerShape(many=True)


class Workers(Api):
    acts: ClassVar = {"GET": "operate"}

    @extend_schema(operation_id="list_workers", tags=["operations"], responses={200: WorkersShape})
    def get(self, request: Request) -> Response:
        """The processes of this installation, and when each was last seen."""
        access.require(self.caller.actor, "repair case", kind="")
        known = queries.signs_of_life(clock.now())
        return Response({"results": [{name: plain(one[name]) for name in _TOLD} for one in known]})
