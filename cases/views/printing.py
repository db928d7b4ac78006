"""A case on paper: as it stands, all that happened, its documents with their digests."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from audit.verify import verify_case
from cases import queries, standing
from cases.views.case import facts_of, outstanding_of, told
from cases.views.pages import case_for, head_of
from cases.views.signing import person_of, signed_in
from timers import clock

EVENTS_AT_MOST = 5_000  # on one print; a longer history goes in parts, each with its address
WHY_CHARACTERS = 300


@require_safe
@signed_in
def print_case(request: HttpRequest, reference: str) -> HttpResponse:
    """The whole file, oldest event first, with who printed it, when and why."""
    case = case_for(person_of(request), reference)
    head = head_of(request, case)
    file = head["file"]
    asked = request.GET.get("from", "")
    first = int(asked) if asked.isdecimal() and len(asked) < 10 else 1
    last = min(first + EVENTS_AT_MOST - 1, case.head_number)
    events = queries.events_upto(case, last, last - first + 1) if last >= first else []
    finding = verify_case(case.pk, case.head_number, bytes(case.head_hash))
    context = {
        "outstanding": outstanding_of(request, case, head),
        "facts": facts_of(case, head["words"]),
        "reviews": [one for one in file.tasks if one.is_review and one.state != "cancelled"],
        "visits": standing.visits(case, entries=file.entries, words=head["words"])[::-1],
        "entries": told(events, head["words"], all_events=True)[::-1],
        "first": first,
        "last": last,
        "next": last + 1 if last < case.head_number else None,
        "finding": finding,
        "printed_at": clock.now(),
        "person": person_of(request),
        "head_hash": bytes(case.head_hash).hex(),
        "why": request.GET.get("why", "")[:WHY_CHARACTERS].strip(),
    }
    return render(request, "cases/print.html", {**head, **context})
