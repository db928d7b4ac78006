"""The read log on pages, for auditors: who read a case, what somebody read, who saw the data of a
person, whether a word was looked for. To read it is logged like any other reading."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from datetime import date
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from audit import reads
from audit.models import Read
from cases import access, readers, readlog, readwords
from cases.errors import NoSuchCase
from cases.models import Client
from cases.views.pages import case_for, head_of
from cases.views.signing import actor_of, person_of, signed_in
from cases.views.work import page_of
from processes.kinds import kind_of
from timers import clock

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would take for one


@require_safe
@signed_in
def of_case(request: HttpRequest, reference: str) -> HttpResponseBase:
    """Who read this case: everybody at a glance, then each time."""
    access.require(actor_of(request), "read the log")
    case = case_for(person_of(request), reference)
    only = request.GET.get("who", "")[:200].replace("\0", "")
    rows = readers.of_case(case.pk, only=only)
    if request.GET.get("form") == "csv":
        return _csv(rows, f"{case.reference}-readers")
    actors = readers.actors_of_case(case.pk)
    names = readwords.Names.of(one["actor"] for one in actors)
    for one in actors:
        one["name"] = names.of_actor(one["actor"])
    context = {
        "tab": "readers",
        "actors": actors,
        "only": only,
        "only_name": names.of_actor(only) if only else "",
        **_page(request, rows, about=case.pk),
        "address": f"who={only}" if only else "",
    }
    return render(request, "cases/reads/case.html", {**head_of(request, case), **context})


@require_safe
@signed_in
def about(request: HttpRequest, reference: str) -> HttpResponseBase:
    """Who saw the data of the person whose case this is, in all their cases: for that person."""
    access.require(actor_of(request), "read the log")
    person = person_of(request)
    case = case_for(person, reference)
    cases = readers.cases_of_same_person(person, case, kind_of(case.kind))
    reads.also(one.pk for one in cases)
    seen = readers.seen_of([one.pk for one in cases])
    roles = settings.LONGCASE_READ_REPORT_BY == "role"
    names = readwords.Names.of({one.actor for one in seen}, roles=roles)
    references = {one.pk: one.reference for one in cases}
    told = [
        {
            "day": one.day,
            "who": names.of_actor(one.actor),
            "what": ", ".join(f"{readwords.what(n)} ({c})" for n, c in one.what.most_common()),
            "cases": ", ".join(references[pk] for pk in sorted(one.case_ids)),
            "purposes": ", ".join(readwords.purpose(one) for one in sorted(one.purposes)),
        }
        for one in seen
    ]
    if request.GET.get("form") == "csv":
        columns = ("day", "who", "what", "cases", "purposes")
        lines = ([str(row[name]) for name in columns] for row in told)
        return _file(columns, lines, f"{case.reference}-who-saw")
    context = {"seen": told, "cases": cases, "case": case, "roles": roles, "now": clock.now()}
    return render(request, "cases/reads/about.html", {**context, "person": person})


@require_safe
@signed_in
def of_person(request: HttpRequest, actor: str) -> HttpResponseBase:
    """What one person of staff, or one program, read; days far above their own are marked."""
    access.require(actor_of(request), "read the log")
    names = readwords.Names.of([actor])
    if not _is_known(actor, names):
        raise NoSuchCase(_("There is nobody of that name here."))
    day = _day(request.GET.get("day", ""))
    rows = readers.of_actor(actor, day=day)
    if request.GET.get("form") == "csv":
        return _csv(rows, actor.replace(":", "-"))
    found = readers.volumes(clock.now(), actor=actor)
    context = {
        "actor": actor,
        "name": names.of_actor(actor),
        "volume": found[0] if found else None,
        "day": day,
        "section": "reads",
        **_page(request, rows),
        "address": f"day={day}" if day else "",
    }
    return render(request, "cases/reads/person.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def index(request: HttpRequest) -> HttpResponse:
    """Who reads how much; and, sent by POST so that no address holds it, whether a word was
    looked for."""
    access.require(actor_of(request), "read the log")
    found = readers.volumes(clock.now())
    names = readwords.Names.of(one.actor for one in found)
    word = request.POST.get("word", "")[:200].replace("\0", " ").strip()
    context: dict[str, Any] = {
        "volumes": [(one, names.of_actor(one.actor)) for one in found],
        "days": readers.DAYS,
        "word": word,
        "asked": request.method == "POST",
        "section": "reads",
    }
    if word:
        rows = list(readers.of_words(word)[: readers.PAGE_ROWS + 1])
        context["more"] = len(rows) > readers.PAGE_ROWS
        context["lines"] = readwords.lines(
            rows[: readers.PAGE_ROWS], references=readers.references_of(rows)
        )
        context["words"] = readlog.words_of(word)
    return render(request, "cases/reads/index.html", context)


def _page(
    request: HttpRequest, rows: QuerySet[Read], *, about: int | None = None
) -> dict[str, Any]:
    page = page_of(request)
    first = (page - 1) * readers.PAGE_ROWS
    found = list(rows[first : first + readers.PAGE_ROWS + 1])
    shown = found[: readers.PAGE_ROWS]
    lines = readwords.lines(shown, references=readers.references_of(shown), about=about)
    return {"lines": lines, "page": page, "has_next": len(found) > len(shown)}


def _csv(rows: QuerySet[Read], name: str) -> HttpResponseBase:
    def lines() -> Iterator[list[str]]:
        for piece in readers.in_pieces(rows):
            names = readwords.Names.of({one.actor for one in piece})
            references = readers.references_of(piece)
            yield from (readwords.in_columns(one, names, references) for one in piece)

    return _file(readwords.COLUMNS, lines(), name)


class _Echo:
    """What csv writes into: gives each line back."""

    def write(self, line: str) -> str:
        return line


def _file(columns: tuple[str, ...], lines: Any, name: str) -> HttpResponseBase:
    """A file for a spreadsheet, line by line: no cell can be taken for a formula."""
    writer = csv.writer(_Echo())

    def told() -> Iterator[str]:
        yield "\ufeff" + writer.writerow(columns)
        for line in lines:
            yield writer.writerow([f"'{one}" if one.startswith(FORMULA) else one for one in line])

    response = StreamingHttpResponse(told(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    response["Cache-Control"] = "no-store"
    return response


def _is_known(actor: str, names: readwords.Names) -> bool:
    sort, _colon, name = actor.partition(":")
    if sort == "person":
        return bool(names.people)
    if sort == "service":
        return Client.objects.filter(name=name).exists()
    return sort in ("system",) and bool(name)


def _day(said: str) -> date | None:
    try:
        return parse_date(said)
    except ValueError:
        return None
