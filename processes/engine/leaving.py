"""Leaving a step: what it still waited for is cancelled, what it did is undone."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

from audit.record import Recorded
from cases.models import Requirement, Task
from processes.activities import UnknownActivity, definition_of, undoing
from processes.engine import commands as asked
from processes.engine import inbox, notices, stopping
from processes.engine.run import Run
from processes.models import Activity
from timers.due import TimerKey

if TYPE_CHECKING:
    from processes.engine.turn import Turn

ENGINE = "engine"


def cancel_open(turn: Turn, run: Run) -> list[int]:
    """Cancel whatever the step still waited for; returns the numbers of the commands."""
    numbers = [number for number in run.open if number > 0]
    for number in numbers:
        drop(turn, run, number, run.open[number])
    case_id = run.case_id
    if any(run.open[n].type == "documents.requested" for n in numbers):
        run.writes.later.append(
            lambda: Requirement.objects.filter(
                case_id=case_id, state__in=["asked", "rejected"]
            ).update(is_open=False)
        )
    if run.incident:
        stopping.close_incident(turn, run, how="moved", actor=run.cause or ENGINE)
    return numbers


def drop(turn: Turn, run: Run, number: int, event: Recorded) -> None:
    """Remove the rows of a command that nobody waits for any more."""
    case_id, visit, now = run.case_id, run.visit, turn.now
    if event.type == "activity.scheduled":
        run.writes.dropped_activities.append((case_id, visit, number))
        run.writes.activities[:] = [
            a for a in run.writes.activities if (a.visit, a.command) != (visit, number)
        ]
    elif event.type == "timer.set":
        run.writes.dropped_timers.append(TimerKey(case_id, visit, number, "command"))
        _forget_timer(run, visit, number, "command")
    elif event.type == "task.opened":
        run.writes.dropped_timers.append(TimerKey(case_id, visit, number, "overdue"))
        _forget_timer(run, visit, number, "overdue")
        cause = run.cause or ENGINE
        run.writes.later.append(
            lambda: _cancel_task(run.reference, (case_id, visit, number), now=now, cause=cause)
        )
    elif event.type == "subcase.opened":
        run.writes.later.append(lambda: _end_child(event.data["child"], case_id, run.cause))


def _cancel_task(reference: str, key: tuple[int, int, int], *, now: datetime, cause: str) -> None:
    """Nobody needs this task any more. Whoever holds it is told, unless it was their own act."""
    rows = Task.objects.filter(case_id=key[0], visit=key[1], command=key[2], state="open")
    cancel_advice([task.pk for task in rows], reference, now=now, cause=cause)
    for task in rows:
        if task.holder_id is not None and cause != f"person:{task.holder_id}":
            notices.tell_cancelled(task, reference=reference, now=now)
        notices.no_longer_overdue(task, reference=reference, now=now)
    rows.update(state="cancelled", closed_at=now, closed_by=cause)


def cancel_advice(task_ids: Sequence[int], reference: str, *, now: datetime, cause: str) -> None:
    """Advice on a task that has ended is not needed any more. Whoever was asked is told."""
    rows = Task.objects.filter(advises__in=task_ids, state="open")
    for task in rows:
        notices.tell_cancelled(task, reference=reference, now=now)
    rows.update(state="cancelled", closed_at=now, closed_by=cause)


def _forget_timer(run: Run, visit: int, number: int, purpose: str) -> None:
    """A timer set in this very turn need not be written at all."""
    run.writes.timers[:] = [
        t for t in run.writes.timers if (t.visit, t.command, t.purpose) != (visit, number, purpose)
    ]


def _end_child(child_id: int, parent_id: int, cause: str) -> None:
    inbox.store(
        source="parent",
        key=f"{parent_id}:{child_id}",
        name="parent.left",
        to=f"id:{child_id}",
        data={"parent": parent_id},
        actor=ENGINE,
        on_behalf=cause,
    )


def closed(turn: Turn, run: Run) -> None:
    """The case ended: tell the parent that waits for it."""
    row, cause = run.row, run.cause
    if row["parent_command"] is None:  # none, or one that did not open it
        return
    data = {
        "command": row["parent_command"],
        "visit": row["parent_visit"],
        "reference": row["reference"],
        "outcome": row["outcome"],
        "facts": run.facts,
    }
    run.writes.later.append(
        lambda: inbox.store(
            source="subcase",
            key=f"{row['parent_id']}:{row['id']}",
            name="subcase.closed",
            to=f"id:{row['parent_id']}",
            data=data,
            actor=ENGINE,
            on_behalf=cause,
        )
    )


def done_and_undoable(run: Run) -> list[tuple[Any, Any]]:
    """What this visit's activities did that can be undone, for a case whose code cannot run."""
    asked_for: dict[int, asked.CallActivity] = {}
    done: list[tuple[Any, Any]] = []
    for event in run.events:
        number = event.data.get("command", 0)
        if event.type == "activity.scheduled" and number > 0:
            with suppress(UnknownActivity):
                definition = definition_of(event.data["name"])
                call = asked.CallActivity(definition, event.data["args"])
                call.number = number
                asked_for[number] = call
        elif event.type == "activity.completed" and number in asked_for:
            call = asked_for[number]
            call.done_as = event.data.get("key", "")
            if call.definition.compensate is not None:
                done.append((call, event.data.get("result")))
            done = [
                (one, result)
                for one, result in done
                if call.definition is not one.definition.compensate
                or call.arguments != undoing(key_of(run, one), one.arguments, result)
            ]
        elif event.type == "activity.failed" and number in asked_for:
            call = asked_for[number]
            if not event.data.get("final") and call.definition.compensate is not None:
                done.append((call, None))  # perhaps it took effect all the same
    return done


def key_of(run: Run, call: asked.CallActivity) -> str:
    """The key under which the outside knows an activity of this visit."""
    return call.done_as or f"{run.case_id}.{run.visit}.{call.number}"


def kept_and_undoable(run: Run) -> list[tuple[Any, Any]]:
    """What was kept when the step was restarted, can be undone, and was not asked for since."""
    found: list[tuple[Any, Any]] = []
    for kept in run.kept:
        with suppress(UnknownActivity):
            call = asked.CallActivity(definition_of(kept["name"]), kept["args"])
            call.done_as = kept["key"]
            if call.definition.compensate is not None:
                found.append((call, kept["result"]))
    return found


def under_way_and_undoable(run: Run) -> list[tuple[Any, Any]]:
    """Activities with a compensation of which an attempt was begun: perhaps they took effect."""
    calls: dict[int, asked.CallActivity] = {}
    for number, event in run.open.items():
        if event.type == "activity.scheduled" and number > 0:
            with suppress(UnknownActivity):
                call = asked.CallActivity(definition_of(event.data["name"]), event.data["args"])
                call.number = number
                if call.definition.compensate is not None:
                    calls[number] = call
    if not calls:
        return []
    begun = Activity.objects.filter(
        case_id=run.case_id, visit=run.visit, command__in=list(calls), attempt__gt=0
    ).values_list("command", flat=True)
    return [(calls[number], None) for number in sorted(begun)]
