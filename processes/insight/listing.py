"""The cases under a number: what was counted, one row each, the newest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import F, QuerySet
from django.utils.translation import gettext as _

from cases import dates
from cases.models import Case
from cases.snapshots import midnight
from processes.insight import figures
from processes.insight.figures import ENDINGS
from processes.insight.judging import Expectation, Move
from processes.insight.scope import Scope
from processes.insight.words import Names

SHOWS = frozenset(
    {"time", "wait", "moves", "variant", "again", "taken_back"}
    | {"papers", "reopened", "terms", "off", "strange"}
)


@dataclass(frozen=True, slots=True)
class Asked:
    """Which number somebody followed: what it counts, and of which step, move, clock or paper."""

    show: str
    step: str = ""
    to: str = ""
    by: str = ""
    came: str = ""
    sort: str = ""
    name: str = ""
    ending: str = ""
    month: date | None = None

    @property
    def move(self) -> Move:
        return Move(self.step, self.by, self.to)


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that was counted, with its case."""

    case: Case
    what: str
    since: datetime | None
    until: datetime | None
    measure: str


class Listing:
    """The rows of one number. `heading` says what they are."""

    def __init__(self, scope: Scope, asked: Asked, names: Names) -> None:
        self.asked, self.names = asked, names
        self.rows: QuerySet[Any]
        self.rows, self.heading = getattr(self, f"_{asked.show}")(scope)

    def page(self, first: int, count: int) -> list[Row]:
        rows = self.rows.select_related("case", "case__owner")[first : first + count]
        return [self._told(row) for row in rows]

    @property
    def cases(self) -> int:
        return int(self.rows.order_by().values("case_id").distinct().count())

    # -- which rows

    def _time(self, scope: Scope) -> tuple[QuerySet[Any], str]:
        rows, step = scope.visits.filter(step=self.asked.step), self.names.step(self.asked.step)
        target = scope.kind.targets.get(self.asked.step)
        if self.asked.ending == "over" and target is not None:
            return rows.filter(days__gt=target).order_by("-days", "-pk"), _(
                "%(step)s, longer than the target of %(days)s days"
            ) % {"step": step, "days": target}
        return rows.order_by("-days", "-left_at", "-pk"), step

    def _wait(self, scope: Scope) -> tuple[QuerySet[Any], str]:
        rows = scope.waits.filter(party=self.asked.name)
        if self.asked.step:
            rows = rows.filter(step=self.asked.step)
        sorts = ["people", "party"] if self.asked.sort == "people" else [self.asked.sort]
        rows = rows.filter(sort__in=sorts).order_by("-seconds", "-pk")
        parts = [self.names.waited(self.asked.sort, self.asked.name)]
        parts += [self.names.step(self.asked.step)] if self.asked.step else []
        return rows, ", ".join(parts)

    def _moves(self, scope: Scope) -> tuple[QuerySet[Any], str]:
        rows = scope.moves.filter(figures.any_of([self.asked.move]))
        return rows.order_by("-left_at", "-pk"), self.names.move(self.asked.move)

    def _variant(self, scope: Scope) -> tuple[QuerySet[Any], str]:
        rows = scope.paths.filter(digest=self.asked.name).order_by("-case__closed_at", "-pk")
        one = rows.first()
        return rows, self.names.path(one.steps.split(">")) if one else _("This way")

    def _again(self, scope: Scope) -> tuple[QuerySet[Any], str]:
        rows = scope.visits.filter(before__gt=0)
        if self.asked.step:
            rows = rows.filter(
                step=self.asked.step, came_from=self.asked.came, came_by=self.asked.by
            )
            heading = self.names.move(Move(self.asked.came, self.asked.by, self.asked.step))
            return rows.order_by("-seconds", "-pk"), heading
        return rows.order_by("-seconds", "-pk"), _("Steps entered again")

    def _taken_back(self, scope: Scope) -> tuple[QuerySet[Any], str]:
        rows = self._named(scope.taken_back).order_by("-taken_back_at", "-pk")
        return rows, _("Decisions taken back: %(name)s") % {
            "name": self.names.task(self.asked.name)
        }

    def _papers(self, scope: Scope) -> tuple[QuerySet[Any], str]:
        rows = self._named(scope.papers).order_by("-at", "-pk")
        return rows, _("Rejected: %(name)s") % {"name": self.names.paper(self.asked.name)}

    def _named(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        rows = rows.filter(name=self.asked.name)
        return rows.filter(step=self.asked.step) if self.asked.step else rows

    def _reopened(self, scope: Scope) -> tuple[QuerySet[Any], str]:
        rows = scope.reopened
        if self.asked.step:
            rows = rows.filter(
                step=self.asked.step, came_from=self.asked.came, came_by=self.asked.by
            )
        return rows.order_by("-entered_at", "-pk"), _("Reopened")

    def _terms(self, scope: Scope) -> tuple[QuerySet[Any], str]:
        rows = scope.terms.filter(sort=self.asked.sort)
        parts = []
        if self.asked.name:
            rows = rows.filter(name=self.asked.name)
            parts.append(self.names.term(self.asked.sort, self.asked.name))
        else:
            parts.append(_("Clocks") if self.asked.sort == "clock" else _("Tasks"))
        if self.asked.ending in ENDINGS:
            rows = rows.filter(ENDINGS[self.asked.ending])
            parts.append(self.names.ending(self.asked.ending))
        if self.asked.month is not None:
            first = self.asked.month.replace(day=1)
            after = (first + timedelta(days=32)).replace(day=1)
            rows = rows.filter(ended_at__gte=midnight(first), ended_at__lt=midnight(after))
            parts.append(self.names.month(first))
        late = F("ended_at") - F("due_at")
        return rows.order_by(late.desc(nulls_last=True), "-pk"), ", ".join(parts)

    def _off(self, scope: Scope) -> tuple[QuerySet[Any], str]:
        found = Expectation(scope.kind).off(self._made(scope))
        return self._any(scope, found), _("Moves off the main line")

    def _strange(self, scope: Scope) -> tuple[QuerySet[Any], str]:
        found = Expectation(scope.kind).strange(self._made(scope))
        return self._any(scope, found), _("Moves that the process of today does not have")

    def _any(self, scope: Scope, found: Sequence[Move]) -> QuerySet[Any]:
        return scope.moves.filter(figures.any_of(found)).order_by("-left_at", "-pk")

    def _made(self, scope: Scope) -> list[Move]:
        made = scope.moves.values_list("step", "left_by", "went_to").order_by().distinct()
        return [Move(*row) for row in made]

    # -- what a row says

    def _told(self, row: Any) -> Row:
        show, names = self.asked.show, self.names
        if show == "variant":
            took = row.case.closed_at - row.case.opened_at
            return Row(
                row.case, row.case.outcome, row.case.opened_at, row.case.closed_at, _span(took)
            )
        if show == "wait":
            what = names.step(row.step)
            return Row(row.case, what, None, row.left_at, _span(timedelta(seconds=row.seconds)))
        if show == "terms":
            return Row(
                row.case, names.term(row.sort, row.name), row.due_at, row.ended_at, _late(row)
            )
        if show == "taken_back":
            what = names.task(row.name)
            return Row(row.case, what, row.ended_at, row.taken_back_at, names.step(row.step))
        if show == "papers":
            return Row(row.case, names.paper(row.name), None, row.at, names.step(row.step))
        what = names.step(row.step)
        if show in ("moves", "off", "strange"):
            what = names.move(Move(row.step, row.left_by, row.went_to))
        elif show in ("again", "reopened"):
            what = names.move(Move(row.came_from, row.came_by, row.step))
        took = timedelta(seconds=row.seconds)
        return Row(row.case, what, row.entered_at, row.left_at, _span(took) if row.left_at else "")


def columns(show: str) -> tuple[str, str, str, str]:
    """The heads of the columns behind the case."""
    if show == "terms":
        return _("What"), _("Due"), _("Ended"), _("Late by")
    if show == "variant":
        return _("Outcome"), _("Opened"), _("Closed"), _("Took")
    if show == "wait":
        return _("Step"), "", _("Visit ended"), _("Waited")
    if show == "taken_back":
        return _("Decision"), _("Decided"), _("Taken back"), _("Step")
    if show == "papers":
        return _("Paper"), "", _("Rejected"), _("Step")
    return _("Step"), _("Entered"), _("Left"), _("Took")


def _span(took: timedelta) -> str:
    return dates.span(_EPOCH, _EPOCH + took)


_EPOCH = midnight(date(2001, 1, 1))


def _late(row: Any) -> str:
    if row.state == "cancelled":
        return _("cancelled")
    if row.due_at is None:
        return _("no due moment")
    return _span(row.ended_at - row.due_at) if row.ended_at > row.due_at else _("in time")
