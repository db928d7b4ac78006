"""Cases and the code of their steps: replay checks, versions in use, moves, restarts."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from cases import access
from cases.errors import Invalid, NoSuchCase
from cases.forms import EmptyForm, ReasonForm
from cases.once import Answer
from cases.views.acting import carry_out
from cases.views.signing import actor_of, person_of, signed_in
from cases.views.work import page_of
from cases.words import plain
from processes import queries
from processes.acts.moving import require_reason, require_version
from processes.acts.restarting import preview_restart, restart_step
from processes.engine import versions
from processes.kinds import NoSuchKind, kind_of
from processes.models import CodeRun
from processes.release.forms import PreviewForm, RestartForm
from processes.work import coderuns

SECTION = {"section": "code"}


def names_of(kind: str, step: str) -> dict[str, str]:
    """A kind and a step as people know them; by their own names where this release has neither."""
    try:
        known = kind_of(kind)
    except NoSuchKind:
        return {"kind_title": kind or _("Every kind"), "step_label": plain(step)}
    return {"kind_title": str(known.title), "step_label": known.step_label(step) if step else ""}


def run_for(request: HttpRequest, pk: int, *what: str) -> CodeRun:
    """The run, for those who look after code. Raises NoSuchCase, also for one of another sort."""
    access.require(actor_of(request), "look after code")
    found = CodeRun.objects.filter(pk=pk).first()
    if found is None or (what and found.what not in what):
        raise NoSuchCase(_("There is no such run any more; the last ones are kept."))
    return found


@require_safe
@signed_in
def code(request: HttpRequest) -> HttpResponse:
    """Which versions open cases stand in, and the last runs."""
    return _show_code(request, EmptyForm(), 200)


def _show_code(request: HttpRequest, form: Any, status: int) -> HttpResponse:
    access.require(actor_of(request), "look after code")
    runs = [_told(one) for one in CodeRun.objects.order_by("-pk")[: queries.PAGE_ROWS]]
    context = {
        "form": form,
        "runs": runs,
        "last": next((one for one in runs if one["run"].what == "check"), None),
        "uses": [
            {"use": use, **names_of(use.kind, use.step)}
            for use in versions.in_use()
            if use.cases or not use.is_newest
        ],
        "ways": bool(_ways()),
        **SECTION,
    }
    return render(request, "processes/release/code.html", context, status=status)


def _told(run: CodeRun) -> dict[str, Any]:
    """A run with its counts, for a row and for the head of its page."""
    if run.what == "check":
        report = coderuns.report_of(run)
        counts = {name: report.count(name) for name in ("fine", "differs", "unknown")}
    else:
        counts = run.report.get("results", {})
    told = {name: number for name, number in counts.items() if number}
    return {
        "run": run,
        "counts": told,
        "done": sum(told.values()),
        "bad": told.get("differs", 0) + told.get("unknown", 0) + told.get("stays", 0),
        **names_of(run.kind, run.step),
    }


@require_http_methods(["GET", "POST"])
@signed_in
def check(request: HttpRequest) -> HttpResponse:
    """Have a worker replay all open cases."""
    access.require(actor_of(request), "look after code")

    def act() -> Answer:
        run = coderuns.ask(what="check", actor=actor_of(request))
        return Answer(reverse("code-run", args=[run.pk]), _("The check has begun."))

    def show(form: EmptyForm, status: int = 200) -> HttpResponse:
        return _show_code(request, form, status)

    if request.method == "POST":
        return carry_out(request, form=EmptyForm(request.POST), act=act, show=show)
    return show(EmptyForm())


@require_safe
@signed_in
def run(request: HttpRequest, pk: int) -> HttpResponse:
    """How far a run is, what it found, each case with its sentence."""
    return _show_run(request, run_for(request, pk), ReasonForm(), 200)


def _show_run(request: HttpRequest, found: CodeRun, form: Any, status: int) -> HttpResponse:
    page = page_of(request)
    first = (page - 1) * queries.PAGE_ROWS
    # What needs somebody comes first: “differs” and “stays” before “fits” and “moved”.
    rows = found.results.select_related("case").extra(
        select={"good": "result IN ('fits', 'moved', 'already')"}, order_by=["good", "case_id"]
    )
    shown = list(rows[first : first + queries.PAGE_ROWS + 1])
    report = coderuns.report_of(found) if found.what == "check" else None
    context = {
        **_told(found),
        "form": form,
        "results": shown[: queries.PAGE_ROWS],
        "page": page,
        "has_next": len(shown) > queries.PAGE_ROWS,
        "steps": [{**row, **names_of(row["kind"], row["step"])} for row in report.steps()]
        if report
        else [],
        "markers": [{**row, **names_of(row["kind"], row["step"])} for row in report.markers()]
        if report and not found.kind
        else [],
        "who": _who(found.actor),
        "fits": found.report.get("results", {}).get("fits", 0),
        "moved": found.report.get("results", {}).get("moved", 0),
        "undone": found.undone.first(),
        **SECTION,
    }
    return render(request, "processes/release/run.html", context, status=status)


def _who(actor: str) -> str:
    from cases.models import Person

    number = actor.partition(":")[2]
    person = Person.objects.filter(pk=int(number)).first() if number.isdecimal() else None
    return str(person) if person else plain(actor)


# -- moving


def _ways() -> list[tuple[str, str]]:
    """The moves that are possible: from a version in use to another that this release has."""
    found = []
    for use in versions.in_use():
        if not use.cases:
            continue
        known = versions.known_versions(use.kind, use.step)
        names = names_of(use.kind, use.step)
        for to in known:
            if to != use.version:
                told = {**names, "n": use.cases, "old": use.version, "new": to}
                where = _("%(kind_title)s, %(step_label)s, from version %(old)s to %(new)s") % told
                cases = ngettext("%(n)s open case", "%(n)s open cases", use.cases) % told
                words = f"{where} ({cases})"
                found.append((f"{use.kind}:{use.step}:{use.version}:{to}", words))
    return found


@require_http_methods(["GET", "POST"])
@signed_in
def preview(request: HttpRequest) -> HttpResponse:
    """Choose which cases to move, and have a worker say which would fit."""
    access.require(actor_of(request), "look after code")
    form = PreviewForm(request.POST or None, ways=_ways())

    def act() -> Answer:
        kind, step, old, new = form.cleaned_data["way"].split(":")
        asked = coderuns.ask(
            what="preview",
            actor=actor_of(request),
            kind=kind,
            step=step,
            from_version=int(old),
            to_version=int(new),
        )
        return Answer(reverse("code-run", args=[asked.pk]), _("The preview has begun."))

    def show(form: PreviewForm, status: int = 200) -> HttpResponse:
        context = {"form": form, "ways": _ways(), **SECTION}
        return render(request, "processes/release/preview.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


@require_http_methods(["GET", "POST"])
@signed_in
def move(request: HttpRequest, pk: int) -> HttpResponse:
    """Move the cases of a preview, for a reason."""
    found = run_for(request, pk, "preview")
    form = ReasonForm(request.POST or None)

    def act() -> Answer:
        require_reason(form.cleaned_data["reason"])
        require_version(kind=found.kind, step=found.step, version=found.to_version or 0)
        asked = coderuns.ask(
            what="move",
            actor=actor_of(request),
            kind=found.kind,
            step=found.step,
            from_version=found.from_version,
            to_version=found.to_version,
            reason=form.cleaned_data["reason"],
        )
        return Answer(reverse("code-run", args=[asked.pk]), _("The move has begun."))

    def show(form: ReasonForm, status: int = 200) -> HttpResponse:
        return _show_run(request, found, form, status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


@require_http_methods(["GET", "POST"])
@signed_in
def undo(request: HttpRequest, pk: int) -> HttpResponse:
    """Take a move back, case by case, where the history still fits."""
    found = run_for(request, pk, "move")
    form = ReasonForm(request.POST or None)

    def act() -> Answer:
        require_reason(form.cleaned_data["reason"])
        if found.ended_at is None:
            raise Invalid(_("The move is not done yet. Take it back when it is."))
        asked = coderuns.ask(
            what="undo",
            actor=actor_of(request),
            kind=found.kind,
            step=found.step,
            reason=form.cleaned_data["reason"],
            undoes=found,
        )
        return Answer(reverse("code-run", args=[asked.pk]), _("The move is being taken back."))

    def show(form: ReasonForm, status: int = 200) -> HttpResponse:
        return _show_run(request, found, form, status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


# -- restarting


@require_http_methods(["GET", "POST"])
@signed_in
def restart(request: HttpRequest, reference: str) -> HttpResponse:
    """Begin the step of one case again: what that cancels and undoes, then the act."""
    actor = actor_of(request)
    access.require(actor, "repair case")
    case = access.repairable_cases(person_of(request)).filter(reference=reference).first()
    if case is None:
        raise NoSuchCase(_("There is no case %(reference)s.") % {"reference": reference})
    looked = preview_restart(case=case, actor=actor)
    done = [(one.number, _finished_words(one)) for one in looked.done]
    form = RestartForm(request.POST or None, done=done)

    def act() -> Answer:
        undone = restart_step(
            case_id=case.pk,
            reason=form.cleaned_data["reason"],
            keep=form.cleaned_data.get("keep", []),
            actor=actor,
        )
        said = _("%(case)s has begun its step again.") % {"case": case.reference}
        if undone:
            said += " " + ngettext(
                "%(n)s activity is being undone.", "%(n)s activities are being undone.", len(undone)
            ) % {"n": len(undone)}
        return Answer(case.get_absolute_url(), said)

    def show(form: RestartForm, status: int = 200) -> HttpResponse:
        context = {"case": case, "form": form, "preview": looked, **SECTION}
        return render(request, "processes/release/restart.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


def _finished_words(one: Any) -> str:
    what = plain(one.name.rpartition(".")[2])
    if one.is_undoable:
        return _("%(what)s (event %(n)s); else it is undone") % {"what": what, "n": one.number}
    return _("%(what)s (event %(n)s); else it is done again if the step asks for it") % {
        "what": what,
        "n": one.number,
    }
