"""What every page has in common, whichever view answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.utils.cache import patch_vary_headers

from audit import reads
from cases import readlog
from cases.errors import PurposeNeeded, Refused

GetResponse = Callable[[HttpRequest], HttpResponse]


class LanguageMiddleware:
    """A person who is signed in reads in the language of their settings; all others, and who
    chose none, in what LocaleMiddleware found: what the browser asks for, or the installation's.

    It stands after AuthenticationMiddleware.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if settings.SESSION_COOKIE_NAME in request.COOKIES:  # else nobody can be signed in
            chosen = getattr(request.user, "language", "")
            if chosen and translation.check_for_language(chosen):
                translation.activate(chosen)
                request.LANGUAGE_CODE = translation.get_language()
        return self.get_response(request)


class PageMiddleware:
    """Pages are never stored, tell htmx their address, and show a refusal as a page.

    It stands after HtmxMiddleware, and after whatever signs people in.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if response.get("Content-Type", "").startswith("text/html"):
            response.setdefault("Cache-Control", "no-store")
            patch_vary_headers(response, ("Cookie", "HX-Request"))
            self._tell_address(request, response)
        return response

    def process_view(self, request: HttpRequest, *view: Any) -> None:
        """Nothing is named with a NUL, and the database would break off at the question."""
        if "\0" in request.path_info and not request.path_info.startswith("/api/"):
            raise Http404

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """A refusal that no form could show: its sentence, on a whole page."""
        if not isinstance(error, Refused):
            return None
        context = {"sentence": str(error)}
        template = "404.html" if error.status == 404 else "refused.html"
        if isinstance(error, PurposeNeeded):
            template, context["reference"] = "cases/restricted.html", error.reference
        return render(request, template, context, status=error.status)

    @staticmethod
    def _tell_address(request: HttpRequest, response: HttpResponse) -> None:
        """After an act, htmx follows the redirect and puts this page into #main: the address bar
        must follow too, so that loading again and Back meet what is shown."""
        htmx = request.htmx
        if request.method != "GET" or htmx.request_type != "full" or response.status_code != 200:
            return
        here = request.get_full_path()
        if not htmx.history_restore_request and htmx.current_url_abs_path != here:
            response.setdefault("HX-Push-Url", quote(here, safe="/?&=%+:,;@~!$'()*"))


class ReadLogMiddleware:
    """What is shown is written into the read log before it is sent; what cannot be written there
    is not shown. It stands last, next to the views.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with reads.collecting() as reading:
            response = self.get_response(request)
            try:
                readlog.write(request, response, reading)
            except BaseException:
                response.close()
                raise
        return response
