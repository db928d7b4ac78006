"""What each command means in rows: the event that records it and the obligation it makes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import singledispatch
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from audit import codec
from audit.record import Recorded
from cases.models import Requirement, Task
from processes.activities import SHORT, Attempt, undoing
from processes.decisions.errors import NoDecision
from processes.engine import casetime, leaving, notices, restarting, sources, stopping, wake
from processes.engine import commands as asked
from processes.engine.errors import StepBroken
from processes.engine.rows import ActivityRow
from processes.engine.run import Run
from processes.kinds import StaffStep, kind_of
from processes.models import Activity
from timers.due import TimerRow

if TYPE_CHECKING:
    from processes.engine.turn import Turn

ENGINE = "engine"


def perform(turn: Turn, run: Run, command: asked.Command) -> Recorded:
    """Record a command as its event, with the wait it makes, and add its rows to the turn."""
    if command.opens and len(run.open) >= settings.LONGCASE_OPEN_WAITS:
        raise StepBroken(
            f"The step waits for {settings.LONGCASE_OPEN_WAITS} things at once and asks for more. "
            "Let it wait for some of them first, or raise LONGCASE_OPEN_WAITS."
        )
    data = {"command": command.number, **command.data()}
    if command.met:
        data["met"] = command.met
    limit = command.deadline
    if command.waits_as and limit is not None and limit.timer is not command:
        if limit.timer.until is not None:
            data["until"] = limit.timer.until
            if isinstance(limit.timer.span, casetime.ON_CALENDAR):
                data["until_command"] = limit.timer.number  # whose date may move
        elif limit.timer.clock:
            data["until_clock"] = limit.timer.clock
        if limit.then and isinstance(command, asked.AskTask) and command.due is not None:
            data["limit_then"] = limit.then  # its own date may come first, with its own consequence
        elif limit.then and not isinstance(command, asked.SetTimer):
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
    if run.kept and (kept := restarting.take_kept(run, command.name, command.arguments)):
        run.given = kept
        return _record(turn, run, command, {**data, "kept": kept["number"]})
    event = _record(turn, run, command, data)
    add_activity(turn, run, definition, command.arguments, command.number, run.visit)
    return event


@_perform.register(asked.DoInside)
def _do_inside(command: asked.DoInside, turn: Turn, run: Run, data: dict[str, Any]) -> Recorded:
    """Run it here and now: its rows and its event commit together, or neither does."""
    if run.kept and (kept := restarting.take_kept(run, command.name, command.arguments)):
        done = {"result": kept["result"], "kept": kept["number"]}
        return _record(turn, run, command, data | done)
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
        data["error"] = stopping.describe(error)
    return _record(turn, run, command, data)


@_perform.register(asked.SetTimer)
def _set_timer(command: asked.SetTimer, turn: Turn, run: Run, data: dict[str, Any]) -> Recorded:
    runner = run.runner
    assert runner is not None and runner.now is not None
    if command.watches:
        data["watch"] = True
    if command.clock:  # whose own timer ends it; a copy of its date would go stale
        casetime.clock_of(run, command.clock)
        return _record(turn, run, command, data)
    due_at = command.at or casetime.due_after(run, command.span, runner.now, data)
    data["due_at"] = due_at
    event = _record(turn, run, command, data)
    run.writes.timers.append(
        TimerRow(
            run.case_id, run.visit, command.number, "command", due_at, casetime.mark_timer(data)
        )
    )
    return event


@_perform.register(asked.MoveClock)
def _move_clock(command: asked.MoveClock, turn: Turn, run: Run, data: dict[str, Any]) -> Recorded:
    runner = run.runner
    assert runner is not None and runner.now is not None
    data.update(casetime.asked_by_code(command, turn, run, runner.now))
    return _record(turn, run, command, data)


@_perform.register(asked.AskTask)
def _ask_task(command: asked.AskTask, turn: Turn, run: Run, data: dict[str, Any]) -> Recorded:
    runner = run.runner
    assert runner is not None and runner.now is not None
    due_at = None
    if command.due is not None:
        due_at = casetime.due_after(run, command.due, runner.now, data)
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
            TimerRow(
                run.case_id, run.visit, command.number, "overdue", due_at, casetime.mark_timer(data)
            )
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
        closes = command.open_for.after(runner.now)
        if "until" not in data or closes < data["until"]:
            data["until"] = closes
            data.pop("until_command", None)  # the address closes then, wherever the deadline moves
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


@_perform.register(asked.DecideByTable)
def _decide(command: asked.DecideByTable, turn: Turn, run: Run, data: dict[str, Any]) -> Recorded:
    runner = run.runner
    assert runner is not None and runner.now is not None
    day = timezone.localdate(runner.now)
    try:
        version = command.table.on(day)
        decision = version.decide(command.facts)
    except NoDecision as error:
        raise StepBroken(f"{error} Mend the table or the facts, then try again.") from None
    sources.keep_table(version, owner=command.table.owner)
    data.update(decision.data())
    return _record(turn, run, command, data)


@_perform.register(asked.CancelWaits)
def _cancel_waits(
    command: asked.CancelWaits, turn: Turn, run: Run, data: dict[str, Any]
) -> Recorded:
    for number in command.commands:
        event = run.open.get(number)
        if event is not None:
            leaving.drop(turn, run, number, event)
    event = _record(turn, run, command, data)
    if run.incident == "activity" and not stopping.still_stopped(run):
        stopping.close_incident(turn, run, how="moved", actor=run.cause or ENGINE)
    return event


def add_activity(
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
    key = command.done_as or f"{run.case_id}.{visit}.{command.number}"
    visit, command_number = map(int, key.split(".")[-2:])
    number = -(visit * 10_000 + command_number)
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
            "undoes": command_number,
        },
        actor=ENGINE,
        on_behalf=run.cause,
    )
    add_activity(turn, run, undo, arguments, number, visit)


ASIDE = 1_000_000_000  # from here on, the (negated) numbers of work that no step asked for


def schedule_aside(turn: Turn, run: Run, definition: Any, arguments: dict[str, Any]) -> None:
    """Work that follows from an act and not from the step's code, such as a letter that answers
    it. It goes on when the step is left; its code neither sees nor awaits it."""
    number = -(ASIDE + run.head_number + 1)
    turn.record(
        run,
        "activity.scheduled",
        {
            "command": number,
            "visit": run.visit,
            "name": definition.name,
            "args": arguments,
            "on": definition.on,
        },
        actor=ENGINE,
        on_behalf=run.cause,
    )
    add_activity(turn, run, definition, arguments, number, run.visit)


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

    def tell() -> None:
        rows = Task.objects.filter(case_id=case_id, visit=visit, command=command, state="open")
        for task in rows:
            notices.tell_overdue(task, reference=run.reference, now=now)
        rows.update(overdue_at=now)

    run.writes.later.append(tell)


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


def call_workers(activities: Sequence[Activity]) -> None:
    """After the commit, call those who run these activities."""
    wake.after_commit(
        [
            ActivityRow(a.case_id, a.visit, a.command, a.name, "", "", a.lane, a.due_at)
            for a in activities
        ]
    )
