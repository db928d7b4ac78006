"""Checks over all cases: the last ones and a new one, anchors by day, public keys, the verifier."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.http import FileResponse, Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from audit import anchors, bundle, elsewhere
from audit.models import Anchor
from cases import access
from cases.errors import NoSuchCase
from cases.forms import EmptyForm
from cases.models import Case, Person
from cases.once import Answer
from cases.views.acting import carry_out
from cases.views.pages import case_for
from cases.views.signing import actor_of, person_of, signed_in
from cases.views.work import page_of
from cases.words import plain
from processes import proof
from processes.models import CheckRun
from processes.proof import anchoring, outlets, role, runs
from processes.proof.forms import CheckForm

SECTION = {"section": "checks"}
RUNS_SHOWN = 8
ANCHORS_SHOWN = 20
FINDINGS_SHOWN = 100
CALL = " \\\n  ".join(
    ["python3 longcase_verify.py", "CASE.jsonl", "--anchors FOLDER", "--keys longcase-keys.txt"]
)
VERIFIER = Path(bundle.__file__).parent / "standalone" / "longcase_verify.py"


@require_http_methods(["GET", "POST"])
@signed_in
def checks(request: HttpRequest) -> HttpResponse:
    """The last checks, the anchors, and asking for a check."""
    access.require(actor_of(request), "check histories")
    form = CheckForm(request.POST or None)

    def act() -> Answer:
        asked = runs.ask(how=form.cleaned_data["how"], actor=actor_of(request))
        return Answer(reverse("check-run", args=[asked.pk]), _("The check has begun."))

    if request.method == "POST":
        return carry_out(
            request, form=form, act=act, show=lambda form, status: _show(request, form, status)
        )
    return _show(request, form, 200)


def _show(request: HttpRequest, form: CheckForm, status: int) -> HttpResponse:
    page = page_of(request)
    first = (page - 1) * ANCHORS_SHOWN
    found = Anchor.objects.order_by("-number").prefetch_related("sendings")
    shown = list(found[first : first + ANCHORS_SHOWN + 1])
    newest = anchors.newest()
    sendings = list(newest.sendings.all()) if newest else []
    context = {
        "form": form,
        "runs": [_told(one) for one in CheckRun.objects.order_by("-pk")[:RUNS_SHOWN]],
        "anchors": [_anchor_told(one) for one in shown[:ANCHORS_SHOWN]],
        "page": page,
        "has_next": len(shown) > ANCHORS_SHOWN,
        "newest": _anchor_told(newest) if newest else None,
        "trouble": anchoring.trouble(),
        "outlets": len(outlets.configured()),
        "arrived": sum(one.state == "done" for one in sendings),
        "keys": anchoring.public_keys(),
        "role": role.trouble(),
        "verifier": VERIFIER.name,
        "call": CALL,
        **SECTION,
    }
    return render(request, "processes/proof/checks.html", context, status=status)


def _told(run: CheckRun) -> dict[str, Any]:
    return {"run": run, "who": _who(run.actor)}


def _anchor_told(anchor: Anchor) -> dict[str, Any]:
    return {
        "anchor": anchor,
        "said": anchors.said_in(anchor),
        "sendings": list(anchor.sendings.all()),
    }


def _who(actor: str) -> str:
    number = actor.partition(":")[2]
    person = Person.objects.filter(pk=int(number)).first() if number.isdecimal() else None
    return str(person) if person else plain(actor)


@require_safe
@signed_in
def run(request: HttpRequest, pk: int) -> HttpResponse:
    """How far a check is, and what it found."""
    access.require(actor_of(request), "check histories")
    found = CheckRun.objects.filter(pk=pk).first()
    if found is None:
        raise NoSuchCase(_("There is no such check any more; the last ones are kept."))
    page = page_of(request)
    first = (page - 1) * FINDINGS_SHOWN
    rows = list(found.findings.all()[first : first + FINDINGS_SHOWN + 1])
    cases = Case.objects.filter(reference__in=[one.reference for one in rows])
    context = {
        **_told(found),
        "findings": rows[:FINDINGS_SHOWN],
        "known": set(cases.values_list("reference", flat=True)),
        "page": page,
        "has_next": len(rows) > FINDINGS_SHOWN,
        "kept": runs.FINDINGS,
        **SECTION,
    }
    return render(request, "processes/proof/run.html", context)


def anchor_for(request: HttpRequest, number: int) -> Anchor:
    """The anchor, for those who check histories."""
    access.require(actor_of(request), "check histories")
    found = Anchor.objects.filter(number=number).first()
    if found is None:
        raise NoSuchCase(_("There is no anchor %(n)s.") % {"n": number})
    return found


@require_safe
@signed_in
def anchor(request: HttpRequest, number: int) -> HttpResponse:
    """One anchor: what it says, who signed it, and where it went."""
    return _show_anchor(request, anchor_for(request, number), EmptyForm(), 200)


def _show_anchor(request: HttpRequest, found: Anchor, form: Any, status: int) -> HttpResponse:
    told = _anchor_told(found)
    context = {
        **told,
        "form": form,
        "text": json.dumps(told["said"], indent=2),
        "waiting": any(one.state != "done" for one in told["sendings"]),
        "hash": bytes(found.hash).hex(),
        **SECTION,
    }
    return render(request, "processes/proof/anchor.html", context, status=status)


@require_http_methods(["GET", "POST"])
@signed_in
def send(request: HttpRequest, number: int) -> HttpResponse:
    """Try at once what has not arrived."""
    found = anchor_for(request, number)

    def act() -> Answer:
        outlets.try_now(found)
        anchoring.publish()
        return Answer(reverse("anchor", args=[found.number]), _("It is being sent again."))

    def show(form: Any, status: int = 200) -> HttpResponse:
        return _show_anchor(request, found, form, status)

    if request.method == "POST":
        return carry_out(request, form=EmptyForm(request.POST), act=act, show=show)
    return show(EmptyForm())


@require_safe
@signed_in
def case(request: HttpRequest, reference: str) -> HttpResponse:
    """The history of one case, hashed from its first event, and the anchors that hold it."""
    found = case_for(person_of(request), reference)
    context = {
        "case": found,
        "checked": proof.checked(found, whole=True),
        "head": bytes(found.head_hash).hex(),
        "section": "cases",
    }
    return render(request, "processes/proof/case.html", context)


# -- files


@require_safe
@signed_in
def anchor_file(request: HttpRequest, number: int) -> HttpResponse:
    """An anchor as a file, for who keeps them elsewhere."""
    found = anchor_for(request, number)
    return _file(outlets.file_of(found), f"{elsewhere.file_name(found)}.json", "application/json")


@require_safe
@signed_in
def heads_file(request: HttpRequest, number: int) -> StreamingHttpResponse:
    """The heads that moved at an anchor, a line each: the tree that its root seals."""
    found = anchor_for(request, number)
    lines = (f"{text}\n" for text in anchors.moved_texts(found.number))
    return _stream(lines, f"{elsewhere.file_name(found)}.heads")


@require_safe
@signed_in
def all_anchors(request: HttpRequest) -> StreamingHttpResponse:
    """All anchors in one file, a line each, for the verifier."""
    access.require(actor_of(request), "check histories")

    def lines() -> Iterator[str]:
        for one in Anchor.objects.order_by("number").iterator(chunk_size=500):
            yield outlets.file_of(one)

    return _stream(lines(), "anchors.jsonl")


@require_safe
def keys(request: HttpRequest) -> HttpResponse:
    """The public keys, for anybody."""
    return _file(anchoring.keys_file(), "longcase-keys.txt", "text/plain; charset=utf-8")


@require_safe
def verifier(request: HttpRequest) -> FileResponse:
    """The verifier that stands alone, for anybody."""
    if not VERIFIER.exists():
        raise Http404
    return FileResponse(
        VERIFIER.open("rb"),
        as_attachment=True,
        filename=VERIFIER.name,
        content_type="text/x-python",
    )


def _file(content: str, name: str, content_type: str) -> HttpResponse:
    answer = HttpResponse(content, content_type=content_type)
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def _stream(lines: Iterator[str], name: str) -> StreamingHttpResponse:
    answer = StreamingHttpResponse(lines, content_type="application/x-ndjson")
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer
