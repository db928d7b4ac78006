"""The operators' pages: what is stopped and why, trying again, and what is running."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from cases import access
from cases.errors import NoSuchCase
from cases.forms import EmptyForm, GiveUpForm
from cases.models import Case
from cases.models.once import Once
from cases.once import Answer
from cases.queries import lost_files
from cases.views.acting import carry_out
from cases.views.signing import actor_of, person_of, signed_in
from cases.views.work import page_of
from processes import queries
from processes.acts import incidents as acts
from processes.models import Incident
from timers import clock


def incident_for(request: HttpRequest, pk: int) -> Incident:
    """The incident, for those who may repair its case."""
    access.require(actor_of(request), "repair case")
    found = Incident.objects.filter(case__in=repairable(request)).select_related("case")
    found = found.filter(pk=pk).first()
    if found is None:
        raise NoSuchCase(_("There is no incident INC-%(number)s.") % {"number": pk})
    return found


def repairable(request: HttpRequest) -> QuerySet[Case]:
    return access.repairable_cases(person_of(request))


@require_safe
@signed_in
def incidents(request: HttpRequest) -> HttpResponse:
    """Open incidents, one row a cause."""
    access.require(actor_of(request), "repair case")
    context = {
        "causes": queries.open_causes(repairable(request)),
        "stopped": queries.stopped_cases(repairable(request)),
        "mended": queries.mended_lately(repairable(request)),
        "lost": lost_files(person_of(request)),
        "section": "incidents",
    }
    return render(request, "processes/incidents.html", context)


@require_safe
@signed_in
def incident(request: HttpRequest, pk: int) -> HttpResponse:
    """One cause and all the cases it stops."""
    return _show(request, incident_for(request, pk), EmptyForm(), 200)


def _show(request: HttpRequest, found: Incident, form: Any, status: int) -> HttpResponse:
    rows, page = queries.incidents_of(found.cause, repairable(request)), page_of(request)
    first = (page - 1) * queries.PAGE_ROWS
    shown = list(rows[first : first + queries.PAGE_ROWS + 1])
    context = {
        "incident": found,
        "form": form,
        "rows": shown[: queries.PAGE_ROWS],
        "page": page,
        "has_next": len(shown) > queries.PAGE_ROWS,
        "count": rows.count(),
        "today": queries.due_today(found.cause, repairable(request), clock.now()),
        "since": min((one.opened_at for one in shown), default=found.opened_at),
        "section": "incidents",
    }
    return render(request, "processes/incident.html", context, status=status)


@require_http_methods(["GET", "POST"])
@signed_in
def retry_incident(request: HttpRequest, pk: int) -> HttpResponse:
    """Let one stopped case try again."""
    found = incident_for(request, pk)
    form = EmptyForm(request.POST or None)

    def act() -> Answer:
        said = acts.retry_incident(incident_id=pk, actor=actor_of(request))
        rest = queries.incidents_of(found.cause, repairable(request)).first()
        return Answer(reverse("incident", args=[rest.pk if rest else pk]), said)

    def show(form: EmptyForm, status: int = 200) -> HttpResponse:
        return _show(request, incident_for(request, pk), form, status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


@require_http_methods(["GET", "POST"])
@signed_in
def give_up(request: HttpRequest, pk: int) -> HttpResponse:
    """Give up the hopeless work of one stopped case, with a reason: its step gets the failure."""
    found = incident_for(request, pk)
    form = GiveUpForm(request.POST or None)

    def act() -> Answer:
        said = acts.give_up_activity(
            incident_id=pk,
            reason=form.cleaned_data["reason"],
            never=form.cleaned_data["never"],
            actor=actor_of(request),
        )
        rest = queries.incidents_of(found.cause, repairable(request)).first()
        return Answer(reverse("incident", args=[rest.pk if rest else pk]), said)

    def show(form: GiveUpForm, status: int = 200) -> HttpResponse:
        context = {"incident": incident_for(request, pk), "form": form, "section": "incidents"}
        return render(request, "processes/give_up.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


@require_http_methods(["GET", "POST"])
@signed_in
def retry_cause(request: HttpRequest, pk: int) -> HttpResponse:
    """Let all cases of one cause try again: a preview, then a result for each."""
    found = incident_for(request, pk)
    form = EmptyForm(request.POST or None)

    def act() -> Answer:
        results = acts.retry_cause(cause=found.cause, actor=actor_of(request))
        address = reverse("retry-results", args=[request.POST["key"]])
        return Answer(address, results=[list(one) for one in results])

    def show(form: EmptyForm, status: int = 200) -> HttpResponse:
        rows = queries.incidents_of(found.cause, repairable(request))
        count, shown = rows.count(), list(rows[: queries.PAGE_ROWS])
        context = {
            "incident": found,
            "form": form,
            "rows": shown,
            "count": count,
            "more": count - len(shown),
            "section": "incidents",
        }
        return render(request, "processes/retry_cause.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show, apart=True)
    return show(form)


@require_safe
@signed_in
def retry_results(request: HttpRequest, key: str) -> HttpResponse:
    """What became of each case of an act on many, for the person who did it."""
    row = Once.objects.filter(key=key, person=person_of(request)).first()
    if row is None:
        raise NoSuchCase(_("These results are no longer kept; look at the incidents."))
    context = {"results": row.results, "at": row.at, "section": "incidents"}
    return render(request, "processes/results.html", context)


@require_safe
@signed_in
def running(request: HttpRequest) -> HttpResponse:
    """Workers, clocks, activities and timers at a glance."""
    access.require(actor_of(request), "watch the installation")
    return render(
        request, "processes/running.html", {**queries.glance(clock.now()), "section": "running"}
    )
