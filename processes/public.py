"""The one page for the world outside: the signed address at which a third party answers.

The address is the permission, so there is no login and nothing of the case is shown beyond what
was asked. Programs speak JSON, people get a page.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from audit import reads
from cases.errors import Invalid, Refused
from cases.models import Case
from cases.words import plain
from processes import callbacks, exactjson
from processes.acts.messages import answer_callback
from processes.engine.inbox import MESSAGE_BYTES
from timers import clock


class Question(NamedTuple):
    """What an address asks, and how it stands."""

    name: str
    until: Any
    state: str  # open, answered (or no longer asked), expired


@csrf_exempt  # the caller is a program, or comes from a mail; the signature is the proof
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def answer(request: HttpRequest, token: str) -> HttpResponse:
    """Say what is asked (GET), or take the answer (POST, JSON or a form)."""
    clock.refresh_if_stale()
    question = _question(token)
    if question is None:
        return _say(
            request,
            404,
            "unknown",
            _("This address is not one of ours, or was altered on its way."),
        )
    if question.state == "expired":
        until = f"{question.until:%d %b %Y %H:%M} UTC"
        return _say(
            request, 410, "expired", _("This address was open until %(until)s.") % {"until": until}
        )
    if request.method != "POST":
        said = {
            "open": _("We ask you for: %(name)s. Send your answer to this address."),
            "answered": _("We no longer wait for: %(name)s."),
        }[question.state]
        what = {"name": question.name, "until": question.until}
        return _say(request, 200, question.state, said % {"name": plain(question.name)}, **what)
    try:
        delivery = answer_callback(
            token=token,
            data=_given(request),
            key=request.headers.get("Idempotency-Key", "")[:200],
        )
    except Invalid as refusal:
        return _say(request, refusal.status, "invalid", str(refusal), fields=refusal.fields)
    except Refused as refusal:
        response = _say(request, refusal.status, "refused", str(refusal))
        if refusal.status == 503:
            response["Retry-After"] = "1"
        return response
    return _say(request, 200, delivery.state, delivery.sentence)


def _question(token: str) -> Question | None:
    """The question behind an address; None when we never made that address."""
    try:
        case_id, visit, command = callbacks.read(token)
    except (signing.BadSignature, ValueError):
        return None
    case = Case.objects.filter(pk=case_id).only("visit", "waits").first()
    if case is None:
        return None
    reads.about(case_id)
    for wait in case.waits if case.visit == visit else ():
        if wait["kind"] == "party" and wait["command"] == command:
            reads.by(f"party:{wait['on']}")
            until = wait["until"]
            is_over = until is not None and clock.now() > until
            return Question(wait["name"], until, "expired" if is_over else "open")
    return Question(_("an answer"), None, "answered")


def _given(request: HttpRequest) -> Any:
    """The data of an answer. Raises Invalid."""
    most = getattr(settings, "LONGCASE_MESSAGE_BYTES", MESSAGE_BYTES)
    try:
        size = int(request.headers.get("Content-Length") or 0)
    except ValueError:
        size = 0
    too_large = Invalid(
        _("An answer may have %(most)s bytes. Send documents as documents.") % {"most": most}
    )
    if size > most:
        raise too_large
    if request.content_type in ("application/x-www-form-urlencoded", "multipart/form-data"):
        twice = [name for name, values in request.POST.lists() if len(values) > 1]
        if twice:
            said = _("“%(name)s” was sent more than once.") % {"name": twice[0][:60]}
            raise Invalid(said, {twice[0][:60]: said})
        given = request.POST.dict()
        given.pop("csrfmiddlewaretoken", None)
        return given
    if len(request.body) > most:
        raise too_large
    try:
        # Amounts stay exact: 0.1 is read as it is written.
        return exactjson.loads(request.body)
    except exactjson.SaidTwice as error:
        raise Invalid(str(error)) from error
    except (ValueError, RecursionError) as error:
        raise Invalid(
            _("The answer is no JSON, or nested too deep. Send an object such as {…}.")
        ) from error


def _say(request: HttpRequest, status: int, state: str, sentence: str, **more: Any) -> HttpResponse:
    more = {name: value for name, value in more.items() if value not in (None, "", {})}
    if _wants_page(request):
        context = {"sentence": sentence, "state": state, **more}
        return render(request, "processes/answer.html", context, status=status)
    return JsonResponse({"state": state, "detail": sentence, **more}, status=status)


def _wants_page(request: HttpRequest) -> bool:
    """Browsers say that they want HTML; programs that say nothing get JSON."""
    return "text/html" in request.headers.get("Accept", "")
