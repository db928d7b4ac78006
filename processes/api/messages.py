"""Messages from outside to cases: stored first, then matched; none is dropped."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from cases import access
from cases.errors import CaseClosed, Invalid
from cases.models import Case, Message
from processes.acts import messages as acts
from processes.acts import tray
from processes.api import problems, safe, shapes
from processes.api.base import Api
from processes.api.pages import Order, PageQuery, page
from processes.api.parsing import Strict, body_of, query_of
from processes.api.schema import listed
from processes.callers import Caller

ORDERS = {"received": Order("")}


class Send(Strict):
    to = s.CharField(
        max_length=300,
        help_text="The case: its reference, id:NUMBER, or SOURCE:EXTERNAL-REFERENCE.",
    )
    name = s.CharField(max_length=80, help_text="Which message; /kinds/{kind} lists them.")
    data = s.JSONField(required=False, default=dict)
    visit = s.IntegerField(
        required=False,
        min_value=1,
        max_value=2**31 - 1,
        help_text="The `step.visit` of the case that the message was written for: refused (409) "
        "when the case has moved on. It binds an answer to what was asked.",
    )
    key = s.CharField(
        required=False,
        max_length=200,
        help_text="Yours, once per caller: the same key again does nothing. The Idempotency-Key "
        "unless given.",
    )


class DeliveryShape(s.Serializer):
    id = s.IntegerField()
    state = s.CharField(help_text="used, kept (early), late (closed), unmatched (in the tray)")
    is_repeat = s.BooleanField()
    sentence = s.CharField()


class TrayQuery(PageQuery):
    state = s.ChoiceField(["late", "unmatched"], required=False)
    order = s.ChoiceField(["received", "-received"], required=False, default="-received")


class Link(Strict):
    case = s.CharField(max_length=40, help_text="The reference of the case.")


def tray_of(caller: Caller) -> QuerySet[Message]:
    """The messages that a caller may see: its own; and for those who may link them, others' of the
    cases that they see, and those of no case, unless the account is bound to a team."""
    own = Q(source=caller.source)
    if not access.may(caller.who, "link message") or not caller.has_scope("operate"):
        return Message.objects.filter(own)
    seen = caller.cases("operate")
    theirs = Q(case_id__in=seen.values("pk"))
    if caller.client is None or caller.client.team_id is None:
        hidden = Case.objects.filter(reference=OuterRef("to")).exclude(pk__in=seen.values("pk"))
        theirs |= Q(case_id=None) & ~Q(Exists(hidden))
    return Message.objects.filter(own | theirs)


class Messages(Api):
    acts: ClassVar = {"GET": "read", "POST": "messages"}
    fields_at: ClassVar = {"*": "/data", "name": "", "key": "", "source": "", "data": "", "to": ""}

    @extend_schema(
        operation_id="list_unmatched_messages",
        tags=["messages"],
        parameters=[TrayQuery],
        responses={200: listed(shapes.MessageShape)},
    )
    def get(self, request: Request) -> Response:
        """Messages that found no case or came too late: of all senders for those who may link
        them, else the caller's own."""
        query = query_of(request, TrayQuery)
        rows = tray_of(self.caller).filter(state__in=["late", "unmatched"])
        if "state" in query:
            rows = rows.filter(state=query["state"])
        found = page(request, rows, query["order"], ORDERS)
        return Response(found.told([shapes.message(one) for one in found.rows]))

    @extend_schema(
        operation_id="send_message",
        tags=["messages"],
        request=Send,
        responses={200: DeliveryShape, 202: DeliveryShape},
    )
    def post(self, request: Request) -> Response:
        """Give a message to a case: used now (200), or kept for when the case waits for it, or
        laid into the tray (202)."""
        return self.once(self._send)

    def _send(self) -> Response:
        body = body_of(self.request, Send)
        key = body.get("key") or safe.key_of(self.request)
        what: dict[str, Any] = {
            "name": body["name"],
            "data": body["data"],
            "source": self.caller.source,
            "key": key,
            "actor": self.caller.actor,
        }
        case = self._addressed(body["to"])
        if case is None:
            why = _("%(source)s sees no case “%(to)s”.") % {
                "source": self.caller.source,
                "to": body["to"],
            }
            return _told(acts.lay_in_tray(to=body["to"][:200], why=why, **what))
        self.subject = case.pk
        self.caller.require_scope("messages", case.kind)
        safe.locked(self.request, case)
        try:
            delivery = acts.deliver_message(case_id=case.pk, visit=body.get("visit"), **what)
            return _told(delivery)
        except CaseClosed as error:
            # The message is in the tray already; raising would take it out again.
            return problems.answer("case-closed", str(error), case=problems.state_of(case.pk))

    def _addressed(self, to: str) -> Case | None:
        return addressed(self.caller, to)


def addressed(caller: Caller, to: str) -> Case | None:
    """The case that an address names, of those that the caller may see."""
    rows = caller.cases("read", "messages")
    found = rows.filter(reference=to).first()
    if found is None and to.startswith("id:"):
        number = to[3:]
        if number.isascii() and number.isdecimal() and len(number) < 18:
            found = rows.filter(pk=int(number)).first()
    for at, letter in enumerate(to):
        if found is None and letter == ":" and to[at + 1 :]:
            found = rows.filter(source=to[:at], source_key=to[at + 1 :]).first()
    return found


class LinkMessage(Api):
    acts: ClassVar = {"POST": "operate"}
    fields_at: ClassVar = {"case": ""}

    @extend_schema(
        operation_id="link_message",
        tags=["messages"],
        request=Link,
        responses={200: DeliveryShape, 202: DeliveryShape},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Give a message of the tray to a case; the files inside it become its documents. Linked to
        it before, the first result is told again."""
        return self.once(lambda: self._link(pk))

    def _link(self, pk: int) -> Response:
        body = body_of(self.request, Link)
        access.require(self.caller.actor, "link message")
        if not tray_of(self.caller).filter(pk=min(pk, 2**63 - 1)).exists():
            raise NotFound(_("There is no such message."))
        case = self.caller.cases("read", "operate").filter(reference=body["case"]).first()
        if case is None:
            raise Invalid(
                _("There is no case %(reference)s among those you may see.")
                % {"reference": body["case"]},
                {"case": _("No such case.")},
            )
        self.subject = case.pk
        delivery, _files = tray.link(message_id=pk, case_id=case.pk, actor=self.caller.actor)
        return _told(delivery)


def _told(delivery: acts.Delivery) -> Response:
    body = {
        "id": delivery.message_id,
        "state": delivery.state,
        "is_repeat": delivery.is_repeat,
        "sentence": delivery.sentence,
    }
    return Response(body, status=200 if delivery.state == "used" else 202)
