"""How long a closed case is kept: reckoned from what it rests on each time somebody asks.

No date is stored, so none can be stale: a case that is opened again, a corrected date, a changed
rule, a sub-case that is still open all count at once. A kind declares its rules by how a case
ends; an administrator may change them (`RetentionRule`); the rest has the installation's default.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import connection
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from cases import dates
from cases.models import Case, RetentionRule
from timers import clock

if TYPE_CHECKING:
    from processes.kinds import Kind

CLOSED = "closed"  # the day on which the case was closed, where a span does not begin at a fact
MOST_MONTHS = 1200
BATCH = 500


@dataclass(frozen=True, slots=True)
class Retention:
    """A case that ended so is kept for this long since it was closed, or since the date that a
    fact holds; the closing counts where that fact is empty. `basis` names the law or policy."""

    years: int = 0
    months: int = 0
    since: str = CLOSED
    basis: Any = ""

    @property
    def all_months(self) -> int:
        return self.years * 12 + self.months

    def last(self, start: date) -> date:
        """The first day on which a case may be destroyed: five years from 1 Dec 2026 is 1 Dec
        2031; a month from 31 Jan is 28 Feb."""
        years, month = divmod(start.month - 1 + self.all_months, 12)
        year = min(start.year + years, date.max.year)
        return date(year, month + 1, min(start.day, calendar.monthrange(year, month + 1)[1]))

    def words(self) -> str:
        """ "5 years", "18 months"."""
        years, months = divmod(self.all_months, 12)
        if months or not years:
            n = self.all_months
            return ngettext("%(n)s month", "%(n)s months", n) % {"n": n}
        return ngettext("%(n)s year", "%(n)s years", years) % {"n": years}


DEFAULT_BASIS = gettext_lazy("what this organisation keeps where nothing else is said")


def default() -> Retention:
    """How long this installation keeps a case of which nobody has said it."""
    return Retention(years=settings.LONGCASE_RETENTION_YEARS, basis=DEFAULT_BASIS)


@dataclass(frozen=True, slots=True)
class Kept:
    """Until when a case is kept, and why. `until` is the first day on which it may be destroyed;
    None: it has no such day yet."""

    case: Case
    rule: Retention
    start: date | None = None
    until: date | None = None
    open_near: tuple[str, ...] = ()  # references of open cases that it belongs with

    def has_come(self, today: date) -> bool:
        return self.until is not None and today >= self.until

    @property
    def sentence(self) -> str:
        """ "Kept until 1 Dec 2031: 5 years from 1 Dec 2026, when it was closed (the law)."."""
        span = {"span": self.rule.words(), "basis": self.rule.basis or DEFAULT_BASIS}
        if self.case.closed_at is None:
            return _("It is open: it is kept for %(span)s from its end (%(basis)s).") % span
        if self.open_near:
            names = {"cases": ", ".join(self.open_near), **span}
            return (
                _("It is kept as long as %(cases)s is open, with which it belongs (%(basis)s).")
                if len(self.open_near) == 1
                else _(
                    "It is kept as long as %(cases)s are open, with which it belongs (%(basis)s)."
                )
            ) % names
        assert self.until is not None and self.start is not None
        told = {"until": dates.day(self.until), "start": dates.day(self.start), **span}
        if self.rule.since != CLOSED and getattr(self.case, self.rule.since, None):
            told["fact"] = _fact_label(self.case, self.rule.since)
            return (
                _("Kept until %(until)s: %(span)s from %(start)s, “%(fact)s” (%(basis)s).") % told
            )
        return (
            _("Kept until %(until)s: %(span)s from %(start)s, when it was closed (%(basis)s).")
            % told
        )


def _fact_label(case: Case, name: str) -> str:
    from processes.kinds import kind_of

    return kind_of(case.kind).fact_label(name)


@dataclass(slots=True)
class Keeper:
    """The rules of this moment, to ask of many cases."""

    changed: dict[tuple[str, str], Retention] = field(default_factory=dict)

    @classmethod
    def now(cls) -> Keeper:
        rows = RetentionRule.objects.all()
        return cls({(one.kind, one.ending): as_retention(one) for one in rows})

    def rule(self, kind: Kind, *endings: str) -> Retention:
        """The rule for a case that ended so: by its outcome, its last step, or any end."""
        for ending in (*endings, ""):
            if (said := self.changed.get((kind.name, ending))) is not None:
                return said
            if ending in kind.retention:
                return kind.retention[ending]
        return default()

    def kept(self, case: Case, *, open_near: Sequence[str] = ()) -> Kept:
        """Until when this case is kept; it is loaded as its kind. `open_near` are the open cases
        that it belongs with, see `open_near_to`."""
        from processes.kinds import kind_of

        rule = self.rule(kind_of(case.kind), case.outcome, str(case.step))
        if case.closed_at is None or open_near:
            return Kept(case, rule, open_near=tuple(open_near))
        start = dates.local_date(case.closed_at)
        fact = getattr(case, rule.since, None) if rule.since != CLOSED else None
        if isinstance(fact, datetime):
            start = dates.local_date(fact)
        elif isinstance(fact, date):
            start = fact
        return Kept(case, rule, start, rule.last(start))


def as_retention(row: RetentionRule) -> Retention:
    return Retention(months=row.months, since=row.since, basis=row.basis)


def kept(case: Case) -> Kept:
    """Until when this case, loaded as its kind, is kept."""
    near = open_near_to([case.pk]).get(case.pk, ()) if case.closed_at is not None else ()
    return Keeper.now().kept(case, open_near=near)


def kept_of(cases: Iterable[Case]) -> dict[int, Kept]:
    """The same for many cases of any kinds, by their ids."""
    found = as_their_kinds(cases)
    near = open_near_to([one.pk for one in found])
    keeper = Keeper.now()
    return {one.pk: keeper.kept(one, open_near=near.get(one.pk, ())) for one in found}


def as_their_kinds(cases: Iterable[Case]) -> list[Case]:
    """These cases with their facts, in the same order: a query a kind."""
    from processes.kinds import kind_of

    rows = list(cases)
    by_kind: dict[str, list[int]] = {}
    for one in rows:
        by_kind.setdefault(one.kind, []).append(one.pk)
    found: dict[int, Case] = {}
    for kind, pks in by_kind.items():
        found |= kind_of(kind).model.objects.in_bulk(pks)
    return [found.get(one.pk, one) for one in rows]


_FAMILY = """
WITH RECURSIVE up (root, id, parent_id, depth) AS (
       SELECT id, id, parent_id, 0 FROM cases_case WHERE id = ANY(%(ids)s)
       UNION ALL
       SELECT up.root, c.id, c.parent_id, up.depth + 1 FROM up
         JOIN cases_case AS c ON c.id = up.parent_id WHERE up.depth < 50),
     down (root, id, depth) AS (
       SELECT id, id, 0 FROM cases_case WHERE id = ANY(%(ids)s)
       UNION ALL
       SELECT down.root, c.id, down.depth + 1 FROM down
         JOIN cases_case AS c ON c.parent_id = down.id WHERE down.depth < 50)
