"""The rows of one case, folded from its events. Pure: the same events give the same rows.

Only keys that the engine writes are read: steps, transitions, commands, names, roles, moments.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Any

from django.utils import timezone

from audit.record import Recorded
from cases.dates import local_date
from processes.engine.restarting import RESTART
from processes.engine.standing import JUDGES, Open, track, waits_of
from processes.insight.models import CasePath, PaperRejected, StepVisit, Term, VisitWait
from timers import clocks
from timers.clocks import ClockState
from timers.reckoning import When

STEPS_KEPT = 200  # of a path, as text
_SORTS = {
    "task": "people",
    "documents": "party",
    "message": "party",
    "party": "party",
    "activity": "service",
    "timer": "clock",
    "subcase": "case",
}
_OF_TASKS = ("task.opened", "task.completed", "task.taken_back", "due.moved", "wait.cancelled")


@dataclass(slots=True)
class Rows:
    """What the tables hold of one case."""

    path: CasePath
    visits: list[StepVisit] = field(default_factory=list)
    waits: list[VisitWait] = field(default_factory=list)
    terms: list[Term] = field(default_factory=list)
    papers: list[PaperRejected] = field(default_factory=list)


def folded(
    case_id: int,
    kind: str,
    events: Iterable[Recorded],
    *,
    staff_steps: Mapping[str, str],
    papers: Container[str],
) -> Rows | None:
    """The rows of a case; None before its first step. `staff_steps` are the roles that steps
    without code wait for, `papers` the names that the kind declares."""
    fold = _Fold(case_id, kind, staff_steps, papers)
    for event in events:
        fold.take(event)
    return fold.rows()


class _Fold:
    def __init__(
        self, case_id: int, kind: str, staff_steps: Mapping[str, str], papers: Container[str]
    ) -> None:
        self._declared = papers
        self._of: dict[str, Any] = {"case_id": case_id, "kind": kind}
        self._staff_steps = staff_steps
        self._open: Open = {}
        self._documents: dict[str, str] = {}
        self._clocks: dict[str, ClockState] = {}
        self._clock_terms: dict[str, Term] = {}
        self._tasks: dict[tuple[int, int], Term] = {}
        self._waited: dict[tuple[str, str], float] = defaultdict(float)
        self._visits: list[StepVisit] = []
        self._been: dict[str, int] = defaultdict(int)  # by step: visits so far
        self._waits: list[VisitWait] = []
        self._terms: list[Term] = []
        self._papers: list[PaperRejected] = []
        self._engine_visit, self._upto = 0, 0
        self._at: datetime | None = None
        self._is_stopped = False

    def take(self, event: Recorded) -> None:
        self._count_time(event.recorded_at)
        self._upto = event.number
        kind = event.type
        entered = kind == "step.entered"
        if entered:
            self._enter(event)
        track(self._open, self._documents, event)
        if entered or kind in clocks.EVENTS:
            self._fold_clocks(event)
        if kind in _OF_TASKS:
            self._fold_tasks(event)
        elif kind == "document.rejected" and "name" in event.data:
            self._papers.append(
                PaperRejected(
                    **self._of,
                    event=event.number,
                    step=self._step,
                    # A paper that staff asked for is named in their own words, maybe of people.
                    name=event.data["name"] if event.data["name"] in self._declared else "",
                    at=event.recorded_at,
                )
            )
        elif kind in ("incident.opened", "incident.closed"):
            self._is_stopped = kind == "incident.opened"

    def rows(self) -> Rows | None:
        if not self._visits:
            return None
        for name, term in self._clock_terms.items():
            _tell(term, self._clocks[name])
        steps = [one.step for one in self._visits]
        path = CasePath(
            **self._of,
            steps=">".join(steps[:STEPS_KEPT]),
            digest=hashlib.sha256(">".join(steps).encode()).hexdigest()[:16],
            visits=len(steps),
            upto=self._upto,
        )
        terms = [*self._terms, *self._clock_terms.values(), *self._tasks.values()]
        terms.sort(key=lambda one: one.began)
        return Rows(path, self._visits, self._waits, terms, self._papers)

    @property
    def _step(self) -> str:
        return self._visits[-1].step if self._visits else ""

    # -- visits and waits

    def _enter(self, event: Recorded) -> None:
        data = event.data
        self._engine_visit, self._is_stopped = data["visit"], False
        self._end_tasks(event.recorded_at)
        if data.get("transition") == RESTART and self._visits:
            return
        if self._visits:
            self._leave(self._visits[-1], event)
        self._visits.append(
            StepVisit(
                **self._of,
                number=data["visit"],
                step=data["step"],
                came_from=data.get("from", ""),
                came_by=data.get("transition", ""),
                entered_at=event.recorded_at,
                before=self._been[data["step"]],
                is_end=bool(data.get("closed")),
                reopened=bool(data.get("reopened")),
            )
        )
        self._been[data["step"]] += 1

    def _leave(self, visit: StepVisit, event: Recorded) -> None:
        visit.left_at = event.recorded_at
        visit.left_by = event.data.get("transition", "")
        visit.went_to = event.data["step"]
        visit.seconds = (visit.left_at - visit.entered_at).total_seconds()
        visit.days = (local_date(visit.left_at) - local_date(visit.entered_at)).days
        for (sort, party), seconds in sorted(self._waited.items()):
            if seconds > 0 and not visit.is_end:
                self._waits.append(
                    VisitWait(
                        **self._of,
                        number=visit.number,
                        step=visit.step,
                        left_at=visit.left_at,
                        sort=sort,
                        party=party,
                        seconds=seconds,
                    )
                )
        self._waited.clear()

    def _count_time(self, at: datetime) -> None:
        """Whom the case waited for since the event before."""
        before, self._at = self._at, at
        if before is None or at <= before or not self._visits:
            return
        seconds = (at - before).total_seconds()
        for one in self._waiting():
            self._waited[one] += seconds

    def _waiting(self) -> set[tuple[str, str]]:
        found: set[tuple[str, str]] = set()
        for wait in waits_of(self._open, self._documents, {}):
            sort, on = _SORTS[wait["kind"]], wait["on"]
            if sort == "party" and on == JUDGES:
                sort = "people"
            if sort in ("clock", "case"):
                on = ""
            found.add((sort, str(wait["name"] if sort == "service" else on)[:200]))
        others = {one for one in found if one[0] != "clock"}
        if others:  # a timer beside something else is its reminder or its end
            found = others
        if self._is_stopped:
            found.add(("stopped", ""))
        if not found and self._step in self._staff_steps:
            found.add(("people", self._staff_steps[self._step]))
        return found

    # -- clocks and tasks

    def _fold_clocks(self, event: Recorded) -> None:
        name = str(event.data.get("name", ""))
        if event.type == "clock.started" and "unchanged" not in event.data:
            if name in self._clock_terms:
                _tell(self._clock_terms[name], self._clocks[name])
                self._terms.append(self._clock_terms.pop(name))
            self._clock_terms[name] = Term(
                **self._of,
                began=event.number,
                sort="clock",
                name=name,
                step=self._step,
                started_at=event.recorded_at,
                state="open",
            )
        clocks.track(self._clocks, event.type, event.data, event.recorded_at)

    def _fold_tasks(self, event: Recorded) -> None:
        data = event.data
        if event.type == "task.opened":
            self._tasks[self._engine_visit, data["command"]] = Term(
                **self._of,
                began=event.number,
                sort="task",
                name=data["name"],
                step=self._step,
                started_at=event.recorded_at,
                due_at=data.get("due_at"),
                state="open",
            )
        elif event.type == "wait.cancelled":
            for command in data["commands"]:
                task = self._tasks.get((self._engine_visit, command))
                if task is not None and task.state == "open":
                    task.state, task.ended_at = "cancelled", event.recorded_at
        else:
            number: Any = data.get("task", data.get("command"))
            task = self._tasks.get((data.get("visit", self._engine_visit), number))
            if task is None:
                return
            if event.type == "due.moved":
                task.due_at = data["due_at"]
            elif event.type == "task.completed":
                task.state, task.ended_at = "done", event.recorded_at
            else:
                task.taken_back_at = event.recorded_at

    def _end_tasks(self, at: datetime) -> None:
        """With the step end the tasks that it still waited for."""
        for task in self._tasks.values():
            if task.state == "open":
                task.state, task.ended_at = "cancelled", at


def _tell(term: Term, state: ClockState) -> None:
    """A clock as it stands, as a term."""
    term.due_at = state.limit_at
    term.extensions, term.pauses = state.extended, len(state.pauses)
    end = _moment(state.stopped) if state.stopped is not None else None
    term.paused_seconds = sum(
        max((until - _moment(one.since)).total_seconds(), 0)
        for one in state.pauses
        if (until := _moment(one.until) if one.until is not None else end) is not None
    )
    if end is not None:
        term.state, term.ended_at = "done", end


def _moment(when: When) -> datetime:
    """A bare date begins at midnight where the organisation works."""
    if isinstance(when, datetime) or not isinstance(when, date):
        return when
    return timezone.make_aware(datetime.combine(when, time()), timezone.get_default_timezone())
