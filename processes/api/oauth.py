"""The token endpoint of OAuth 2: a program's secret for a token that lasts an hour.

Authlib speaks the protocol (RFC 6749, section 4.4; revocation by RFC 7009), so refusals have its
form, `{"error": …}`, and not that of problem details.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from typing import Any

from authlib.integrations.django_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import grants as protocol
from authlib.oauth2.rfc6749.errors import InvalidScopeError
from authlib.oauth2.rfc6749.requests import BasicOAuth2Payload, OAuth2Request
from authlib.oauth2.rfc7009 import RevocationEndpoint
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.parsers import FormParser
from rest_framework.request import Request

from cases.errors import Invalid
from cases.models import Client, Token
from processes.acts import clients, grants
from processes.api import throttles
from processes.api.base import Api

METHODS = ["client_secret_basic", "client_secret_post"]
FORM = "application/x-www-form-urlencoded"


class Program:
    """An account as Authlib asks of it. A name that is none fails like a wrong secret does."""

    def __init__(self, client: Client | None) -> None:
        self.client = client
        self.secret: Token | None = None

    def check_client_secret(self, text: str) -> bool:
        self.secret = grants.secret_of(self.client, text) if self.client is not None else None
        return self.secret is not None

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return method in METHODS

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type == "client_credentials"


def _plain(sentence: str) -> str:
    """A sentence in the characters that RFC 6749 allows for a description."""
    quoted = sentence.translate({ord(mark): "'" for mark in '“”„’‘"\\'})
    return quoted.encode("ascii", "replace").decode()


_WORD = re.compile(r"[\x20\x21\x23-\x5b\x5d-\x7e]{0,4000}\Z")


class ClientCredentials(protocol.ClientCredentialsGrant):  # type: ignore[misc]
    TOKEN_ENDPOINT_AUTH_METHODS = METHODS

    def validate_requested_scope(self) -> None:
        try:
            grants.cut_down(self.request.client.client, (self.request.payload.scope or "").split())
        except Invalid as refusal:
            raise InvalidScopeError(description=_plain(str(refusal))) from refusal


class Revocation(RevocationEndpoint):  # type: ignore[misc]
    CLIENT_AUTH_METHODS = METHODS

    def query_token(self, token_string: str, token_type_hint: str) -> Any:
        return _Given(token_string)

    def revoke_token(self, token: Any, request: Any) -> None:
        grants.give_back(client=request.client.client, text=token.text)


class _Given:
    """A token that a program gives back; `give_back` looks whether it is its own."""

    def __init__(self, text: str) -> None:
        self.text = text

    def check_client(self, program: Program) -> bool:
        return True


class Server(AuthorizationServer):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__(Client, Token)
        self.register_token_generator("default", _new_token)
        self.register_grant(ClientCredentials)
        self.register_endpoint(Revocation)

    def query_client(self, client_id: str) -> Program:
        return Program(Client.objects.filter(name=client_id[:60]).first())

    def save_token(self, token: dict[str, Any], request: Any) -> None:
        grants.grant(
            secret=request.client.secret,
            text=token["access_token"],
            scopes=(request.payload.scope or "").split(),
        )

    def create_oauth2_request(self, request: Any) -> OAuth2Request:
        # That calls come by TLS is what SECURE_SSL_REDIRECT sees to, also behind a proxy.
        return _Asked(request)

    def send_signal(self, name: str, *args: Any, **kwargs: Any) -> None:
        """Nobody listens: what happens is kept in rows."""


class _Asked(OAuth2Request):  # type: ignore[misc]
    """A request as Authlib reads it; only the form counts, never the query string."""

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(str(request.method), "https://longcase/", headers=request.headers)
        self._form = request.POST.dict()
        self.payload = BasicOAuth2Payload(self._form)

    @property
    def form(self) -> dict[str, str]:
        return self._form


def _new_token(grant_type: str, client: Program, scope: str = "", **_more: Any) -> dict[str, Any]:
    assert client.client is not None
    return {
        "access_token": clients.PREFIX + secrets.token_urlsafe(32),
        "token_type": "Bearer",
        "expires_in": int(grants.LASTS.total_seconds()),
        "scope": scope or " ".join(client.client.scopes),
    }


SERVER = Server()


class _Answers(Api):
    """What both addresses share: they know who calls by the secret in the form."""

    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()
    parser_classes = (FormParser,)

    def answered(self, request: Request, answer: Callable[[HttpRequest], Any]) -> HttpResponse:
        throttles.require_few_failures(request)
        asked = request._request
        odd = [name for name, value in asked.POST.items() if not _WORD.match(value)]
        if odd:
            sentence = f"{_plain(odd[0][:40])} has characters that no such value has."
            told = {"error": "invalid_request", "error_description": sentence}
            return JsonResponse(told, status=400)
        found: HttpResponse = answer(asked)
        if b'"invalid_client"' in found.content:
            throttles.failed(request)
        return found


class TokenRequest(s.Serializer):
    grant_type = s.ChoiceField(["client_credentials"])
    scope = s.CharField(
        required=False, help_text="Some of the account's scopes, with blanks between; else all."
    )
    client_id = s.CharField(required=False, help_text="The account, unless told by Basic.")
    client_secret = s.CharField(required=False, help_text="A secret of it, lcs_…")


class TokenAnswer(s.Serializer):
    access_token = s.CharField(help_text="Send it as Authorization: Bearer.")
    token_type = s.CharField()
    expires_in = s.IntegerField(help_text="Seconds.")
    scope = s.CharField()


class OAuthRefusal(s.Serializer):
    error = s.CharField(help_text="invalid_client, invalid_scope, …: RFC 6749, section 5.2.")
    error_description = s.CharField(required=False)


class GivenBack(s.Serializer):
    token = s.CharField()
    token_type_hint = s.CharField(required=False)
    client_id = s.CharField(required=False)
    client_secret = s.CharField(required=False)


class Nothing(s.Serializer):
    pass


class TokenEndpoint(_Answers):
    @extend_schema(
        operation_id="get_token",
        tags=["oauth"],
        auth=[],
        request={FORM: TokenRequest},
        responses={200: TokenAnswer, 400: OAuthRefusal, 401: OAuthRefusal},
    )
    def post(self, request: Request) -> HttpResponse:
        """A token of an hour for a secret (OAuth 2, client credentials)."""
        return self.answered(request, SERVER.create_token_response)


class RevocationAddress(_Answers):
    @extend_schema(
        operation_id="give_back_token",
        tags=["oauth"],
        auth=[],
        request={FORM: GivenBack},
        responses={200: Nothing, 400: OAuthRefusal, 401: OAuthRefusal},
    )
    def post(self, request: Request) -> HttpResponse:
        """End a token of an hour before its time (RFC 7009)."""
        return self.answered(
            request, lambda asked: SERVER.create_endpoint_response("revocation", asked)
        )


@require_safe
def metadata(request: HttpRequest) -> JsonResponse:
    """What a client library asks first (RFC 8414)."""
    here = settings.LONGCASE_PUBLIC_URL
    return JsonResponse(
        {
            "issuer": here,
            "token_endpoint": f"{here}/api/v1/oauth/token",
            "token_endpoint_auth_methods_supported": METHODS,
            "revocation_endpoint": f"{here}/api/v1/oauth/revoke",
            "revocation_endpoint_auth_methods_supported": METHODS,
            "grant_types_supported": ["client_credentials"],
            "response_types_supported": [],
            "scopes_supported": [f"{act}:*" for act in clients.SCOPES],
        }
    )
