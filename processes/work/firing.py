"""Firing timers: what the timer service does with those that are due."""

from __future__ import annotations

import logging
from contextlib import suppress

from django.db import connection, transaction

from processes.engine import casetime, performing, reminders, wake
from processes.engine.run import Run
from processes.engine.runner import speaking
from processes.engine.turn import ENGINE, Turn
from processes.work import connections, crashpoint, isolation
from timers import clock, due
from timers.due import TimerRow

HELPING = 100  # timers that a worker fires in one commit, when the timer service is behind

log = logging.getLogger("longcase.firing")


def serve(limit: int) -> int:
    """As `fire`, for the timer service: whoever finds as many as it may take calls the workers."""
    fired = fire(limit)
    if fired == limit:
        wake.call_for_timers()
    return fired


def fire(limit: int) -> int:
    """Fire up to `limit` due timers in one commit; returns how many. Those whose case is held by
    another transaction are left for the next round."""
    try:
        return _fire(limit)
    except Exception as error:
        if connections.is_lost(error):
            raise
        log.exception("timer_batch_failed")
        return _fire_each(limit)


def _fire(limit: int, only: int | None = None) -> int:
    with speaking(), Turn() as turn:
        timers = due.take_due(turn.cursor, clock.now(), limit, only=only)
        runs = {
            run.case_id: run for run in turn.lock(sorted({t.case_id for t in timers}), wait=False)
        }
        fired = [timer for timer in timers if timer.case_id in runs]
        due.remove(turn.cursor, [timer.id for timer in fired if timer.id is not None])
        for timer in fired:
            fire_one(turn, runs[timer.case_id], timer)
        crashpoint.reach("clock.fired")
    crashpoint.reach("clock.committed")
    return len(fired)


def fire_one(turn: Turn, run: Run, timer: TimerRow) -> None:
    """What one timer means for its case. One of a step that was left means nothing."""
    if timer.purpose.startswith("clock:"):
        casetime.fire(turn, run, timer.purpose)
        turn.project(run)
        return
    if timer.purpose == reminders.PURPOSE:
        reminders.come(turn, run, timer.command)
        return
    if timer.visit != run.visit or timer.command not in run.open:
        return
    if timer.purpose == "overdue":
        performing.overdue(turn, run, timer.command)
        turn.project(run)
        return
    turn.feed(
        run,
        "timer.fired",
        {"command": timer.command, "due_at": timer.due_at},
        actor=ENGINE,
    )


def _fire_each(limit: int) -> int:
    """A shared commit failed: fire each timer by itself, so that one bad case harms no other.

    The case that is to blame is stopped; its timer is then recorded without running its code.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        timers = due.take_due(cursor, clock.now(), limit)
    fired = 0
    for timer in timers:
        try:
            fired += _fire(1, only=timer.id)
        except Exception as error:
            if connections.is_lost(error):
                raise
            log.exception("timer_failed", extra={"case": timer.case_id})
            if isolation.stop_case(timer.case_id, error):
                with suppress(Exception):
                    fired += _fire(1, only=timer.id)
    return fired
