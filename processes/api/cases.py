"""Cases: open, list, read, correct, move."""

from __future__ import annotations

from typing import Any, ClassVar

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, OpenApiTypes, extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from cases import queries, search
from cases.errors import Invalid
from cases.models import Case
from cases.queries import Choice
from processes.acts import cases as acts
from processes.acts.requested import FIELDS_AT, open_requested
from processes.api import reading, safe, shapes, types
from processes.api.base import Api
from processes.api.kinds import schema_of
from processes.api.pages import Order, PageQuery, page
from processes.api.parsing import Strict, body_of, query_of
from processes.api.problems import QueryInvalid
from processes.api.schema import listed
from processes.kinds import kinds
from timers import clock

ORDERS = {
    "opened": Order(""),  # numbers are given in the order of opening
    "due": Order("waiting_until", is_date=True),
    "closed": Order("closed_at", is_date=True),
    "step": Order("step"),
}
_SIGNS = [sign + name for name in ORDERS for sign in ("", "-")]


IF_NONE_MATCH = OpenApiParameter(
    "If-None-Match",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="The ETag that you have: answered with 304 while nothing changed, where nothing "
    "is included.",
)


_ALIKE = "No case had the words as they stand: these have words that are spelt nearly so."


class CaseQuery(PageQuery):
    find = s.CharField(
        required=False,
        max_length=200,
        help_text="Words that stand in what the case is found by: its title, reference, some "
        "facts, the names of its files. When none has them so, words that differ by few letters "
        "count too. With %, _ or \\ in it, the text as it stands in the title.",
    )
    alike = s.BooleanField(
        required=False, help_text="true: words that differ by few letters count in any case."
    )
    kind = s.CharField(required=False, max_length=40)
    step = s.CharField(required=False, max_length=60)
    state = s.ChoiceField(["open", "stopped", "closed", "all"], required=False, default="all")
    waiting_on = s.CharField(required=False, max_length=80)
    due = s.ChoiceField(
        ["late", "near"],
        required=False,
        help_text="late: the first wait is past its date; near: within six days.",
    )
    owner = s.CharField(required=False, max_length=17, help_text="me, nobody, or a number.")
    team = s.CharField(required=False, max_length=120, help_text="Name of the team.")
    parent = s.CharField(required=False, max_length=40, help_text="Reference of the parent.")
    external_source = s.CharField(required=False, max_length=80, help_text="Yours unless given.")
    external_reference = s.CharField(required=False, max_length=200)
    order = s.ChoiceField(_SIGNS, required=False, default="-opened")


class OpenCase(Strict):
    kind = s.CharField(max_length=40)
    title = s.CharField(max_length=200, help_text="As lists show the case: whose it is.")
    facts = s.DictField(help_text="As the JSON Schema of the kind says: /kinds/{kind}/schema.")
    external_reference = s.CharField(
        required=False,
        max_length=200,
        help_text="Your own number: once per caller. Sent again, it gives the case it opened.",
    )
    team = s.CharField(
        required=False,
        max_length=120,
        help_text="Name of the team whose case it is, where the account is for all teams.",
    )


class ChangeFacts(Strict):
    facts = s.DictField(help_text="The facts that change, and no others.")
    reason = s.CharField(max_length=4000)


class TakeTransition(Strict):
    data = s.DictField(required=False, help_text="What the transition asks for.")


