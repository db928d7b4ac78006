"""One visit of a step, replayed: its code against its events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from audit.record import Recorded
from processes.engine.errors import ReplayMismatch
from processes.engine.runner import Runner, StepCode, speaking

PARKING = ("code", "mismatch")  # kinds of incidents under which the code of a case does not run


def replay_visit(
    code: StepCode,
    entered: Recorded,
    events: Sequence[Recorded],
    *,
    build: Callable[[], Any],
    live_from: int | None = None,
    later: Sequence[Recorded] = (),
) -> Runner:
    """Run a step's code against the events of one visit, up to where it stands.

    `build` makes the case as it stood at the entry. Events from number `live_from` on have come
    while the code could not run: it meets them for the first time. `later` are events after those
    that are replayed, for a look at an earlier moment. Raises ReplayMismatch, with the line.
    """
    try:
        return _run(code, entered, events, build(), live_from, later, is_traced=False)
    except ReplayMismatch:
        # Once more, now noting the line of each command, which would cost time in every run.
        return _run(code, entered, events, build(), live_from, later, is_traced=True)


def _run(
    code: StepCode,
    entered: Recorded,
    events: Sequence[Recorded],
    case: Any,
    live_from: int | None,
    later: Sequence[Recorded],
    *,
    is_traced: bool,
) -> Runner:
    runner = Runner(
        code=code,
        case=case,
        visit=entered.data["visit"],
        documents=entered.data.get("documents", {}),
        history=[*events, *later] if later else events,
    )
    runner.is_traced = is_traced
    runner.is_live = live_from is not None and entered.number >= live_from
    try:
        with speaking():
            runner.start(entered)
            for event in events:
                if live_from is not None and event.number >= live_from:
                    runner.is_live = True
                runner.deliver(event)
    except ReplayMismatch:
        runner.close()
        raise
    return runner


def version_of(visit: Sequence[Recorded]) -> int:
    """The version of the step's code under which a visit goes on: the one it was entered with,
    unless the case was moved to another since."""
    for event in reversed(visit):
        if event.type == "code.moved":
            return int(event.data["to"])
    return int(visit[0].data["version"])


def parked_from(events: Iterable[Recorded]) -> int | None:
    """The first event that the code of a stopped case has yet to meet; None for a case whose code
    runs. `events` are those of its visit."""
    found: int | None = None
    for event in events:
        if event.type == "incident.opened" and event.data["kind"] in PARKING:
            found = event.data.get("from", event.number)
        elif event.type in ("incident.closed", "step.entered"):
            found = None
    return found
