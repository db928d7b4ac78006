"""Calendars that changed: the dates of open cases that were counted on them are counted again.

In batches, through the engine, with one event for each date that moves and none for those that
stay. A batch and how far it got are one commit, so whoever dies, the next one goes on; counting
twice moves nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.db import connection
from django.db.models import F

from cases.models import Task
from processes.engine import casetime
from processes.engine.casetime import COUNTED
from processes.engine.run import Run
from processes.engine.turn import ENGINE, Turn
from timers import calendarbook, calendars, clock, clockwork, spans
from timers.due import TimerKey, TimerRow
from timers.models import CalendarChange, CalendarRow, Clock, Timer

BATCH = 100  # cases in one commit
BATCHES_PER_SWEEP = 20
# Each process has read a change by then, and what it still wrote by the old one can be seen.
SETTLED_AFTER = timedelta(seconds=3)


def follow_calendars(*, settled_after: timedelta = SETTLED_AFTER) -> int:
    """Go on with the calendars that changed; returns how many dates moved."""
    moved = 0
    for _ in range(BATCHES_PER_SWEEP):
        found = _next_batch(settled_after)
        if found is None:
            return moved
        moved += found
    return moved


def _next_batch(settled_after: timedelta) -> int | None:
    """One batch of one changed calendar; None when there is none to follow."""
    waiting = CalendarRow.objects.filter(version__gt=F("swept_version"))
    if not waiting.exists():
        return None
    clock.refresh(connection)  # with the calendars as they are now
    with Turn() as turn:
        row = (
            waiting.select_for_update(skip_locked=True, of=("self",))
            .filter(changed_at__lte=clock.now() - settled_after)
            .order_by("changed_at")
            .first()
        )
        if row is None or not calendars.is_current(_newest()):
            return None
        if row.sweeping_version != row.version:
            row.sweeping_version, row.swept_upto = row.version, 0
        names = calendarbook.names_following(row.name)
        case_ids = _cases_after(row.swept_upto, names)
        moved = 0
        if not case_ids:
            row.swept_version = row.sweeping_version
        else:
            why = calendarbook.told(
                list(CalendarChange.objects.filter(calendar=row, pk__gt=row.swept_version))
            )
            runs = {run.case_id: run for run in turn.lock(case_ids, wait=False)}
            held = [case_id for case_id in case_ids if case_id not in runs]
            reached = [case_id for case_id in case_ids if not held or case_id < held[0]]
            for case_id in reached:
                moved += count_again(turn, runs[case_id], names, why=why)
            if reached:
                row.swept_upto = reached[-1]
            elif held:
                moved = -1  # the first one is held by another; the next sweep comes back
        row.save(update_fields=["sweeping_version", "swept_version", "swept_upto"])
    return None if moved < 0 else moved


def _newest() -> int:
    return CalendarChange.objects.order_by("-pk").values_list("pk", flat=True).first() or 0


def _cases_after(case_id: int, names: Sequence[str]) -> list[int]:
    """The next cases that have something ahead which was counted on one of these calendars."""
    clocks = (
        Clock.objects.filter(calendar__in=names, case_id__gt=case_id, is_late=False)
        .exclude(state="stopped")
        .order_by("case_id")
        .values_list("case_id", flat=True)
    )
    timers = (
        Timer.objects.filter(data__in=[f"{COUNTED}{name}" for name in names], case_id__gt=case_id)
        .order_by("case_id")
        .values_list("case_id", flat=True)
    )
    return sorted({*clocks.distinct()[:BATCH], *timers.distinct()[:BATCH]})[:BATCH]


def count_again(turn: Turn, run: Run, names: Sequence[str], *, why: str) -> int:
    """Count what lies ahead of one locked case again; returns how many dates moved."""
    moved = 0
    for state in list(run.clocks.values()):
        over = state.limit_at is not None and state.limit_at <= turn.now
        if state.calendar not in names or state.has_passed or over:
            continue
        data = clockwork.recomputed(
            state, why=why, at=turn.now, calendar=casetime.calendar_of(state)
        )
        if data is not None:
            turn.feed(run, "clock.recomputed", data, actor=ENGINE)
            moved += 1
    timers = Timer.objects.filter(
        case_id=run.case_id, visit=run.visit, data__in=[f"{COUNTED}{name}" for name in names]
    )
    for timer in list(timers):
        moved += _count_timer(turn, run, timer, why=why)
    return moved


def _count_timer(turn: Turn, run: Run, timer: Timer, *, why: str) -> int:
    """A task or a timer that is due in working days."""
    asked = run.open.get(timer.command)
    if asked is None or "span" not in asked.data or timer.due_at <= turn.now:
        return 0
    data = asked.data
    due_at, holidays = casetime.counted(
        spans.decode(data["span"]), data["counted_from"], calendars.named(data.get("calendar", ""))
    )
    if due_at == timer.due_at:
        return 0
    told = {
        "command": timer.command,
        "name": data.get("name", ""),
        "due_at": due_at,
        "was": timer.due_at,
        "holidays": holidays,
        "why": why,
    }
    run.writes.dropped_timers.append(
        TimerKey(run.case_id, timer.visit, timer.command, timer.purpose)
    )
    run.writes.timers.append(
        TimerRow(run.case_id, timer.visit, timer.command, timer.purpose, due_at, timer.data)
    )
    turn.feed(run, "due.moved", told, actor=ENGINE)
    if asked.type == "task.opened":
        key = {"case_id": run.case_id, "visit": timer.visit, "command": timer.command}
        run.writes.later.append(
            lambda: Task.objects.filter(**key, state="open").update(due_at=due_at)
        )
    return 1
