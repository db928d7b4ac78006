"""Messages of programs that sign instead of holding a token: after Standard Webhooks.

The signature covers id, time and body. What is altered, or older or newer than five minutes, is
refused; an id that came before is answered with success and does nothing.
"""

from __future__ import annotations

import logging
from typing import Any, ClassVar

from django.conf import settings
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers as s
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request
from rest_framework.response import Response

from cases.errors import CaseClosed
from cases.models import Client
from processes.acts import clients
from processes.acts import messages as acts
from processes.api.base import Api
from processes.api.messages import DeliveryShape, addressed
from processes.api.parsing import Strict, TooLarge, body_of
from processes.callers import Caller
from processes.webhooks import signing
from timers import clock

log = logging.getLogger("longcase.signed")


class SignatureAuthentication(BaseAuthentication):
    """`webhook-id`, `webhook-timestamp` and `webhook-signature` of the account in the address."""

    def authenticate(self, request: Request) -> tuple[Caller, Any]:
        name = request.parser_context["kwargs"]["name"]
        client = Client.objects.filter(name=name, is_active=True).first()
        secrets = clients.signing_secrets(client) if client is not None else []
        try:
            id = signing.verify(request.headers, _body(request), secrets=secrets, now=clock.now())
        except signing.SignatureWrong as error:
            log.warning("signature_refused", extra={"client": name[:60], "why": str(error)})
            said = _("The message was not taken. %(why)s") % {"why": error}
            raise AuthenticationFailed(said) from error
        assert client is not None  # without it there is no secret that could fit
        return Caller(client, client.scopes), id

    def authenticate_header(self, request: Request) -> str:
        return 'Webhook-Signature realm="Longcase"'


def _body(request: Request) -> bytes:
    """All of the body, as the signature covers it."""
    said = request.headers.get("Content-Length", "")
    most = settings.LONGCASE_API_BYTES
    if said.isdecimal() and int(said[:12]) > most:
        raise TooLarge(_("A body may have %(most)s bytes.") % {"most": most})
    return bytes(request._request.body)


class SendSigned(Strict):
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
        "when the case has moved on.",
    )


def _header(name: str, about: str, pattern: str) -> OpenApiParameter:
    return OpenApiParameter(
        name, {"type": "string", "pattern": pattern}, "header", required=True, description=about
    )


class SignedMessages(Api):
    acts: ClassVar = {"POST": "messages"}
    fields_at: ClassVar = {"*": "/data", "name": "", "key": "", "source": "", "data": "", "to": ""}
    authentication_classes = (SignatureAuthentication,)

    @extend_schema(
        operation_id="send_signed_message",
        tags=["messages"],
        parameters=[
            _header(
                "webhook-id", "Names the message; the same when it is sent again.", "^[!-~]{1,200}$"
            ),
            _header("webhook-timestamp", "Seconds since 1970.", "^[0-9]{1,11}$"),
            _header("webhook-signature", "v1,BASE64; several by blanks.", "^v1,[!-~ ]{1,500}$"),
        ],
        request=SendSigned,
        responses={200: DeliveryShape, 202: DeliveryShape},
    )
    def post(self, request: Request, name: str) -> Response:
        """Give a signed message to a case: used (200, also again for an id that came before), or
        kept, late or laid into the tray (202)."""
        body = body_of(request, SendSigned)
        what: dict[str, Any] = {
            "name": body["name"],
            "data": body["data"],
            "source": self.caller.source,
            "key": request.auth,
            "actor": self.caller.actor,
        }
        case = addressed(self.caller, body["to"])
        if case is None:
            why = _("%(source)s sees no case “%(to)s”.") % {
                "source": self.caller.source,
                "to": body["to"],
            }
            return _told(acts.lay_in_tray(to=body["to"][:200], why=why, **what))
        self.subject = case.pk
        self.caller.require_scope("messages", case.kind)
        try:
            delivery = acts.deliver_message(case_id=case.pk, visit=body.get("visit"), **what)
            return _told(delivery)
        except CaseClosed as error:  # it lies in the tray, and sending it again would not help
            return _told(acts.Delivery(0, "late", False, str(error)))


def _told(delivery: acts.Delivery) -> Response:
    told = {
        "id": delivery.message_id,
        "state": delivery.state,
        "is_repeat": delivery.is_repeat,
        "sentence": delivery.sentence,
    }
    return Response(told, status=200 if delivery.state == "used" else 202)
