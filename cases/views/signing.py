"""Who is signed in: the door to every page, and what happens when a session has ended."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from cases.actors import Actor
from cases.models import Person
from timers import clock

View = Callable[..., HttpResponse]


def person_of(request: HttpRequest) -> Person:
    """The person who is signed in; views behind `signed_in` have one."""
    return cast(Person, request.user)


def actor_of(request: HttpRequest) -> Actor:
    return Actor.of(person_of(request))


def signed_in(view: View) -> View:
    """Let only people in who are signed in; show others where to sign in, and keep their text."""

    @wraps(view)
    def enter(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated:
            clock.refresh_if_stale()  # a demo may have been turned by another process
            person_of(request).know_place()
            return view(request, *args, **kwargs)
        if request.htmx:
            return _ask_to_sign_in(request)
        return redirect_to_login(request.get_full_path())  # each of our pages answers GET

    return enter


def _ask_to_sign_in(request: HttpRequest) -> HttpResponse:
    """For acts a dialog over the page, so that typed text stays; for reading the whole page."""
    if request.method == "GET":
        response = HttpResponse(status=401)
        here = request.htmx.current_url_abs_path or "/"
        response["HX-Redirect"] = redirect_to_login(here)["Location"]
        return response
    response = render(request, "_signed_out.html", status=401)
    response["HX-Retarget"] = response["HX-Reselect"] = "#signed-out"
    response["HX-Reswap"] = "outerHTML"
    return response


@require_safe
@signed_in
def signed_in_again(request: HttpRequest) -> HttpResponse:
    """Where a sign-in in a second window ends: the first window notices by itself."""
    return render(request, "registration/signed_in.html")


@require_POST
def stay(request: HttpRequest) -> HttpResponse:
    """Start the session's time anew. Asked for by the warning before it ends."""
    if not request.user.is_authenticated:
        return HttpResponse(status=401)
    request.session.modified = True
    return HttpResponse(status=204)
