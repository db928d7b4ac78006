"""The history of a case in pages, any of its moments, two moments side by side, and on paper.

All of it is read-only, for whoever may see the case.
"""

from __future__ import annotations

from datetime import datetime, time
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from cases import access, timeline
from cases.models import Case
from cases.views.pages import case_for, head_of
from cases.views.signing import person_of, signed_in
from cases.words import Words
from processes import proof
from processes.engine.replay import NoSuchEvent, moment_of
from processes.kinds import kind_of
from processes.past import asking, finding, moments, telling
from processes.past.asking import number_of, one_of, without
from timers import clock

PRINTED_AT_MOST = 5_000  # events on one print; the rest has addresses of its own
WHY_CHARACTERS = 300
HASHED_AT_ONCE = 2_000  # events; the chain of a longer history is checked when one asks for it
KEPT = ("show", "as", "steps")  # how one reads, from event to event


@require_safe
@signed_in
def history(request: HttpRequest, reference: str) -> HttpResponse:
    """The history in sentences, newest first: the story or all events, narrowed as one likes."""
    case = case_for(person_of(request), reference)
    head = head_of(request, case)
    words, choice = head["words"], asking.choice_of(request.GET)
    found = finding.find(
        case,
        choice,
        words,
        upto=number_of(request.GET, "upto"),
        after=number_of(request.GET, "after"),
    )
    context = {
        "tab": "history",
        "choice": choice,
        "known": asking.options_of(case, words),
        "chips": asking.chips_of(request.GET, choice, words),
        "found": found,
        "entries": entries_of(found, choice, words),
        "other_show": without(request.GET, show="" if choice.everything else "all"),
        "kept": without(request.GET).removeprefix("?"),
        "earlier": without(request.GET, upto=found.oldest - 1),
        "later": without(request.GET, after=found.newest),
        "newest": without(request.GET),
    }
    return render(request, "past/history.html", {**head, **context})


def entries_of(found: finding.Found, choice: finding.Choice, words: Words) -> list[timeline.Entry]:
    """The events as a timeline. Narrowed, each stands alone and no silence is told between them:
    what is left out may have happened there."""
    if not choice.is_narrowed:
        make = timeline.everything if choice.everything else timeline.story
        return make(found.events, words)
    return [timeline.tell(event, words) for event in reversed(found.events)]


@require_safe
@signed_in
def replay(request: HttpRequest, reference: str, number: int) -> HttpResponse:
    """One event, and the case as it stood then: as recorded, or with what was learnt since."""
    person = person_of(request)
    case = case_for(person, reference)
    try:
        seen = moments.seen(
            case,
            number,
            everything=one_of(request.GET, "show") == "all",
            corrected=one_of(request.GET, "as") == "corrected",
            drawn=one_of(request.GET, "steps") == "drawing",
            with_values=access.may(person, "see values", case),
        )
    except NoSuchEvent:
        raise Http404(
            _("%(case)s has no event %(number)s; its events are 1 to %(last)s.")
            % {"case": case, "number": number, "last": case.head_number}
        ) from None
    kept = [(name, request.GET[name]) for name in KEPT if request.GET.get(name)]
    context = {
        "case": case,
        "kind": kind_of(case.kind),
        "seen": seen,
        "checked": chain_of(case),
        "section": "cases",
        "query": f"?{urlencode(kept)}" if kept else "",
        "kept_fields": kept,
        "recorded_address": without(request.GET, "as"),
        "corrected_address": without(request.GET, **{"as": "corrected"}),
        "list_address": without(request.GET, "steps"),
        "drawing_address": without(request.GET, steps="drawing"),
    }
    return render(request, "past/replay.html", context)


def chain_of(case: Case) -> Any:
    """What the chain of a case is found to be, where that takes no time worth mentioning."""
    return proof.checked(case) if case.head_number <= HASHED_AT_ONCE else None


@require_safe
@signed_in
def at(request: HttpRequest, reference: str) -> HttpResponse:
    """Go to a day: the last event of it or before it; the first one where there was none yet."""
    case = case_for(person_of(request), reference)
    day = asking.day_of(request.GET, "date")
    number = None
    if day is not None:
        end = timezone.make_aware(datetime.combine(day, time.max), timezone.get_default_timezone())
        number = finding.event_at(case, end) or 1
    address = reverse("case-event", args=[case.reference, number or case.head_number])
    query = without(request.GET, "date")
    return redirect(address + ("" if query == "?" else query))


@require_safe
@signed_in
def compare(request: HttpRequest, reference: str) -> HttpResponse:
    """Two moments of a case side by side: what differs, and what happened between."""
    person = person_of(request)
    case = case_for(person, reference)
    first, last = number_of(request.GET, "a"), number_of(request.GET, "b")
    first = 1 if first is None else first
    last = case.head_number if last is None else last
    first, last = sorted((first, last))
    context: dict[str, Any] = {
        "case": case,
        "kind": kind_of(case.kind),
        "section": "cases",
        "a": first,
        "b": last,
    }
    try:
        states = [moment_of(case, number).after for number in (first, last)]
    except NoSuchEvent:
        context["wrong"] = True
        return render(request, "past/compare.html", context, status=404)
    words = moments.words_for(case, upto=last)
    moments.learn_people(states, words)
    context |= {
        "before": states[0],
        "after": states[1],
        "steps": [words.step(one.step) if one.step else "" for one in states],
        "changes": telling.changes(
            states[0], states[1], words, with_facts=access.may(person, "see values", case)
        ),
        "with_values": access.may(person, "see values", case),
        "between": last - first,
    }
    return render(request, "past/compare.html", context)


@require_safe
@signed_in
def print_history(request: HttpRequest, reference: str) -> HttpResponse:
    """The history, or what of it was chosen, for paper: oldest first, with who printed it, when
    and why."""
    case = case_for(person_of(request), reference)
    choice = asking.choice_of(request.GET)
    words = moments.words_for(case, upto=case.head_number)
    found = finding.find(
        case,
        choice,
        words,
        after=number_of(request.GET, "after") or 0,
        most=PRINTED_AT_MOST,
        look_at=2 * PRINTED_AT_MOST,
    )
    context = {
        "case": case,
        "kind": kind_of(case.kind),
        "section": "cases",
        "choice": choice,
        "chips": asking.chips_of(request.GET, choice, words),
        "found": found,
        "entries": [timeline.tell(event, words) for event in found.events],
        "next": without(request.GET, after=found.newest),
        "printed_at": clock.now(),
        "person": person_of(request),
        "why": request.GET.get("why", "")[:WHY_CHARACTERS].strip(),
        "kept": [(name, value) for name, value in request.GET.items() if name in asking.NAMES],
    }
    return render(request, "past/print.html", context)
