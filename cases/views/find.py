"""Find a case: by reference, name, facts, documents; typing errors forgiven."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.text import Truncator, capfirst
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from cases import access, queries, search
from cases.models import Case, Person
from cases.search import Asked, Found
from cases.spelling import line_of
from cases.views.signing import person_of, signed_in
from cases.views.work import page_of
from cases.words import Words, plain
from processes.kinds import kinds

REASONS_MOST = 4  # told of one case


@dataclass(frozen=True, slots=True)
class Row:
    """One case that was found, and where the words stand in it."""

    case: Case
    why: list[str]


@require_safe
@signed_in
def find(request: HttpRequest) -> HttpResponse:
    """Cases in which the words stand; a whole reference leads to its case at once."""
    person = person_of(request)
    text = request.GET.get("find", "").replace("\0", " ").strip()[: search.TEXT_MOST]
    alike = request.GET.get("alike") == "1"
    if text and request.GET.keys() == {"find"}:
        case = search.case_of_reference(person, text)
        if case is not None:
            return redirect(case)
    found = search.find(person, text, alike=alike)
    page = page_of(request)
    first = (page - 1) * queries.PAGE_ROWS
    cases = search.cases_found(found, first, first + queries.PAGE_ROWS)
    asked = {"find": text, **({"alike": "1"} if alike else {})}
    context = {
        "find": text,
        "found": found,
        "groups": _groups(found, [Row(case, _why(person, case, found.asked)) for case in cases]),
        "count": len(found.hits) + found.is_more,
        "alike": alike,
        "page": page,
        "has_next": len(found.hits) > first + queries.PAGE_ROWS,
        "address": urlencode(asked),
        "section": "cases",
    }
    return render(request, "cases/find.html", context)


def _groups(found: Found, rows: list[Row]) -> list[dict[str, Any]]:
    groups = [
        {"label": _("Open"), "count": found.open_count, "is_open": True},
        {"label": _("Closed"), "count": found.closed_count, "is_open": False},
    ]
    for group in groups:
        group["rows"] = [row for row in rows if row.case.is_open == group["is_open"]]
    return [group for group in groups if group["rows"]]


def _why(person: Person, case: Case, asked: Asked) -> list[str]:
    """Where the words stand, in the words of the case's kind; of a case that is opened only for a
    purpose, nothing."""
    if access.lacks_purpose(person, case):
        return [_("Restricted")]
    entry = getattr(case, "search", None)
    told = entry.told if entry is not None else [["reference", case.reference]]
    hits = [(what, value) for what, value in told if asked.hits(line_of(value))]
    shown = [_label(case, what, value) for what, value in hits[:REASONS_MOST]]
    if not shown:
        shown = [_("Reference")]
    if len(hits) > REASONS_MOST:
        shown.append(_("and %(n)s more") % {"n": len(hits) - REASONS_MOST})
    return shown


def _label(case: Case, what: str, value: str) -> str:
    sort, _dot, name = what.partition(".")
    kind = kinds().get(case.kind)
    match sort:
        case "title":
            return _("Title")
        case "reference":
            return _("Reference")
        case "source":
            label = _("Key of %(source)s") % {"source": name}
        case "document":
            label = Words(kind).document(name) if kind is not None else plain(name)
        case _:
            fields = {f.attname: f for f in kind.model.fact_fields()} if kind is not None else {}
            label = capfirst(str(fields[name].verbose_name)) if name in fields else plain(name)
    return _("%(what)s: %(value)s") % {"what": label, "value": Truncator(value).chars(90)}
