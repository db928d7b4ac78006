"""The supervisor's pages: a team at a glance, the lists under its numbers, one person's load."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from cases import access, dates, figures, queries
from cases.absence import away_now, today
from cases.errors import NoSuchCase
from cases.models import Case, Person, Task, Team
from cases.risks import risks_of
from cases.teamcases import FILTERS, Chosen, Moments, chosen, is_number, told
from cases.views import teamcharts
from cases.views.signing import person_of, signed_in
from cases.views.work import page_of
from processes.kinds import kinds
from processes.work.weekfigures import moments_now
from timers.models import Clock

SHOWS = {
    "all": gettext_lazy("All open cases"),
    "limit": gettext_lazy("Past legal limit"),
    "late": gettext_lazy("Late"),
    "due": gettext_lazy("Due in 5 working days"),
    "nobody": gettext_lazy("Without caseworker"),
    "review": gettext_lazy("In review"),
    "hand": gettext_lazy("In hand"),
    "waiting": gettext_lazy("Waiting"),
    "paused": gettext_lazy("Clock paused"),
    "stopped": gettext_lazy("Stopped by a fault"),
}


def team_for(person: Person, pk: int | None) -> tuple[Team, list[Team]]:
    """A team whose page this person may see, and all of those. Raises NoSuchCase."""
    teams = access.seen_teams(person)
    found = next((one for one in teams if pk in (None, one.pk)), None)
    if found is None:
        raise NoSuchCase(
            _("There is no such team among those you lead. An administrator can change that.")
        )
    return found, teams


@require_safe
@signed_in
def home(request: HttpRequest) -> HttpResponse:
    """The first of the teams that a person leads."""
    found, _teams = team_for(person_of(request), None)
    return redirect("team", found.pk)


@require_safe
@signed_in
def team(request: HttpRequest, pk: int) -> HttpResponse:
    """A team at a glance. Every number leads to the list that it counts."""
    person = person_of(request)
    found, teams = team_for(person, pk)
    moments = moments_now()
    cases = access.team_cases(person, found)
    standing = figures.standing(found, cases, moments)
    before = figures.weeks(found, today())
    weeks = figures.with_now(before, standing)
    last = figures.week_before(before, today())
    steps = figures.step_times(
        found,
        cases,
        today(),
        order={
            (kind.name, step): place
            for kind in kinds().values()
            for place, (step, _label) in enumerate(kind.model.Step.choices)
        },
        targets={
            (kind.name, step): days
            for kind in kinds().values()
            for step, days in kind.targets.items()
        },
    )
    context = {
        "team": found,
        "teams": teams,
        "standing": standing,
        "limit_change": teamcharts.change_words(standing.past_limit - last.past_limit)
        if last
        else "",
        "loads": teamcharts.load_rows(standing.loads),
        "ages": teamcharts.age_rows(standing.ages),
        "weeks": teamcharts.weeks_chart(weeks),
        "steps": teamcharts.step_rows(steps, kinds()),
        "missed": sum(one.misses for one in steps),
        "with_target": sum(one.target is not None and bool(one.visits) for one in steps),
        "leads": access.may(person, "lead team", found),
        "section": "team",
    }
    return render(request, "cases/team.html", context)


@require_safe
@signed_in
def team_cases(request: HttpRequest, pk: int) -> HttpResponse:
    """The cases that a number of the team page counts, each with the dates that press it."""
    person = person_of(request)
    found, _teams = team_for(person, pk)
    choice, moments = choice_of(request), moments_now()
    cases = chosen(told(access.team_cases(person, found), moments), choice)
    page = page_of(request)
    first = (page - 1) * queries.PAGE_ROWS
    rows = list(cases.select_related("owner")[first : first + queries.PAGE_ROWS + 1])
    asked = request.GET.copy()
    asked.pop("page", None)
    context = {
        "team": found,
        "choice": choice,
        "heading": heading_of(choice),
        "shows": [
            (show, label, urlencode({"show": show, "owner": choice.owner}))
            for show, label in SHOWS.items()
        ],
        "rows": pressed(rows[: queries.PAGE_ROWS], moments),
        "count": queries.count_of(cases),
        "page": page,
        "has_next": len(rows) > queries.PAGE_ROWS,
        "address": asked.urlencode(),
        "leads": access.may(person, "lead team", found),
        "section": "team",
    }
    return render(request, "cases/team_cases.html", context)


def choice_of(request: HttpRequest) -> Chosen:
    """Which list is asked for; what is no filter is left out."""

    def one(name: str) -> str:
        return request.GET.get(name, "").strip()[:60].replace("\0", "")

    show, owner, age = one("show"), one("owner"), one("age")
    return Chosen(
        show=show if show in FILTERS else "all",
        owner=owner if owner == "nobody" or is_number(owner) else "",
        age=age if is_number(age) else "",
        kind=one("kind"),
        step=one("step"),
    )


def heading_of(choice: Chosen) -> str:
    """What a list shows, in words."""
    parts = [str(SHOWS[choice.show])]
    if is_number(choice.age) and int(choice.age) < len(teamcharts.AGE_WORDS):
        parts.append(str(teamcharts.age_words(int(choice.age))))
    kind = kinds().get(choice.kind)
    if choice.step:
        parts.append(kind.step_label(choice.step) if kind else choice.step)
    if choice.owner == "nobody" and choice.show != "nobody":
        parts.append(_("nobody has it"))
    elif is_number(choice.owner):
        owner = Person.objects.filter(pk=int(choice.owner)).first()
        parts.append(str(owner) if owner else _("nobody has it"))
    return ", ".join(parts)


def pressed(cases: list[Case], moments: Moments) -> list[dict[str, Any]]:
    """Cases with what presses each; one query for all of their clocks."""
    clocks: dict[int, list[Clock]] = defaultdict(list)
    ours = Clock.objects.filter(case_id__in=[one.pk for one in cases])
    for clock in ours.exclude(state="stopped").exclude(name__in=moments.of_others):
        clocks[clock.case_id].append(clock)
    titles = {
        (kind.name, name): str(terms.title)
        for kind in kinds().values()
        for name, terms in kind.clocks.items()
    }
    return [
        {
            "case": case,
            "risks": risks_of(case, clocks[case.pk], titles=titles, now=moments.now),
        }
        for case in cases
    ]


@require_safe
@signed_in
def load(request: HttpRequest, pk: int, person_pk: int) -> HttpResponse:
    """What one caseworker of a team has, with their tasks and absences."""
    person = person_of(request)
    found, _teams = team_for(person, pk)
    moments = moments_now()
    cases = access.team_cases(person, found).filter(owner=person_pk)
    other = Person.objects.filter(pk=person_pk).first()
    if other is None or (other.team_id != found.pk and not cases.exists()):
        raise NoSuchCase(_("There is no such person in this team."))
    standing = figures.standing(found, cases, moments)
    page = page_of(request)
    first = (page - 1) * queries.PAGE_ROWS
    listed = chosen(told(cases, moments), Chosen()).select_related("owner")
    rows = list(listed[first : first + queries.PAGE_ROWS + 1])
    tasks = (
        Task.objects.filter(
            holder=other, state="open", case__in=access.visible_cases(person).values("pk")
        )
        .select_related("case")
        .order_by("due_at", "pk")
    )
    loads = [one for one in standing.loads if one.person and one.person.pk == person_pk]
    context = {
        "team": found,
        "other": other,
        "loads": teamcharts.load_rows(loads),
        "rows": pressed(rows[: queries.PAGE_ROWS], moments),
        "count": standing.cases,
        "standing": standing,
        "tasks": list(tasks[: queries.PAGE_ROWS]),
        "away": away_now([other]).get(other.pk),
        "may_enter_absence": access.may(person, "enter absence", other),
        "leads": access.may(person, "lead team", found),
        "back": reverse("team", args=[found.pk]),
        "page": page,
        "has_next": len(rows) > queries.PAGE_ROWS,
        "address": "",
        "section": "team",
        "day": dates.day(today()),
    }
    return render(request, "cases/team_load.html", context)
