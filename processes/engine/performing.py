"""What each command means in rows: the event that records it and the obligation it makes."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import singledispatch
from typing import TYPE_CHECKING, Any

from django.db import transaction

from audit import codec
from audit.record import Recorded
from cases.models import Notice, Requirement, Task
from processes.activities import SHORT, Attempt, UnknownActivity, definition_of, undoing
from processes.engine import commands as asked
from processes.engine import inbox, wake
from processes.engine.errors import ActivityFailed, NotDeterministic, ReplayMismatch
from processes.engine.rows import ActivityRow
from processes.engine.run import Run
from processes.kinds import StaffStep, kind_of
from processes.models import Activity, Incident
from timers.due import TimerKey, TimerRow

if TYPE_CHECKING:
    from processes.engine.turn import Turn

ENGINE = "engine"


def perform(turn: Turn, run: Run, command: asked.Command) -> Recorded:
    """Record a command as its event, with the wait it makes, and add its rows to the turn."""
    data = {"command": command.number, **command.data()}
    if command.met:
        data["met"] = command.met
    limit = command.deadline
    if command.waits_as and limit is not None and limit.timer is not command:
        if limit.timer.until is not None:
            data["until"] = limit.timer.until
        if limit.then:
            data["otherwise"] = limit.then
    if command.otherwise and "otherwise" not in data:
        data["otherwise"] = command.otherwise
    return _perform(command, turn, run, data)


def _record(turn: Turn, run: Run, command: asked.Command, data: dict[str, Any]) -> Recorded:
    return turn.record(run, command.event, data, actor=ENGINE, on_behalf=run.cause)


@singledispatch
def _perform(command: asked.Command, turn: Turn, run: Run, data: dict[str, Any]) -> Recorded:
    return _record(turn, run, command, data)


@_perform.register(asked.CallActivity)
def _call_activity(
    command: asked.CallActivity, turn: Turn, run: Run, data: dict[str, Any]
) -> Recorded:
    definition = command.definition
    data["on"] = definition.on
    event = _record(turn, run, command, data)
    _add_activity(turn, run, definition, command.arguments, command.number, run.visit)
    return event


@_perform.register(asked.DoInside)
def _do_inside(command: asked.DoInside, turn: Turn, run: Run, data: dict[str, Any]) -> Recorded:
    """Run it here and now: its rows and its event commit together, or neither does."""
    turn.insert_now(run)
    turn.secure(run)
    attempt = Attempt(
        key=f"{run.case_id}.{run.visit}.{command.number}",
        number=1,
        case_id=run.case_id,
        on_behalf=run.cause,
    )
    try:
        with transaction.atomic():
            data["result"] = command.definition.run(attempt, command.arguments)
    except Exception as error:
        data["error"] = describe(error)
    return _record(turn, run, command, data)


@_perform.register(asked.SetTimer)
def _set_timer(command: asked.SetTimer, turn: Turn, run: Run, data: dict[str, Any]) -> Recorded:
    runner = run.runner
    assert runner is not None and runner.now is not None
    due_at = command.at or command.span.after(runner.now)
    data["due_at"] = due_at
    if command.watches:
        data["watch"] = True
    event = _record(turn, run, command, data)
    run.writes.timers.append(TimerRow(run.case_id, run.visit, command.number, "command", due_at))
    return event


@_perform.register(asked.AskTask)
def _ask_task(command: asked.AskTask, turn: Turn, run: Run, data: dict[str, Any]) -> Recorded:
    runner = run.runner
    assert runner is not None and runner.now is not None
    due_at = command.due.after(runner.now) if command.due is not None else None
    data["due_at"] = due_at
    event = _record(turn, run, command, data)
    row, visit = run.row, run.visit
    run.writes.later.append(
        lambda: Task.objects.create(
            case_id=row["id"],
            visit=visit,
            command=command.number,
            name=command.name,
            title=command.title,
            is_review=command.is_review,
            role=command.role,
            team_id=row["team_id"],
            outcomes=command.outcomes,
            asks=command.asks,
            show=command.show,
            unlike=command.unlike,
            opened_at=event.recorded_at,
            opened_number=event.number,
            due_at=due_at,
        )
    )
    if due_at is not None:
        run.writes.timers.append(
            TimerRow(run.case_id, run.visit, command.number, "overdue", due_at)
        )
    return event


@_perform.register(asked.AskDocuments)
def _ask_documents(
    command: asked.AskDocuments, turn: Turn, run: Run, data: dict[str, Any]
) -> Recorded:
    event = _record(turn, run, command, data)
    titles = run.kind.document_titles
    case_id, of, reason = run.case_id, command.on, command.reason

    def ask() -> None:
        for name in command.names:
            requirement, is_new = Requirement.objects.get_or_create(
                case_id=case_id,
                name=name,
                defaults={
                    "title": str(titles.get(name, name.replace("_", " ").capitalize())),
                    "asked_of": of,
                    "asked_at": event.recorded_at,
                    "reason": reason,
                },
            )
            if not is_new and command.afresh:
                requirement.state, requirement.is_open = "asked", True
                requirement.asked_at, requirement.reason = event.recorded_at, reason
                requirement.reminders, requirement.reminded_at = 0, None
                requirement.save()
            elif not is_new and not requirement.is_open:
                requirement.is_open = True
                requirement.save(update_fields=["is_open"])

    run.writes.later.append(ask)
    return event


@_perform.register(asked.AskParty)
def _ask_party(command: asked.AskParty, turn: Turn, run: Run, data: dict[str, Any]) -> Recorded:
    runner = run.runner
    assert runner is not None and runner.now is not None
    if command.open_for is not None:
        data["until"] = command.open_for.after(runner.now)
    return _record(turn, run, command, data)


@_perform.register(asked.OpenSubcase)
def _open_subcase(
    command: asked.OpenSubcase, turn: Turn, run: Run, data: dict[str, Any]
) -> Recorded:
    from processes.engine.opening import begin  # opening a case needs a turn, which needs us

    turn.insert_now(run)
    turn.secure(run)
    child = begin(
        turn,
        kind_of(command.name),
        facts=command.facts,
        title=command.title or run.row["title"],
        actor=ENGINE,
        on_behalf=run.cause,
        owner_id=run.row["owner_id"],
        team_id=run.row["team_id"],
        parent=(run.case_id, run.visit, command.number),
    )
    data["reference"] = child.reference
    data["child"] = child.case_id
    return _record(turn, run, command, data)


@_perform.register(asked.CancelWaits)
def _cancel_waits(
    command: asked.CancelWaits, turn: Turn, run: Run, data: dict[str, Any]
) -> Recorded:
    for number in command.commands:
        event = run.open.get(number)
        if event is not None:
            _drop(turn, run, number, event)
    event = _record(turn, run, command, data)
    if run.incident == "activity" and not still_stopped(run):
        close_incident(turn, run, how="moved", actor=run.cause or ENGINE)
    return event


# -- activities


def _add_activity(
    turn: Turn, run: Run, definition: Any, arguments: dict[str, Any], number: int, visit: int
) -> None:
    row = ActivityRow(
        run.case_id,
        visit,
        number,
        definition.name,
        codec.encode(arguments),
        run.cause,
        definition.lane,
        turn.now,
    )
    if turn.worker_id is not None and definition.lane == SHORT and turn.slots > 0:
        # The worker that records this takes the next one at once: no second statement, no hop.
        turn.slots -= 1
        row = row._replace(worker_id=turn.worker_id, attempt=1, lease_until=turn.lease_until())
    run.writes.activities.append(row)


def schedule_undo(turn: Turn, run: Run, command: Any, result: Any, *, visit: int) -> None:
    """A step was left from outside: undo what one of its activities did."""
    undo = command.definition.compensate
    number = -(visit * 10_000 + command.number)
    key = f"{run.case_id}.{visit}.{command.number}"
    arguments = undoing(key, command.arguments, result)
    turn.record(
        run,
        "activity.scheduled",
        {
            "command": number,
            "visit": visit,
            "name": undo.name,
            "args": arguments,
            "on": undo.on,
            "undoes": command.number,
        },
        actor=ENGINE,
        on_behalf=run.cause,
    )
    _add_activity(turn, run, undo, arguments, number, visit)


# -- leaving a step


def cancel_open(turn: Turn, run: Run) -> list[int]:
    """Cancel whatever the step still waited for; returns the numbers of the commands."""
    numbers = [number for number in run.open if number > 0]
    for number in numbers:
        _drop(turn, run, number, run.open[number])
    case_id = run.case_id
    if any(run.open[n].type == "documents.requested" for n in numbers):
        run.writes.later.append(
            lambda: Requirement.objects.filter(
                case_id=case_id, state__in=["asked", "rejected"]
            ).update(is_open=False)
        )
    if run.incident:
        close_incident(turn, run, how="moved", actor=run.cause or ENGINE)
    return numbers


def _drop(turn: Turn, run: Run, number: int, event: Recorded) -> None:
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
    held = rows.filter(holder__isnull=False).values_list("title", "holder_id")
    for title, holder_id in held:
        if cause != f"person:{holder_id}":
            Notice.objects.create(
                case_id=key[0],
                person_id=holder_id,
                text=f"{title} of {reference} is no longer needed.",
                written_at=now,
            )
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
    if row["parent_id"] is None:
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


# -- people are told


def overdue(turn: Turn, run: Run, command: int) -> None:
    """A task was not done by its date: the supervisors of the team are told."""
    event = run.open.get(command)
    if event is None or event.type != "task.opened":
        return
    turn.record(
        run,
        "task.overdue",
        {"task": command, "name": event.data["name"], "role": event.data["role"]},
        actor=ENGINE,
    )
    case_id, visit, now = run.case_id, run.visit, turn.now
    title = event.data["title"]

    def tell() -> None:
        Task.objects.filter(case_id=case_id, visit=visit, command=command, state="open").update(
            overdue_at=now
        )
        Notice.objects.create(
            case_id=case_id,
            role="supervisor",
            text=f"{title} of {run.reference} is overdue.",
            written_at=now,
        )

    run.writes.later.append(tell)


def operators_wait(since: datetime) -> dict[str, Any]:
    return {
        "kind": "incident",
        "name": "incident",
        "on": "operators",
        "since": since,
        "until": None,
        "met": "the case goes on from where it stopped; nothing is lost",
        "otherwise": "",
        "command": 0,
    }


def staff_wait(staff: StaffStep, since: datetime) -> dict[str, Any]:
    return {
        "kind": "staff",
        "name": "decision",
        "on": staff.role,
        "since": since,
        "until": None,
        "met": staff.met,
        "otherwise": staff.otherwise,
        "command": 0,
    }


# -- incidents


class NobodyWaits(Exception):
    """An open case that waits for nobody and nothing."""

    def __init__(self, step: str) -> None:
        super().__init__(
            f"Step “{step}” has neither code that waits nor staff who decide, so nobody would "
            "ever move this case."
        )


def stop(turn: Turn, run: Run, error: BaseException) -> None:
    """The code of this case cannot go on: park it, and say so to the operators."""
    if isinstance(error, ReplayMismatch):
        kind, title = "mismatch", "The code differs from what the case has recorded"
        expected, came, place = error.expected, error.came, error.place
        remedy = (
            "Keep the older version of this step for the cases that entered under it, or move "
            "them to the new one; then try again."
        )
    else:
        kind, title = "code", "The code of the step failed"
        expected, came, place = "", describe(error), place_of(error)
        remedy = "Correct the code or the data that it met; then try again."
        if isinstance(error, NotDeterministic):
            title = "The code of the step reached for the world"
            remedy = str(error)
        elif isinstance(error, ActivityFailed):
            title = f"“{error.name}” failed"
            remedy = "Remove the cause; then try again."
    row, now = run.row, turn.now
    if run.incident:
        close_incident(turn, run, how="replaced", actor=ENGINE)
    row["stopped_at"] = now
    if run.runner is not None:
        run.runner.close()
        run.runner = None
    turn.record(run, "incident.opened", {"kind": kind, "title": title, "came": came}, actor=ENGINE)
    cause = f"{run.kind.name} · {row['step']} · {title} · {place or came}"[:200]
    detail = "".join(traceback.format_exception(error))[-6000:]
    visit = run.visit
    run.writes.later.append(
        lambda: Incident.objects.create(
            case_id=row["id"],
            kind=kind,
            cause=cause,
            title=title,
            expected=expected,
            came=came,
            place=place,
            remedy=remedy,
            detail=detail,
            visit=visit,
            opened_at=now,
            next_try_at=retry_at(now, 1),
        )
    )


def retry_at(now: datetime, tries: int) -> datetime:
    """When the engine tries a stopped case again by itself: with growing gaps, at most a day."""
    return now + timedelta(minutes=min(5 * 2 ** (tries - 1), 24 * 60))


def stop_activity(
    turn: Turn, run: Run, *, command: int, visit: int, name: str, error: str, place: str = ""
) -> None:
    """An activity has no attempts left and the code has no answer to that: ask the operators.

    The case itself is not parked: a deadline, a message or staff may still move it.
    """
    turn.record(
        run, "activity.stopped", {"command": command, "name": name, "error": error}, actor=ENGINE
    )
    is_first = not run.incident
    if is_first:
        run.row["stopped_at"] = turn.now
        turn.record(
            run,
            "incident.opened",
            {"kind": "activity", "title": f"“{name}” failed", "came": error, "command": command},
            actor=ENGINE,
        )
    case_id, now = run.case_id, turn.now
    cause = f"{name} · {error}"[:200]

    def keep() -> None:
        Activity.objects.filter(case_id=case_id, visit=visit, command=command).update(
            state="stopped", worker_id=None, lease_until=None, last_error=error
        )
        if is_first:
            Incident.objects.create(
                case_id=case_id,
                kind="activity",
                cause=cause,
                title=f"“{name}” failed",
                expected="a result",
                came=error,
                place=place,
                remedy="Remove the cause; then try again: the case goes on from here.",
                visit=visit,
                command=command,
                opened_at=now,
            )

    run.writes.later.append(keep)


def still_stopped(run: Run) -> list[Recorded]:
    """The stops of activities that nobody has tried again and that are still waited for."""
    stopped: dict[int, Recorded] = {}
    for event in run.events:
        if event.type == "activity.stopped":
            stopped[event.data["command"]] = event
        elif event.type == "activity.retried":
            stopped.pop(event.data["command"], None)
    return [event for number, event in stopped.items() if number in run.open]


def stop_again(turn: Turn, run: Run, stops: Sequence[Recorded]) -> None:
    """What was stopped still is, though the incident that told of it is over."""
    for event in stops:
        number = event.data["command"]
        stop_activity(
            turn,
            run,
            command=number,
            visit=run.open[number].data.get("visit", run.visit),
            name=event.data["name"],
            error=event.data["error"],
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
            if call.definition.compensate is not None:
                done.append((call, event.data.get("result")))
            done = [
                (one, result)
                for one, result in done
                if call.definition is not one.definition.compensate
                or call.arguments
                != undoing(f"{run.case_id}.{run.visit}.{one.number}", one.arguments, result)
            ]
    return done


def under_way_and_undoable(turn: Turn, run: Run) -> list[tuple[Any, Any]]:
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


def close_incident(turn: Turn, run: Run, *, how: str, actor: str) -> None:
    """The case goes on: its incident is over."""
    run.row["stopped_at"] = None
    turn.record(run, "incident.closed", {"how": how}, actor=actor)
    case_id, now = run.case_id, turn.now
    run.writes.later.append(
        lambda: Incident.objects.filter(case_id=case_id, closed_at=None).update(
            closed_at=now, closed_by=actor
        )
    )


def describe(error: BaseException) -> str:
    """An error in one line, for people: its kind and what it says."""
    text = str(error).strip().split("\n")[0]
    return f"{type(error).__name__}: {text}"[:1000] if text else type(error).__name__


def place_of(error: BaseException) -> str:
    """The last line of the kind's own code on the way to an error."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [
        f
        for f in frames
        if "/processes/engine/" not in f.filename and "site-packages" not in f.filename
    ]
    return f"{own[-1].filename}, line {own[-1].lineno}" if own else ""


def call_workers(activities: Sequence[Activity]) -> None:
    """After the commit, call those who run these activities."""
    wake.after_commit(
        [
            ActivityRow(a.case_id, a.visit, a.command, a.name, "", "", a.lane, a.due_at)
            for a in activities
        ]
    )
