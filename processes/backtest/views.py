"""Pages that try a changed rule or step on closed cases. They change nothing."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from cases import access
from cases.errors import Invalid, NoSuchCase
from cases.views.signing import actor_of, person_of, signed_in
from processes.backtest import changes
from processes.backtest.comparing import (
    DIFFERS,
    FAILS,
    NO_DATA,
    NOT_PLAYABLE,
    Result,
    closed_cases,
    compare,
    grouped,
)
from processes.backtest.forms import TableForm, VersionForm
from processes.backtest.trial import Change
from processes.handbook.book import tables_of
from processes.kinds import Kind, NoSuchKind, kind_of
from timers import clock

MOST_CASES = 200  # at once on a page, the newest; the command takes all
PAGE_TIME = timedelta(seconds=10)
MOST_ROWS = 50  # of cases that are named


@require_safe
@signed_in
def what_to_try(request: HttpRequest, kind_name: str) -> HttpResponse:
    """The tables and steps of a kind."""
    kind = _kind(request, kind_name)
    steps = [(step, kind.step_label(step), sorted(codes)) for step, codes in kind.codes.items()]
    context = {"kind": kind, "tables": tables_of(kind), "steps": steps, "section": "processes"}
    return render(request, "processes/backtest/what.html", context)


@require_http_methods(["GET", "POST"])
@signed_in
def try_table(request: HttpRequest, kind_name: str, table: str) -> HttpResponse:
    """A table of a kind to change, and what the change would have made of closed cases."""
    kind = _kind(request, kind_name)
    known = next((one for one in tables_of(kind) if one.name == table), None)
    if known is None:
        raise NoSuchCase(_("This kind has no such table."))
    form = TableForm(request.POST or None, initial={"text": known.newest.text})
    change = None
    if form.is_valid():
        try:
            change = changes.of_table(kind, form.cleaned_data["text"], file=f"{table}.csv")
        except Invalid as error:
            form.add_error("text", str(error))
    return _answer(request, kind, form, change, title=known.title)


@require_http_methods(["GET", "POST"])
@signed_in
def try_version(request: HttpRequest, kind_name: str, step: str) -> HttpResponse:
    """A step of a kind, and what a version of its code would have made of closed cases."""
    kind = _kind(request, kind_name)
    if step not in kind.codes:
        raise NoSuchCase(_("This kind has no such step with code."))
    form = VersionForm(request.POST or None, versions=sorted(kind.codes[step], reverse=True))
    change = None
    if form.is_valid():
        change = changes.of_version(kind, step, form.cleaned_data["version"])
    return _answer(request, kind, form, change, title=kind.step_label(step))


def _tried(results: Iterator[Result]) -> tuple[list[Result], bool]:
    """The results that come within the time of a page, and whether there are more."""
    found = []
    end = clock.now() + PAGE_TIME
    for one in results:
        found.append(one)
        if clock.now() > end:
            return found, True
    return found, False


def _kind(request: HttpRequest, name: str) -> Kind:
    access.require(actor_of(request), "try changes")
    try:
        return kind_of(name)
    except NoSuchKind as error:
        raise NoSuchCase(str(error)) from error


def _answer(
    request: HttpRequest, kind: Kind, form: Any, change: Change | None, *, title: str
) -> HttpResponse:
    context: dict[str, Any] = {
        "kind": kind,
        "form": form,
        "title": title,
        "most": MOST_CASES,
        "section": "processes",
    }
    if change is not None:
        seen = access.visible_cases(person_of(request)).select_related("team")
        cases = closed_cases(seen, kind.name, most=MOST_CASES)
        results, is_cut = _tried(compare(cases, change))
        told = [one for one in results if one.finding in (DIFFERS, NO_DATA, FAILS)]
        context |= {
            "is_tried": True,
            "total": len(results),
            "is_cut": is_cut,
            "unplayable": sum(one.finding == NOT_PLAYABLE for one in results),
            "groups": grouped(results, form.cleaned_data["by"]).values(),
            "results": sorted(told, key=lambda one: (one.finding != DIFFERS, one.finding))[
                :MOST_ROWS
            ],
            "more": max(0, len(told) - MOST_ROWS),
        }
    status = 422 if form.is_bound and change is None else 200
    return render(request, "processes/backtest/try.html", context, status=status)
