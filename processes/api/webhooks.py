"""Webhooks: where a program's events are sent, how far that is, and each try."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from audit.feed import Place
from cases import access
from cases.errors import Invalid
from cases.models import Client
from processes.acts import webhooks as acts
from processes.api.base import Api
from processes.api.pages import Order, PageQuery, page
from processes.api.parsing import Strict, body_of, query_of
from processes.api.schema import listed
from processes.api.tasks import Nothing
from processes.callers import ScopeMissing
from processes.feed import cursor_of
from processes.models import Webhook, WebhookAttempt
from processes.plain import plain
from processes.webhooks import delivering

KINDS = "Only cases of these kinds; empty for all that the account may read."
TYPES = "Only events of these types; task.* stands for all that begin so; empty for all."


class WebhookShape(s.Serializer):
    id = s.IntegerField()
    client = s.CharField(help_text="The account whose events are sent.")
    title = s.CharField()
    url = s.CharField()
    kinds = s.ListField(child=s.CharField(), help_text=KINDS)
    types = s.ListField(child=s.CharField(), help_text=TYPES)
    state = s.ChoiceField(["active", "paused", "ended"])
    why = s.CharField(help_text="Why it is paused.")
    cursor = s.CharField(help_text="How far it is in the feed.")
    behind = s.IntegerField(help_text="Commits of the feed that lie before it, at most.")
    tries = s.IntegerField(help_text="Failed tries of the event that is next.")
    next_try_at = s.DateTimeField(allow_null=True)
    secret_overlap_until = s.DateTimeField(allow_null=True)
    made_at = s.DateTimeField()


class AttemptShape(s.Serializer):
    id = s.IntegerField()
    webhook_id = s.CharField(help_text="As in the header of that name: the id of the event.")
    type = s.CharField()
    case = s.CharField()
    attempt = s.IntegerField()
    at = s.DateTimeField()
    ms = s.IntegerField()
    status = s.IntegerField(help_text="0: there was no answer.")
    delivered = s.BooleanField()
    answer = s.CharField(help_text="Its first 500 characters.")
    error = s.CharField()


class SecretShape(s.Serializer):
    secrets = s.ListField(
        child=s.CharField(), help_text="whsec_…; after a change the one before, while it is used."
    )
    overlap_until = s.DateTimeField(allow_null=True)


class Make(Strict):
    url = s.CharField(max_length=2000, help_text="https://…; redirects are not followed.")
    title = s.CharField(required=False, max_length=120, default="", allow_blank=True)
    kinds = s.ListField(
        child=s.CharField(max_length=80), max_length=50, required=False, help_text=KINDS
    )
    types = s.ListField(
        child=s.CharField(max_length=80), max_length=50, required=False, help_text=TYPES
    )
    after = s.CharField(
        required=False,
        max_length=200,
        default=acts.NOW,
        help_text="From where on: now, beginning, or a cursor of the feed.",
    )
    client = s.CharField(
        required=False, max_length=60, help_text="The account, where a person makes it."
    )


class Change(Strict):
    url = s.CharField(max_length=2000, required=False)
    title = s.CharField(required=False, max_length=120, allow_blank=True)
    kinds = s.ListField(
        child=s.CharField(max_length=80), max_length=50, required=False, help_text=KINDS
    )
    types = s.ListField(
        child=s.CharField(max_length=80), max_length=50, required=False, help_text=TYPES
    )


class RotateBody(Strict):
    overlap_hours = s.IntegerField(
        min_value=0,
        max_value=720,
        required=False,
        default=24,
        help_text="For so long everything is signed with both secrets.",
    )


class ReplayBody(Strict):
    after = s.CharField(
        required=False, max_length=200, help_text="beginning, or a cursor of the feed."
    )
    since = s.DateTimeField(
        required=False, help_text="A moment; what was recorded from then on, and a little before."
    )


class WebhookQuery(PageQuery):
    order = s.ChoiceField(["made", "-made"], required=False, default="made")


class AttemptQuery(PageQuery):
    failed = s.BooleanField(required=False, help_text="true: only those that did not arrive.")
    order = s.ChoiceField(["at", "-at"], required=False, default="-at")


class _Webhooks(Api):
    """A program has its own; people who manage programs have all. A webhook reads with the scopes
    of its account, so a token that is cut down to some of them has nothing to do with it."""

    acts: ClassVar = {"GET": "read", "POST": "read", "PATCH": "read"}
    fields_at: ClassVar = {"*": ""}

    def rows(self) -> Any:
        rows = Webhook.objects.select_related("client")
        self.require_whole_token()
        if self.caller.client is not None:
            return rows.filter(client=self.caller.client)
        access.require(self.caller.actor, "manage clients")
        return rows

    def require_whole_token(self) -> None:
        caller = self.caller
        if caller.client is not None and caller.scopes != caller.client.scopes:
            raise ScopeMissing(
                _("Webhooks need a token with all scopes of its account; this one has some.")
            )

    def one(self, pk: int) -> Webhook:
        found = self.rows().filter(pk=min(pk, 2**63 - 1)).first()
        if found is None:
            raise NotFound(_("There is no such webhook of yours."))
        return found  # type: ignore[no-any-return]

    def doing(self, pk: int, act: Callable[..., Webhook], **given: Any) -> Response:
        self.one(pk)
        act(webhook_id=pk, actor=self.caller.actor, **given)
        return Response(told([self.one(pk)])[0])


class Webhooks(_Webhooks):
    @extend_schema(
        operation_id="list_webhooks",
        tags=["events"],
        parameters=[WebhookQuery],
        responses={200: listed(WebhookShape)},
    )
    def get(self, request: Request) -> Response:
        """Where events are sent, and how far that is."""
        query = query_of(request, WebhookQuery)
        found = page(request, self.rows(), query["order"], {"made": Order("")})
        return Response(found.told(told(found.rows)))

    @extend_schema(
        operation_id="make_webhook", tags=["events"], request=Make, responses={201: WebhookShape}
    )
    def post(self, request: Request) -> Response:
        """Have events sent to an address: as CloudEvents, signed, in order, until they arrive."""
        return self.once(self._make)

    def _make(self) -> Response:
        body = body_of(self.request, Make)
        client = self._client(body.pop("client", ""))
        made = acts.make_webhook(client=client, actor=self.caller.actor, **body)
        location = {"Location": f"/api/v1/webhooks/{made.pk}"}
        return Response(told([made])[0], status=201, headers=location)

    def _client(self, name: str) -> Client:
        self.require_whole_token()
        own = self.caller.client
        if own is not None and name in ("", own.name):
            return own
        access.require(self.caller.actor, "manage clients")
        found = Client.objects.filter(name=name).first()
        if found is None:
            sentence = _("Name the account whose events are to be sent.")
            raise Invalid(sentence, {"client": sentence})
        return found


class OneWebhook(_Webhooks):
    @extend_schema(operation_id="read_webhook", tags=["events"], responses={200: WebhookShape})
    def get(self, request: Request, pk: int) -> Response:
        """One webhook, and how far it is."""
        return Response(told([self.one(pk)])[0])

    @extend_schema(
        operation_id="change_webhook",
        tags=["events"],
        request=Change,
        responses={200: WebhookShape},
    )
    def patch(self, request: Request, pk: int) -> Response:
        """Change where events are sent, or which. A new address is tried at once."""
        return self.once(
            lambda: self.doing(pk, acts.change_webhook, **body_of(self.request, Change))
        )


class Attempts(_Webhooks):
    @extend_schema(
        operation_id="list_webhook_attempts",
        tags=["events"],
        parameters=[AttemptQuery],
        responses={200: listed(AttemptShape)},
    )
    def get(self, request: Request, pk: int) -> Response:
        """Each try of the last thirty days, and what was answered."""
        query = query_of(request, AttemptQuery)
        rows = WebhookAttempt.objects.filter(webhook=self.one(pk))
        if "failed" in query:
            rows = rows.filter(is_delivered=not query["failed"])
        found = page(request, rows, query["order"], {"at": Order("")})
        return Response(found.told([attempt(one) for one in found.rows]))


class Secret(_Webhooks):
    @extend_schema(
        operation_id="read_webhook_secret", tags=["events"], responses={200: SecretShape}
    )
    def get(self, request: Request, pk: int) -> Response:
        """The secret with which a receiver tells our calls from others'."""
        hook = self.one(pk)
        secrets = acts.secrets_told(webhook_id=pk, actor=self.caller.actor)
        until = hook.before_until if len(secrets) > 1 else None
        return Response({"secrets": secrets, "overlap_until": plain(until)})


