"""The figures of a team as rows with their charts and sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from cases import charts, dates
from cases.figures import Age, Load, StepTime, Week
from cases.teamcases import AGES

AGE_WORDS = (
    gettext_lazy("0–14 days"),
    gettext_lazy("15–28 days"),
    gettext_lazy("29–56 days"),
    gettext_lazy("57–90 days"),
    gettext_lazy("over 90 days"),
)


def age_words(place: int) -> str:
    return str(AGE_WORDS[place])


@dataclass(frozen=True, slots=True)
class LoadRow:
    """A caseworker with the bar of their load."""

    load: Load
    bar: SafeString
    words: str  # the same as the bar, for whoever does not see it


def load_rows(loads: Sequence[Load]) -> list[LoadRow]:
    """Bars on one scale, so that they can be held against each other."""
    held = [one for one in loads if one.person is not None]
    most = max((max(one.cases, one.capacity or 0) for one in held), default=1)
    return [
        LoadRow(
            one,
            charts.parts_bar(
                [("active", one.active), ("waits", one.waiting), ("still", one.paused)],
                most=most if one.person is not None else max(most, one.cases),
                mark=one.capacity,
            ),
            _("%(active)s active, %(waiting)s waiting, %(paused)s paused")
            % {"active": one.active, "waiting": one.waiting, "paused": one.paused},
        )
        for one in loads
    ]


@dataclass(frozen=True, slots=True)
class AgeRow:
    """A class of age with its bar."""

    age: Age
    words: str
    bar: SafeString


def age_rows(ages: Sequence[Age]) -> list[AgeRow]:
    most = max((one.cases for one in ages), default=1)
    return [
        AgeRow(
            one,
            age_words(one.place),
            charts.parts_bar([("miss", one.late), ("active", one.cases - one.late)], most=most),
        )
        for one in ages
    ]


assert len(AGE_WORDS) == len(AGES)


@dataclass(frozen=True, slots=True)
class WeeksChart:
    """The caseload of the last weeks: what is to be seen, the drawing, and the figures."""

    sentence: str
    drawing: SafeString
    rows: list[tuple[str, Week]]


def weeks_chart(weeks: Sequence[Week]) -> WeeksChart:
    labels = [dates.day(week.day, None)[:-5] for week in weeks]
    drawing = SafeString("")
    if len(weeks) > 1:
        drawing = charts.stacked_area(
            [
                ("active", _("In hand"), [one.in_hand for one in weeks]),
                ("waits", _("Waiting"), [one.waiting for one in weeks]),
                ("reviewed", _("In review"), [one.in_review for one in weeks]),
            ],
            labels,
            [one.day.toordinal() for one in weeks],
        )
    return WeeksChart(_weeks_sentence(weeks), drawing, list(zip(labels, weeks, strict=True)))


def _weeks_sentence(weeks: Sequence[Week]) -> str:
    """What the drawing shows: how the whole went, and what moved most."""
    first, last = weeks[0], weeks[-1]
    if len(weeks) == 1:
        return _("Figures are kept from this week on.")
    told = {"before": first.cases, "after": last.cases}
    if last.cases == first.cases:
        return _("Open cases stayed at %(after)s.") % told
    moved = [
        (last.in_hand - first.in_hand, _("cases in hand"), first.in_hand, last.in_hand),
        (last.waiting - first.waiting, _("waiting cases"), first.waiting, last.waiting),
        (last.in_review - first.in_review, _("reviews"), first.in_review, last.in_review),
    ]
    is_more = last.cases > first.cases
    change, what, low, high = (max if is_more else min)(moved, key=lambda one: one[0])
    told |= {"what": what, "low": low, "high": high}
    if change == 0:
        return _("Open cases went from %(before)s to %(after)s.") % told
    if is_more:
        return (
            _(
                "Open cases rose from %(before)s to %(after)s; %(what)s grew most "
                "(%(low)s to %(high)s)."
            )
            % told
        )
    return (
        _("Open cases fell from %(before)s to %(after)s; %(what)s fell most (%(low)s to %(high)s).")
        % told
    )


@dataclass(frozen=True, slots=True)
class StepRow:
    """A step with the days that its visits took."""

    time: StepTime
    label: str
    kind: str
    bar: SafeString
    words: str


def step_rows(times: Sequence[StepTime], kinds: Mapping[str, Any]) -> list[StepRow]:
    scale = max((max(one.most or 0, one.target or 0) for one in times), default=1)
    rows = []
    for one in times:
        kind = kinds.get(one.kind)
        bar = SafeString("")
        if one.half is not None and one.most is not None:
            bar = charts.range_bar(one.half, one.most, one.target, scale_to=scale)
        rows.append(
            StepRow(
                one,
                kind.step_label(one.step) if kind else one.step,
                str(kind.title) if kind else one.kind,
                bar,
                _("misses its target") if one.misses else "",
            )
        )
    return rows


def change_words(change: int) -> str:
    """ "4 more than last week"."""
    if change == 0:
        return _("as last week")
    if change > 0:
        return ngettext("%(n)s more than last week", "%(n)s more than last week", change) % {
            "n": change
        }
    return ngettext("%(n)s fewer than last week", "%(n)s fewer than last week", -change) % {
        "n": -change
    }
