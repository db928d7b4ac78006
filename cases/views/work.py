"""My work: what needs a person, and the next task or case to take."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from cases import access, dates, noticeboard, picking, queries, worklist
from cases.errors import Refused
from cases.forms import EmptyForm
from cases.models import Task
from cases.once import Answer
from cases.picking import Next
from cases.views import filters
from cases.views.acting import carry_out
from cases.views.signing import actor_of, person_of, signed_in
from processes.acts import cases as case_acts
from processes.acts import lists, tasks
from timers import clock


@require_safe
@signed_in
def home(request: HttpRequest) -> HttpResponse:
    """The first page of whoever comes in: the list they chose to begin with, or their work."""
    person = person_of(request)
    if person.start_list_id is not None:
        start = lists.lists_of(person).filter(pk=person.start_list_id).first()
        if start is not None:
            return redirect(start.address)
    roles = person.roles
    if access.OPERATOR in roles and not roles & {access.CASEWORKER, access.SUPERVISOR}:
        return redirect("incidents")
    if roles == {access.RECORDS_MANAGER}:
        return redirect("destructions")
    return redirect("cases" if roles == {access.AUDITOR} else "my-work")


@require_safe
@signed_in
def my_work(request: HttpRequest) -> HttpResponse:
    """One tab of a person's work; what needs them comes first."""
    person = person_of(request)
    tab, choice = filters.work_choice(request.GET)
    work = worklist.my_work(person, tab=tab, choice=choice, page=page_of(request), now=clock.now())
    known = filters.work_known(person, choice)
    kept = filters.kept(request.GET, "work")
    columns = [
        ("case", _("Case")),
        ("step", _("Step and what to do")),
        ("", _("Why it is here")),
        ("due", _("Done") if tab == "done" else _("Due")),
    ]
    part = request.htmx.target == "div#found"
    context = {
        "work": work,
        "choice": choice,
        "known": known,
        "chips": filters.chips(request.GET, choice, known, names=worklist.FILTERS),
        "clear": filters.without(request.GET, *worklist.FILTERS),
        "heads": filters.heads(
            request.GET, columns, sort=choice.sort, default="-due" if tab == "done" else "due"
        ),
        "address": filters.without(request.GET).removeprefix("?"),
        "kept": kept,
        "page_name": "work",
        "acts": _acts_of(tab),
        "notices": [] if part else queries.notices_for(person),
        "saved": [] if part else list(lists.lists_of(person)),
        "section": "work",
    }
    return render(request, f"cases/my_work.html{'#found' if part else ''}", context)


def _acts_of(tab: str) -> list[str]:
    """What can be done to rows of this tab that are chosen."""
    if tab == "done":
        return []
    return (
        ["take", "hand-over", "remind", "export"]
        if tab in ("queue", "reviews")
        else ["hand-over", "remind", "export"]
    )


@require_http_methods(["GET", "POST"])
@signed_in
def dismiss_notice(request: HttpRequest, pk: int) -> HttpResponse:
    """A notice was read, by this person; others of its role still have it."""
    if request.method == "POST":
        noticeboard.mark_read(person_of(request), [pk])
    return redirect("my-work")


@require_http_methods(["GET", "POST"])
@signed_in
def take_next(request: HttpRequest) -> HttpResponse:
    """Take the most pressing task or case that nobody has, and say why it is that one."""
    person = person_of(request)
    form = EmptyForm(request.POST or None)
    found = picking.next_for(person)
    wanted = request.POST.get("wanted", "")
    found.sort(key=lambda one: one.key != wanted)  # the one that was shown, if it is still free

    def act() -> Answer:
        for one in found:
            try:
                return _take(request, one)
            except Refused:
                continue  # somebody was first, or it is not for this person: the next one
        return Answer("/work/", _("Nothing waits to be taken that you may take."))

    def show(form: EmptyForm, status: int = 200) -> HttpResponse:
        context = {
            "form": form,
            "one": found[0] if found else None,
            "why": why_this(found[0]) if found else "",
            "section": "work",
        }
        return render(request, "cases/take_next.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


def _take(request: HttpRequest, one: Next) -> Answer:
    actor, why = actor_of(request), why_this(one)
    said = _("You have this task now.")
    if isinstance(one.thing, Task):
        taken = tasks.claim_task(task_id=one.thing.pk, actor=actor)
        return Answer(taken.get_absolute_url(), f"{said} {why}")
    case = case_acts.take_case(case_id=one.thing.pk, actor=actor)
    said = _("You have this case now.")
    return Answer(case.get_absolute_url(), f"{said} {why}")


def why_this(one: Next) -> str:
    """Why this one comes before the others, in a sentence."""
    if one.due_at is None:
        first = _("It has no final date and nobody has had it for the longest time.")
    else:
        due = dates.due(one.due_at, clock.now())
        told = {"day": due.day, "words": due.words}
        first = _("It is the most pressing: due %(day)s, %(words)s.") % told
    if not one.passed_over:
        return first
    over = ngettext(
        "%(n)s that comes before it is not for you.",
        "%(n)s that come before it are not for you.",
        one.passed_over,
    )
    return f"{first} {over % {'n': one.passed_over}}"


def page_of(request: HttpRequest) -> int:
    """Which page of a list is asked for, from 1; nonsense is the first."""
    asked = request.GET.get("page", "1")
    return max(1, min(int(asked[:6]), 10_000)) if asked.isdecimal() else 1