class Rotate(_Webhooks):
    @extend_schema(
        operation_id="rotate_webhook_secret",
        tags=["events"],
        request=RotateBody,
        responses={200: WebhookShape},
    )
    def post(self, request: Request, pk: int) -> Response:
        """A new secret; read it at /secret. Both are used for some hours."""
        return self.once(
            lambda: self.doing(pk, acts.rotate_secret, **body_of(self.request, RotateBody))
        )


class Test(_Webhooks):
    @extend_schema(
        operation_id="test_webhook", tags=["events"], request=Nothing, responses={200: WebhookShape}
    )
    def post(self, request: Request, pk: int) -> Response:
        """Have an event of the type longcase.test sent within moments, also while it is paused."""
        return self._plainly(pk, acts.test_webhook)

    def _plainly(self, pk: int, act: Callable[..., Webhook]) -> Response:
        def do() -> Response:
            body_of(self.request, Nothing)
            return self.doing(pk, act)

        return self.once(do)


class Pause(Test):
    @extend_schema(
        operation_id="pause_webhook",
        tags=["events"],
        request=Nothing,
        responses={200: WebhookShape},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Send nothing until it is resumed. Nothing is lost meanwhile."""
        return self._plainly(pk, acts.pause_webhook)


class Resume(Test):
    @extend_schema(
        operation_id="resume_webhook",
        tags=["events"],
        request=Nothing,
        responses={200: WebhookShape},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Send again, at once, from where it stood."""
        return self._plainly(pk, acts.resume_webhook)


class End(Test):
    @extend_schema(
        operation_id="end_webhook", tags=["events"], request=Nothing, responses={200: WebhookShape}
    )
    def post(self, request: Request, pk: int) -> Response:
        """Send nothing more, for good."""
        return self._plainly(pk, acts.end_webhook)


class Replay(_Webhooks):
    @extend_schema(
        operation_id="replay_webhook",
        tags=["events"],
        request=ReplayBody,
        responses={200: WebhookShape},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Send again from a cursor or a moment on, in order and under the same ids."""
        return self.once(
            lambda: self.doing(pk, acts.replay_webhook, **body_of(self.request, ReplayBody))
        )


def told(hooks: list[Webhook]) -> list[dict[str, Any]]:
    behind = delivering.behind(hooks)
    return [
        {
            "id": one.pk,
            "client": one.client.name,
            "title": one.title,
            "url": one.url,
            "kinds": one.kinds,
            "types": one.types,
            "state": one.state,
            "why": one.why,
            "cursor": cursor_of(Place(one.position, one.number)),
            "behind": behind[one.pk],
            "tries": one.tries,
            "next_try_at": plain(one.next_try_at),
            "secret_overlap_until": plain(one.before_until),
            "made_at": plain(one.made_at),
        }
        for one in hooks
    ]


def attempt(one: WebhookAttempt) -> dict[str, Any]:
    return {
        "id": one.pk,
        "webhook_id": one.event_id,
        "type": one.type,
        "case": one.case,
        "attempt": one.attempt,
        "at": plain(one.at),
        "ms": one.ms,
        "status": one.status,
        "delivered": one.is_delivered,
        "answer": one.answer,
        "error": one.error,
    }
