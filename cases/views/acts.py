"""Acts on a case as a whole: open it, move it, assign it, change its facts."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from cases import access, presence, queries
from cases.actors import Actor
from cases.alike import Alike, MayBeTheSame, cases_alike
from cases.errors import NoSuchCase, TransitionRefused
from cases.forms import HandOverForm, MoveForm, ReasonForm, read_as_written
from cases.once import Answer
from cases.views.acting import carry_out, required_seen, undo_of
from cases.views.case import overtaken
from cases.views.drafting import filled_in
from cases.views.pages import case_for, head_of
from cases.views.signing import actor_of, person_of, signed_in
from cases.words import Words
from processes.acts import cases, messages, reopening
from processes.kinds import kind_of, kinds
from timers import clock

FACT_LEFT_OUT = ("title",)  # asked beside the facts, and no fact itself


@require_http_methods(["GET", "POST"])
@signed_in
def new_case(request: HttpRequest, kind_name: str) -> HttpResponse:
    """Open a case of a kind by hand."""
    actor, person = actor_of(request), person_of(request)
    access.require(actor, "open case")
    kind = kinds().get(kind_name)
    if kind is None or kind.form is None:
        raise NoSuchCase(_("There is no such kind of case that people open by hand."))
    form = kind.form(request.POST or None)
    read_as_written(form)
    if "title" not in form.fields:
        form.fields["title"] = forms.CharField(
            label=_("Title"), max_length=200, help_text=_("As the lists show it: whose case it is.")
        )
        form.order_fields(["title", *form.fields])

    draft = filled_in(request, form)
    found: list[Alike] = []

    def act() -> Answer:
        facts = {name: one for name, one in form.cleaned_data.items() if name not in FACT_LEFT_OUT}
        found[:] = cases_alike(
            person, kind, facts=facts, title=form.cleaned_data["title"], now=clock.now()
        )
        if not {one.case.reference for one in found} <= set(request.POST.get("anyway", "").split()):
            raise MayBeTheSame(
                ngettext(
                    "Look at %(n)s case first: it may be the same, or of the same person.",
                    "Look at %(n)s cases first: they may be the same, or of the same person.",
                    len(found),
                )
                % {"n": len(found)}
            )
        opened = cases.open_case(
            kind=kind.name,
            facts=facts,
            title=form.cleaned_data["title"],
            actor=actor,
            owner=person,
            team=person.team,
            alike=[one.case.reference for one in found],
        )
        said = _("Case %(reference)s is open.") % {"reference": opened.reference}
        return Answer(opened.get_absolute_url(), said)

    def show(form: forms.Form, status: int = 200) -> HttpResponse:
        context = {"form": form, "kind": kind, "draft": draft, "alike": found, "section": "cases"}
        return render(request, "cases/new_case.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


@require_http_methods(["GET", "POST"])
@signed_in
def move_case(request: HttpRequest, reference: str, name: str) -> HttpResponse:
    """Take a transition by hand: facts, consequence and reason on a page of its own."""
    person = person_of(request)
    case = case_for(person, reference)
    access.require(actor_of(request), "work on case", case)
    edge = next((one for one in cases.staff_edges(case, person) if one.name == name), None)
    if edge is None:
        raise TransitionRefused(
            _("%(reference)s cannot do that from where it stands now.") % {"reference": case}
        )
    form = MoveForm(request.POST or None, edge=edge)

    def act() -> Answer:
        moved = cases.move_case(
            case_id=case.pk, name=name, data=form.cleaned_data, actor=actor_of(request)
        )
        return Answer(moved.get_absolute_url(), _("%(done)s: done.") % {"done": edge.label})

    return _form_page(request, case, form, "cases/move.html", act, edge=edge)


@require_http_methods(["GET", "POST"])
@signed_in
def reopen_case(request: HttpRequest, reference: str, name: str) -> HttpResponse:
    """Open a closed case again: where it goes on, what that does, and the reason for it."""
    person = person_of(request)
    case = case_for(person, reference)
    access.require(actor_of(request), "reopen case", case)
    edge = next((one for one in reopening.ways_to_reopen(case, person) if one.name == name), None)
    # Sent twice, the case is open by now: the first answer is given again.
    if edge is None and request.method == "GET":
        raise TransitionRefused(_("%(case)s cannot be reopened.") % {"case": case})
    form = ReasonForm(request.POST or None)
    form.fields["reason"].help_text = _("The customer reads it, and it stays in the history.")

    def act() -> Answer:
        reopening.reopen_case(
            case_id=case.pk, name=name, reason=form.cleaned_data["reason"], actor=actor_of(request)
        )
        return Answer(case.get_absolute_url(), _("The case is open again."))

    return _form_page(request, case, form, "cases/reopen.html", act, edge=edge)


@require_http_methods(["GET", "POST"])
@signed_in
def record_answer(request: HttpRequest, reference: str, name: str) -> HttpResponse:
    """Record an answer that came by post, phone or at the counter, for the one who gave it."""
    person = person_of(request)
    case = case_for(person, reference)
    access.require(actor_of(request), "work on case", case)
    wait = next((w for w in case.waits if w["kind"] == "message" and w["name"] == name), None)
    form_class = kind_of(case.kind).answer_form(name)
    if wait is None or form_class is None:
        raise TransitionRefused(
            _("%(reference)s does not wait for this answer now.") % {"reference": case}
        )
    form = form_class(request.POST or None)
    read_as_written(form)
    what = Words(kind_of(case.kind)).message(name)

    def act() -> Answer:
        messages.deliver_message(
            case_id=case.pk,
            name=name,
            data=form.cleaned_data,
            source="staff",
            key=f"{case.pk}.{case.visit}.{wait['command']}",
            actor=Actor.of(person, on_behalf=f"party:{wait['on']}"),
        )
        return Answer(case.get_absolute_url(), _("The answer is recorded."))

    return _form_page(request, case, form, "cases/record_answer.html", act, wait=wait, what=what)


@require_http_methods(["GET", "POST"])
@signed_in
def assign_case(request: HttpRequest, reference: str) -> HttpResponse:
    """Give a case to a caseworker."""
    case = case_for(person_of(request), reference)
    access.require(actor_of(request), "assign case", case)
    people = list(queries.may_have_cases(person_of(request)))
    initial = {"to": person_of(request)} if case.owner_id is None else {}
    form = HandOverForm(request.POST or None, people=people, required=False, initial=initial)

    def act() -> Answer:
        to = form.cleaned_data["to"]
        cases.assign_case(
            case_id=case.pk, owner=to, actor=actor_of(request), reason=form.cleaned_data["reason"]
        )
        said = _("%(who)s has this case now.") % {"who": to}
        return Answer(case.get_absolute_url(), said, undo=undo_of(case, person_of(request)))

    return _form_page(request, case, form, "cases/assign.html", act)


@require_http_methods(["GET", "POST"])
@signed_in
def change_facts(request: HttpRequest, reference: str) -> HttpResponse:
    """Correct facts of a case, with the reason."""
    case = case_for(person_of(request), reference)
    access.require(actor_of(request), "work on case", case)
    form_class = forms.modelform_factory(
        type(case), form=_FactsForm, fields=kind_of(case.kind).correctable
    )
    form = form_class(request.POST or None, instance=case)
    read_as_written(form)
    for name, field in form.fields.items():
        field.show_hidden_initial = name != "reason"  # changed is what this person changed
    here = presence.others(person_of(request), request.path)

    def act() -> Answer:
        # Asked afresh: the form wrote what was typed into its own copy of the case.
        changes = {name: form.cleaned_data[name] for name in form.changed_facts()}
        cases.change_facts(
            case_id=case.pk,
            changes=changes,
            reason=form.cleaned_data["reason"],
            actor=actor_of(request),
            seen_number=required_seen(request),
        )
        undo = undo_of(case, person_of(request))
        return Answer(case.get_absolute_url(), _("The facts are changed."), undo=undo)

    return _form_page(request, case, form, "cases/facts.html", act, others=here, keeps=True)


class _FactsForm(forms.ModelForm):
    reason = ReasonForm.base_fields["reason"]

    def changed_facts(self) -> list[str]:
        return [name for name in self.changed_data if name != "reason"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.changed_facts() and not self.errors:
            raise forms.ValidationError(_("Nothing is different from what is known already."))
        return cleaned


def _form_page(
    request: HttpRequest, case: Any, form: Any, template: str, act: Any, **more: Any
) -> HttpResponse:
    def show(form: Any, status: int = 200) -> HttpResponse:
        # The case as it stands now: an act that was refused may have been overtaken.
        fresh = case_for(person_of(request), case.reference)
        context = {**head_of(request, fresh), "form": form, **more}
        if more.get("keeps"):
            presence.note(person_of(request), request.path)
            context |= overtaken(request, fresh, status)
            context["draft"] = filled_in(request, form)
        return render(request, template, context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)