class Cases(Api):
    """The cases of this installation that the caller may see."""

    acts: ClassVar = {"GET": "read", "POST": "open"}
    fields_at: ClassVar = FIELDS_AT

    @extend_schema(
        operation_id="list_cases",
        tags=["cases"],
        parameters=[CaseQuery],
        responses={200: listed(shapes.CaseRow, found_alike=s.BooleanField(help_text=_ALIKE))},
    )
    def get(self, request: Request) -> Response:
        """List, filter and search cases."""
        query = query_of(request, CaseQuery)
        person = self.caller.person
        owner = query.get("owner", "")
        known = owner in ("", "nobody") or (owner.isascii() and owner.isdecimal())
        if not known and (owner != "me" or person is None):
            raise QueryInvalid(
                _("An owner is me (of people), nobody, or the number of a person."),
                {"owner": _("me, nobody, or a number")},
            )
        choice = Choice(
            kind=query.get("kind", ""),
            step=query.get("step", ""),
            waiting=query.get("waiting_on", ""),
            due=query.get("due", ""),
            owner=owner,
            state=query["state"],
        )
        rows = queries.narrowed(self.caller.cases(), choice, clock.now(), person=person)
        if "team" in query:
            rows = rows.filter(team__name=query["team"])
        if "parent" in query:
            seen = self.caller.cases().filter(reference=query["parent"])
            rows = rows.filter(parent__in=seen)
        if "external_reference" in query:
            source = query.get("external_source", self.caller.source)
            rows = rows.filter(source=source, source_key=query["external_reference"])
        is_alike = False
        if query.get("find"):
            rows, is_alike = search.among(rows, query["find"], alike=query.get("alike", False))
        also = {"alike": "true"} if is_alike else {}  # of the other pages too, whatever comes in
        rows = rows.select_related("owner", "team")
        found = page(request, rows, query["order"], ORDERS, also)
        told = found.told([shapes.case_row(one) for one in found.rows])
        return Response({**told, "found_alike": is_alike})

    @extend_schema(
        operation_id="open_case",
        tags=["cases"],
        request=OpenCase,
        responses={201: shapes.CaseShape, 200: shapes.CaseShape},
    )
    def post(self, request: Request) -> Response:
        """Open a case. Known already by its external reference, it is given with status 200."""
        return self.once(self._open)

    def _open(self) -> Response:
        caller = self.caller
        body = body_of(self.request, OpenCase)
        require_types(body["kind"], body["facts"])
        case, is_new = open_requested(caller=caller, request=body)
        told = reading.composite(case, caller, set())
        response = Response(told, status=201 if is_new else 200)
        response["Location"] = f"/api/v1/cases/{case.reference}"
        response["ETag"] = safe.etag(case)
        return response


class OneCase(Api):
    acts: ClassVar = {"GET": "read", "PATCH": "facts"}
    fields_at: ClassVar = {"*": "/facts", "reason": ""}

    @extend_schema(
        operation_id="read_case",
        tags=["cases"],
        parameters=[reading.CaseInclude, IF_NONE_MATCH],
        responses={200: shapes.CaseShape, 304: OpenApiResponse(description="As you have it.")},
    )
    def get(self, request: Request, reference: str) -> Response:
        """Read a case, with whatever belongs to it, in one call."""
        include = reading.included(request)
        row = self.case(reference)
        case = acts.get_case(row.pk)
        if request.headers.get("If-None-Match", "") == safe.etag(case) and not include:
            return Response(status=304, headers={"ETag": safe.etag(case)})
        told = reading.composite(case, self.caller, include)
        return Response(told, headers={"ETag": safe.etag(case)})

    @extend_schema(
        operation_id="change_facts",
        tags=["cases"],
        request=ChangeFacts,
        responses={200: shapes.CaseShape},
    )
    def patch(self, request: Request, reference: str) -> Response:
        """Correct facts, with the reason that history keeps. Needs If-Match."""
        return self.once(lambda: self._change(reference))

    def _change(self, reference: str) -> Response:
        body = body_of(self.request, ChangeFacts)
        case = self.changed(reference, must=True)
        require_types(case.kind, body["facts"])
        case = acts.change_facts(
            case_id=case.pk,
            changes=body["facts"],
            reason=body["reason"],
            actor=self.caller.actor,
        )
        return answer(case, self.caller)


class Transition(Api):
    acts: ClassVar = {"POST": "move"}
    fields_at: ClassVar = {"*": "/data"}

    @extend_schema(
        operation_id="take_transition",
        tags=["cases"],
        request=TakeTransition,
        responses={200: shapes.CaseShape},
    )
    def post(self, request: Request, reference: str, name: str) -> Response:
        """Take a transition by its name, such as withdraw, with the data that it asks for."""
        return self.once(lambda: self._take(reference, name))

    def _take(self, reference: str, name: str) -> Response:
        body = body_of(self.request, TakeTransition)
        case = self.changed(reference)
        case = acts.move_case(
            case_id=case.pk, name=name, data=body.get("data", {}), actor=self.caller.actor
        )
        return answer(case, self.caller)


def require_types(kind: str, facts: dict[str, Any]) -> None:
    """Raise Invalid for facts of another type than the JSON Schema of their kind says."""
    found = kinds().get(kind)
    wrong = types.misfit_facts(schema_of(found), facts) if found is not None else {}
    if wrong:
        said = "; ".join(f"{name}: {one}" for name, one in wrong.items())
        raise Invalid(
            _("%(what)s See /api/v1/kinds/%(kind)s/schema.") % {"what": said, "kind": kind}, wrong
        )


def answer(case: Case, caller: Any) -> Response:
    """The case after an act on it."""
    told = reading.composite(case, caller, {"transitions"})
    return Response(told, headers={"ETag": safe.etag(case)})
