"""The pages of one case: overview, reviews, steps; and its news."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from audit.models import Event
from audit.record import Recorded
from cases import (
    access,
    fsm,
    outstanding,
    papers,
    presence,
    queries,
    sentences,
    standing,
    timeline,
)
from cases.models import Case
from cases.views.acting import seen_number
from cases.views.pages import case_for, head_of
from cases.views.signing import person_of, signed_in
from cases.words import Words, capitalised, party
from processes.acts import relations
from processes.drawing.svg import Marks, drawn
from processes.erasing import keeping
from processes.handbook import book
from processes.kinds import kind_of
from timers import clock

PAGE = 100  # rows of a tab
SHOWN = 12  # of a kind on the overview; the tabs have all


@require_safe
@signed_in
def overview(request: HttpRequest, reference: str) -> HttpResponse:
    """The four answers, what is outstanding, the facts, and what happened last."""
    case = case_for(person_of(request), reference)
    head = head_of(request, case)
    file = head["file"]
    context = {
        "tab": "overview",
        "outstanding": outstanding_of(request, case, head),
        "facts": facts_of(case, head["words"]),
        "corrects": access.may(person_of(request), "correct clock", case),
        "keeping": keeping.of_page(case, person_of(request)),
        "reviews": [one for one in file.tasks if one.is_review and one.state != "cancelled"][
            -SHOWN:
        ],
        "advice": [one for one in file.tasks if one.advises_id and one.is_open],
        "related": relations.related_to(case, person_of(request)),
        "parties": parties_of(case, file, head["words"]),
        "recent": told(file.recent, head["words"])[:5],
    }
    return render(request, "cases/case.html", {**head, **context})


def outstanding_of(
    request: HttpRequest, case: Case, head: dict[str, Any]
) -> list[outstanding.Outstanding]:
    """What the case waits for, with the acts that this person sees."""
    file = head["file"]
    return outstanding.outstanding(
        case,
        requirements=file.requirements,
        documents=file.documents,
        tasks=file.tasks,
        children=file.children,
        person=person_of(request),
        now=clock.now(),
        words=head["words"],
        retries=head["retries"],
        recordable=kind_of(case.kind).answer_form_paths,
    )


@require_safe
@signed_in
def reviews(request: HttpRequest, reference: str) -> HttpResponse:
    """Who reviewed what, when, with which outcome, and on which facts."""
    case = case_for(person_of(request), reference)
    head = head_of(request, case)
    asked = request.GET.get("page", "")
    page = int(asked) if asked.isdecimal() and 0 < len(asked) < 6 else 1
    first = max(page - 1, 0) * PAGE
    found = [
        (one, papers.rested_on(one, head["file"].documents))
        for one in [one for one in head["file"].tasks[::-1] if one.is_review][first : first + PAGE]
    ]
    context = {"tab": "reviews", "reviews": found, "first": first + 1, "last": first + len(found)}
    context["earlier"] = page + 1 if first + PAGE < head["file"].counts["reviews"] else None
    return render(request, "cases/reviews.html", {**head, **context})


@require_safe
@signed_in
def steps(request: HttpRequest, reference: str) -> HttpResponse:
    """Each visit of a step, and where the case may go from here."""
    case = case_for(person_of(request), reference)
    head = head_of(request, case)
    visits = standing.visits(case, entries=head["file"].entries, words=head["words"])
    ways = [
        (one, head["words"].step(one.target))
        for one in fsm.edges(type(case))
        if case.is_open and standing.leads_from(one, case.step)
    ]
    context = {
        "tab": "steps",
        "visits": visits[:PAGE],
        "more": max(case.visit - PAGE, 0),
        "ways": ways,
        "drawing": drawing_of(case, [one.data["step"] for one in head["file"].entries]),
    }
    return render(request, "cases/steps.html", {**head, **context})


def drawing_of(case: Case, been: list[str]) -> SafeString:
    """The steps of the kind, drawn once for all its cases; only classes tell where this one is."""
    kind = kind_of(case.kind)
    layout = book.drawing_of(kind, around=case.step)
    marks = Marks(current=case.step, visited=frozenset(been), now=_("now") if case.is_open else "")
    return mark_safe(drawn(layout, marks))  # made by us; labels are escaped there


@require_safe
@signed_in
def pulse(request: HttpRequest, reference: str) -> HttpResponse:
    """What changed since the reader's page was made: nothing (204), or a banner."""
    person = person_of(request)
    seen = request.GET.get("seen", "")
    row = (
        access.visible_cases(person)
        .filter(reference=reference)
        .values_list("pk", "head_number")
        .first()
    )
    if row is None:
        return HttpResponse(status=404)
    at = request.GET.get("at", "")
    if at.startswith(("/tasks/", "/cases/")) and len(at) <= 300 and "\0" not in at:
        presence.note(person, at)  # the form that they have open
    if not seen.isdecimal() or len(seen) > 9 or row[1] <= int(seen):
        return HttpResponse(status=204)
    case = case_for(person, reference)
    events = queries.events_after(case, int(seen))
    return render(request, "cases/_news.html", {"case": case, "changes": changes(case, events)})


def parties_of(case: Case, file: queries.CaseFile, words: Words) -> list[tuple[str, str]]:
    """Who is concerned: who has part in it, and how they are reached."""
    found: list[tuple[str, str]] = []
    to = getattr(case, "correspondent", None)
    if to is not None:
        found.append((_("Customer"), ", ".join(filter(None, [to.name, to.email]))))
    asked = {wait["on"] for wait in case.waits if wait["kind"] in ("party", "message")}
    asked |= {one.asked_of for one in file.requirements}
    named = sorted(party(one) for one in asked if one and one not in ("applicant", "customer"))
    found += [(capitalised(one), _("has part in it")) for one in named]
    return found


def told(
    events: Sequence[Event | Recorded], words: Words, *, all_events: bool = False
) -> list[timeline.Entry]:
    named = queries.people_named(queries.named_in(events), words.people)
    words.people = {**words.people, **named}
    return timeline.everything(events, words) if all_events else timeline.story(events, words)


def changes(case: Case, events: Sequence[Event | Recorded]) -> list[timeline.Entry]:
    """What happened meanwhile, for those who were busy with the case."""
    words = Words(kind_of(case.kind), tasks=list(case.tasks.order_by("opened_at", "pk")))
    return told(events, words) or told(events, words, all_events=True)


def overtaken(request: HttpRequest, case: Case, status: int) -> dict[str, Any]:
    """For a form that was refused because of somebody else's act: what changed, and by whom."""
    seen = seen_number(request) if status == 409 else None
    if seen is None or seen >= case.head_number:
        return {"newer": []}
    return {"newer": changes(case, queries.events_after(case, seen))}


def facts_of(case: Case, words: Words) -> list[tuple[str, str]]:
    """The facts of a case that have a value, in the words of its kind."""
    held = [
        (field, value)
        for field in type(case).fact_fields()
        if (value := getattr(case, field.attname)) not in (None, "", [], {})
    ]
    named = (code for _field, value in held if isinstance(value, str) for code in value.split())
    words.people = {**words.people, **queries.people_named(named, words.people)}
    found = []
    for field, value in held:
        said = sentences.said_fact(words, field.name, value)
        if said:
            label = capitalised(str(field.verbose_name))
            found.append((label, capitalised(said) if isinstance(value, bool) else said))
    return found
