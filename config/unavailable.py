"""What is answered when a page or a call of the API fails: 503 while the database is away.

Django calls `answer` for every error that nothing else has answered, wherever it came from: a
view, the session, or who is signed in.
"""

from __future__ import annotations

import sys

import psycopg
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.defaults import server_error

RETRY_AFTER_SECONDS = 5


def answer(request: HttpRequest) -> HttpResponse:
    """The answer to the error that is being handled."""
    if not is_away(sys.exc_info()[1]):
        return server_error(request)
    if wants_json(request):
        problem = {
            "type": "about:blank",
            "status": 503,
            "title": _("Try again in a moment"),
            "detail": _("The database cannot be reached. Nothing was saved; send it again."),
        }
        response: HttpResponse = JsonResponse(
            problem, status=503, content_type="application/problem+json"
        )
    else:
        response = HttpResponse(render_to_string("503.html"), status=503)
    response["Retry-After"] = str(RETRY_AFTER_SECONDS)
    response["Cache-Control"] = "no-store"
    return response


def is_away(error: BaseException | None) -> bool:
    """Whether the database is away, or takes nothing for now: restarting, failing over, full of
    connections, read-only. Looks behind an error for the one that it came from."""
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(
            error,
            (
                OperationalError,
                InterfaceError,
                psycopg.OperationalError,
                psycopg.InterfaceError,
                psycopg.errors.ReadOnlySqlTransaction,
            ),
        ):
            return True
        error = error.__cause__ or error.__context__
    return False


def wants_json(request: HttpRequest) -> bool:
    """Whether a program asks, and not a browser."""
    return request.path_info.startswith("/api/") or (
        request.headers.get("Accept", "").startswith(("application/json", "application/problem"))
    )
