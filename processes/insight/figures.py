"""The figures, read from the tables of insight: a few grouped queries a page, never history."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.contrib.auth.models import Group
from django.db.models import Aggregate, Count, DurationField, F, FloatField, Q, Sum
from django.db.models.functions import TruncMonth

from cases.dates import local_date
from cases.figures import HALF, MOST, share
from processes.insight.judging import Expectation, Move
from processes.insight.scope import Scope

DAY = 86_400
VARIANTS = 20  # that are shown
SORTS = ("people", "party", "service", "clock", "case", "stopped")


class Within(Aggregate):
    """The value within which so many of 100 lie."""

    function = "percentile_disc"
    template = "percentile_disc(%(share)s) WITHIN GROUP (ORDER BY %(expressions)s)"


# -- where time goes


@dataclass(frozen=True, slots=True)
class StepTime:
    step: str
    visits: int
    half: int  # days within which half of the visits ended
    most: int  # and 85 of 100
    seconds: float
    share: float  # of the time of all visits
    target: int | None  # days
    over: int  # visits that took longer than the target

    @property
    def misses(self) -> bool:
        return self.target is not None and self.most > self.target


def step_times(scope: Scope) -> list[StepTime]:
    """The steps in the order in which the kind declares them."""
    rows = (
        scope.visits.values_list("step", "days")
        .annotate(n=Count("pk"), seconds=Sum("seconds"))
        .order_by("step", "days")
    )
    took: dict[str, list[tuple[int, int]]] = defaultdict(list)
    seconds: dict[str, float] = defaultdict(float)
    for step, days, n, spent in rows:
        took[step].append((days, n))
        seconds[step] += spent
    whole = sum(seconds.values()) or 1
    found = []
    for step in in_order(scope, took):
        target = scope.kind.targets.get(step)
        found.append(
            StepTime(
                step=step,
                visits=sum(n for _days, n in took[step]),
                half=share(took[step], HALF) or 0,
                most=share(took[step], MOST) or 0,
                seconds=seconds[step],
                share=seconds[step] / whole,
                target=target,
                over=sum(n for days, n in took[step] if target is not None and days > target),
            )
        )
    return found


def in_order(scope: Scope, steps: Any) -> list[str]:
    """Steps as the kind declares them; what it has no more comes last."""
    choices = scope.kind.model.Step.choices  # type: ignore[attr-defined]
    order = {str(step): place for place, (step, _label) in enumerate(choices)}
    return sorted(steps, key=lambda step: (order.get(step, 999), step))


@dataclass(frozen=True, slots=True)
class Waited:
    sort: str
    party: str
    step: str
    visits: int
    seconds: float

    @property
    def mean_days(self) -> float:
        return self.seconds / self.visits / DAY


def waited(scope: Scope) -> list[Waited]:
    """How long cases waited, for whom, in which step; the longest first."""
    staff = frozenset(Group.objects.values_list("name", flat=True))
    rows = scope.waits.values_list("sort", "party", "step").annotate(
        n=Count("pk"), seconds=Sum("seconds")
    )
    found = [
        Waited("people" if sort == "party" and party in staff else sort, party, step, n, seconds)
        for sort, party, step, n, seconds in rows.order_by("-seconds", "sort", "party", "step")
    ]
    return sorted(found, key=lambda one: (SORTS.index(one.sort), -one.seconds))


# -- the ways that cases took


@dataclass(frozen=True, slots=True)
class Taken:
    """A move with how often it was made, of all that left its step."""

    move: Move
    times: int
    cases: int
    share: float
    expected: bool
    known: bool
    back: bool


def moves(scope: Scope) -> list[Taken]:
    """The moves that were made, and those of today's graph that were not, by the order of steps."""
    rows = (
        scope.moves.values_list("step", "left_by", "went_to")
        .annotate(n=Count("pk"), cases=Count("case_id", distinct=True))
        .order_by()
    )
    made = {Move(step, name, to): (n, cases) for step, name, to, n, cases in rows}
    judge = Expectation(scope.kind)
    leaving: dict[str, int] = defaultdict(int)
    for move, (n, _cases) in made.items():
        leaving[move.source] += n
    # Reopening is offered at each end, and seldom asked for: it is told where it was done.
    closing = scope.kind.closing_steps
    never = {edge for edge in judge.edges if edge not in made and edge.source not in closing}
    found = [
        Taken(
            move,
            n,
            cases,
            n / leaving[move.source],
            judge.is_expected(move),
            judge.is_known(move),
            judge.goes_back(move),
        )
        for move, (n, cases) in made.items()
    ]
    found += [
        Taken(move, 0, 0, 0.0, judge.is_expected(move), True, judge.goes_back(move))
        for move in never
    ]
    order = {
        step: place for place, step in enumerate(in_order(scope, {t.move.source for t in found}))
    }
    return sorted(found, key=lambda one: (order[one.move.source], -one.times, one.move))


@dataclass(frozen=True, slots=True)
class Variant:
    """Cases that took the same steps in the same order."""

    digest: str
    steps: tuple[str, ...]
    cases: int
    share: float
    half: timedelta  # from opening to closing


@dataclass(frozen=True, slots=True)
class Variants:
    shown: list[Variant]
    variants: int
    cases: int


def variants(scope: Scope) -> Variants:
    """The commonest ways of cases that were closed in the period."""
    paths = scope.paths
    whole = paths.aggregate(cases=Count("pk"), variants=Count("digest", distinct=True))
    took = F("case__closed_at") - F("case__opened_at")
    rows = (
        paths.values_list("digest", "steps")
        .annotate(n=Count("pk"), half=Within(took, share=0.5, output_field=DurationField()))
        .order_by("-n", "digest")[:VARIANTS]
    )
    shown = [
        Variant(digest, tuple(steps.split(">")), n, n / whole["cases"], half)
        for digest, steps, n, half in rows
    ]
    return Variants(shown, whole["variants"], whole["cases"])


