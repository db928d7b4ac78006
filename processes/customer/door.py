"""The door of a customer's page: whose address it is, whether its browser came in, and the headers
that keep addresses and pages to the customer alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt

from audit import reads
from cases.models import CustomerPage
from processes.customer import addresses, codes
from timers import clock

COOKIE = "longcase_page"
View = Callable[..., HttpResponse]


class SeeOther(HttpResponseRedirect):
    """An act was done; this page shows it."""

    status_code = 303


def private(view: View) -> View:
    """No cache keeps it, no search engine finds it, and no other site learns its address.

    Browsers that must name no referrer send `Origin: null`, which Django's own check refuses. So
    forms prove themselves here by a token of the browser's own secret (`sent_by_itself`).
    """

    @csrf_exempt
    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        clock.refresh_if_stale()
        response = view(request, *args, **kwargs)
        response["Referrer-Policy"] = "no-referrer"
        response["Cache-Control"] = "no-store"
        response["X-Robots-Tag"] = "noindex, nofollow"
        response._has_been_logged = True  # type: ignore[attr-defined]  # addresses are no log lines
        return response

    return answered


def at_address(view: View) -> View:
    """Only at an address that is ours and open; else a page that says what would work."""

    @private
    @wraps(view)
    def answered(request: HttpRequest, token: str, *args: Any, **kwargs: Any) -> HttpResponse:
        page = addresses.page_at(token)
        if page is None:
            return render(request, "customer/gone.html", {"why": "unknown"}, status=404)
        if not page.is_open_at(clock.now()) or not settings.LONGCASE_CUSTOMER_PAGES:
            why = _why_closed(page)
            return render(request, "customer/gone.html", {"why": why, "token": token}, status=410)
        return view(request, page, token, *args, **kwargs)

    return answered


def _why_closed(page: CustomerPage) -> str:
    if page.revoked_at is None:
        return "expired"
    return "revoked" if addresses.standing(page) is None else "replaced"


def inside(view: View) -> View:
    """Only for a browser that came in with a code; others are asked for one."""

    @at_address
    @wraps(view)
    def answered(
        request: HttpRequest, page: CustomerPage, token: str, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        if not codes.is_in(page, secret_of(request)):
            return render(request, "customer/enter.html", {"token": token}, status=401)
        if request.method == "POST" and not sent_by_itself(request):
            context = {"token": token, "why": "form"}
            return render(request, "customer/gone.html", context, status=403)
        note_read(page)
        return view(request, page, token, *args, **kwargs)

    return answered


def note_read(page: CustomerPage) -> None:
    """The party of this page is shown something of its case: for the read log."""
    reads.by(f"party:{page.party}")
    reads.about(page.case_id)


def secret_of(request: HttpRequest) -> str:
    return request.COOKIES.get(COOKIE, "")[:100]


def sent_by_itself(request: HttpRequest) -> bool:
    """Whether this form was rendered for this very browser."""
    secret = secret_of(request)
    given = request.POST.get("proof", "")
    return bool(secret) and constant_time_compare(given, codes.proof(secret))


def keep_secret(response: HttpResponse, token: str, secret: str) -> HttpResponse:
    """Lay the secret into the browser, for this page's addresses alone."""
    response.set_cookie(
        COOKIE,
        secret,
        path=reverse("customer-page", args=[token]),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response


def shown(
    request: HttpRequest, template: str, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    """A page of the customer, with what its forms carry."""
    secret = secret_of(request)
    context = {"proof": codes.proof(secret) if secret else "", **context}
    return render(request, f"customer/{template}.html", context, status=status)


def done(token: str, what: str) -> HttpResponse:
    """Back to the page, which says what was done. The words are named in the address, not told
    by it."""
    return SeeOther(f"{reverse('customer-page', args=[token])}?done={what}")


def said(what: str) -> str:
    """The words for what was done."""
    return {
        "answer": _("Thank you. We have your answer."),
        "again": _("We had your answer already. Nothing was sent twice."),
        "paper": _("Thank you. We have your paper."),
        "withdrawn": _("You took it back. You get a letter that says so."),
        "closed": _("This was finished meanwhile, so nothing was sent."),
        "not_now": _("We do not need this any more: see how it stands now. Nothing was sent."),
    }.get(what, "")
