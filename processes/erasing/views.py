"""Pages of what is kept, held and erased: lists, requests, certificates, holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from cases import access
from cases.errors import Invalid, NoSuchCase
from cases.forms import EmptyForm, ReasonForm
from cases.models import Case, Destruction, DestructionRow, Erasure, Hold, Person
from cases.once import Answer
from cases.queries import PAGE_ROWS, people_named
from cases.views.acting import carry_out
from cases.views.pages import case_for, head_of
from cases.views.signing import actor_of, person_of, signed_in
from cases.views.work import page_of
from cases.words import Words, capitalised, plain
from processes import retention
from processes.acts import destructions, holds
from processes.acts import retention as rules
from processes.erasing import erase, people
from processes.erasing.forms import (
    FindForm,
    HoldForm,
    RequestForm,
    RestoreForm,
    RuleForm,
)
from processes.kinds import NoSuchKind, kind_of
from processes.work import destructions as work

SECTION = {"section": "destructions"}


def actors(*codes: str) -> Callable[[str], str]:
    """What the people and services of these codes are called."""
    words = Words(kind=None, people=people_named(codes))  # type: ignore[arg-type]
    return lambda code: words.actor(code) if code else ""


# -- lists and requests


@require_safe
@signed_in
def index(request: HttpRequest) -> HttpResponse:
    """Lists and requests, what waits for whom first; and the newest certificates."""
    return _show_index(request, EmptyForm())


def _show_index(request: HttpRequest, form: Any, status: int = 200) -> HttpResponse:
    access.require(actor_of(request), "see destructions")
    page = page_of(request)
    first = (page - 1) * PAGE_ROWS
    rows = Destruction.objects.select_related("first_by", "second_by")
    ordered = rows.extra(select={"over": "ended_at IS NOT NULL"}, order_by=["over", "-id"])
    shown = list(ordered[first : first + PAGE_ROWS + 1])
    counts = destructions.counts(shown)
    person = person_of(request)
    context = {
        "form": form,
        "rows": [
            {"made": one, "counts": counts[one.pk], "yours": destructions.may_approve(person, one)}
            for one in shown[:PAGE_ROWS]
        ],
        "page": page,
        "has_next": len(shown) > PAGE_ROWS,
        "certificates": Erasure.objects.select_related("case").order_by("-pk")[:10],
        "holds": Hold.objects.filter(lifted_at=None).count(),
        **SECTION,
    }
    return render(request, "processes/erasing/index.html", context, status=status)


@require_http_methods(["GET", "POST"])
@signed_in
def make(request: HttpRequest) -> HttpResponse:
    """Make a list of what has come, now."""
    access.require(actor_of(request), "destroy cases")

    def act() -> Answer:
        made = destructions.make_list(actor=actor_of(request))
        n = made.rows.count()
        said = ngettext("The list has %(n)s case.", "The list has %(n)s cases.", n) % {"n": n}
        return Answer(made.get_absolute_url(), said)

    def show(form: Any, status: int = 200) -> HttpResponse:
        return _show_index(request, form, status)

    if request.method == "POST":
        return carry_out(request, form=EmptyForm(request.POST), act=act, show=show)
    return redirect("destructions")


def _found(request: HttpRequest, pk: int) -> Destruction:
    access.require(actor_of(request), "see destructions")
    found = Destruction.objects.select_related("first_by", "second_by").filter(pk=pk).first()
    if found is None:
        raise NoSuchCase(_("There is no such list or request."))
    return found


@require_safe
@signed_in
def destruction(request: HttpRequest, pk: int) -> HttpResponse:
    """A list or request: each case, why it is on it, what became of it."""
    return _show(request, _found(request, pk), EmptyForm())


def _show(request: HttpRequest, made: Destruction, form: Any, status: int = 200) -> HttpResponse:
    person, page = person_of(request), page_of(request)
    first = (page - 1) * PAGE_ROWS
    rows = made.rows.select_related("case").order_by("pk")[first : first + PAGE_ROWS + 1]
    shown = list(rows)
    states = erase.states_of([one.case for one in shown[:PAGE_ROWS]])
    named = actors(made.asked_by, made.dropped_by, *(one.settled_by for one in shown))
    context = {
        "made": made,
        "form": form,
        "counts": destructions.counts([made])[made.pk],
        "rows": [_told(one, states[one.case_id], named) for one in shown[:PAGE_ROWS]],
        "page": page,
        "has_next": len(shown) > PAGE_ROWS,
        "asked_by": named(made.asked_by),
        "dropped_by": named(made.dropped_by),
        "yours": destructions.may_approve(person, made),
        "destroys": access.may(person, "destroy cases"),
        **SECTION,
    }
    return render(request, "processes/erasing/destruction.html", context, status=status)


def _told(row: DestructionRow, state: Any, named: Callable[[str], str]) -> dict[str, Any]:
    kept, hold, why_not = state
    listed = row.state == DestructionRow.State.LISTED
    return {
        "row": row,
        "kept": kept,
        "hold": hold if listed else None,
        "why_not": str(why_not) if listed and why_not is not None else "",
        "by": named(row.settled_by),
    }


@require_http_methods(["GET", "POST"])
@signed_in
def approve(request: HttpRequest, pk: int) -> HttpResponse:
    """The first approval, or the second on which it is carried out."""
    made = _found(request, pk)
    access.require(actor_of(request), "destroy cases")

    def act() -> Answer:
        held = destructions.approve(destruction_id=pk, actor=actor_of(request))
        if held.second_at is None:
            return Answer(
                held.get_absolute_url(),
                _("You approved it. It is carried out when a second person approves it too."),
            )
        return Answer(held.get_absolute_url(), _("Two people have approved it. It is carried out."))

    def show(form: Any, status: int = 200) -> HttpResponse:
        return _show(request, _found(request, pk), form, status)

    if request.method != "POST":
        return redirect(made.get_absolute_url())
    answer = carry_out(request, form=EmptyForm(request.POST), act=act, show=show)
    if Destruction.objects.filter(pk=pk, second_at__isnull=False, begun_at=None).exists():
        work.publish(pk)
    return answer


@require_http_methods(["GET", "POST"])
@signed_in
def drop(request: HttpRequest, pk: int) -> HttpResponse:
    """Give it up, for a reason."""
    made = _found(request, pk)
    access.require(actor_of(request), "destroy cases")

    def act() -> Answer:
        destructions.drop(
            destruction_id=pk,
            reason=form.cleaned_data["reason"],
            actor=actor_of(request),
        )
        return Answer(reverse("destructions"), _("It was given up. No case of it is erased now."))

    form = ReasonForm(request.POST or None)
    return _small(request, form, act, "drop", made.get_absolute_url(), made=made)


@require_http_methods(["GET", "POST"])
@signed_in
def take_off(request: HttpRequest, pk: int, row_pk: int) -> HttpResponse:
    """Take one case off, for a reason."""
    made = _found(request, pk)
    access.require(actor_of(request), "destroy cases")
    row = made.rows.select_related("case").filter(pk=row_pk).first()
    if row is None:
        raise NoSuchCase(_("There is no such case on this list."))
    form = ReasonForm(request.POST or None)

    def act() -> Answer:
        destructions.take_off(
            row_id=row_pk, reason=form.cleaned_data["reason"], actor=actor_of(request)
        )
        said = _("%(case)s was taken off.") % {"case": row.case.reference}
        return Answer(made.get_absolute_url(), said)

    return _small(request, form, act, "off", made.get_absolute_url(), made=made, row=row)


def _small(
    request: HttpRequest,
    form: Any,
    act: Callable[[], Answer],
    what: str,
    back: str,
    **context: Any,
) -> HttpResponse:
    """A page with one small form."""

    def show(form: Any, status: int = 200) -> HttpResponse:
        shown = {"form": form, "act": what, "back": back, **context, **SECTION}
        return render(request, "processes/erasing/act.html", shown, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


# -- a person


@require_http_methods(["GET", "POST"])
@signed_in
def person(request: HttpRequest) -> HttpResponse:
    """All cases of a person, whether each can be erased, and the request to do so."""
    access.require(actor_of(request), "destroy cases")
    text = request.GET.get("text", "").strip()[:200].replace("\0", "")
    find = FindForm({"text": text} if text else None)
    found: list[people.Of] = []
    if text:
        try:
            found = _cases_of(person_of(request), text)
        except Invalid as error:
            find.add_error("text", str(error))
    rows = _rows_of(found)
    choices = [(str(one["case"].pk), one["case"].reference) for one in rows]
    form = RequestForm(request.POST or None, choices=choices)

    def act() -> Answer:
        given = form.cleaned_data
        made = destructions.request_erasure(
            case_ids=[int(one) for one in given["cases"]],
            reason=given["reason"],
            basis=given["basis"],
            stays=given["stays"],
            actor=actor_of(request),
        )
        said = _("The request is made. It is carried out when a second person approves it.")
        return Answer(made.get_absolute_url(), said)

    def show(form: Any, status: int = 200) -> HttpResponse:
        chosen = set(request.POST.getlist("cases"))
        for one in rows:
            is_chosen = str(one["case"].pk) in chosen
            one["is_chosen"] = is_chosen if request.method == "POST" else one["of"].is_sure
        context = {
            "find": find,
            "form": form,
            "text": text,
            "rows": rows,
            "facts": people.identifying_facts(),
            "here": request.get_full_path(),
            **SECTION,
        }
        return render(request, "processes/erasing/person.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


def _cases_of(person: Person, text: str) -> list[people.Of]:
    visible = access.visible_cases(person)
    case = visible.filter(reference__iexact=text).first()
    if case is not None:
        return people.cases_of(retention.as_their_kinds([case])[0])
    return people.cases_identified_by(text)


def _rows_of(found: list[people.Of]) -> list[dict[str, Any]]:
    states = erase.states_of([one.case for one in found])
    rows = []
    for one in found:
        kept, hold, why_not = states[one.case.pk]
        rows.append({"case": one.case, "of": one, "kept": kept, "hold": hold, "why_not": why_not})
    return rows


# -- certificates


@require_safe
@signed_in
def certificates(request: HttpRequest) -> HttpResponse:
    """The ledger of everything that was erased, the newest first."""
    access.require(actor_of(request), "see destructions")
    page = page_of(request)
    first = (page - 1) * PAGE_ROWS
    found: QuerySet[Erasure] = Erasure.objects.select_related("case").order_by("-pk")
    shown = list(found[first : first + PAGE_ROWS + 1])
    context = {
        "certificates": shown[:PAGE_ROWS],
        "page": page,
        "has_next": len(shown) > PAGE_ROWS,
        **SECTION,
    }
    return render(request, "processes/erasing/certificates.html", context)


@require_safe
@signed_in
def certificate(request: HttpRequest, number: str) -> HttpResponse:
    """One certificate, also for paper; for whoever sees the case or looks after what is kept."""
    found = Erasure.objects.select_related("case").filter(number=number).first()
    who = person_of(request)
    if found is None or not (
        access.may(who, "see destructions") or access.can_see(who, found.case)
    ):
        raise NoSuchCase(_("There is no certificate %(number)s.") % {"number": number[:40]})
    named = actors(found.first_by, found.second_by)
    context = {
        "certificate": found,
        "kind": kind_of(found.case.kind),
        "first_by": named(found.first_by),
        "second_by": named(found.second_by),
        "counts": sorted(found.counts.items()),
        "files": [(digest, found.files.get(digest, "")) for digest in found.digests],
        **SECTION,
    }
    return render(request, "processes/erasing/certificate.html", context)


# -- holds


@require_safe
@signed_in
def hold_list(request: HttpRequest) -> HttpResponse:
    """The holds that stand."""
    access.require(actor_of(request), "see destructions")
    page = page_of(request)
    first = (page - 1) * PAGE_ROWS
    rows = Hold.objects.filter(lifted_at=None).select_related("case").order_by("-pk")
    shown = list(rows[first : first + PAGE_ROWS + 1])
    named = actors(*(one.placed_by for one in shown))
    context = {
        "holds": [(one, named(one.placed_by)) for one in shown[:PAGE_ROWS]],
        "lifts": access.may(person_of(request), "hold case"),
        "page": page,
        "has_next": len(shown) > PAGE_ROWS,
        **SECTION,
    }
    return render(request, "processes/erasing/holds.html", context)


@require_http_methods(["GET", "POST"])
@signed_in
def hold(request: HttpRequest, reference: str) -> HttpResponse:
    """Hold a case, or all cases of its person."""
    case = case_for(person_of(request), reference)
    access.require(actor_of(request), "hold case")
    form = HoldForm(request.POST or None)

    def act() -> Answer:
        reason, actor = form.cleaned_data["reason"], actor_of(request)
        if form.cleaned_data["of_person"]:
            placed = holds.hold_person(case_id=case.pk, reason=reason, actor=actor)
        else:
            placed = holds.place_hold(case_ids=[case.pk], reason=reason, actor=actor)
        n = len(placed)
        said = ngettext("%(n)s case is held.", "%(n)s cases are held.", n) % {"n": n}
        return Answer(case.get_absolute_url(), said)

    return _case_form(request, case, form, act, "hold")


@require_http_methods(["GET", "POST"])
@signed_in
def lift(request: HttpRequest, pk: int) -> HttpResponse:
    """Lift a hold, with those that were placed together with it."""
    access.require(actor_of(request), "hold case")
    found = Hold.objects.select_related("case").filter(pk=pk).first()
    if found is None:
        raise NoSuchCase(_("There is no such hold."))
    case = case_for(person_of(request), found.case.reference)
    form = ReasonForm(request.POST or None)

    def act() -> Answer:
        lifted = holds.lift_hold(
            hold_id=pk, reason=form.cleaned_data["reason"], actor=actor_of(request)
        )
        n = len(lifted)
        said = ngettext(
            "The hold of %(n)s case is lifted.", "The holds of %(n)s cases are lifted.", n
        )
        return Answer(case.get_absolute_url(), said % {"n": n})

    together = Hold.objects.filter(batch=found.batch, lifted_at=None).select_related("case")
    return _case_form(request, case, form, act, "lift", hold=found, together=list(together[:50]))


def _case_form(
    request: HttpRequest,
    case: Case,
    form: Any,
    act: Callable[[], Answer],
    what: str,
    **more: Any,
) -> HttpResponse:
    def show(form: Any, status: int = 200) -> HttpResponse:
        shown = case_for(person_of(request), case.reference)
        context = {**head_of(request, shown), "form": form, "act": what, **more}
        return render(request, "processes/erasing/hold.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


# -- rules


@require_safe
@signed_in
def rule_list(request: HttpRequest) -> HttpResponse:
    """How long cases of each kind are kept, by how they end."""
    who = person_of(request)
    if not access.may(who, "change retention"):
        access.require(actor_of(request), "see destructions")
    context = {
        "rulings": [(one, ending_words(one)) for one in retention.rulings()],
        "changes": access.may(who, "change retention"),
        "section": "administration",
    }
    return render(request, "processes/erasing/rules.html", context)


def ending_words(one: retention.Ruling) -> str:
    """How a case ended, for people."""
    if not one.ending:
        return _("any other end")
    steps = {str(step) for step in one.kind.model.closing_steps}
    return (
        one.kind.step_label(one.ending) if one.ending in steps else capitalised(plain(one.ending))
    )


@require_http_methods(["GET", "POST"])
@signed_in
def rule(request: HttpRequest, kind_name: str, ending: str = "") -> HttpResponse:
    """Change the rule for one end of one kind, or let the kind's own count again."""
    access.require(actor_of(request), "change retention")
    found = _ruling(kind_name, ending)
    restores = request.POST.get("restore") == "1"
    initial = {
        "months": found.rule.all_months,
        "since": found.rule.since,
        "basis": str(found.rule.basis),
    }
    data = request.POST if request.method == "POST" else None
    form: Any = RuleForm(None if restores else data, ruling=found, initial=initial)
    if restores:
        form = RestoreForm(data)

    def act() -> Answer:
        if restores:
            rules.restore_retention(
                kind=found.kind,
                ending=ending,
                why=form.cleaned_data["why"],
                actor=actor_of(request),
            )
            return Answer(reverse("retention"), _("The kind's own rule counts again."))
        rules.change_retention(
            kind=found.kind, ending=ending, actor=actor_of(request), **form.cleaned_data
        )
        return Answer(reverse("retention"), _("The rule is changed. It counts at once."))

    def show(form: Any, status: int = 200) -> HttpResponse:
        is_restoring = isinstance(form, RestoreForm)
        context = {
            "found": found,
            "words": ending_words(found),
            "form": RuleForm(None, ruling=found, initial=initial) if is_restoring else form,
            "restore": form if is_restoring else RestoreForm(),
            "section": "administration",
        }
        return render(request, "processes/erasing/rule.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


def _ruling(kind_name: str, ending: str) -> retention.Ruling:
    try:
        kind = kind_of(kind_name)
    except NoSuchKind as error:
        raise NoSuchCase(str(error)) from error
    for one in retention.rulings():
        if one.kind is kind and one.ending == ending:
            return one
    raise NoSuchCase(_("Cases of this kind do not end so."))
