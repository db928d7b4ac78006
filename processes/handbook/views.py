"""The pages of the processes: each kind, its drawing, its steps and their code, its tables."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from cases import access
from cases.models import Case
from cases.views.pages import case_for
from cases.views.signing import person_of, signed_in
from processes.decisions.library import table_of
from processes.decisions.sound import findings
from processes.drawing.export import FORMATS, exported
from processes.drawing.svg import Marks, drawn
from processes.handbook import book, queries
from processes.handbook.book import StepTold
from processes.kinds import Kind, kinds

SECTION = {"section": "processes"}


def kind_for(name: str) -> Kind:
    found = kinds().get(name)
    if found is None:
        known = ", ".join(sorted(kinds()))
        said = _("There is no kind “%(name)s”; there are %(known)s.")
        raise Http404(said % {"name": name, "known": known})
    return found


def step_for(kind: Kind, name: str) -> StepTold:
    for step in book.steps_of(kind):
        if step.step == name:
            return step
    raise Http404(_("This kind has no step “%(name)s”.") % {"name": name})


@require_safe
@signed_in
def all_kinds(request: HttpRequest) -> HttpResponse:
    """All kinds of this installation."""
    counts = queries.open_by_kind(person_of(request))
    rows = [
        {
            "kind": kind,
            "steps": len(book.steps_of(kind)),
            "tables": book.tables_of(kind),
            "open": counts.get(kind.name, 0),
        }
        for kind in kinds().values()
    ]
    return render(request, "processes/kinds.html", {"rows": rows, **SECTION})


@require_safe
@signed_in
def one_kind(request: HttpRequest, name: str) -> HttpResponse:
    """A kind: the drawing and the same as a list, and what it uses. `?case=` shows where one is."""
    kind, person = kind_for(name), person_of(request)
    steps = book.steps_of(kind)
    case = _asked_case(request, kind)
    counts = queries.standing(person, kind)
    been = queries.visited(case) if case is not None else frozenset()
    activities = book.used_in(steps, "activity")
    context = {
        "kind": kind,
        "case": case,
        "drawing": _drawing(kind, counts=counts, case=case, been=been),
        "is_large": book.is_large(kind),
        "steps": [(step, counts.get(step.step, 0), _state(step, case, been)) for step in steps],
        "roles": book.roles_of(steps),
        "letters": book.used_in(steps, "letter"),
        "incoming": book.used_in(steps, "message", "party"),
        "documents": book.used_in(steps, "documents"),
        "deadlines": book.used_in(steps, "deadline", "timer"),
        "activities": [(one, book.facts_of_activity(one.finding)) for one in activities],
        "tables": book.tables_of(kind),
        "formats": FORMATS,
        "may_try": access.may(person, "try changes"),
        "open": sum(counts.values()),
        **SECTION,
    }
    return render(request, "processes/kind.html", context)


def _asked_case(request: HttpRequest, kind: Kind) -> Case | None:
    reference = request.GET.get("case", "").strip()[:40]
    if not reference:
        return None
    case = case_for(person_of(request), reference)
    return case if case.kind == kind.name else None


def _state(step: StepTold, case: Case | None, been: frozenset[str]) -> str:
    if case is None:
        return ""
    return "now" if case.step == step.step else "been" if step.step in been else ""


def _drawing(
    kind: Kind,
    *,
    counts: dict[str, int],
    case: Case | None,
    been: frozenset[str] = frozenset(),
    around: str = "",
) -> str:
    current = case.step if case is not None else around
    layout = book.drawing_of(kind, around=current or kind.initial)
    links = {step: reverse("process-step", args=[kind.name, step]) for step in layout.boxes}
    marks = Marks(
        counts={} if case is not None else counts,
        current=current,
        visited=been,
        links=links,
        now=_("now") if case is not None else "",
    )
    return mark_safe(drawn(layout, marks))  # made by us; labels are escaped there


@require_safe
@signed_in
def one_step(request: HttpRequest, name: str, step: str, version: int = 0) -> HttpResponse:
    """A step: what its code does, in words and as it stands, in each of its versions."""
    kind, person = kind_for(name), person_of(request)
    told = step_for(kind, step)
    if version and version not in told.readings:
        raise Http404(_("This step has no version %(n)s in this release.") % {"n": version})
    shown = version or max(told.readings, default=0)
    reading = told.readings.get(shown)
    counts = queries.standing_in_versions(person, kind, step)
    sources = queries.kept_sources(kind, step)
    context = {
        "kind": kind,
        "step": told,
        "version": shown,
        "reading": reading,
        "is_newest": not told.readings or shown == max(told.readings),
        "open": sum(counts.values()),
        "activities": [(o, book.facts_of_activity(o)) for o in reading.of("activity")]
        if reading
        else [],
        "versions": [
            (number, told.readings[number], counts.get(told.readings[number].code.digest, 0))
            for number in told.versions
        ],
        "sources": [(one, counts.get(one.digest, 0)) for one in sources],
        **SECTION,
    }
    return render(request, "processes/step.html", context)


@require_safe
@signed_in
def source(request: HttpRequest, name: str, digest: str) -> HttpResponse:
    """A text that decided, as it was kept: of a step's code or of a table."""
    kind = kind_for(name)
    found = queries.source_of(digest)
    if found is None or found.kind not in (kind.name, book.package_of(kind)):
        raise Http404(_("No text of this digest was kept."))
    return render(request, "processes/source.html", {"kind": kind, "source": found, **SECTION})


@require_safe
@signed_in
def one_table(request: HttpRequest, name: str, table: str, version: str = "") -> HttpResponse:
    """A decision table: its rules, its versions, what is wrong with it, and who asks it."""
    kind = kind_for(name)
    found = table_of(book.package_of(kind), table)
    if found is None:
        raise Http404(_("This kind has no table “%(name)s”.") % {"name": table})
    chosen = next((one for one in found.versions if one.version == version), None)
    if version and chosen is None:
        raise Http404(_("This table has no version %(n)s.") % {"n": version})
    shown = chosen or found.newest
    context = {
        "kind": kind,
        "table": found,
        "version": shown,
        "rules": [(r, shown.conditions(r), shown.results(r)) for r in shown.rules],
        "findings": findings(shown),
        "users": book.users_of(found),
        **SECTION,
    }
    return render(request, "processes/table.html", context)


@require_safe
@signed_in
def export(request: HttpRequest, name: str, form: str) -> HttpResponse:
    """The drawing as a file: SVG, PNG or BPMN."""
    kind = kind_for(name)
    if form not in FORMATS:
        raise Http404(_("A drawing comes as svg, png or bpmn."))
    headers = {"Content-Disposition": f'attachment; filename="{kind.name}.{form}"'}
    content: Any = exported(kind, form)
    return HttpResponse(content, content_type=FORMATS[form].mime, headers=headers)
