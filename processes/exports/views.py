"""The pages of exports: ask for one, how far it is, its file, and who took what away."""

from __future__ import annotations

from typing import Any

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from cases import access
from cases.forms import EmptyForm
from cases.models import Export, ExportCase
from cases.once import Answer
from cases.views.acting import SeeOther, carry_out
from cases.views.signing import actor_of, person_of, signed_in
from cases.views.work import page_of
from processes.acts import exports as acts
from processes.callers import Caller
from processes.exports.formats import file_of, formats
from processes.exports.forms import NAMES_OF_CHOICE, ExportForm, choice_of
from processes.work import exports as work

PAGE_ROWS = 50
MADE_AT_ONCE_SECONDS = 3.0  # what takes longer, a worker carries on
CASES_SHOWN = 50


@require_safe
@signed_in
def exports(request: HttpRequest) -> HttpResponse:
    """Past exports: a person's own; those of everybody for auditors and administrators."""
    person, page = person_of(request), page_of(request)
    first = (page - 1) * PAGE_ROWS
    rows = acts.exports_of(person).select_related("client", "person").order_by("-pk")
    found = list(rows[first : first + PAGE_ROWS + 1])
    context = {
        "rows": [(one, formats()[one.form].title) for one in found[:PAGE_ROWS]],
        "page": page,
        "has_next": len(found) > PAGE_ROWS,
        "all": access.may(person, "see exports"),
        "everything": access.may(person, "export everything"),
        "section": "exports",
    }
    return render(request, "processes/exports/list.html", context)


@require_http_methods(["GET", "POST"])
@signed_in
def new(request: HttpRequest) -> HttpResponse:
    """Ask for an export of what an address names."""
    person = person_of(request)
    sent = request.POST or request.GET
    choice = choice_of(person, sent)
    caller = Caller(person, None)
    form = ExportForm(request.POST or None, initial={"form": request.GET.get("form", "pdf")})
    count = (acts.exportable(caller) & choice.cases).count() if request.method == "GET" else None

    def act() -> Answer:
        given = form.cleaned_data
        made = acts.ask(
            caller=caller,
            form=given["form"],
            what=choice.what,
            cases=choice.cases,
            told=choice.told,
            reason=given["reason"],
            options={name: given[name] for name in ("people", "separator", "bom")},
        )
        return Answer(made.get_absolute_url())

    def show(form: ExportForm, status: int = 200) -> HttpResponse:
        kept = {name: sent.get(name, "") for name in NAMES_OF_CHOICE if sent.get(name)}
        context = {"form": form, "choice": choice, "kept": kept, "count": count}
        context["section"] = "exports"
        return render(request, "processes/exports/new.html", context, status=status)

    if request.method == "POST":
        response = carry_out(request, form=form, act=act, show=show)
        if isinstance(response, SeeOther):
            _go_on(int(response["Location"].rstrip("/").rpartition("/")[2]))
        return response
    return show(form)


def _go_on(export_id: int) -> None:
    """Make as much as somebody waits for; a worker has the rest."""
    if not work.carry_on(export_id, seconds=MADE_AT_ONCE_SECONDS):
        work.publish(export_id)


@require_safe
@signed_in
def export(request: HttpRequest, pk: int) -> HttpResponse:
    """One export: how far it is, the file with its digest, who asked and why, which cases."""
    person, found = person_of(request), _one(request, pk)
    held = ExportCase.objects.filter(export=found)
    seen = held.filter(case__in=access.visible_cases(person)).select_related("case")
    context = {
        "export": found,
        "format": formats()[found.form].title,
        "done": acts.done_of(found),
        "is_own": acts.is_own(found, person),
        "may_remove": acts.is_own(found, person) or access.may(person, "manage people"),
        "cases": [one.case for one in seen.order_by("place")[:CASES_SHOWN]],
        "section": "exports",
    }
    return render(request, "processes/exports/export.html", context)


@require_safe
@signed_in
def file(request: HttpRequest, pk: int) -> Any:
    """The file, for whoever asked for it, while they may see all that is in it."""
    return answer_with(_one(request, pk), Caller(person_of(request), None))


def answer_with(export: Export, caller: Caller) -> FileResponse:
    """The file of an export as a download."""
    content = acts.give_out(export=export, caller=caller)
    _ending, media_type = file_of(formats()[export.form], export.count)
    response = FileResponse(
        content, as_attachment=True, filename=export.filename, content_type=media_type
    )
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["Cache-Control"] = "no-store"
    return response


@require_http_methods(["GET", "POST"])
@signed_in
def cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Stop making a file."""
    return _end(request, pk, acts.cancel, _("The export is cancelled."))


@require_http_methods(["GET", "POST"])
@signed_in
def remove(request: HttpRequest, pk: int) -> HttpResponse:
    """Take the file away before its time."""
    return _end(request, pk, acts.remove, _("The file is gone. That it was made stays."))


def _end(request: HttpRequest, pk: int, act: Any, said: str) -> HttpResponse:
    found = _one(request, pk)
    form = EmptyForm(request.POST or None)

    def do() -> Answer:
        act(export_id=pk, actor=actor_of(request))
        return Answer(reverse("export", args=[pk]), said)

    def show(form: EmptyForm, status: int = 200) -> HttpResponse:
        context = {"form": form, "export": found, "cancels": act is acts.cancel}
        context["section"] = "exports"
        return render(request, "processes/exports/end.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=do, show=show)
    return show(form)


def _one(request: HttpRequest, pk: int) -> Export:
    rows = acts.exports_of(person_of(request)).select_related("client", "person")
    found = rows.filter(pk=min(pk, 2**63 - 1)).first()
    if found is None:
        raise Http404
    return found
