"""The pages of jobs: which files of cases were sent, how far they are, what became of each row."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from cases import access
from cases.forms import EmptyForm
from cases.models import Job, JobRow
from cases.once import Answer
from cases.views.acting import carry_out
from cases.views.signing import actor_of, person_of, signed_in
from cases.views.work import page_of
from processes.acts import jobs as acts

PAGE_ROWS = 50


@require_safe
@signed_in
def jobs(request: HttpRequest) -> HttpResponse:
    """The jobs of a person; of everybody for administrators and operators."""
    page = page_of(request)
    first = (page - 1) * PAGE_ROWS
    rows = acts.jobs_of(person_of(request)).select_related("client", "person").order_by("-pk")
    found = list(rows[first : first + PAGE_ROWS + 1])
    counts = acts.counts(found[:PAGE_ROWS])
    context = {
        "rows": [(one, counts[one.pk]) for one in found[:PAGE_ROWS]],
        "page": page,
        "has_next": len(found) > PAGE_ROWS,
    }
    return render(request, "processes/jobs/list.html", context)


@require_safe
@signed_in
def job(request: HttpRequest, pk: int) -> HttpResponse:
    """One job: how far it is, and its rows; those that were refused first of all."""
    found, page = _one(request, pk), page_of(request)
    states = list(JobRow.State.values)
    count = acts.counts([found])[found.pk]
    state = request.GET.get("state", "")
    if state not in states:
        state = "refused" if count["refused"] and "state" not in request.GET else ""
    rows = JobRow.objects.filter(job=found).select_related("case").order_by("place")
    if state:
        rows = rows.filter(state=state)
    first = (page - 1) * PAGE_ROWS
    rows_here = list(rows[first : first + PAGE_ROWS + 1])
    ids = [row.case_id for row in rows_here if row.case_id]
    seen = set(
        access.visible_cases(person_of(request)).filter(pk__in=ids).values_list("pk", flat=True)
    )
    done = found.size - count["waiting"]
    context = {
        "job": found,
        "count": count,
        "done": done,
        "state": state,
        "address": f"state={state}",
        "states": [(one, count[one]) for one in states if count[one]],
        "rows": [(row, row.case if row.case_id in seen else None) for row in rows_here[:PAGE_ROWS]],
        "page": page,
        "has_next": len(rows_here) > PAGE_ROWS,
    }
    return render(request, "processes/jobs/job.html", context)


@require_http_methods(["GET", "POST"])
@signed_in
def cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Leave out the rows that wait."""
    found = _one(request, pk)
    form = EmptyForm(request.POST or None)

    def act() -> Answer:
        acts.cancel_job(job_id=pk, actor=actor_of(request))
        return Answer(reverse("job", args=[pk]), _("The job is cancelled. What was opened stays."))

    def show(form: EmptyForm, status: int = 200) -> HttpResponse:
        context = {"form": form, "job": found, "waiting": acts.counts([found])[pk]["waiting"]}
        return render(request, "processes/jobs/cancel.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


def _one(request: HttpRequest, pk: int) -> Job:
    rows = acts.jobs_of(person_of(request)).select_related("client", "person")
    found = rows.filter(pk=min(pk, 2**63 - 1)).first()
    if found is None:
        raise Http404
    return found
