"""Incidents: a case that cannot go on by itself is stopped, and operators are told why."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from audit.record import Recorded
from cases.words import plain
from processes.engine import places
from processes.engine.errors import ActivityFailed, NotDeterministic, ReplayMismatch
from processes.engine.run import Run
from processes.models import Activity, Incident

if TYPE_CHECKING:
    from processes.engine.turn import Turn

ENGINE = "engine"


class NobodyWaits(Exception):
    """An open case that waits for nobody and nothing."""

    def __init__(self, step: str) -> None:
        super().__init__(
            f"Step “{step}” has neither code that waits nor staff who decide, so nobody would "
            "ever move this case."
        )


def stop(turn: Turn, run: Run, error: BaseException, *, undone_from: int | None = None) -> None:
    """The code of this case cannot go on: park it, and say so to the operators.

    What the code did with the events from number `undone_from` on was taken back; unless given,
    it has met all that are recorded.
    """
    if isinstance(error, ReplayMismatch):
        kind, title = "mismatch", "The code differs from what the case has recorded"
        expected, came, place = error.expected, error.came, error.place
        remedy = (
            "Keep the older version of this step for the cases that entered under it, and try "
            "again; or move the case to a version that fits; or restart the step."
        )
    else:
        kind, title = "code", "The code of the step failed"
        expected, came, place = "", describe(error), place_of(error)
        remedy = "Correct the code or the data that it met; then try again."
        if isinstance(error, NotDeterministic):
            title = "The code of the step reached for the world"
            remedy = str(error)
        elif isinstance(error, ActivityFailed):
            title = f"“{plain(error.name)}” failed"
            remedy = "Remove the cause; then try again."
    row, now = run.row, turn.now
    if run.incident:
        close_incident(turn, run, how="replaced", actor=ENGINE)
    row["stopped_at"] = now
    if run.runner is not None:
        run.runner.close()
        run.runner = None
    told: dict[str, Any] = {"kind": kind, "title": title, "came": came}
    told["from"] = undone_from or run.head_number + 1
    if isinstance(error, ReplayMismatch):
        told |= {"expected": expected, "place": place, "at": error.number}
    turn.record(run, "incident.opened", told, actor=ENGINE)
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
    is_first, title = not run.incident, f"“{plain(name)}” failed"
    if is_first:
        run.row["stopped_at"] = turn.now
        turn.record(
            run,
            "incident.opened",
            {"kind": "activity", "title": title, "came": error, "command": command},
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
                title=title,
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
    return places.place(own[-1].filename, own[-1].lineno or 0) if own else ""
