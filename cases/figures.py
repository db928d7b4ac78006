"""The figures of a team: counted now in one pass, and read from the days that were written down."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Count, Min, Q, QuerySet, Sum
from django.db.models.functions import TruncWeek

from cases import dates
from cases.absence import away_now
from cases.models import Absence, Case, Person, StepDay, Team, TeamDay
from cases.teamcases import AGES, OLD_FROM, Moments, told

WEEKS = 14
STEP_DAYS = 90  # visits that ended in so many days count for the days per step
HALF, MOST = 50, 85  # of 100 visits


@dataclass(slots=True)
class Load:
    """What one caseworker has, or nobody."""

    person: Person | None
    absence: Absence | None = None
    cases: int = 0
    active: int = 0
    waiting: int = 0  # for others, in review, for a time
    paused: int = 0  # a clock stands still; not counted as active or waiting
    due: int = 0
    late: int = 0

    @property
    def capacity(self) -> int | None:
        return self.person.capacity if self.person else None


@dataclass(slots=True)
class Age:
    """Open cases of one class of age."""

    place: int
    least: int
    most: int | None
    cases: int = 0
    late: int = 0


@dataclass(slots=True)
class Standing:
    """A team's open cases, counted at one moment."""

    at: datetime
    cases: int = 0
    late: int = 0
    past_limit: int = 0
    due: int = 0
    due_with_others: int = 0
    nobody: int = 0
    nobody_since: datetime | None = None
    in_review: int = 0
    long_in_review: int = 0
    in_hand: int = 0
    stopped: int = 0
    loads: list[Load] = field(default_factory=list)
    ages: list[Age] = field(default_factory=list)
    old: int = 0
    old_late: int = 0
    old_from_days: int = 0


_KEYS = (
    "owner_id",
    "owner__is_active",
    "phase",
    "age",
    "is_paused",
    "is_past",
    "is_late",
    "is_due",
    "is_long_in_review",
    "is_stopped",
)


def standing(team: Team, cases: QuerySet[Case], moments: Moments) -> Standing:
    """Count a team's open cases, whatever their number, in three queries."""
    rows = (
        told(cases, moments)
        .annotate(is_stopped=_is_stopped())
        .order_by()
        .values(*_KEYS)
        .annotate(n=Count("pk"), oldest=Min("opened_at"))
    )
    found = Standing(at=moments.now, ages=[Age(i, *span) for i, span in enumerate(AGES)])
    found.old_from_days = AGES[OLD_FROM][0] - 1
    loads: dict[int | None, Load] = defaultdict(lambda: Load(None))
    for row in rows:
        _count(found, loads[row["owner_id"]], row)
    found.loads = _with_people(team, loads)
    return found


def _is_stopped() -> Any:
    from django.db.models import ExpressionWrapper
    from django.db.models.fields import BooleanField

    return ExpressionWrapper(Q(stopped_at__isnull=False), output_field=BooleanField())


def _count(found: Standing, load: Load, row: Mapping[str, Any]) -> None:
    n, phase = row["n"], row["phase"]
    found.cases += n
    load.cases += n
    if row["is_paused"]:
        load.paused += n
    elif phase == "hand":
        load.active += n
    else:
        load.waiting += n
    found.in_hand += n if phase == "hand" else 0
    found.in_review += n if phase == "review" else 0
    found.long_in_review += n if row["is_long_in_review"] else 0
    found.past_limit += n if row["is_past"] else 0
    found.stopped += n if row["is_stopped"] else 0
    if row["is_due"]:
        found.due += n
        load.due += n
        found.due_with_others += n if phase != "hand" else 0
    if not row["owner__is_active"]:  # nobody, or somebody who has left
        found.nobody += n
        found.nobody_since = min(found.nobody_since or row["oldest"], row["oldest"])
    age = found.ages[row["age"]]
    age.cases += n
    is_old = row["age"] >= OLD_FROM
    found.old += n if is_old else 0
    if row["is_late"]:
        found.late += n
        load.late += n
        age.late += n
        found.old_late += n if is_old else 0


