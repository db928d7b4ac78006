"""Giving many cases to people: those without caseworker, and the work of somebody who leaves.

One way for both: choose who gets what, look at what would become of each row, run, and read the
result of each row, as long as one likes.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods

from cases import access, queries
from cases.actors import Actor
from cases.errors import NoSuchCase
from cases.forms import EmptyForm
from cases.models import BulkAct, Case, Person, Task, Team
from cases.once import Answer
from cases.teamcases import NOBODYS
from cases.views.acting import carry_out
from cases.views.signing import actor_of, person_of, signed_in
from cases.views.team import team_for
from processes import spreading
from processes.acts import bulk
from processes.acts.people import deactivate_person
from processes.work import bulkacts
from timers import clock

MOST = 200  # cases on one page of choosing
AT_ONCE_SECONDS = 8.0  # carried out before the page answers; a worker does the rest


class SpreadForm(forms.Form):
    """Who gets each case; nobody leaves it as it is."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=300,
        help_text=gettext_lazy("Kept in the history of each case."),
    )

    def __init__(
        self, *args: Any, cases: list[Case], people: list[Any], plan: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.cases = cases
        choices = [("", _("Nobody yet"))]
        for one in people:
            words = str(one.person)
            if one.absence is not None:
                words = _("%(who)s (away)") % {"who": words}
            choices.append((str(one.person.pk), words))
        for case in cases:
            self.fields[f"to-{case.pk}"] = forms.ChoiceField(
                label=_("Caseworker of %(case)s") % {"case": case.reference},
                choices=choices,
                required=False,
                initial=plan.get(bulk.plan_key(case_id=case.pk)),
            )

    def rows(self) -> list[tuple[Case, Any]]:
        return [(case, self[f"to-{case.pk}"]) for case in self.cases]

    def plan(self) -> dict[str, int | None]:
        chosen = ((case.pk, self.cleaned_data.get(f"to-{case.pk}")) for case in self.cases)
        return {bulk.plan_key(case_id=pk): int(to) for pk, to in chosen if to}


@require_http_methods(["GET", "POST"])
@signed_in
def assign(request: HttpRequest, pk: int) -> HttpResponse:
    """The cases of a team that nobody has, each with a suggestion by load and absence."""
    person = person_of(request)
    team = _led(person, pk)
    free = access.team_cases(person, team).filter(NOBODYS)
    cases = list(free.order_by("opened_at", "pk")[:MOST])
    people = spreading.candidates(team)
    shown = [(one.person, one.cases, one.absence) for one in people]
    plan = spreading.spread(cases, people)
    initial = {"reason": _("Spread by load")}
    form = SpreadForm(request.POST or None, cases=cases, people=people, plan=plan, initial=initial)

    def act() -> Answer:
        plan = form.plan()
        picked = [
            bulk.Picked(case_id=case.pk, seen_number=_seen(request, case))
            for case in cases
            if bulk.plan_key(case_id=case.pk) in plan
        ]
        chosen = _choose(request, picked, plan, form.cleaned_data["reason"], team)
        return Answer(reverse("spread", args=[team.pk, chosen.pk]), _looking())

    def show(form: SpreadForm, status: int = 200) -> HttpResponse:
        context = {
            "team": team,
            "form": form,
            "people": shown,
            "count": queries.count_of(free),
            "most": MOST,
            "section": "team",
        }
        return render(request, "cases/team_assign.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


class MoveForm(forms.Form):
    """By which rule somebody's work moves, and whether they leave."""

    rule = forms.ChoiceField(
        label=gettext_lazy("Where the cases go"), widget=forms.RadioSelect, initial="spread"
    )
    leaves = forms.BooleanField(
        label=gettext_lazy("They leave the organisation"),
        required=False,
        help_text=gettext_lazy(
            "They can no longer sign in or be given work, from the moment that the work moves."
        ),
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=300,
        help_text=gettext_lazy("Kept in the history of each case."),
    )

    def __init__(self, *args: Any, substitute: Person | None, may_leave: bool, **kwargs: Any):
        super().__init__(*args, **kwargs)
        choices = [
            ("spread", _("Spread over the team by load; tasks in hand back to their queues")),
            ("queue", _("All back to the queue of the team")),
        ]
        if substitute is not None:
            words = _("To %(who)s, who stands in; tasks only where the role fits")
            choices.insert(0, ("substitute", words % {"who": substitute}))
        self.fields["rule"].choices = choices
        if not may_leave:
            del self.fields["leaves"]


@require_http_methods(["GET", "POST"])
@signed_in
def move_work(request: HttpRequest, pk: int, person_pk: int) -> HttpResponse:
    """All that somebody has in a team, and the rule by which it is to move."""
    person = person_of(request)
    team = _led(person, pk)
    other = Person.objects.filter(pk=person_pk).first()
    cases = list(
        access.team_cases(person, team)
        .filter(owner=person_pk)
        .order_by("opened_at", "pk")[: bulk.MOST_ROWS]
    )
    if other is None or (other.team_id != team.pk and not cases):
        raise NoSuchCase(_("There is no such person in this team."))
    tasks = _tasks(person, team, other)
    form = MoveForm(
        request.POST or None,
        substitute=spreading.substitute_of(other),
        may_leave=access.may(person, "let person go", other) and other.is_active,
    )

    def act() -> Answer:
        data = form.cleaned_data
        plan = spreading.plan_by_rule(
            data["rule"], person=other, team=team, cases=cases, tasks=tasks
        )
        picked = [bulk.Picked(case_id=case.pk, seen_number=case.head_number) for case in cases]
        picked += [
            bulk.Picked(task_id=task.pk, seen_number=task.case.head_number) for task in tasks
        ]
        more = {"leaves": other.pk} if data.get("leaves") else {}
        chosen = _choose(request, picked, plan, data["reason"], team, **more)
        return Answer(reverse("spread", args=[team.pk, chosen.pk]), _looking())

    def show(form: MoveForm, status: int = 200) -> HttpResponse:
        context = {
            "team": team,
            "other": other,
            "form": form,
            "cases": cases,
            "tasks": tasks,
            "section": "team",
        }
        return render(request, "cases/team_move.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


def _tasks(person: Person, team: Team, other: Person) -> list[Task]:
    """The open tasks that somebody holds in cases of this team."""
    held = Task.objects.filter(holder=other, state="open", case__team=team)
    seen = held.filter(case__in=access.visible_cases(person).values("pk"))
    return list(seen.select_related("case").order_by("case_id", "pk")[: bulk.MOST_ROWS])


def _choose(
    request: HttpRequest,
    picked: list[bulk.Picked],
    plan: dict[str, int | None],
    reason: str,
    team: Team,
    **more: Any,
) -> BulkAct:
    if not picked and "leaves" in more:
        act = BulkAct.objects.create(
            person=person_of(request), what=bulk.SPREAD, chosen_at=clock.now(), back=_back(team)
        )
    else:
        act = bulk.choose(what=bulk.SPREAD, rows=picked, actor=actor_of(request), back=_back(team))
    act.asked = {"plan": plan, "reason": reason, "team": team.pk, **more}
    act.save(update_fields=["asked"])
    return act


def _looking() -> str:
    return _("Here is what would become of each row. It happens when you say so.")


def _back(team: Team) -> str:
    return reverse("team", args=[team.pk])


@require_http_methods(["GET", "POST"])
@signed_in
def spread(request: HttpRequest, pk: int, act_pk: int) -> HttpResponse:
    """Before it has begun: what would become of each row. Afterwards: what did."""
    person = person_of(request)
    team = _led(person, pk)
    chosen = BulkAct.objects.filter(pk=act_pk, person=person, what=bulk.SPREAD).first()
    if chosen is None:
        raise NoSuchCase(_("There is no such list of yours; it may have been cleared away."))
    form = EmptyForm(request.POST or None)

    def act() -> Answer:
        if request.POST.get("again") and chosen.begun_at is not None:
            again = bulk.choose_refused(act=chosen, actor=actor_of(request))
            return Answer(reverse("spread", args=[team.pk, again.pk]), _looking())
        _run(request, chosen)
        return Answer(request.path, _said(chosen))

    def show(form: EmptyForm, status: int = 200) -> HttpResponse:
        return _show(request, team, BulkAct.objects.get(pk=act_pk), form, status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show, apart=True)
    return show(form)


def _run(request: HttpRequest, chosen: BulkAct) -> None:
    """Begin, and do as much as a page may take; a worker carries on with the rest."""
    actor = actor_of(request)
    if chosen.asked.get("plan"):
        bulk.begin(act=chosen, asked=chosen.asked, actor=actor)
        if not bulkacts.carry_on(chosen.pk, seconds=AT_ONCE_SECONDS):
            bulkacts.publish(chosen.pk)
    leaver = Person.objects.filter(pk=chosen.asked.get("leaves")).first()
    if leaver is not None and leaver.is_active:
        deactivate_person(person=leaver, actor=actor, reason=chosen.asked["reason"])


def _said(chosen: BulkAct) -> str:
    done = chosen.rows.filter(result__in=["done", "already"]).count()
    refused = chosen.rows.filter(result="refused").count()
    said = ngettext("%(n)s row is done.", "%(n)s rows are done.", done) % {"n": done}
    if refused:
        more = ngettext("%(n)s was refused.", "%(n)s were refused.", refused) % {"n": refused}
        said = f"{said} {more}"
    return said


def _show(
    request: HttpRequest, team: Team, chosen: BulkAct, form: EmptyForm, status: int
) -> HttpResponse:
    is_begun = chosen.begun_at is not None or (
        not chosen.asked.get("plan") and _has_left(chosen.asked.get("leaves"))
    )
    looked: list[bulk.Looked] = []
    rows: list[Any] = []
    if is_begun:
        rows = list(chosen.rows.select_related("case", "task").order_by("place"))
        seen = set(
            access.visible_cases(person_of(request))
            .filter(pk__in=[row.case_id for row in rows])
            .values_list("pk", flat=True)
        )
        for row in rows:
            row.is_seen = row.case_id in seen
    else:
        looked = bulk.look(act=chosen, actor=actor_of(request), asked=chosen.asked)
    plan = chosen.asked.get("plan", {})
    people = Person.objects.in_bulk({one for one in plan.values() if one})
    to = {
        row.pk: people.get(
            plan.get(
                bulk.plan_key(case_id=None if row.task_id else row.case_id, task_id=row.task_id)
            )
        )
        for row in ([one.row for one in looked] or rows)
    }
    refused = sum(one.verdict == "refused" for one in looked) + sum(
        row.result == "refused" for row in rows
    )
    context = {
        "team": team,
        "chosen": chosen,
        "form": form,
        "is_begun": is_begun,
        "looked": [(one, to[one.row.pk]) for one in looked],
        "rows": [(row, to[row.pk]) for row in rows],
        "refused": refused,
        "done": sum(row.result in ("done", "already") for row in rows),
        "under_way": sum(row.result == "" for row in rows),
        "will_go": len(looked) - refused,
        "leaver": Person.objects.filter(pk=chosen.asked.get("leaves")).first(),
        "section": "team",
    }
    return render(request, "cases/team_spread.html", context, status=status)


def _has_left(pk: int | None) -> bool:
    return pk is not None and Person.objects.filter(pk=pk, is_active=False).exists()


def _led(person: Person, pk: int) -> Team:
    """The team, for those who lead it. Raises NoSuchCase, NotAllowed."""
    team, _teams = team_for(person, pk)
    access.require(Actor.of(person), "lead team", team)
    return team


def _seen(request: HttpRequest, case: Case) -> int:
    """The last event of a case that the reader of the form could know of."""
    sent = request.POST.get(f"seen-{case.pk}", "")
    return int(sent) if sent.isascii() and sent.isdecimal() and len(sent) < 10 else 0
