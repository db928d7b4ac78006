"""Who calls: a program or a person with a token, or a person signed in to the pages."""

from __future__ import annotations

import re
from typing import Any

from django.contrib.auth import get_user
from django.utils.translation import gettext as _
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from cases.models import Person
from cases.models.client import has_scope
from processes.acts import clients
from processes.api import throttles
from processes.api.problems import HeaderInvalid
from processes.callers import ON_BEHALF, Caller, scopes_of

_PARTY = re.compile(r"party:[a-z][a-z0-9_-]{0,59}\Z")
_PERSON = re.compile(r"person:([0-9]{1,17})\Z")


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
            may = has_scope(scopes, "behalf", "")
            return Caller(token.client, scopes, _on_behalf(request, True, may=may)), token
        assert token.person is not None  # a constraint of the table
        return Caller(token.person, token.scopes, _on_behalf(request, False)), token

    def again(self, request: Request) -> tuple[Caller, Any] | None:
        return self.authenticate(request)

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="Longcase"'


class PageSession(SessionAuthentication):
    """The session of the pages, with their CSRF token on whatever changes something."""

    def authenticate(self, request: Request) -> tuple[Caller, Any] | None:
        found = super().authenticate(request)
        return (Caller(found[0], None, _on_behalf(request, False)), None) if found else None

    def again(self, request: Request) -> tuple[Caller, Any] | None:
        """Whether the session is there still, and its person may sign in."""
        before = request._request.session
        request._request.session = type(before)(before.session_key)
        person = get_user(request._request)
        if not isinstance(person, Person) or not person.is_active:
            return None
        return Caller(person, None, _on_behalf(request, False)), None


def _on_behalf(request: Request, is_program: bool, *, may: bool = False) -> str:
    """For whom it is done: a party of the case; of programs also a person, if they may name any
    (else they are refused, whoever it is: see Caller.require_scope). Gives no rights."""
    said = request.headers.get(ON_BEHALF, "")
    if not said or _PARTY.match(said):
        return said
    person = _PERSON.match(said)
    is_known = not may or (person and Person.objects.filter(pk=int(person[1])).exists())
    if is_program and person and is_known:
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
