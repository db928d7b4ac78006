"""Rows and sentences of the pages: figures with their words, bars and addresses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from cases import charts, dates
from cases.snapshots import midnight
from processes.drawing.graph import LARGE
from processes.drawing.svg import Marks, Weight, drawn
from processes.handbook import book
from processes.insight.figures import (
    DAY,
    Again,
    Conformance,
    Kept,
    Month,
    Rework,
    StepTime,
    Taken,
    Variants,
    Waited,
)
from processes.insight.judging import Move, stages_of
from processes.insight.scope import Scope
from processes.insight.words import SORTS, Names
from processes.kinds import Kind

_EPOCH = midnight(date(2001, 1, 1))


def percent(share: float) -> str:
    """ "34 %"; what is there and rounds to nothing is "under 1 %"."""
    if 0 < share < 0.005:
        return _("under 1 %")
    return f"{round(share * 100)}\N{NO-BREAK SPACE}%"


def days(seconds: float) -> str:
    """Days with one decimal where they are few."""
    found = seconds / DAY
    return f"{found:.1f}" if found < 100 else f"{found:,.0f}"


def lasted(span: timedelta) -> str:
    return dates.span(_EPOCH, _EPOCH + span)


# -- where time goes


@dataclass(frozen=True, slots=True)
class TimeRow:
    time: StepTime
    label: str
    share: str
    bar: SafeString
    part: SafeString


def time_rows(times: Sequence[StepTime], names: Names) -> list[TimeRow]:
    scale = max((max(one.most, one.target or 0) for one in times), default=1)
    return [
        TimeRow(
            one,
            names.step(one.step),
            percent(one.share),
            charts.range_bar(one.half, one.most, one.target, scale_to=scale),
            charts.parts_bar([("active", round(one.share * 1000))], most=1000),
        )
        for one in times
    ]


def time_sentence(times: Sequence[StepTime], names: Names) -> str:
    """Where most of the time goes, and which steps miss their target."""
    most = max(times, key=lambda one: one.seconds)
    missed = sum(one.misses for one in times)
    said = _("%(share)s of the time goes to “%(step)s”.") % {
        "share": percent(most.share),
        "step": names.step(most.step),
    }
    if missed:
        said += " " + ngettext(
            "%(n)s step misses its target.", "%(n)s steps miss their target.", missed
        ) % {"n": missed}
    return said


@dataclass(frozen=True, slots=True)
class WaitRow:
    waited: Waited
    party: str
    step: str
    days: str
    mean: str
    share: str
    bar: SafeString


@dataclass(frozen=True, slots=True)
class WaitGroup:
    """All waits on one sort of party, summed."""

    sort: str
    label: str
    days: str
    share: str
    rows: list[WaitRow]


def wait_groups(found: Sequence[Waited], whole: float, names: Names) -> list[WaitGroup]:
    """By sort of party; shares are of the time that the visits took. `whole` are their seconds."""
    groups: dict[str, list[Waited]] = defaultdict(list)
    for one in found:
        groups[one.sort].append(one)
    return [
        WaitGroup(
            sort,
            str(SORTS[sort]),
            days(sum(one.seconds for one in rows)),
            percent(sum(one.seconds for one in rows) / (whole or 1)),
            [
                WaitRow(
                    one,
                    names.waited(sort, one.party),
                    names.step(one.step),
                    days(one.seconds),
                    days(one.seconds / one.visits),
                    percent(one.seconds / (whole or 1)),
                    charts.parts_bar(
                        [("waits", round(one.seconds / (whole or 1) * 1000))], most=1000
                    ),
                )
                for one in rows
            ],
        )
        for sort, rows in groups.items()
    ]


def wait_sentence(groups: Sequence[WaitGroup], found: Sequence[Waited]) -> str:
    spent: dict[str, float] = defaultdict(float)
    for one in found:
        spent[one.sort] += one.seconds
    most = max(groups, key=lambda group: spent[group.sort])
    return _("Most waiting is for: %(who)s, %(share)s of the time.") % {
        "who": most.label[:1].lower() + most.label[1:],
        "share": most.share,
    }


# -- ways


@dataclass(frozen=True, slots=True)
class MoveRow:
    taken: Taken
    source: str
    target: str
    label: str
    share: str
    bar: SafeString


def move_rows(found: Sequence[Taken], names: Names) -> list[MoveRow]:
    return [
        MoveRow(
            one,
            names.step(one.move.source),
            names.step(one.move.target),
            names.transition(one.move.name),
            percent(one.share),
            charts.parts_bar([("active", round(one.share * 1000))], most=1000),
        )
        for one in found
    ]


def moves_sentence(found: Sequence[Taken]) -> str:
    used = sum(1 for one in found if one.times)
    times = sum(one.times for one in found)
    back = sum(one.times for one in found if one.back)
    said = _("Cases took %(used)s of %(all)s ways, %(times)s moves in all;") % {
        "used": used,
        "all": len(found),
        "times": f"{times:,}",
    }
    return (
        said
        + " "
        + (
            ngettext("%(n)s of them led back.", "%(n)s of them led back.", back)
            % {"n": f"{back:,}"}
            if back
            else _("none led back.")
        )
    )


def drawing(scope: Scope, found: Sequence[Taken]) -> SafeString:
    """The steps, with lines as strong as they were often taken."""
    layout = book.drawing_of(scope.kind, around=scope.kind.initial)
    times: dict[tuple[str, str], int] = defaultdict(int)
    left: dict[str, int] = defaultdict(int)
    for one in found:
        times[one.move.source, one.move.target] += one.times
        left[one.move.source] += one.times
    most = max(times.values(), default=0) or 1
    weights = {
        pair: Weight(n / most, f"{n:,}" if n else "", percent(n / left[pair[0]]) if n else "")
        for pair, n in times.items()
    }
    return mark_safe(drawn(layout, Marks(weights=weights)))  # made by us; labels are escaped there


def is_large(scope: Scope) -> bool:
    return len(scope.kind.model.Step.choices) > LARGE  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class VariantRow:
    digest: str
    steps: list[tuple[str, bool]]  # with whether the case had been there before
    cases: int
    share: str
    half: str
    bar: SafeString


def variant_rows(found: Variants, names: Names) -> list[VariantRow]:
    most = max((one.cases for one in found.shown), default=1)
    return [
        VariantRow(
            one.digest,
            [(names.step(step), step in one.steps[:place]) for place, step in enumerate(one.steps)],
            one.cases,
            percent(one.share),
            lasted(one.half),
            charts.parts_bar([("active", one.cases)], most=most),
        )
        for one in found.shown
    ]


def variants_sentence(found: Variants) -> str:
    if not found.cases:
        return _("No case was closed in this period.")
    first = found.shown[0]
    said = ngettext(
        "%(n)s closed case took %(ways)s different ways;",
        "%(n)s closed cases took %(ways)s different ways;",
        found.cases,
    ) % {"n": f"{found.cases:,}", "ways": f"{found.variants:,}"}
    return f"{said} " + _("the commonest was taken by %(share)s.") % {"share": percent(first.share)}


# -- rework, deadlines, conformance


def rework_sentence(found: Rework) -> str:
    if not found.again_cases:
        return _("No case came back to a step in which it had been.")
    return ngettext(
        "%(n)s of %(all)s cases came back to a step; that took %(days)s days.",
        "%(n)s of %(all)s cases came back to a step; that took %(days)s days.",
        found.again_cases,
    ) % {
        "n": f"{found.again_cases:,}",
        "all": f"{found.cases:,}",
        "days": days(found.seconds),
    }


@dataclass(frozen=True, slots=True)
class KeptRow:
    kept: Kept
    label: str
    share: str
    bar: SafeString
    late_half: str
    late_most: str
    paused_days: str


def kept_rows(found: Sequence[Kept], names: Names) -> list[KeptRow]:
    return [
        KeptRow(
            one,
            names.term(one.sort, one.name),
            percent(one.met / one.judged) if one.judged else "",
            _kept_bar(one.met, one.late),
            f"{one.late_half:.1f}" if one.late else "",
            f"{one.late_most:.1f}" if one.late else "",
            f"{one.paused_days:.1f}" if one.paused else "",
        )
        for one in found
    ]


def _kept_bar(met: int, late: int) -> SafeString:
    return charts.parts_bar([("active", met), ("miss", late)], most=met + late)


@dataclass(frozen=True, slots=True)
class MonthRow:
    month: Month
    label: str
    key: str
    share: str
    bar: SafeString


def month_rows(found: Sequence[Month], names: Names) -> list[MonthRow]:
    return [
        MonthRow(
            one,
            names.month(one.month),
            one.month.strftime("%Y-%m"),
            percent(one.met / one.judged),
            _kept_bar(one.met, one.late),
        )
        for one in found
    ]


def kept_sentence(found: Sequence[Kept], sort: str) -> str:
    of_sort = [one for one in found if one.sort == sort]
    met, late = sum(one.met for one in of_sort), sum(one.late for one in of_sort)
    if not met + late:
        return _("Nothing with a due moment ended in this period.")
    told = {"share": percent(met / (met + late)), "n": f"{late:,}", "all": f"{met + late:,}"}
    if sort == "clock":
        return _("%(share)s of the clocks stopped in time; %(n)s of %(all)s were late.") % told
    return _("%(share)s of the tasks were done in time; %(n)s of %(all)s were late.") % told


def conformance_sentence(found: Conformance) -> str:
    if not found.cases:
        return _("No case moved in this period.")
    if not found.off_cases:
        return _("All cases kept to the main line.")
    return ngettext(
        "%(n)s of %(all)s cases left the main line.",
        "%(n)s of %(all)s cases left the main line.",
        found.off_cases,
    ) % {"n": f"{found.off_cases:,}", "all": f"{found.cases:,}"}


@dataclass(frozen=True, slots=True)
class AgainRow:
    again: Again
    label: str
    transition: str
    days: str


def again_rows(found: Sequence[Again], names: Names) -> list[AgainRow]:
    return [
        AgainRow(
            one,
            names.move(Move(one.came_from, one.came_by, one.step)),
            names.transition(one.came_by),
            days(one.seconds),
        )
        for one in found
    ]


def main_line(kind: Kind, names: Names) -> list[str]:
    """The stages that are expected, in words."""
    return [" / ".join(names.step(step) for step in steps) for steps in stages_of(kind)]
