"""What becomes of an attempt: its one result, another try, or an incident."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, NamedTuple

from processes.activities import UnknownActivity, definition_of
from processes.engine import stopping
from processes.engine.errors import ActivityFailed
from processes.engine.run import Run
from processes.engine.turn import ENGINE, Turn
from processes.models import Activity


class Claim(NamedTuple):
    """An activity as a worker holds it."""

    case_id: int
    visit: int
    command: int
    name: str
    arguments: str
    on_behalf: str
    lane: str
    attempt: int
    failures: int
    losses: int
    worker_id: int

    @property
    def key(self) -> tuple[int, int, int]:
        return (self.case_id, self.visit, self.command)

    @property
    def fence(self) -> tuple[int, int, int, int, int]:
        return (self.case_id, self.visit, self.command, self.worker_id, self.attempt)


class Done(NamedTuple):
    """How an attempt ended: with a result, or with an error that is final or not."""

    claim: Claim
    result: Any = None
    error: str = ""
    is_final: bool = False
    place: str = ""


def record_result(turn: Turn, run: Run, done: Done) -> None:
    """The one result of an activity, whose row has been removed under its fence."""
    claim = done.claim
    data: dict[str, Any] = {"command": claim.command, "result": done.result}
    if claim.attempt > 1:
        data["attempt"] = claim.attempt
    if claim.command < 0:
        data["visit"] = claim.visit
    turn.feed(run, "activity.completed", data, actor=ENGINE, on_behalf=claim.on_behalf)


def record_failure(turn: Turn, run: Run, done: Done) -> None:
    """An attempt failed. Tries again later, or lets the code answer, or stops the activity.

    The caller has made sure, under the case's lock, that the claim still holds.
    """
    claim = done.claim
    failures = claim.failures + 1
    try:
        definition = definition_of(claim.name)
    except UnknownActivity:
        definition = None
    used_up = definition is None or failures + claim.losses >= definition.attempts
    if done.is_final or used_up:
        _record_last_failure(turn, run, done, failures)
        return
    assert definition is not None
    due_at = turn.now + timedelta(seconds=definition.retry_seconds(failures))
    turn.record(
        run,
        "activity.attempt_failed",
        {
            "command": claim.command,
            "name": claim.name,
            "attempt": claim.attempt,
            "error": done.error,
            "next_at": due_at,
        },
        actor=ENGINE,
        on_behalf=claim.on_behalf,
    )
    run.writes.later.append(
        lambda: _row(claim).update(
            worker_id=None,
            lease_until=None,
            published_at=None,
            failures=failures,
            due_at=due_at,
            last_error=done.error[:4000],
        )
    )


def _record_last_failure(turn: Turn, run: Run, done: Done, failures: int) -> None:
    """No attempts are left. If the step's code has an answer to the error, it goes on with it; if
    not, history keeps it out of the code's way and operators are asked."""
    claim = done.claim
    run.cause = claim.on_behalf
    # What undoes a step that was left has no code any more that could answer.
    is_asked = claim.command > 0 and claim.command in run.open
    if run.runner is not None and not run.is_parked and is_asked:
        mark, known = run.mark(), set(turn.runs)
        event = turn.record(
            run,
            "activity.failed",
            {
                "command": claim.command,
                "name": claim.name,
                "error": done.error,
                "attempt": claim.attempt,
                "final": done.is_final,
            },
            actor=ENGINE,
            on_behalf=claim.on_behalf,
        )
        run.runner.deliver(event)
        if not _is_unanswered(run, claim):
            run.writes.dropped_activities.append(claim.key)
            turn.go_on(run)
            return
        turn.undo(run, mark)
        for child in set(turn.runs) - known:
            del turn.runs[child]
        turn.replay(run)
    stopping.stop_activity(
        turn,
        run,
        command=claim.command,
        visit=claim.visit,
        name=claim.name,
        error=done.error,
        place=done.place,
    )
    run.writes.later.append(
        lambda: Activity.objects.filter(
            case_id=claim.case_id, visit=claim.visit, command=claim.command
        ).update(failures=failures, last_error=done.error[:4000])
    )
    turn.project(run)


def _is_unanswered(run: Run, claim: Claim) -> bool:
    """Whether the failure ended the code, or met nobody: what was started and is not awaited yet
    has no answer either, and an operator can still try it again before it is."""
    runner = run.runner
    assert runner is not None and runner.main is not None
    asides = [runner.commands[claim.command], *(s for s in runner.strands if s is not runner.main)]
    lost = [runner.main, *(one for one in asides if not one.heard)]
    return any(
        isinstance(one.error, ActivityFailed) and one.error.name == claim.name for one in lost
    )


def record_loss(turn: Turn, run: Run, claim: Claim) -> None:
    """The worker that held this died or hung: give the activity to another.

    After its first loss it runs in a process of its own, so one that kills its worker cannot take
    healthy ones with it, and is known for what it is.
    """
    losses = claim.losses + 1
    try:
        attempts = definition_of(claim.name).attempts
    except UnknownActivity:
        attempts = 1
    if losses + claim.failures >= attempts:
        error = f"The worker was lost {losses} times while it ran this, at attempt {claim.attempt}."
        _record_last_failure(turn, run, Done(claim, error=error), claim.failures)
        return
    turn.record(
        run,
        "activity.attempt_lost",
        {"command": claim.command, "name": claim.name, "attempt": claim.attempt},
        actor=ENGINE,
        on_behalf=claim.on_behalf,
    )
    run.writes.later.append(
        lambda: _row(claim).update(
            worker_id=None,
            lease_until=None,
            published_at=None,
            losses=losses,
            due_at=turn.now,
            lane="long" if losses > 1 else claim.lane,
        )
    )


def _row(claim: Claim) -> Any:
    return Activity.objects.filter(
        case_id=claim.case_id,
        visit=claim.visit,
        command=claim.command,
        worker_id=claim.worker_id,
        attempt=claim.attempt,
    )
