"""The list of cases, narrowed by what a person chose."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from cases import access, queries
from cases.queries import Choice
from cases.views.signing import person_of, signed_in
from cases.views.work import page_of
from cases.words import capitalised, party
from processes.kinds import kinds
from timers import clock

STATES = [
    ("open", _("Open")),
    ("stopped", _("Stopped by a fault")),
    ("closed", _("Closed")),
    ("all", _("Open and closed")),
]
DUES = [("", _("Any time")), ("late", _("Overdue")), ("near", _("Within 5 days"))]


@require_safe
@signed_in
def case_list(request: HttpRequest) -> HttpResponse:
    """Cases that match; a whole reference leads to its case at once."""
    person, now = person_of(request), clock.now()
    choice = _choice(request)
    if choice.find and request.GET.keys() == {"find"}:
        exact = access.visible_cases(person).filter(reference__iexact=choice.find).first()
        if exact is not None:
            return redirect(exact)
    found = queries.chosen_cases(person, choice, now)
    page = page_of(request)
    first = (page - 1) * queries.PAGE_ROWS
    rows = list(found[first : first + queries.PAGE_ROWS + 1])
    context = {
        "choice": choice,
        "is_narrowed": choice != Choice(),
        "rows": rows[: queries.PAGE_ROWS],
        "count": queries.count_of(found),
        "page": page,
        "has_next": len(rows) > queries.PAGE_ROWS,
        "address": _address(request),
        "section": "cases",
        **_choices(request, choice),
    }
    part = "#found" if request.htmx.target == "div#found" else ""
    return render(request, f"cases/list.html{part}", context)


def _choice(request: HttpRequest) -> Choice:
    def one(name: str, default: str = "") -> str:
        return request.GET.get(name, default).strip()[:80].replace("\0", "")

    state = one("state", "open")
    return Choice(
        find=one("find"),
        kind=one("kind"),
        step=one("step"),
        waiting=one("waiting"),
        due=one("due"),
        owner=one("owner"),
        state=state if state in dict(STATES) else "open",
    )


def _choices(request: HttpRequest, choice: Choice) -> dict[str, Any]:
    """What can be chosen. Steps and parties come from the kinds, not from a look at every case."""
    known = kinds()
    shown = [known[choice.kind]] if choice.kind in known else list(known.values())
    steps = {value: label for kind in shown for value, label in kind.model.Step.choices}
    parties = ["applicant", "caseworker"]
    parties += sorted(person_of(request).roles - {"caseworker", "auditor", "operator"})
    if choice.waiting and choice.waiting not in parties:
        parties.append(choice.waiting)
    return {
        "kinds": [(name, kind.title) for name, kind in known.items()],
        "steps": list(steps.items()),
        "parties": [(one, capitalised(party(one))) for one in dict.fromkeys(parties)],
        "dues": DUES,
        "states": STATES,
        "people": queries.colleagues(person_of(request)),
    }


def _address(request: HttpRequest) -> str:
    """The chosen filters, for the addresses of further pages."""
    asked = request.GET.copy()
    asked.pop("page", None)
    return asked.urlencode()
