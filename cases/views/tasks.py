"""A task: read the case, take it, decide, hand it over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from cases import access, explain, papers, queries, tags
from cases.errors import NoSuchCase
from cases.forms import EmptyForm, HandOverForm, ReasonForm, TaskForm
from cases.models import Person, Task
from cases.once import Answer
from cases.views.acting import carry_out, seen_number
from cases.views.case import changes, facts_of
from cases.views.drafting import filled_in
from cases.views.pages import case_for, head_of
from cases.views.signing import actor_of, person_of, signed_in
from processes.acts import decisions, tasks
from timers import clock


def task_for(person: Person, pk: int) -> Task:
    """The task, unless the person may not see its case."""
    task = (
        Task.objects.select_related("holder", "case", "team")
        .filter(pk=pk, case__in=access.visible_cases(person))
        .first()
    )
    if task is None:
        raise NoSuchCase(_("There is no such task among the cases you may see."))
    return task


@require_http_methods(["GET", "POST"])
@signed_in
def task(request: HttpRequest, pk: int) -> HttpResponse:
    """The form of a task, beside what it is decided on. Sending it completes the task."""
    found = task_for(person_of(request), pk)
    form = TaskForm(request.POST or None, task=found)
    seen = seen_number(request)

    def act() -> Answer:
        done = tasks.complete_task(
            task_id=pk,
            outcome=form.cleaned_data["outcome"],
            reason=form.cleaned_data["reason"],
            actor=actor_of(request),
            result=form.result(),
            seen_number=seen,
        )
        label = dict(form.fields["outcome"].choices).get(done.outcome, done.outcome)
        said = _("%(task)s: %(outcome)s. Recorded.") % {"task": found.title, "outcome": label}
        return Answer(found.case.get_absolute_url(), said)

    def show(form: TaskForm, status: int = 200) -> HttpResponse:
        return _show(request, pk, form, status, seen)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


def _show(
    request: HttpRequest, pk: int, form: TaskForm, status: int, seen: int | None
) -> HttpResponse:
    person = person_of(request)
    fresh = task_for(person, pk)
    case = case_for(person, fresh.case.reference)
    head = head_of(request, case)
    newer: list[Any] = []
    if status == 409 and seen is not None and seen < case.head_number:
        newer = changes(case, queries.events_after(case, seen))
    takes = access.may(person, "complete task", fresh)
    is_mine = fresh.holder_id == person.pk or (
        fresh.holder_id is not None and access.stood_in_for(person, fresh) is not None
    )
    context = {
        "task": fresh,
        "why_due": explain.task_sentence(queries.asked_of(fresh), now=clock.now()),
        "tag": tags.task_tag(fresh, person),
        "form": form,
        "draft": filled_in(request, form) if is_mine and fresh.is_open else None,
        "facts": facts_of(case, head["words"]),
        "shown": [(name, value) for name, value in fresh.show.items()],
        "newer": newer,
        "is_mine": is_mine,
        "takes": takes and fresh.is_open and (is_mine or fresh.holder_id is None),
        "excluded": access.is_barred(person, fresh),
        "may_release": fresh.is_open
        and fresh.holder_id is not None
        and access.may(person, "release task", fresh),
        "may_take_back": fresh.state == "done" and decisions.may_take_back(fresh, person),
        "unjudged": papers.unjudged(head["file"].requirements, head["file"].documents)
        if fresh.is_open and fresh.is_review
        else [],
        "rested": papers.rested_on(fresh, head["file"].documents),
        "outcome": next((o[1] for o in fresh.outcomes if o[0] == fresh.outcome), fresh.outcome),
        "closed_by": head["words"].actor(fresh.closed_by) if fresh.closed_by else "",
        "earlier": [one for one in head["file"].tasks if one.state == "done" and one.pk != pk],
    }
    return render(request, "cases/task.html", {**head, **context}, status=status)


@require_http_methods(["GET", "POST"])
@signed_in
def claim(request: HttpRequest, pk: int) -> HttpResponse:
    """Take a task: nobody else is offered it any more."""

    def act(task: Task, form: EmptyForm) -> Answer:
        tasks.claim_task(task_id=pk, actor=actor_of(request))
        return Answer(task.get_absolute_url(), _("You have this task now."))

    return _small_act(request, pk, EmptyForm(request.POST or None), "claim", act)


@require_http_methods(["GET", "POST"])
@signed_in
def release(request: HttpRequest, pk: int) -> HttpResponse:
    """Give a task back to its role."""

    def act(task: Task, form: ReasonForm) -> Answer:
        reason = form.cleaned_data["reason"]
        tasks.release_task(task_id=pk, actor=actor_of(request), reason=reason)
        return Answer(task.case.get_absolute_url(), _("The task is given back."))

    form = ReasonForm(request.POST or None, required=False)
    return _small_act(request, pk, form, "release", act)


@require_http_methods(["GET", "POST"])
@signed_in
def hand_over(request: HttpRequest, pk: int) -> HttpResponse:
    """Give a task to a named person of its role."""
    people = queries.people_who_may_do(task_for(person_of(request), pk))

    def act(task: Task, form: HandOverForm) -> Answer:
        to = form.cleaned_data["to"]
        tasks.hand_over_task(
            task_id=pk, to=to, actor=actor_of(request), reason=form.cleaned_data["reason"]
        )
        said = _("%(who)s has this task now.") % {"who": to}
        return Answer(task.case.get_absolute_url(), said)

    form = HandOverForm(request.POST or None, people=people)
    return _small_act(request, pk, form, "hand_over", act)


@require_http_methods(["GET", "POST"])
@signed_in
def take_back(request: HttpRequest, pk: int) -> HttpResponse:
    """Take back how a review ended: it is asked for once more."""

    def act(task: Task, form: ReasonForm) -> Answer:
        decisions.take_back_decision(
            task_id=pk, reason=form.cleaned_data["reason"], actor=actor_of(request)
        )
        said = _("%(task)s: taken back. It is open again.") % {"task": task.title}
        return Answer(task.case.get_absolute_url(), said)

    return _small_act(request, pk, ReasonForm(request.POST or None), "take-back", act)


def _small_act(
    request: HttpRequest, pk: int, form: Any, name: str, act: Callable[[Task, Any], Answer]
) -> HttpResponse:
    """A page of its own for an act on a task; most of the time its button is pressed elsewhere."""
    person = person_of(request)
    found = task_for(person, pk)

    def show(form: Any, status: int = 200) -> HttpResponse:
        fresh = task_for(person, pk)
        case = case_for(person, fresh.case.reference)
        context = {**head_of(request, case), "task": fresh, "form": form, "act": name}
        return render(request, "cases/task_act.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=lambda: act(found, form), show=show)
    return show(form)
