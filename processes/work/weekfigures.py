"""The caseload of past weeks, made anew from history: each case as it stood when a week ended."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import date, datetime, timedelta

from django.contrib.auth.models import Group
from django.db.models import Q

from audit.read import events_of
from audit.record import Recorded
from cases import snapshots
from cases.absence import today as local_today
from cases.models import Case
from cases.snapshots import midnight, write_steps, write_teams
from cases.teamcases import Moments
from processes.engine.folding import Stood
from processes.engine.replay import fold_case
from processes.kinds import Kind, kind_of, kinds
from timers import clock

BATCH = 500

Counts = dict[date, dict[int, dict[str, int]]]


def moments_now() -> Moments:
    """The moments by which cases are told apart, with what the kinds say of their clocks."""
    others = [
        name for kind in kinds().values() for name, terms in kind.clocks.items() if not terms.ours
    ]
    return Moments.at(clock.now(), of_others=sorted(others))


def write_today() -> int:
    """The figures of today, so far. Run by the timer service."""
    return snapshots.write_today(moments_now())


def rebuild(*, weeks: int) -> int:
    """Write the figures of the last days of these weeks, and of each day's ended visits. Returns
    how many cases were folded. A million cases take an hour or so; work goes on meanwhile."""
    today = local_today()
    monday = today - timedelta(days=today.weekday())
    sundays = [monday - timedelta(days=1 + 7 * back) for back in reversed(range(weeks))]
    counts: Counts = defaultdict(lambda: defaultdict(_none))
    staff = frozenset(Group.objects.values_list("name", flat=True))
    first = midnight(sundays[0] + timedelta(days=1))
    cases = Case.objects.filter(Q(closed_at=None) | Q(closed_at__gte=first), restricted=False)
    folded = 0
    for case in cases.order_by("pk").iterator(chunk_size=BATCH):
        _count(case, sundays, counts, staff)
        folded += 1
    for sunday in sundays:
        write_teams(sunday, counts[sunday])
    write_steps(sundays[0], today)
    return folded


def _none() -> dict[str, int]:
    return {"in_hand": 0, "waiting": 0, "in_review": 0, "past_limit": 0}


def _count(case: Case, sundays: Sequence[date], counts: Counts, staff: frozenset[str]) -> None:
    events = events_of(case.pk)
    for sunday in sundays:
        end = midnight(sunday + timedelta(days=1))
        if case.opened_at >= end or (case.closed_at is not None and case.closed_at < end):
            continue
        before = [event for event in events if event.recorded_at < end]
        team = _team(before) if before else None
        if team is None:
            continue
        stood = fold_case(case, before)
        if stood.closed:
            continue
        row = counts[sunday][team]
        row[_phase(case, stood, before, staff)] += 1
        row["past_limit"] += _is_past(kind_of(case.kind), stood, end)


def _team(events: Sequence[Recorded]) -> int | None:
    """The team that the case belonged to after these events."""
    found = None
    for event in events:
        if event.type in ("case.opened", "case.assigned") and "team" in event.data:
            found = event.data["team"]
    return found


def _phase(case: Case, stood: Stood, events: Sequence[Recorded], staff: frozenset[str]) -> str:
    reviews = {
        event.data["command"]
        for event in _of_visit(events)
        if event.type == "task.opened" and event.data.get("review")
    }
    open_now = (t for t in stood.tasks if t["state"] == "open" and t["visit"] == stood.visit)
    if any(task["command"] in reviews for task in open_now):
        return "in_review"
    incident = [e.type for e in events if e.type in ("incident.opened", "incident.closed")]
    if incident[-1:] == ["incident.opened"]:
        return "waiting"
    if stood.waits:
        return "in_hand" if stood.waits[0]["on"] in staff else "waiting"
    step = kind_of(case.kind).staff_steps.get(stood.step)
    return "in_hand" if step is not None and step.role in staff else "waiting"


def _of_visit(events: Sequence[Recorded]) -> Sequence[Recorded]:
    """The events since the last entry of a step."""
    entered = max((i for i, e in enumerate(events) if e.type == "step.entered"), default=0)
    return events[entered:]


def _is_past(kind: Kind, stood: Stood, end: datetime) -> bool:
    """Whether a clock of ours had run out."""
    return any(
        state.word == "running"
        and (name not in kind.clocks or kind.clocks[name].ours)
        and (state.has_passed or (state.limit_at is not None and state.limit_at < end))
        for name, state in stood.clocks.items()
    )
