"""The timer service: fires what is due, and makes the rounds. Any number of it may run.

It sleeps until the next due time, a NOTIFY, or a second, whichever comes first. It keeps nothing
in memory that matters: stop it, and the next one finds every obligation in the database.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from threading import Event
from typing import Any

import psycopg
from django.db import DatabaseError, InterfaceError, OperationalError, connection

from timers import clock
from timers.due import LOOKS_EVERY, next_due
from timers.heartbeat import Heartbeat
from timers.sweeps import Rounds, Sweep

__all__ = ["Sweep", "next_due", "run"]

log = logging.getLogger(__name__)

FIRE_BATCH = 200  # timers in one transaction: their cases are held that long
BATCHES_PER_ROUND = 50  # then sweeps and the heartbeat have their turn, however much is due
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.2, 10.0  # while the database is away

_DATABASE_IS_AWAY = (
    OperationalError,
    InterfaceError,
    psycopg.OperationalError,
    psycopg.InterfaceError,
)


def run(fire: Callable[[int], int], sweeps: Sequence[Sweep], stop: Event) -> None:
    """Serve until `stop` is set, which takes at most a second.

    fire(limit) fires up to `limit` due timers in a transaction of its own and returns how many.
    An error in it, or in a sweep, is logged and tried again; a database that restarts is awaited.
    """
    heartbeat = Heartbeat("clock")
    rounds = Rounds(list(sweeps))
    pause = FIRST_PAUSE_SECONDS
    while not stop.is_set():
        try:
            with _listener() as listener:
                rounds.announce()
                while not stop.is_set():
                    seen_at = _round(fire, rounds, heartbeat)
                    pause = FIRST_PAUSE_SECONDS  # a whole round: the database is back
                    _sleep(listener, seen_at=seen_at)
        except Exception as error:
            if isinstance(error, _DATABASE_IS_AWAY):
                log.warning("The database is away (%s); trying again in %.1f s.", error, pause)
            else:  # it only reads, perhaps, or a migration has not run yet
                log.exception("The timer service failed; trying again in %.1f s.", pause)
            connection.close()
            stop.wait(pause)
            pause = min(pause * 2, LONGEST_PAUSE_SECONDS)
    _leave(heartbeat)


def _round(fire: Callable[[int], int], rounds: Rounds, heartbeat: Heartbeat) -> datetime | None:
    """Fire what is due and make the rounds. Returns up to when all was fired, None if not all."""
    clock.refresh_if_stale(connection)
    heartbeat.beat(connection)
    seen_at: datetime | None = clock.now()
    try:
        for _ in range(BATCHES_PER_ROUND):
            if not fire(FIRE_BATCH):
                break
        else:
            seen_at = None
    except _DATABASE_IS_AWAY:
        raise
    except Exception:
        # Whoever fires parks the case that is to blame, so what comes here is a bug. The rounds
        # go on, and so do timers, once a second.
        log.exception("Firing due timers failed.")
    rounds.run_due()
    return seen_at


def _sleep(listener: Any, *, seen_at: datetime | None) -> None:
    """Until a timer is due that was not when the last round began, at most a second."""
    longest = LOOKS_EVERY.total_seconds()
    if seen_at is None:
        return
    due_at = next_due(connection, after=seen_at)
    if due_at is not None:
        longest = min(longest, (due_at - clock.now()).total_seconds())
    for call in listener.connection.notifies(timeout=max(longest, 0.0), stop_after=1):
        if call.channel == clock.TURN_CHANNEL:
            clock.was_turned()


@contextmanager
def _listener() -> Iterator[Any]:
    """A connection of its own that hears NOTIFY: the other one is in transactions."""
    listener = connection.copy()
    try:
        with listener.cursor() as cursor:
            cursor.execute(f"LISTEN {clock.WAKE_CHANNEL}; LISTEN {clock.TURN_CHANNEL}")
        yield listener
    finally:
        listener.close()


def _leave(heartbeat: Heartbeat) -> None:
    with suppress(DatabaseError, InterfaceError):  # the row then falls silent by itself
        heartbeat.stop()
    connection.close()
