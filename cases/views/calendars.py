"""The business calendars: everyone may read them, administrators change them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from cases import access, queries
from cases.errors import NoSuchCase
from cases.forms import long_text
from cases.models import Team
from cases.once import Answer
from cases.views.acting import carry_out
from cases.views.clocks import day_field
from cases.views.signing import actor_of, person_of, signed_in
from cases.words import Words, plain
from processes.acts import calendars as acts
from processes.kinds import kinds
from timers import calendars, clock
from timers.models import CalendarRow

CHANGES_SHOWN = 50
DAYS_AHEAD = 400


class NewCalendarForm(forms.Form):
    name = forms.SlugField(
        label=gettext_lazy("Name"),
        max_length=60,
        help_text=gettext_lazy("“organisation” is the one that counts where no other is chosen."),
    )
    title = forms.CharField(label=gettext_lazy("Title"), max_length=200)
    country = forms.CharField(
        label=gettext_lazy("Country"), max_length=3, help_text=gettext_lazy("Such as NL.")
    )
    region = forms.CharField(label=gettext_lazy("Region"), max_length=10, required=False)
    opens = forms.TimeField(label=gettext_lazy("Opens"), initial="09:00")
    closes = forms.TimeField(label=gettext_lazy("Closes"), initial="17:00")
    kind = forms.ChoiceField(label=gettext_lazy("For cases of this kind"), required=False)
    team = forms.ModelChoiceField(
        Team.objects.none(), label=gettext_lazy("For cases of this team"), required=False
    )
    base = forms.ChoiceField(
        label=gettext_lazy("Takes over the local days of"),
        required=False,
    )
    why = long_text(gettext_lazy("Why"), help_text=gettext_lazy("Stays in its history."))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        known = [(one.name, str(one.title)) for one in kinds().values()]
        others = [(one.name, one.title) for one in CalendarRow.objects.all()]
        self.fields["kind"].choices = [("", _("all kinds")), *known]
        self.fields["base"].choices = [("", _("none")), *others]
        self.fields["team"].queryset = Team.objects.order_by("name")


class DayForm(forms.Form):
    day = day_field(gettext_lazy("Day"))
    what = forms.ChoiceField(
        label=gettext_lazy("It is"),
        choices=[
            ("free", gettext_lazy("free")),
            ("works", gettext_lazy("a working day")),
            ("law", gettext_lazy("as the law says")),
        ],
    )
    title = forms.CharField(
        label=gettext_lazy("Name of the day"),
        max_length=100,
        required=False,
        help_text=gettext_lazy("People read it where a date is explained."),
    )
    why = long_text(gettext_lazy("Why"), help_text=gettext_lazy("Stays in its history."))

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        if found.get("what") == "free" and not found.get("title"):
            self.add_error("title", _("Name the free day."))
        return found


@dataclass(frozen=True, slots=True)
class FreeDay:
    day: date
    name: str
    is_local: bool


@require_http_methods(["GET", "POST"])
@signed_in
def calendar_list(request: HttpRequest) -> HttpResponse:
    """All calendars; administrators make new ones."""
    person = person_of(request)
    changes = access.may(person, "change calendar")
    form = NewCalendarForm(request.POST or None)

    def act() -> Answer:
        data = dict(form.cleaned_data)
        team = data.pop("team")
        data["country"], data["region"] = data["country"].upper(), data["region"].upper()
        row = acts.create_calendar(
            actor=actor_of(request), team_id=team.pk if team else None, **data
        )
        return Answer(reverse("calendar", args=[row.name]), _("The calendar is there."))

    def show(form: Any, status: int = 200) -> HttpResponse:
        context = {
            "rows": CalendarRow.objects.all(),
            "form": form if changes else None,
            "default": calendars.default(),
            "section": "calendars",
        }
        return render(request, "cases/calendars.html", context, status=status)

    if request.method == "POST":
        access.require(actor_of(request), "change calendar")
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


@require_http_methods(["GET", "POST"])
@signed_in
def calendar(request: HttpRequest, name: str) -> HttpResponse:
    """One calendar: the free days ahead, its local days, who changed it why."""
    person = person_of(request)
    changes = access.may(person, "change calendar")
    form = DayForm(request.POST or None)

    def act() -> Answer:
        row = acts.set_day(actor=actor_of(request), name=name, **form.cleaned_data)
        said = _("The calendar is changed. Open cases that count on it are counted again.")
        return Answer(reverse("calendar", args=[row.name]), said)

    def show(form: Any, status: int = 200) -> HttpResponse:
        row = None if "\0" in name else CalendarRow.objects.filter(name=name).first()
        if row is None:
            raise NoSuchCase(_("There is no such calendar."))
        known = list(row.changes.order_by("-pk")[:CHANGES_SHOWN])
        people = queries.people_named({one.by for one in known})
        words = Words(next(iter(kinds().values())), people=people)
        context = {
            "row": row,
            "team": Team.objects.filter(pk=row.team_id).first() if row.team_id else None,
            "kind": kinds()[row.kind].title if row.kind in kinds() else plain(row.kind),
            "free": _free_days(row.name),
            "changes": [(one, words.actor(one.by)) for one in known],
            "is_being_followed": row.version > row.swept_version,
            "form": form if changes else None,
            "section": "calendars",
        }
        return render(request, "cases/calendar.html", context, status=status)

    if request.method == "POST":
        access.require(actor_of(request), "change calendar")
        return carry_out(request, form=form, act=act, show=show)
    return show(form)


def _free_days(name: str) -> list[FreeDay]:
    """The named free days of the next year, and the working days that the law would have free."""
    calendar = calendars.named(name)
    today = calendar.local(clock.now()).date()
    found = []
    for ahead in range(DAYS_AHEAD):
        day = today + timedelta(days=ahead)
        free = calendar.name_of_free_day(day)
        if free and not calendar.is_weekend(day):
            found.append(FreeDay(day, free, day in calendar.free_days))
        elif day in calendar.working_days:
            found.append(FreeDay(day, _("a working day"), True))
    return found