# -- rework


@dataclass(frozen=True, slots=True)
class Again:
    """Visits of a step in which the case had been before."""

    step: str
    came_from: str
    came_by: str
    visits: int
    cases: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Named:
    """How often something happened, and in how many cases."""

    name: str
    step: str
    times: int
    cases: int


@dataclass(frozen=True, slots=True)
class Rework:
    again: list[Again]
    again_cases: int
    cases: int  # that had a visit which ended
    seconds: float
    taken_back: list[Named]
    papers: list[Named]
    reopened: list[Again]


def rework(scope: Scope) -> Rework:
    visits = scope.visits
    again = visits.filter(before__gt=0)
    return Rework(
        again=_again(again),
        again_cases=again.aggregate(n=Count("case_id", distinct=True))["n"],
        cases=visits.aggregate(n=Count("case_id", distinct=True))["n"],
        seconds=again.aggregate(n=Sum("seconds"))["n"] or 0.0,
        taken_back=_named(scope.taken_back),
        papers=_named(scope.papers),
        reopened=_again(scope.reopened),
    )


def _again(visits: Any) -> list[Again]:
    rows = visits.values_list("step", "came_from", "came_by").annotate(
        n=Count("pk"), cases=Count("case_id", distinct=True), spent=Sum("seconds")
    )
    return [Again(*row) for row in rows.order_by("-n", "step", "came_from", "came_by")]


def _named(rows: Any) -> list[Named]:
    found = rows.values_list("name", "step").annotate(
        n=Count("pk"), cases=Count("case_id", distinct=True)
    )
    return [Named(*row) for row in found.order_by("-n", "name", "step")]


# -- deadlines

DONE = Q(state="done", due_at__isnull=False)
MET = DONE & Q(ended_at__lte=F("due_at"))
LATE = DONE & Q(ended_at__gt=F("due_at"))
ENDINGS = {
    "met": MET,
    "late": LATE,
    "judged": DONE,
    "open": Q(state="done", due_at__isnull=True),
    "cancelled": Q(state="cancelled"),
    "extended": Q(extensions__gt=0),
    "paused": Q(pauses__gt=0),
}


@dataclass(frozen=True, slots=True)
class Kept:
    """How one clock, or the tasks of one name, were kept."""

    sort: str
    name: str
    met: int
    late: int
    cancelled: int
    open: int  # ended without a due moment
    late_half: float  # days late, half of the late ones at most
    late_most: float
    extended: int
    extensions: int
    paused: int
    paused_days: float

    @property
    def judged(self) -> int:
        return self.met + self.late


def deadlines(scope: Scope) -> list[Kept]:
    """Clocks first, then tasks."""
    late = F("ended_at") - F("due_at")
    rows = (
        scope.terms.values("sort", "name")
        .annotate(
            **{key: Count("pk", filter=one) for key, one in ENDINGS.items() if key != "judged"},
            late_half=Within(late, share=0.5, filter=LATE, output_field=DurationField()),
            late_most=Within(late, share=0.85, filter=LATE, output_field=DurationField()),
            n_extensions=Sum("extensions"),
            n_paused=Sum("paused_seconds", output_field=FloatField()),
        )
        .order_by("sort", "name")
    )
    return [
        Kept(
            sort=row["sort"],
            name=row["name"],
            met=row["met"],
            late=row["late"],
            cancelled=row["cancelled"],
            open=row["open"],
            late_half=_days(row["late_half"]),
            late_most=_days(row["late_most"]),
            extended=row["extended"],
            extensions=row["n_extensions"],
            paused=row["paused"],
            paused_days=row["n_paused"] / DAY,
        )
        for row in rows
    ]


def _days(span: timedelta | None) -> float:
    return span.total_seconds() / DAY if span else 0.0


@dataclass(frozen=True, slots=True)
class Month:
    sort: str
    month: date
    met: int
    late: int

    @property
    def judged(self) -> int:
        return self.met + self.late


def months(scope: Scope) -> list[Month]:
    """In time and late by the month in which they ended, the oldest first."""
    rows = (
        scope.terms.filter(DONE)
        .annotate(month=TruncMonth("ended_at"))
        .values_list("sort", "month")
        .annotate(met=Count("pk", filter=MET), late=Count("pk", filter=LATE))
        .order_by("sort", "month")
    )
    return [Month(sort, local_date(month), met, late) for sort, month, met, late in rows]


# -- conformance


@dataclass(frozen=True, slots=True)
class Conformance:
    off: list[Taken]
    off_cases: int
    strange: list[Taken]
    strange_cases: int
    cases: int


def conformance(scope: Scope) -> Conformance:
    taken = [one for one in moves(scope) if one.times]
    off = sorted([o for o in taken if not o.expected], key=lambda one: -one.times)
    strange = [one for one in taken if not one.known]
    return Conformance(
        off=off,
        off_cases=_cases_with(scope, [one.move for one in off]),
        strange=strange,
        strange_cases=_cases_with(scope, [one.move for one in strange]),
        cases=scope.moves.aggregate(n=Count("case_id", distinct=True))["n"],
    )


def _cases_with(scope: Scope, found: Sequence[Move]) -> int:
    if not found:
        return 0
    rows = scope.moves.filter(any_of(found))
    return int(rows.aggregate(n=Count("case_id", distinct=True))["n"])


def any_of(found: Sequence[Move]) -> Q:
    """Visits that ended with one of these moves."""
    wanted = Q(pk__in=[])
    for move in found:
        wanted |= Q(step=move.source, left_by=move.name, went_to=move.target)
    return wanted