SELECT f.root, c.id, c.reference, c.closed_at IS NULL
  FROM (SELECT root, id FROM up UNION SELECT root, id FROM down) AS f
  JOIN cases_case AS c ON c.id = f.id
 WHERE f.id <> f.root ORDER BY f.root, c.id
"""


def family_of(ids: Sequence[int]) -> dict[int, list[tuple[int, str, bool]]]:
    """By case: those that it belongs to and that belong to it, however far: id, reference, and
    whether it is open."""
    found: dict[int, list[tuple[int, str, bool]]] = {}
    with connection.cursor() as cursor:
        cursor.execute(_FAMILY, {"ids": list(ids)})
        for root, pk, reference, is_open in cursor.fetchall():
            found.setdefault(root, []).append((pk, reference, is_open))
    return found


def open_near_to(ids: Sequence[int]) -> dict[int, list[str]]:
    """By case: the references of the open ones that it belongs with."""
    found = {
        root: [ref for _pk, ref, is_open in rows if is_open]
        for root, rows in family_of(ids).items()
    }
    return {root: refs for root, refs in found.items() if refs}


# -- the rules, as administrators see them


@dataclass(frozen=True, slots=True)
class Ruling:
    """The rule for one end of one kind, and where it is from."""

    kind: Kind
    ending: str
    rule: Retention
    is_changed: bool
    is_default: bool  # nobody has said anything for this end


def rulings() -> list[Ruling]:
    """Each kind with each of its ends, and "" for any other."""
    from processes.kinds import kinds

    keeper = Keeper.now()
    return [
        Ruling(
            kind=kind,
            ending=ending,
            rule=keeper.rule(kind, ending),
            is_changed=(kind.name, ending) in keeper.changed,
            is_default=(kind.name, ending) not in keeper.changed and ending not in kind.retention,
        )
        for kind in kinds().values()
        for ending in endings(kind)
    ]


def endings(kind: Kind) -> list[str]:
    """How a case of this kind may end, as rules name it: outcomes that the kind names, closing
    steps, and "" for any other."""
    steps = [str(one) for one in kind.model.closing_steps]
    return [*dict.fromkeys([*filter(None, kind.retention), *steps]), ""]


def date_facts(kind: Kind) -> list[str]:
    """The facts that a span may begin at."""
    return [
        one.name
        for one in kind.model.fact_fields()
        if one.get_internal_type() in ("DateField", "DateTimeField")
    ]


# -- what has come


def due_cases(*, today: date | None = None) -> Iterator[Kept]:
    """The cases that may be destroyed by their dates, the longest kept of each kind first. Holds,
    and whether a list has them already, are not looked at here."""
    from processes.kinds import kinds

    day = today or dates.local_date(clock.now())
    keeper = Keeper.now()
    for kind in kinds().values():
        last = (datetime.min.replace(tzinfo=clock.now().tzinfo), 0)
        while batch := list(_closed_since(kind, keeper, day, last)[:BATCH]):
            last = (batch[-1].closed_at, batch[-1].pk)
            near = open_near_to([one.pk for one in batch])
            for case in batch:
                found = keeper.kept(case, open_near=near.get(case.pk, ()))
                if found.has_come(day):
                    yield found


def _closed_since(
    kind: Kind, keeper: Keeper, day: date, last: tuple[datetime, int]
) -> QuerySet[Any]:
    """Closed cases that a rule could let go, after the last that was looked at."""
    cases = kind.model.objects.filter(kind=kind.name, erased_at=None, closed_at__isnull=False)
    after = Q(closed_at__gt=last[0]) | Q(closed_at=last[0], pk__gt=last[1])
    rules = [keeper.rule(kind, ending) for ending in endings(kind)]
    if all(rule.since == CLOSED for rule in rules):
        months = min(rule.all_months for rule in rules)
        # Two days and a bit of slack: months differ in length, and days in where they begin.
        cases = cases.filter(closed_at__lt=clock.now() - timedelta(days=months * 30 - 2))
    return cases.filter(after).order_by("closed_at", "pk")


def settled(retention: Mapping[Any, Retention] | None) -> dict[str, Retention]:
    """What a kind declares, by the words of its steps and outcomes. Raises ValueError."""
    found = {str(ending): rule for ending, rule in (retention or {}).items()}
    for ending, rule in found.items():
        if not 0 < rule.all_months <= MOST_MONTHS:
            raise ValueError(f"retention of {ending or 'any end'}: 1 to {MOST_MONTHS} months.")
    return found
