"""Who calls: a program or a person with a token, or a person signed in to the pages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from cases import access
from cases.actors import Actor
from cases.errors import NoSuchCase, NotAllowed
from cases.models import Case, Client, Person, Token
from cases.models.client import has_scope
from processes.acts import clients
from processes.api import throttles
from processes.api.problems import HeaderInvalid

ON_BEHALF = "Longcase-On-Behalf-Of"
_PARTY = re.compile(r"party:[a-z][a-z0-9_-]{0,59}\Z")
_PERSON = re.compile(r"person:([0-9]{1,17})\Z")


class ScopeMissing(NotAllowed):
    """The token does not name this act, or not for this kind of case."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The one who calls, with what the token allows; `scopes` is None for a session."""

    who: Person | Client
    scopes: list[str] | None
    on_behalf: str = ""

    is_authenticated = True  # as DRF asks of a request's user

    @property
    def code(self) -> str:
        return self.actor.code

    @property
    def person(self) -> Person | None:
        return self.who if isinstance(self.who, Person) else None

    @property
    def client(self) -> Client | None:
        return self.who if isinstance(self.who, Client) else None

    @property
    def actor(self) -> Actor:
        if isinstance(self.who, Client):
            return Actor.of_client(self.who, on_behalf=self.on_behalf)
        return Actor.of(self.who, on_behalf=self.on_behalf)

    @property
    def source(self) -> str:
        """The source of this caller's external references and messages."""
        return self.who.name if isinstance(self.who, Client) else self.code

    def has_scope(self, act: str, kind: str = "") -> bool:
        return self.scopes is None or has_scope(self.scopes, act, kind)

    def require_scope(self, act: str, kind: str = "") -> None:
        if not self.has_scope(act, kind):
            wanted = f"{act}:{kind or '*'}"
            raise ScopeMissing(
                _("This token lacks the scope “%(scope)s”; an administrator can add it.")
                % {"scope": wanted}
            )

    def cases(self, *acts: str) -> QuerySet[Case]:
        """The cases that the caller may see and whose kind the token names for one of these."""
        found = access.visible_cases(self.who)
        if self.scopes is None:
            return found
        pairs = [scope.partition(":") for scope in self.scopes]
        kinds = {kind for act, _colon, kind in pairs if act in (acts or ("read",))}
        return found if "*" in kinds else found.filter(kind__in=sorted(kinds))

    def case(self, reference: str, act: str) -> Case:
        """The case of this reference or number. Raises NoSuchCase unless the caller may see it,
        and ScopeMissing where it may be read and this act may not be done."""
        rows = self.cases("read", act)
        if reference.isascii() and reference.isdecimal() and len(reference) < 18:
            rows = rows.filter(pk=int(reference))
        else:
            rows = rows.filter(reference=reference)
        found = rows.first()
        if found is None:
            raise NoSuchCase(
                _("There is no case %(reference)s among those you may see.")
                % {"reference": reference}
            )
        self.require_scope(act, found.kind)
        return found


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer lc_…`: a program's or a person's token."""

    def authenticate(self, request: Request) -> tuple[Caller, Any] | None:
        scheme, _space, text = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        throttles.require_few_failures(request)
        token = clients.token_of(text.strip())
        if token is None:
            throttles.failed(request)
            raise AuthenticationFailed(
                _("This token is not one of ours, was revoked, or has ended.")
            )
        if token.client is not None:
            scopes = scopes_of(token, token.client)
            return Caller(token.client, scopes, _on_behalf(request, True)), token
        assert token.person is not None  # a constraint of the table
        return Caller(token.person, token.scopes, _on_behalf(request, False)), token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="Longcase"'


class PageSession(SessionAuthentication):
    """The session of the pages, with their CSRF token on whatever changes something."""

    def authenticate(self, request: Request) -> tuple[Caller, Any] | None:
        found = super().authenticate(request)
        return (Caller(found[0], None, _on_behalf(request, False)), None) if found else None


def scopes_of(token: Token, client: Client) -> list[str]:
    """What a program may do with this token: its scopes, as far as the token is not cut down."""
    if not token.scopes:
        return client.scopes
    return [
        scope
        for scope in token.scopes
        if scope in client.scopes or f"{scope.partition(':')[0]}:*" in client.scopes
    ]


def _on_behalf(request: Request, is_program: bool) -> str:
    """For whom it is done: a party of the case; of programs also a person. Gives no rights."""
    said = request.headers.get(ON_BEHALF, "")
    if not said or _PARTY.match(said):
        return said
    person = _PERSON.match(said)
    if is_program and person and Person.objects.filter(pk=int(person[1])).exists():
        return f"person:{int(person[1])}"
    raise HeaderInvalid(
        _("%(header)s is “party:NAME”, such as party:applicant, or for programs “person:ID”.")
        % {"header": ON_BEHALF},
        {ON_BEHALF: _("party:NAME or person:ID")},
    )


class HasScope(BasePermission):
    """Somebody calls, and the token names this act for some kind."""

    def has_permission(self, request: Request, view: Any) -> bool:
        caller = request.user
        if not isinstance(caller, Caller):
            return False
        caller.require_scope(view.act(request.method))
        return True
