"""Of which cases and which time figures are: a kind, a period, a team, an outcome."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TypeVar

from django.db.models import Model, Q, QuerySet

from cases import access
from cases.models import Case, Person, Team
from cases.snapshots import midnight
from processes.insight.models import CasePath, PaperRejected, StepVisit, Term, VisitWait
from processes.kinds import Kind

_M = TypeVar("_M", bound=Model)
PERIODS = (30, 90, 365, 0)  # days back; 0 is all there is
ENDED, CLOSED = "ended", "closed"  # visits that ended in the period; cases that were closed in it


@dataclass(frozen=True)
class Scope:
    """What one set of figures is about, for whoever asks."""

    person: Person
    kind: Kind
    today: date
    days: int = 90
    of: str = ENDED
    team: Team | None = None
    outcome: str = ""

    @property
    def first(self) -> datetime | None:
        """The first moment of the period; None for all time."""
        return midnight(self.today - timedelta(days=self.days - 1)) if self.days else None

    @property
    def cases(self) -> QuerySet[Case]:
        """The cases that count, whenever they were closed."""
        cases = access.insight_cases(self.person, self.team)
        if self.outcome:
            cases = cases.filter(outcome=self.outcome, closed_at__isnull=False)
        return cases

    @property
    def closed_cases(self) -> QuerySet[Case]:
        """Those that were closed in the period."""
        cases = self.cases.filter(kind=self.kind.name, closed_at__isnull=False)
        return cases.filter(closed_at__gte=self.first) if self.first else cases

    def _within(self, rows: QuerySet[_M], moment: str) -> QuerySet[_M]:
        rows = rows.filter(kind=self.kind.name)
        if self.of == CLOSED:
            return rows.filter(case__in=self.closed_cases)
        rows = rows.filter(**{f"{moment}__isnull": False})
        if self.first:
            rows = rows.filter(**{f"{moment}__gte": self.first})
        cases = self.cases
        return rows.filter(case__in=cases) if cases.query.where else rows

    @property
    def moves(self) -> QuerySet[StepVisit]:
        """Visits that ended: each is a move to another step, or to the same one again."""
        return self._within(StepVisit.objects.filter(left_at__isnull=False), "left_at")

    @property
    def visits(self) -> QuerySet[StepVisit]:
        """Visits that ended, of steps in which a case is open: what takes time."""
        return self.moves.filter(is_end=False)

    @property
    def waits(self) -> QuerySet[VisitWait]:
        return self._within(VisitWait.objects.all(), "left_at")

    @property
    def terms(self) -> QuerySet[Term]:
        """Clocks and tasks that ended, but for clocks that are not ours to keep."""
        theirs = [name for name, terms in self.kind.clocks.items() if not terms.ours]
        rows = self._within(Term.objects.filter(ended_at__isnull=False), "ended_at")
        return rows.exclude(Q(sort="clock", name__in=theirs)) if theirs else rows

    @property
    def taken_back(self) -> QuerySet[Term]:
        rows = Term.objects.filter(taken_back_at__isnull=False)
        return self._within(rows, "taken_back_at")

    @property
    def papers(self) -> QuerySet[PaperRejected]:
        return self._within(PaperRejected.objects.all(), "at")

    @property
    def reopened(self) -> QuerySet[StepVisit]:
        return self._within(StepVisit.objects.filter(reopened=True), "entered_at")

    @property
    def paths(self) -> QuerySet[CasePath]:
        """The whole ways of cases that were closed in the period."""
        return CasePath.objects.filter(kind=self.kind.name, case__in=self.closed_cases)
