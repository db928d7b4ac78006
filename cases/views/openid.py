"""Signing in: with a password, or at the organisation's own service by OpenID Connect.

Authlib speaks the protocol: the code flow with PKCE, state and nonce, and keys, issuer, audience
and times of the ID token checked. docs/running.md says how it is set up.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import requests
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.django_client import OAuth
from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.views import LoginView
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from joserfc.errors import JoseError

from cases import identities
from cases.errors import NotAllowed, Refused
from cases.forms import LoginForm

WAITS_SECONDS = 10
_NEXT = "openid-next"


class ServiceSilent(Refused):
    """The sign-in service did not answer, or not as agreed."""

    status = 503


class SignIn(LoginView):
    """The page where people sign in: by password, at their organisation, or either."""

    authentication_form = LoginForm

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        context = super().get_context_data(**more)
        context["openid"] = settings.LONGCASE_OIDC_NAME if settings.LONGCASE_OIDC_ISSUER else ""
        context["passwords"] = not settings.LONGCASE_OIDC_ONLY
        return context

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if settings.LONGCASE_OIDC_ONLY:
            raise NotAllowed(_("Passwords are not used here; sign in at your organisation."))
        return super().post(request, *args, **kwargs)

    def form_invalid(self, form: Any) -> HttpResponse:
        response = super().form_invalid(form)
        if form.has_error(NON_FIELD_ERRORS, "paused"):
            response.status_code = 429
        return response


@require_safe
def begin(request: HttpRequest) -> HttpResponse:
    """Off to the organisation's own service."""
    service = _service()
    request.session[_NEXT] = _inside(request, request.GET.get("next", ""))
    here = settings.LONGCASE_PUBLIC_URL + reverse("openid-back")
    try:
        return service.authorize_redirect(request, here)  # type: ignore[no-any-return]
    except (requests.RequestException, AuthlibBaseError, ValueError, KeyError) as error:
        raise _silent() from error


@require_safe
def back(request: HttpRequest) -> HttpResponse:
    """Back from there, with a code that the service trades for who it is."""
    service = _service()
    try:
        token = service.authorize_access_token(request)
        claims = dict(token.get("userinfo") or {})
        if claims and "email" not in claims:
            more = dict(service.userinfo(token=token))
            claims = {**more, **claims} if more.get("sub") == claims.get("sub") else claims
    except requests.RequestException as error:
        raise _silent() from error
    except (AuthlibBaseError, JoseError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise identities.SignInRefused(
            _("The sign-in was broken off or has grown old. Begin it again from the sign-in page.")
        ) from error
    person = identities.person_of(
        issuer=settings.LONGCASE_OIDC_ISSUER,
        claims=claims,
        by_address=settings.LONGCASE_OIDC_BY_ADDRESS,
    )
    then = request.session.pop(_NEXT, "")
    login(request, person, backend="cases.backend.PersonBackend")
    return redirect(_inside(request, then) or settings.LOGIN_REDIRECT_URL)


@cache
def _client(issuer: str, client_id: str, secret: str, scopes: str) -> Any:
    return OAuth().register(
        "longcase",
        client_id=client_id,
        client_secret=secret or None,
        server_metadata_url=f"{issuer.rstrip('/')}/.well-known/openid-configuration",
        client_kwargs={
            "scope": scopes,
            "code_challenge_method": "S256",
            "default_timeout": WAITS_SECONDS,
        },
    )


def _service() -> Any:
    if not settings.LONGCASE_OIDC_ISSUER:
        raise NotAllowed(_("No sign-in service is set up here; sign in with your password."))
    return _client(
        settings.LONGCASE_OIDC_ISSUER,
        settings.LONGCASE_OIDC_CLIENT_ID,
        settings.LONGCASE_OIDC_CLIENT_SECRET,
        settings.LONGCASE_OIDC_SCOPES,
    )


def _silent() -> ServiceSilent:
    return ServiceSilent(
        _("%(name)s does not answer. Nobody was signed in; try again in a moment.")
        % {"name": settings.LONGCASE_OIDC_NAME}
    )


def _inside(request: HttpRequest, address: str) -> str:
    """An address of ours, or none: nobody is led elsewhere after signing in."""
    ours = url_has_allowed_host_and_scheme(
        address, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return address if ours else ""
