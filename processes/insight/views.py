"""The pages of process owners: where time goes, ways, rework, deadlines, conformance.

Every number leads to the list of what it counts. Supervisors see their teams' cases, auditors all.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from cases import access
from cases.absence import today
from cases.errors import NoSuchCase
from cases.models import Person, Team
from cases.queries import PAGE_ROWS
from cases.views.signing import person_of, signed_in
from cases.views.work import page_of
from processes.handbook.views import kind_for
from processes.insight import figures, telling, writing
from processes.insight.listing import SHOWS, Asked, Listing, columns
from processes.insight.scope import CLOSED, ENDED, PERIODS, Scope
from processes.insight.words import Names
from processes.kinds import Kind, kinds

PAGES = (
    ("insight-time", gettext_lazy("Where time goes")),
    ("insight-ways", gettext_lazy("Ways taken")),
    ("insight-rework", gettext_lazy("Rework")),
    ("insight-deadlines", gettext_lazy("Deadlines")),
    ("insight-line", gettext_lazy("Main line")),
)
PERIOD_WORDS = {
    30: gettext_lazy("Last 30 days"),
    90: gettext_lazy("Last 90 days"),
    365: gettext_lazy("Last 365 days"),
    0: gettext_lazy("All time"),
}
OF_WORDS = {
    ENDED: gettext_lazy("What ended in the period"),
    CLOSED: gettext_lazy("Cases closed in the period"),
}


def teams_for(person: Person) -> list[Team]:
    """The teams whose figures this person may see. Raises NoSuchCase for whoever leads none."""
    teams = access.seen_teams(person)
    if not teams and access.AUDITOR not in person.roles:
        raise NoSuchCase(_("These figures are for those who lead a team, and for auditors."))
    return teams


def scope_of(request: HttpRequest, kind: Kind, teams: list[Team]) -> Scope:
    """What is asked about; what is no filter is left out."""
    asked = request.GET
    period, of, team = asked.get("period", ""), asked.get("of", ""), asked.get("team", "")
    return Scope(
        person=person_of(request),
        kind=kind,
        today=today(),
        days=int(period) if period in map(str, PERIODS) else 90,
        of=of if of in OF_WORDS else ENDED,
        team=next((one for one in teams if str(one.pk) == team), None),
        outcome=asked.get("outcome", "").strip()[:60].replace("\0", ""),
    )


def filters_of(scope: Scope) -> str:
    """The filters as the end of an address."""
    asked = {"period": scope.days, "of": scope.of}
    if scope.team is not None:
        asked["team"] = scope.team.pk
    return urlencode({**asked, **({"outcome": scope.outcome} if scope.outcome else {})})


def shared(request: HttpRequest, scope: Scope, teams: list[Team], page: str) -> dict[str, Any]:
    """What all pages show: filters, the other pages, and how far the figures go."""
    return {
        "kind": scope.kind,
        "kinds": list(kinds().values()),
        "scope": scope,
        "teams": teams,
        "filters": filters_of(scope),
        "pages": PAGES,
        "here": page,
        "periods": list(PERIOD_WORDS.items()),
        "bases": list(OF_WORDS.items()),
        "outcomes": _outcomes(scope),
        "behind": writing.behind(),
        "leaves_out": access.AUDITOR not in scope.person.roles,
        "section": "insight",
    }


def _outcomes(scope: Scope) -> list[tuple[str, str]]:
    """What cases of this kind can end with, in words."""
    names = Names(scope.kind)
    found = {step: names.step(step) for step in sorted(scope.kind.closing_steps)}
    if scope.outcome:
        found.setdefault(scope.outcome, names.step(scope.outcome))
    return list(found.items())


Tells = Callable[[Scope, Names], dict[str, Any]]


def _page(name: str, template: str, tells: Tells) -> Callable[..., HttpResponse]:
    """A page of figures of one kind: parse, ask, answer."""

    @require_safe
    @signed_in
    def view(request: HttpRequest, kind_name: str) -> HttpResponse:
        kind = kind_for(kind_name)
        teams = teams_for(person_of(request))
        scope = scope_of(request, kind, teams)
        context = {**shared(request, scope, teams, name), **tells(scope, Names(kind))}
        return render(request, f"processes/insight/{template}.html", context)

    return view


def _time(scope: Scope, names: Names) -> dict[str, Any]:
    times = figures.step_times(scope)
    waits = figures.waited(scope)
    whole = sum(one.seconds for one in times)
    groups = telling.wait_groups(waits, whole, names)
    return {
        "times": telling.time_rows(times, names),
        "sentence": telling.time_sentence(times, names) if times else "",
        "groups": groups,
        "wait_sentence": telling.wait_sentence(groups, waits) if groups else "",
    }


def _ways(scope: Scope, names: Names) -> dict[str, Any]:
    found, ways = figures.moves(scope), figures.variants(scope)
    return {
        "moves": telling.move_rows([one for one in found if one.times], names),
        "never": telling.move_rows([one for one in found if not one.times], names),
        "sentence": telling.moves_sentence(found),
        "drawing": telling.drawing(scope, found),
        "is_large": telling.is_large(scope),
        "variants": telling.variant_rows(ways, names),
        "others": max(ways.variants - len(ways.shown), 0),
        "variants_sentence": telling.variants_sentence(ways),
    }


def _rework(scope: Scope, names: Names) -> dict[str, Any]:
    found = figures.rework(scope)
    return {
        "rework": found,
        "sentence": telling.rework_sentence(found),
        "again": telling.again_rows(found.again, names),
        "reopened": telling.again_rows(found.reopened, names),
        "taken_back": [
            (one, names.task(one.name), names.step(one.step)) for one in found.taken_back
        ],
        "papers": [(one, names.paper(one.name), names.step(one.step)) for one in found.papers],
    }


def _deadlines(scope: Scope, names: Names) -> dict[str, Any]:
    kept, months = figures.deadlines(scope), figures.months(scope)
    return {
        "parts": [
            {
                "sort": sort,
                "label": label,
                "sentence": telling.kept_sentence(kept, sort),
                "rows": telling.kept_rows([one for one in kept if one.sort == sort], names),
                "months": telling.month_rows([one for one in months if one.sort == sort], names),
            }
            for sort, label in (("clock", _("Clocks")), ("task", _("Tasks")))
        ]
    }


def _line(scope: Scope, names: Names) -> dict[str, Any]:
    found = figures.conformance(scope)
    return {
        "found": found,
        "sentence": telling.conformance_sentence(found),
        "off": telling.move_rows(found.off, names),
        "strange": telling.move_rows(found.strange, names),
        "line": telling.main_line(scope.kind, names),
    }


time = _page("insight-time", "time", _time)
ways = _page("insight-ways", "ways", _ways)
rework = _page("insight-rework", "rework", _rework)
deadlines = _page("insight-deadlines", "deadlines", _deadlines)
line = _page("insight-line", "line", _line)


@require_safe
@signed_in
def home(request: HttpRequest) -> HttpResponse:
    """The kinds, each with its five pages."""
    teams_for(person_of(request))
    context = {"kinds": list(kinds().values()), "pages": PAGES, "section": "insight"}
    return render(request, "processes/insight/home.html", context)


@require_safe
@signed_in
def cases(request: HttpRequest, kind_name: str) -> HttpResponse:
    """What one number counts."""
    kind = kind_for(kind_name)
    teams = teams_for(person_of(request))
    scope = scope_of(request, kind, teams)
    asked = asked_of(request)
    listing = Listing(scope, asked, Names(kind))
    page = page_of(request)
    rows = listing.page((page - 1) * PAGE_ROWS, PAGE_ROWS + 1)
    address = request.GET.copy()
    address.pop("page", None)
    context = {
        **shared(request, scope, teams, "insight-cases"),
        "heading": listing.heading,
        "rows": rows[:PAGE_ROWS],
        "count": listing.rows.count(),
        "cases": listing.cases,
        "columns": columns(asked.show),
        "back": dict(BACK)[asked.show],
        "page": page,
        "has_next": len(rows) > PAGE_ROWS,
        "address": address.urlencode(),
    }
    return render(request, "processes/insight/cases.html", context)


BACK = {
    "time": "insight-time",
    "wait": "insight-time",
    "moves": "insight-ways",
    "variant": "insight-ways",
    "again": "insight-rework",
    "taken_back": "insight-rework",
    "papers": "insight-rework",
    "reopened": "insight-rework",
    "terms": "insight-deadlines",
    "off": "insight-line",
    "strange": "insight-line",
}


def asked_of(request: HttpRequest) -> Asked:
    """Which number was followed. Raises NoSuchCase for what is none."""

    def one(name: str) -> str:
        return request.GET.get(name, "").strip()[:200].replace("\0", "")

    if one("show") not in SHOWS:
        raise NoSuchCase(_("There is no such list. Follow a number of the page."))
    return Asked(
        show=one("show"),
        step=one("step"),
        to=one("to"),
        by=one("by"),
        came=one("came"),
        sort=one("sort"),
        name=one("name"),
        ending=one("ending"),
        month=_month(one("month")),
    )


def _month(text: str) -> date | None:
    try:
        return date.fromisoformat(f"{text}-01")
    except ValueError:
        return None
