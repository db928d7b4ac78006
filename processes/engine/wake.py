"""Calling workers: a hint, sent after commit. A lost one costs a second, never a case."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial

from django.db import connection, transaction

from processes.activities import UnknownActivity, definition_of
from processes.engine.rows import ActivityRow

WORK_CHANNEL = "longcase_work"
TIMERS_WAIT = "timers"  # said there: more timers are due than the timer service can fire at once
KILL_AFTER_SECONDS = 10.0  # an activity that does not heed its time limit
log = logging.getLogger("longcase.wake")

_CALL_IDLE = "SELECT pg_notify(%s, '') WHERE EXISTS (SELECT 1 FROM processes_worker WHERE is_idle)"


def after_commit(waiting: Sequence[ActivityRow]) -> None:
    """Once these activities are there to be seen, call an idle worker for the short ones and send
    a message for each long one."""
    if any(a.lane == "short" for a in waiting):
        transaction.on_commit(call_idle_workers, robust=True)
    for row in waiting:
        if row.lane == "long":
            transaction.on_commit(
                partial(publish, row.case_id, row.visit, row.command, row.name), robust=True
            )


def call_idle_workers() -> None:
    """Notify only when a worker says that it sleeps: awake ones look by themselves."""
    with connection.cursor() as cursor:
        cursor.execute(_CALL_IDLE, [WORK_CHANNEL])


def call_for_timers() -> None:
    """Ask every worker, at the commit, to help with the timers that are due."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_notify(%s, %s)", [WORK_CHANNEL, TIMERS_WAIT])


def publish(case_id: int, visit: int, command: int, name: str) -> None:
    """Send the message of a long activity, with its time limit. The sweep finds what could not be
    sent."""
    from processes.work.perform import perform

    try:
        seconds = definition_of(name).timeout_seconds
    except UnknownActivity:
        seconds = 60.0
    try:
        perform.apply_async(
            args=[case_id, visit, command],
            queue="long",
            retry=False,
            soft_time_limit=seconds,
            time_limit=seconds + KILL_AFTER_SECONDS,
        )
    except Exception as error:  # any broker's own errors
        log.warning("broker_unavailable", extra={"error": type(error).__name__})
