"""How long cases are kept, by kind and by how they end."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from cases import access
from cases.errors import NoSuchCase
from cases.once import Answer
from cases.views.acting import carry_out
from cases.views.signing import actor_of, person_of, signed_in
from cases.words import capitalised, plain
from processes import retention
from processes.acts import retention as rules
from processes.erasing.forms import (
    RestoreForm,
    RuleForm,
)
from processes.kinds import NoSuchKind, kind_of


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
