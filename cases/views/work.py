"""My work: what needs a person, and the next task to take."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from cases import access, queries
from cases.forms import EmptyForm
from cases.models import Notice
from cases.once import Answer
from cases.views.acting import carry_out
from cases.views.signing import actor_of, person_of, signed_in
from processes.acts import tasks
from timers import clock


@require_safe
@signed_in
def home(request: HttpRequest) -> HttpResponse:
    """The first page of whoever comes in."""
    roles = person_of(request).roles
    if access.OPERATOR in roles and not roles & {access.CASEWORKER, access.SUPERVISOR}:
        return redirect("incidents")
    return redirect("cases" if roles == {access.AUDITOR} else "my-work")


@require_safe
@signed_in
def my_work(request: HttpRequest) -> HttpResponse:
    """One tab of a person's work; what needs them comes first."""
    tab = request.GET.get("show", "mine")
    worklist = queries.my_work(
        person_of(request),
        tab=tab if tab in queries.TABS else "mine",
        page=page_of(request),
        now=clock.now(),
    )
    context = {
        "work": worklist,
        "notices": queries.notices_for(person_of(request)),
        "section": "work",
    }
    return render(request, "cases/my_work.html", context)


@require_http_methods(["GET", "POST"])
@signed_in
def dismiss_notice(request: HttpRequest, pk: int) -> HttpResponse:
    """A notice was read. Everybody of its role has it off their page then."""
    mine = {notice.pk for notice in queries.notices_for(person_of(request))}
    if request.method == "POST" and pk in mine:
        Notice.objects.filter(pk=pk, seen_at=None).update(seen_at=clock.now())
    return redirect("my-work")


@require_http_methods(["GET", "POST"])
@signed_in
def take_next(request: HttpRequest) -> HttpResponse:
    """Take the most pressing task that nobody has."""
    person = person_of(request)
    form = EmptyForm(request.POST or None)
    task = queries.next_tasks(person).select_related("case").first()

    def act() -> Answer:
        if task is None:
            return Answer("/work/", _("No task is waiting to be taken."))
        taken = tasks.claim_task(task_id=task.pk, actor=actor_of(request))
        return Answer(taken.get_absolute_url(), _("You have this task now."))

    def show(form: EmptyForm, status: int = 200) -> HttpResponse:
        context = {"form": form, "task": task, "section": "work"}
        return render(request, "cases/take_next.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


def page_of(request: HttpRequest) -> int:
    """Which page of a list is asked for, from 1; nonsense is the first."""
    asked = request.GET.get("page", "1")
    return max(1, min(int(asked), 10_000)) if asked.isdecimal() else 1
