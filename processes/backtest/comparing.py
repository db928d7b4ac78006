"""Many closed cases with a change: which would have ended otherwise, and how far that is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from audit.read import events_of
from audit.record import Recorded
from cases.dates import local_date
from cases.models import Case
from cases.words import plain
from processes.backtest.answers import NoData
from processes.backtest.trial import Change, End, NotPlayable, days_between, play, recorded_end, why
from processes.kinds import kind_of

SAME, DIFFERS, NO_DATA, FAILS = "same", "differs", "no data", "fails"
UNTOUCHED, NOT_PLAYABLE = "untouched", "not playable"
FINDINGS = (SAME, DIFFERS, NO_DATA, FAILS, UNTOUCHED, NOT_PLAYABLE)


@dataclass(frozen=True, slots=True)
class Result:
    """What the change would have made of one case. `was` and `would` are set where both are known;
    `words` says what differs, or why it is not known."""

    case: Case
    finding: str
    words: str = ""
    was: End | None = None
    would: End | None = None

    @property
    def days(self) -> float | None:
        """By how many days it would have taken longer; less than 0: shorter."""
        if self.was is None or self.would is None:
            return None
        return days_between(self.was.closed_at, self.would.closed_at)

    @property
    def reviews(self) -> int | None:
        """How many more reviews there would have been."""
        if self.was is None or self.would is None:
            return None
        return self.would.reviews - self.was.reviews


@dataclass(slots=True)
class Group:
    """The results of cases that have something in common."""

    name: str
    counts: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)  # (was, would be)
    days: float = 0.0  # over those that are known
    reviews: int = 0
    known: int = 0

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def otherwise(self) -> list[tuple[str, str, int]]:
        """The outcomes that would be others, the most frequent first: (was, would be, cases)."""
        return [(was, would, n) for (was, would), n in self.outcomes.most_common()]

    @property
    def same(self) -> int:
        """Cases that would have ended as they did; those that the change never touches too."""
        return self.counts[SAME] + self.counts[UNTOUCHED]

    @property
    def differ(self) -> int:
        return self.counts[DIFFERS]

    @property
    def without_data(self) -> int:
        return self.counts[NO_DATA]

    @property
    def failing(self) -> int:
        return self.counts[FAILS]

    @property
    def days_each(self) -> float:
        return self.days / self.known if self.known else 0.0

    def add(self, result: Result) -> None:
        self.counts[result.finding] += 1
        if result.was is not None and result.would is not None:
            self.known += 1
            self.days += result.days or 0.0
            self.reviews += result.reviews or 0
            if result.was.outcome != result.would.outcome:
                self.outcomes[result.was.outcome, result.would.outcome] += 1


def closed_cases(cases: QuerySet[Case], kind: str, *, most: int = 0) -> QuerySet[Case]:
    """Those of these cases to try a change on: the newest first, without erased ones."""
    found = cases.filter(kind=kind, closed_at__isnull=False, erased_at=None)
    found = found.order_by("-closed_at", "-pk")
    return found[:most] if most else found


def compare(cases: Iterable[Case], change: Change) -> Iterator[Result]:
    """What the change would have made of each of these cases. Reads their histories and writes
    nothing."""
    for case in cases:
        yield compare_one(case, events_of(case.pk), change)


def compare_one(case: Case, events: list[Recorded], change: Change) -> Result:
    """One case: played without the change first, so that no difference is blamed on it that comes
    from playing alone."""
    try:
        was = recorded_end(events)
    except NotPlayable as error:
        return Result(case, NOT_PLAYABLE, str(error))
    first = _first_touched(events, change)
    if first is None:
        return Result(case, UNTOUCHED, was=was, would=was)
    try:
        control = play(case, events, Change(), first=first)
    except NoData as error:
        return Result(case, NOT_PLAYABLE, f"also unchanged: {error}", was=was)
    except Exception as error:
        return Result(case, NOT_PLAYABLE, f"also unchanged: {why(error)}", was=was)
    if control.outcome != was.outcome or control.path != was.path:
        words = f"played unchanged it ends in “{control.outcome}”, recorded is “{was.outcome}”"
        return Result(case, NOT_PLAYABLE, words, was=was)
    try:
        would = play(case, events, change, first=first)
    except NoData as error:
        return Result(case, NO_DATA, str(error), was=was)
    except Exception as error:
        return Result(case, FAILS, why(error), was=was)
    # Against the played case: what playing alone makes of its times is no difference.
    words = difference(control, would)
    return Result(case, DIFFERS if words else SAME, words, was=control, would=would)


def difference(was: End, would: End) -> str:
    """What is otherwise, in words; empty when nothing is."""
    parts = []
    if was.outcome != would.outcome:
        told = {"would": plain(would.outcome), "was": plain(was.outcome)}
        parts.append(_("“%(would)s” instead of “%(was)s”") % told)
    elif was.path != would.path:
        steps = " → ".join(map(plain, would.path[len(_shared(was.path, would.path)) :]))
        parts.append(_("by way of %(steps)s") % {"steps": steps})
    if (more := would.reviews - was.reviews) > 0:
        parts.append(ngettext("%(n)d more review", "%(n)d more reviews", more) % {"n": more})
    elif more < 0:
        words = ngettext("%(n)d fewer review", "%(n)d fewer reviews", -more)
        parts.append(words % {"n": -more})
    days = round(days_between(was.closed_at, would.closed_at))
    if days > 0:
        parts.append(ngettext("%(n)d day later", "%(n)d days later", days) % {"n": days})
    elif days < 0:
        parts.append(ngettext("%(n)d day sooner", "%(n)d days sooner", -days) % {"n": -days})
    return ", ".join(parts)


def _shared(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    for place, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return one[:place]
    return one[: min(len(one), len(other))]


def _first_touched(events: list[Recorded], change: Change) -> int | None:
    """The number of the entry of the first visit that the change touches."""
    visit: list[Recorded] = []
    for event in [*events, None]:
        if event is None or event.type == "step.entered":
            if visit and visit[0].type == "step.entered" and change.touches(visit[0], visit):
                return visit[0].number
            visit = []
        if event is not None:
            visit.append(event)
    return None


def grouped(results: Iterable[Result], by: str) -> dict[str, Group]:
    """Results by team, month, outcome, or a fact of the kind; "" is all together. Raises KeyError
    for a fact that the kind does not have."""
    groups: dict[str, Group] = {}
    for result in results:
        name = _name(result, by)
        groups.setdefault(name, Group(name)).add(result)
    return dict(sorted(groups.items()))


BY = ("team", "month", "outcome")


def _name(result: Result, by: str) -> str:
    case = result.case
    match by:
        case "":
            return ""
        case "team":
            return case.team.name if case.team is not None else "–"
        case "month":
            return f"{local_date(case.closed_at):%Y-%m}" if case.closed_at else "–"
        case "outcome":
            return case.outcome or "–"
    return str(facts_of(case)[by])


def facts_of(case: Case) -> dict[str, Any]:
    """The facts of a case as they stand. Raises KeyError naming the fact that is asked for."""
    kind = kind_of(case.kind)
    row = kind.model._default_manager.get(pk=case.pk)
    return {name: getattr(row, name) for name in kind.fact_names}
