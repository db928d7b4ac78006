"""A case in one call, with what belongs to it: as many queries, however much there is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, OpenApiTypes, extend_schema
from rest_framework import serializers as s
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from audit.models import Event
from audit.read import events_of
from cases import access, explain, queries
from cases.models import Case, Relation
from cases.words import Words
from processes import queries as process_queries
from processes.acts.cases import staff_edges
from processes.acts.reopening import ways_to_reopen
from processes.acts.undoing import undoable
from processes.api import shapes
from processes.api.base import Api
from processes.api.pages import MOST
from processes.api.parsing import QueryInvalid, Strict, query_of
from processes.callers import Caller
from processes.engine.folding import Stood as FoldedCase
from processes.engine.opening import as_stored
from processes.engine.replay import fold_case
from processes.erasing import keeping
from processes.kinds import kind_of
from processes.past.learning import Learnt, learnt_since
from processes.plain import plain
from timers import clock

PARTS = (
    "tasks",
    "requirements",
    "documents",
    "clocks",
    "events",
    "transitions",
    "undo",
    "parent",
    "children",
    "related",
    "retention",
)
LAST_EVENTS = 20
CaseInclude = OpenApiParameter(
    "include",
    OpenApiTypes.STR,
    description=f"What to read with the case, by commas: {', '.join(PARTS)}.",
    examples=[],
)


class IncludeQuery(Strict):
    include = s.CharField(required=False, max_length=200, allow_blank=True)


class StoodQuery(Strict):
    event = s.IntegerField(required=False, min_value=1, max_value=2**31 - 1)
    at = s.CharField(required=False, max_length=40, help_text="A moment, as 2027-03-04T12:00:00Z.")
    reading = s.ChoiceField(
        ["recorded", "corrected"],
        required=False,
        default="recorded",
        help_text="recorded: as it was known then. corrected: with what was learnt since.",
    )


class LearntShape(s.Serializer):
    """A fact or document of which later events say something else than was recorded then."""

    part = s.ChoiceField(["facts", "documents"])
    name = s.CharField()
    recorded = shapes.AnyValue()
    known = shapes.AnyValue()
    event = s.IntegerField(help_text="The later event that says so.")


class StoodShape(s.Serializer):
    """A case as it stood after one of its events: folded from its history."""

    reference = s.CharField()
    event = s.IntegerField()
    at = s.DateTimeField()
    step = s.CharField()
    step_label = s.CharField()
    visit = s.IntegerField()
    closed = s.BooleanField()
    facts = shapes.Anything()
    documents = shapes.Anything(help_text="Name → asked, received, accepted, rejected.")
    waits = shapes.WaitShape(many=True)
    tasks = s.ListField(child=shapes.Anything())
    clocks = shapes.ClockShape(many=True)
    reading = s.ChoiceField(["recorded", "corrected"])
    learnt = LearntShape(many=True, help_text="Of the corrected reading: where the two differ.")


def included(request: Request) -> set[str]:
    said = query_of(request, IncludeQuery).get("include", "")
    asked = {one.strip() for one in said.split(",") if one.strip()}
    if unknown := asked - set(PARTS):
        raise QueryInvalid(
            _("A case has no part %(names)s.") % {"names": ", ".join(sorted(unknown))},
            {"include": _("Of: %(names)s.") % {"names": ", ".join(PARTS)}},
        )
    return asked


def composite(case: Case, caller: Caller, include: set[str]) -> dict[str, Any]:
    """A case, loaded as its kind, with the parts that were asked for."""
    told = shapes.case_row(case)
    address = f"/api/v1/cases/{case.reference}"
    if caller.has_scope("read", case.kind):
        told["facts"] = shapes.facts(case)
    told |= plain(keeping.erased(case))
    if "retention" in include:
        told["retention"] = plain(keeping.as_data(case, caller.who))
    told["waits"] = [shapes.wait(one) for one in case.waits]
    if "tasks" in include:
        rows = case.tasks.select_related("holder").order_by("opened_at", "pk")
        told["tasks"] = [shapes.task(one, case.reference) for one in rows]
    if "requirements" in include:
        rows = case.requirements.order_by("asked_at", "pk")
        told["requirements"] = [shapes.requirement(one) for one in rows]
    if "documents" in include:
        rows = case.documents.order_by("received_at", "pk")
        told["documents"] = [shapes.document(one, case.reference) for one in rows]
    if "clocks" in include:
        views = process_queries.clock_views(case, now=clock.now())
        told["clocks"] = [plain(explain.as_data(one)) for one in views]
    if include & {"events", "children", "related"}:
        told["more"] = {}
    if "events" in include:
        found = queries.events_upto(case, case.head_number, LAST_EVENTS)
        told["events"] = events_told(case, found)
        told["more"]["events"] = rest(case.head_number, found, f"{address}/events")
    if "transitions" in include:
        told["transitions"] = transitions(case, caller)
    if "parent" in include:
        found_parent = caller.cases().filter(pk=case.parent_id).select_related("owner", "team")
        parent = found_parent.first() if case.parent_id else None
        told["parent"] = shapes.case_row(parent) if parent else None
    if "children" in include:
        children = caller.cases().filter(parent=case.pk).select_related("owner", "team")
        first = list(children.order_by("pk")[:MOST])
        told["children"] = [shapes.case_row(one) for one in first]
        listed = f"/api/v1/cases?parent={case.reference}&order=opened"
        told["more"]["children"] = rest(children.count(), first, listed)
    if "undo" in include:
        told["undo"] = undo(case, caller)
    if "related" in include:
        near = Relation.objects.filter(case=case.pk, other__in=caller.cases())
        newest = list(near.select_related("other__owner", "other__team").order_by("-pk")[:MOST])
        told["related"] = [shapes.relation(one) for one in newest]
        told["more"]["related"] = rest(near.count(), newest, f"{address}/related")
    return told


def rest(total: int, told: Sequence[Any], address: str) -> dict[str, Any]:
    """How many there are, and where all of them are where some were left out."""
    return {"total": total, "rest": address if len(told) < total else None}


def transitions(case: Case, caller: Caller) -> list[dict[str, Any]]:
    """What this caller may take by hand from where the case stands; of a closed case, the ways to
    open it again."""
    may = caller.has_scope("move", case.kind) and access.may(caller.who, "work on case", case)
    edges = staff_edges(case, caller.person) if may else []
    if may and caller.person is not None:
        edges += ways_to_reopen(case, caller.person)
    address = f"/api/v1/cases/{case.reference}"
    return [
        {
            "name": one.name,
            "label": str(one.label),
            "target": one.target,
            "asks": list(one.asks),
            "role": one.role,
            "confirm": str(one.confirm),
            "reopens": one.reopens,
            "address": f"{address}/reopen" if one.reopens else f"{address}/transitions/{one.name}",
        }
        for one in edges
    ]


def undo(case: Case, caller: Caller) -> dict[str, Any] | None:
    """What this caller has just done to the case, if it can be undone."""
    number = undoable(case.pk, caller.person) if caller.person is not None else None
    if number is None:
        return None
    event = Event.objects.get(case_id=case.pk, number=number)
    return {
        "number": number,
        "type": event.type,
        "address": f"/api/v1/cases/{case.reference}/events/{number}/undo",
    }


def events_told(case: Case, found: list[Event]) -> list[dict[str, Any]]:
    people = queries.people_named(queries.named_in(found))
    return shapes.events(found, Words(kind_of(case.kind), people=people))


class Stood(Api):
    @extend_schema(
        operation_id="case_as_it_stood",
        tags=["cases"],
        parameters=[StoodQuery],
        responses={200: StoodShape},
    )
    def get(self, request: Request, reference: str) -> Response:
        """The case as it stood after an event, or at a moment; now, unless one is given. It reads
        as it was recorded, or with what was learnt since: facts put right, papers that had come."""
        query = query_of(request, StoodQuery)
        case = self.case(reference)
        number = query.get("event", case.head_number)
        if "at" in query:
            if "event" in query:
                raise QueryInvalid(
                    _("Give an event or a moment, and not both."), {"at": _("Or event.")}
                )
            number = self._last_before(case, query["at"])
        events = events_of(case.pk, upto=number)
        if not events or events[-1].number != number:
            raise NotFound(
                _("%(case)s has no event %(number)s; its events are 1 to %(last)s.")
                % {"case": case, "number": number, "last": case.head_number}
            )
        stood, learnt = fold_case(case, events), None
        if query["reading"] == "corrected":
            learnt = learnt_since(case, stood)
            stood.facts = learnt.as_known(stood)
            stood.documents |= {name: put.known for name, put in learnt.documents.items()}
        return Response(_stood(case, stood, learnt))

    def _last_before(self, case: Case, said: str) -> int:
        try:
            at = parse_datetime(said)
        except ValueError:
            at = None
        if at is None or at.tzinfo is None:
            raise QueryInvalid(
                _("A moment has a day, a time and a zone."), {"at": "2027-03-04T12:00:00Z"}
            )
        last = (
            Event.objects.filter(case_id=case.pk, recorded_at__lte=at)
            .order_by("-number")
            .values_list("number", flat=True)
            .first()
        )
        if last is None:
            raise NotFound(_("%(case)s was not open at that moment.") % {"case": case})
        return int(last)


def _stood(case: Case, stood: FoldedCase, learnt: Learnt | None) -> dict[str, Any]:
    kind, now = kind_of(case.kind), stood.at
    views = []
    for name, state in stood.clocks.items():
        terms = kind.clocks.get(name)
        title = str(terms.title) if terms else name
        views.append(explain.view_of(state, title=title, now=now, terms=terms))
    fields = {one.attname: one for one in kind.model.fact_fields()}

    def spelt(name: str, value: Any) -> Any:
        """A fact in the spelling of its column, as the case itself tells it."""
        field = fields.get(name)
        return value if field is None else as_stored(field, field.to_python(value))

    facts = {name: spelt(name, value) for name, value in stood.facts.items()}
    return {
        "reference": case.reference,
        "event": stood.number,
        "at": plain(stood.at),
        "step": stood.step,
        "step_label": kind.step_label(stood.step),
        "visit": stood.visit,
        "closed": stood.closed,
        "facts": plain(facts),
        "documents": plain(stood.documents),
        "waits": [shapes.wait(one) for one in stood.waits],
        "tasks": plain(stood.tasks),
        "clocks": [plain(explain.as_data(one)) for one in views],
        "reading": "recorded" if learnt is None else "corrected",
        "learnt": _learnt(learnt, spelt) if learnt is not None else [],
    }


def _learnt(learnt: Learnt, spelt: Callable[[str, Any], Any]) -> list[dict[str, Any]]:
    found = [
        ("facts", name, spelt(name, put.recorded), spelt(name, put.known), put.by.number)
        for name, put in learnt.facts.items()
    ]
    found += [
        ("documents", name, put.recorded, put.known, put.by.number)
        for name, put in learnt.documents.items()
    ]
    names = ("part", "name", "recorded", "known", "event")
    return [plain(dict(zip(names, one, strict=True))) for one in found]


class HistoryQuery(Strict):
    after = s.IntegerField(required=False, min_value=0, max_value=2**31 - 1, default=0)
    limit = s.IntegerField(required=False, min_value=1, max_value=500, default=100)


class HistoryShape(s.Serializer):
    results = shapes.EventShape(many=True)
    next_after = s.IntegerField(allow_null=True, help_text="Go on with after=…; null at the end.")
    head = s.IntegerField(help_text="The number of the last event there is.")


class History(Api):
    acts: ClassVar = {"GET": "read"}

    @extend_schema(
        operation_id="case_history",
        tags=["cases"],
        parameters=[HistoryQuery],
        responses={200: HistoryShape},
    )
    def get(self, request: Request, reference: str) -> Response:
        """The events of a case, in order, from a number on. None is ever missing or changed."""
        query = query_of(request, HistoryQuery)
        case = self.case(reference)
        rows = Event.objects.filter(case_id=case.pk, number__gt=query["after"]).order_by("number")
        found = list(rows[: query["limit"]])
        more = bool(found) and found[-1].number < case.head_number
        return Response(
            {
                "results": events_told(case, found),
                "next_after": found[-1].number if more else None,
                "head": max(case.head_number, found[-1].number if found else 0),
            }
        )
