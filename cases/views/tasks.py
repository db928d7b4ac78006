"""A task: read the case, take it, decide, hand it over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from cases import access, explain, papers, presence, queries, tags
from cases.errors import NoSuchCase
from cases.forms import AdviceForm, EmptyForm, HandOverForm, ReasonForm, TaskForm
from cases.models import Document, Person, Presence, Requirement, Task
from cases.once import Answer
from cases.queries import CaseFile
from cases.views.acting import carry_out, required_seen, undo_of
from cases.views.case import facts_of, overtaken
from cases.views.drafting import filled_in
from cases.views.pages import case_for, head_of
from cases.views.signing import actor_of, person_of, signed_in
from cases.words import of_steps, outcome_label
from processes.acts import advice, decisions, tasks
from timers import clock

SHOWN = 20  # of a kind beside the form; the tabs of the case have all


def task_for(person: Person, pk: int) -> Task:
    """The task, unless the person may not see its case."""
    task = (
        Task.objects.select_related("holder", "case", "team")
        .filter(pk=pk, case__in=access.visible_cases(person))
        .first()
    )
    if task is None:
        raise NoSuchCase(_("There is no such task among the cases you may see."))
    access.note_read(person, task)
    return task


@require_http_methods(["GET", "POST"])
@signed_in
def task(request: HttpRequest, pk: int) -> HttpResponse:
    """The form of a task, beside what it is decided on. Sending it completes the task."""
    found = task_for(person_of(request), pk)
    form = TaskForm(request.POST or None, task=found)

    def act() -> Answer:
        done = tasks.complete_task(
            task_id=pk,
            outcome=form.cleaned_data["outcome"],
            reason=form.cleaned_data["reason"],
            actor=actor_of(request),
            result=form.result(),
            seen_number=required_seen(request),
        )
        label = dict(form.fields["outcome"].choices).get(done.outcome, done.outcome)
        said = _("%(task)s: %(outcome)s. Recorded.") % {"task": found.title, "outcome": label}
        return Answer(found.case.get_absolute_url(), said)

    def show(form: TaskForm, status: int = 200) -> HttpResponse:
        return _show(request, pk, form, status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


def _show(request: HttpRequest, pk: int, form: TaskForm, status: int) -> HttpResponse:
    person = person_of(request)
    fresh = task_for(person, pk)
    case = case_for(person, fresh.case.reference)
    head = head_of(request, case)
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
        "shown": list(fresh.show.items()) if fresh.advises_id is None else [],
        **overtaken(request, case, status),
        "is_mine": is_mine,
        "others": _others(request, fresh, opens=is_mine or takes),
        "advice": [one for one in head["file"].tasks if one.advises_id == fresh.pk],
        "may_ask_advice": fresh.is_open
        and fresh.advises_id is None
        and access.may(person, "ask advice", fresh),
        "needs": needed_for(head["file"]) if fresh.is_open else [],
        "takes": takes and fresh.is_open and (is_mine or fresh.holder_id is None),
        "excluded": access.is_barred(person, fresh),
        "may_release": fresh.is_open
        and fresh.advises_id is None
        and fresh.holder_id is not None
        and access.may(person, "release task", fresh),
        "may_take_back": fresh.state == "done" and decisions.may_take_back(fresh, person),
        "unjudged": papers.unjudged(head["file"].requirements, head["file"].documents)
        if fresh.is_open and fresh.is_review
        else [],
        "rested": papers.rested_on(fresh, head["file"].documents),
        "outcome": outcome_label(fresh, fresh.outcome),
        "closed_by": head["words"].actor(fresh.closed_by) if fresh.closed_by else "",
        "earlier": decided_before(head["file"], fresh)[-SHOWN:],
        "documents": head["file"].documents[:SHOWN],
    }
    return render(request, "cases/task.html", {**head, **context}, status=status)


def _others(request: HttpRequest, task: Task, *, opens: bool) -> list[Presence]:
    """Who else has the form of this task open; the reader is noted too, if it is theirs to do."""
    person = person_of(request)
    if not task.is_open:
        return []
    if opens:
        presence.note(person, task.get_absolute_url())
    return presence.others(person, task.get_absolute_url())


def decided_before(file: CaseFile, task: Task) -> list[Task]:
    """What was decided in this case so far; advice stands on the form that it was asked for."""
    return [
        one
        for one in file.tasks
        if one.state == "done" and one.pk != task.pk and one.advises_id is None
    ]


def needed_for(file: CaseFile) -> list[tuple[Requirement, Document | None]]:
    """What was asked for on paper, each with its newest version: is it there?"""
    newest: dict[str, Document] = {}
    for one in file.documents:  # newest first
        newest.setdefault(one.name, one)
    return [(one, newest.get(one.name)) for one in file.requirements]


@require_http_methods(["GET", "POST"])
@signed_in
def claim(request: HttpRequest, pk: int) -> HttpResponse:
    """Take a task: nobody else is offered it any more."""

    def act(task: Task, form: EmptyForm) -> Answer:
        tasks.claim_task(task_id=pk, actor=actor_of(request))
        undo = undo_of(task.case, person_of(request))
        return Answer(task.get_absolute_url(), _("You have this task now."), undo=undo)

    return _small_act(request, pk, EmptyForm(request.POST or None), "claim", act)


@require_http_methods(["GET", "POST"])
@signed_in
def release(request: HttpRequest, pk: int) -> HttpResponse:
    """Give a task back to its role."""

    def act(task: Task, form: ReasonForm) -> Answer:
        reason = form.cleaned_data["reason"]
        tasks.release_task(task_id=pk, actor=actor_of(request), reason=reason)
        undo = undo_of(task.case, person_of(request))
        return Answer(task.case.get_absolute_url(), _("The task is given back."), undo=undo)

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
        undo = undo_of(task.case, person_of(request))
        return Answer(task.case.get_absolute_url(), said, undo=undo)

    form = HandOverForm(request.POST or None, people=people)
    return _small_act(request, pk, form, "hand_over", act)


@require_http_methods(["GET", "POST"])
@signed_in
def ask_advice(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask a colleague what they think, and keep the task."""
    found = task_for(person_of(request), pk)
    people = advice.advisers_for(found, person_of(request))

    def act(task: Task, form: AdviceForm) -> Answer:
        of = form.cleaned_data["of"]
        advice.ask_advice(
            task_id=pk, of=of, question=form.cleaned_data["question"], actor=actor_of(request)
        )
        said = _("%(who)s is asked for advice. You keep the task.") % {"who": of}
        return Answer(task.get_absolute_url(), said)

    return _small_act(request, pk, AdviceForm(request.POST or None, people=people), "advice", act)


@require_http_methods(["GET", "POST"])
@signed_in
def take_back(request: HttpRequest, pk: int) -> HttpResponse:
    """Take back how a review ended: it is asked for once more."""

    def act(task: Task, form: ReasonForm) -> Answer:
        decisions.take_back_decision(
            task_id=pk, reason=form.cleaned_data["reason"], actor=actor_of(request)
        )
        said = _("%(task)s: taken back. It is open again.") % {"task": of_steps(task.title)}
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