def _with_people(team: Team, loads: Mapping[int | None, Load]) -> list[Load]:
    """Everybody of the team who takes cases, and whoever else has some; nobody last."""
    of_team = Q(team=team, is_active=True, groups__name="caseworker")
    people = (
        Person.objects.filter(of_team | Q(pk__in=[one for one in loads if one]))
        .distinct()
        .order_by("last_name", "first_name", "username")
    )
    away = away_now(people)
    found = []
    for person in people:
        load = loads.get(person.pk) or Load(person)
        load.person, load.absence = person, away.get(person.pk)
        found.append(load)
    if None in loads:
        found.append(loads[None])
    return found


# -- the weeks before


@dataclass(frozen=True, slots=True)
class Week:
    """The caseload at the end of a week, or now."""

    day: date
    in_hand: int
    waiting: int
    in_review: int
    past_limit: int

    @property
    def cases(self) -> int:
        return self.in_hand + self.waiting + self.in_review


def weeks(team: Team, today: date) -> list[Week]:
    """The newest figures of each of the last weeks, the oldest first; one query."""
    first = today - timedelta(days=7 * (WEEKS - 1) + today.weekday())
    rows = (
        TeamDay.objects.filter(team=team, day__gte=first, day__lte=today)
        .annotate(week=TruncWeek("day"))
        .order_by("week", "-day")
        .distinct("week")
    )
    return [Week(r.day, r.in_hand, r.waiting, r.in_review, r.past_limit) for r in rows]


def with_now(before: Sequence[Week], found: Standing) -> list[Week]:
    """The weeks with the present one as it stands at this moment."""
    today = dates.local_date(found.at)
    waiting = found.cases - found.in_hand - found.in_review
    now = Week(today, found.in_hand, waiting, found.in_review, found.past_limit)
    monday = today - timedelta(days=today.weekday())
    return [*(week for week in before if week.day < monday), now]


def week_before(before: Iterable[Week], today: date) -> Week | None:
    """The figures of about a week ago."""
    found = [w for w in before if today - timedelta(days=10) <= w.day <= today - timedelta(days=4)]
    return found[-1] if found else None


# -- days per step


@dataclass(frozen=True, slots=True)
class StepTime:
    """How long the visits of one step took, in calendar days."""

    kind: str
    step: str
    now: int  # cases that stand in it
    visits: int
    half: int | None  # half of the visits took at most so many days
    most: int | None  # 85 of 100 took at most so many
    target: int | None

    @property
    def misses(self) -> bool:
        return self.target is not None and self.most is not None and self.most > self.target


def step_times(
    team: Team,
    cases: QuerySet[Case],
    today: date,
    *,
    order: Mapping[tuple[str, str], int],
    targets: Mapping[tuple[str, str], int],
) -> list[StepTime]:
    """The steps in which cases stand, or which they left in the last 90 days; two queries."""
    rows = (
        StepDay.objects.filter(team=team, day__gt=today - timedelta(days=STEP_DAYS), day__lte=today)
        .values_list("kind", "step", "took_days")
        .annotate(n=Sum("visits"))
        .order_by("kind", "step", "took_days")
    )
    took: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for kind, step, days, visits in rows:
        took[kind, step].append((days, visits))
    here = {
        (kind, step): n
        for kind, step, n in cases.order_by().values_list("kind", "step").annotate(n=Count("pk"))
    }
    known = sorted(took.keys() | here.keys(), key=lambda one: (one[0], order.get(one, 999), one[1]))
    return [
        StepTime(
            kind=kind,
            step=step,
            now=here.get((kind, step), 0),
            visits=sum(n for _days, n in took[kind, step]),
            half=share(took[kind, step], HALF),
            most=share(took[kind, step], MOST),
            target=targets.get((kind, step)),
        )
        for kind, step in known
    ]


def share(counts: Sequence[tuple[int, int]], of_100: int) -> int | None:
    """The days within which so many of 100 were done: (days, how many), in the order of days."""
    total = sum(n for _days, n in counts)
    seen = 0
    for days, n in counts:
        seen += n
        if seen * 100 >= total * of_100:
            return days
    return None
