"""Acts on a business clock: pause, resume, extend, and set a pause right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from cases import access, dates, explain
from cases.errors import NoSuchCase
from cases.forms import long_text
from cases.models import Case
from cases.once import Answer
from cases.views.acting import carry_out
from cases.views.pages import case_for, head_of
from cases.views.signing import actor_of, person_of, signed_in
from processes.acts import caseclocks
from processes.kinds import kind_of
from timers import calendars, clock
from timers.clocks import ClockState, Terms
from timers.models import Clock
from timers.reckoning import day_of
from timers.spans import Span, days

LONGEST_PAUSE_DAYS = 3660


def day_field(label: Any, *, help_text: Any = "", required: bool = True) -> forms.DateField:
    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    return forms.DateField(label=label, help_text=help_text, required=required, widget=widget)


class PauseForm(forms.Form):
    since = day_field(
        gettext_lazy("Stands still from"),
        help_text=gettext_lazy("This day still counts; the days after it do not."),
    )
    at_most = forms.IntegerField(
        label=gettext_lazy("For at most so many days"),
        required=False,
        min_value=1,
        max_value=LONGEST_PAUSE_DAYS,
        help_text=gettext_lazy("Empty: as long as the terms of the clock allow."),
    )
    reason = long_text(gettext_lazy("Reason"), help_text=gettext_lazy("The customer may read it."))


class ResumeForm(forms.Form):
    until = day_field(
        gettext_lazy("Goes on from"),
        help_text=gettext_lazy("The days after this one count again."),
    )
    reason = long_text(gettext_lazy("Remark"), required=False)


class ExtendForm(forms.Form):
    reason = long_text(gettext_lazy("Reason"), help_text=gettext_lazy("The customer may read it."))


class CorrectForm(forms.Form):
    since = day_field(
        gettext_lazy("Stood still from"),
        required=False,
        help_text=gettext_lazy("Empty both days if the clock never stood still."),
    )
    until = day_field(
        gettext_lazy("Until"), required=False, help_text=gettext_lazy("Empty: it still does.")
    )
    reason = long_text(gettext_lazy("Why it is corrected"))


@require_http_methods(["GET", "POST"])
@signed_in
def pause(request: HttpRequest, reference: str, name: str) -> HttpResponse:
    """Let a clock stand still."""
    case, row, terms = _found(request, reference, name)
    form = PauseForm(request.POST or None, initial={"since": _today(row.stood)})

    def act() -> Answer:
        most: int | None = form.cleaned_data["at_most"]
        state = caseclocks.pause_clock(
            case_id=case.pk,
            name=name,
            since=_since_now(form.cleaned_data["since"], row.stood),
            at_most=days(most) if most else None,
            reason=form.cleaned_data["reason"],
            actor=actor_of(request),
        )
        return Answer(case.get_absolute_url(), _said(state))

    cap = terms.pause_at_most if terms else None
    return _page(request, case, row, form, act, verb=_("Pause the clock"), limit=cap)


@require_http_methods(["GET", "POST"])
@signed_in
def resume(request: HttpRequest, reference: str, name: str) -> HttpResponse:
    """Let a paused clock go on."""
    case, row, _terms = _found(request, reference, name)
    form = ResumeForm(request.POST or None, initial={"until": _today(row.stood)})

    def act() -> Answer:
        state = caseclocks.resume_clock(
            case_id=case.pk,
            name=name,
            until=_since_now(form.cleaned_data["until"], row.stood),
            reason=form.cleaned_data["reason"],
            actor=actor_of(request),
        )
        return Answer(case.get_absolute_url(), _said(state))

    return _page(request, case, row, form, act, verb=_("Let the clock go on"))


@require_http_methods(["GET", "POST"])
@signed_in
def extend(request: HttpRequest, reference: str, name: str) -> HttpResponse:
    """Give a clock more time, by what its terms allow."""
    case, row, terms = _found(request, reference, name)
    form = ExtendForm(request.POST or None)

    def act() -> Answer:
        state = caseclocks.extend_clock(
            case_id=case.pk,
            name=name,
            reason=form.cleaned_data["reason"],
            actor=actor_of(request),
        )
        return Answer(case.get_absolute_url(), _said(state))

    by = terms.extend_by if terms else None
    return _page(request, case, row, form, act, verb=_("Extend the clock"), by=by)


@require_http_methods(["GET", "POST"])
@signed_in
def correct(request: HttpRequest, reference: str, name: str, number: int) -> HttpResponse:
    """Set the days of a pause right."""
    case, row, _terms = _found(request, reference, name, right="correct clock")
    state = row.stood
    if number >= len(state.pauses):
        raise NoSuchCase(_("This clock has no such pause."))
    calendar = calendars.named(state.calendar)
    wrong = state.pauses[number]
    initial = {
        "since": day_of(wrong.since, calendar),
        "until": day_of(wrong.until, calendar) if wrong.until is not None else None,
    }
    form = CorrectForm(request.POST or None, initial=initial)

    def act() -> Answer:
        after = caseclocks.correct_pause(
            case_id=case.pk,
            name=name,
            pause=number,
            since=form.cleaned_data["since"],
            until=form.cleaned_data["until"],
            reason=form.cleaned_data["reason"],
            actor=actor_of(request),
        )
        return Answer(case.get_absolute_url(), _said(after))

    return _page(request, case, row, form, act, verb=_("Correct the pause"), pause=wrong.reason)


def _found(
    request: HttpRequest, reference: str, name: str, *, right: str = "work on case"
) -> tuple[Case, Clock, Terms | None]:
    case = case_for(person_of(request), reference)
    access.require(actor_of(request), right, case)
    row = None if "\0" in name else Clock.objects.filter(case_id=case.pk, name=name).first()
    if row is None:
        raise NoSuchCase(_("This case has no such clock."))
    return case, row, kind_of(case.kind).clocks.get(name)


def _today(state: ClockState) -> Any:
    return calendars.named(state.calendar).local(clock.now()).date()


def _since_now(day: Any, state: ClockState) -> Any:
    """Today means now, to the minute, for the clocks that count hours."""
    return clock.now() if day == _today(state) else day


def _said(state: ClockState) -> str:
    if state.limit_at is None:
        return _("Done. The limit is open until the clock goes on.")
    return _("Done. The limit is now %(day)s.") % {"day": dates.day(state.limit_at)}


def _page(
    request: HttpRequest,
    case: Case,
    row: Clock,
    form: forms.Form,
    act: Callable[[], Answer],
    *,
    verb: str,
    limit: Span | None = None,
    by: Span | None = None,
    pause: str = "",
) -> HttpResponse:
    def show(form: Any, status: int = 200) -> HttpResponse:
        fresh = case_for(person_of(request), case.reference)
        head = head_of(request, fresh)
        stood = Clock.objects.get(pk=row.pk).stood
        view = explain.view_of(stood, title=head["words"].clock(row.name), now=clock.now())
        context = {
            **head,
            "form": form,
            "clock": view,
            "verb": verb,
            "limit": explain.span_words(limit) if limit else "",
            "by": explain.span_words(by) if by else "",
            "pause": pause,
        }
        return render(request, "cases/clock_act.html", context, status=status)

    if request.method == "POST":
        return carry_out(request, form=form, act=act, show=show)
    return show(form)
