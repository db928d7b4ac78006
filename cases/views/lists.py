"""The list of cases, narrowed by what a person chose."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from cases import access
from cases.absence import away_now
from cases.caselist import page_of_cases
from cases.queries import Choice
from cases.views import filters
from cases.views.signing import person_of, signed_in
from cases.views.work import page_of
from processes.acts import lists
from timers import clock

LONGEST_FIND = filters.LONGEST


@require_safe
@signed_in
def case_list(request: HttpRequest) -> HttpResponse:
    """Cases that match; a whole reference leads to its case at once."""
    person, now = person_of(request), clock.now()
    if len(request.GET.get("find", "").strip()) > LONGEST_FIND:
        return _too_long(request)
    choice = filters.case_choice(request.GET)
    if choice.find and request.GET.keys() == {"find"}:
        exact = access.visible_cases(person).filter(reference__iexact=choice.find).first()
        if exact is not None:
            return redirect(exact)
    page = page_of(request)
    listed = page_of_cases(person, choice, now, page=page)
    known = filters.case_known(person, choice)
    part = request.htmx.target == "div#found"
    context = {
        "choice": choice,
        "known": known,
        "chips": filters.chips(request.GET, choice, known, names=filters.CASE_FILTERS),
        "is_narrowed": choice != Choice(sort=choice.sort),
        "rows": listed.rows,
        "away": away_now({case.owner_id for case in listed.rows if case.owner_id}),
        "count": listed.count,
        "heads": filters.heads(request.GET, _columns(choice), sort=choice.sort),
        "page": page,
        "has_next": listed.has_next,
        "address": filters.without(request.GET).removeprefix("?"),
        "kept": filters.kept(request.GET, "cases"),
        "page_name": "cases",
        "acts": ["hand-over", "take", "remind", "export"] if _acts(person, choice) else [],
        "saved": [] if part else list(lists.lists_of(person)),
        "section": "cases",
    }
    return render(request, f"cases/list.html{'#found' if part else ''}", context)


def _columns(choice: Choice) -> list[tuple[str, Any]]:
    return [
        ("case", _("Case")),
        ("step", _("Step")),
        ("waiting", _("State")),
        ("owner", _("Caseworker")),
        ("", _("Closed")) if choice.state == "closed" else ("due", _("Due")),
    ]


def _acts(person: Any, choice: Choice) -> bool:
    """Whether rows can be chosen at all: auditors change nothing, and closed cases take nothing."""
    return access.may(person, "open case") and choice.state != "closed"


def _too_long(request: HttpRequest) -> HttpResponse:
    """A search that no title or reference could fit."""
    context = {"too_long": LONGEST_FIND, "choice": Choice(), "section": "cases"}
    return render(request, "cases/list.html", context, status=422)
