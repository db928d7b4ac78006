"""Work that comes round: look for lost messages, for leases that ran out, for forgotten cases.

Any number of timer services may run. A sweep is claimed in the database, so one of them runs it
each time, and its last success stands there for the health page.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import connection

from timers import clock

log = logging.getLogger(__name__)

ERROR_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class Sweep:
    """Something to do every so many seconds. `run` opens its own transactions."""

    name: str
    every_seconds: float
    run: Callable[[], Any]


class Rounds:
    """The sweeps of one timer service, and when it last tried each."""

    def __init__(self, sweeps: list[Sweep]) -> None:
        self.sweeps = sweeps
        self._tried_at = dict.fromkeys((sweep.name for sweep in sweeps), float("-inf"))

    def announce(self) -> None:
        """Make each sweep known, so that one which never succeeds is missed."""
        with connection.cursor() as cursor:
            for sweep in self.sweeps:
                cursor.execute(
                    "INSERT INTO timers_sweep (name, every_seconds, known_since_at, last_error) "
                    "VALUES (%s, %s, clock_timestamp(), '') "
                    "ON CONFLICT (name) DO UPDATE SET every_seconds = excluded.every_seconds",
                    [sweep.name, sweep.every_seconds],
                )

    def run_due(self) -> None:
        """Run each sweep that is due. The error of one is kept with it and stops no other."""
        for sweep in self.sweeps:
            if clock.monotonic() - self._tried_at[sweep.name] < sweep.every_seconds:
                continue
            self._tried_at[sweep.name] = clock.monotonic()
            if _claim(sweep):
                _run(sweep)


def _claim(sweep: Sweep) -> bool:
    # A tenth of grace: two services whose rounds drift would otherwise skip every other one.
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE timers_sweep SET last_run_at = clock_timestamp() WHERE name = %s AND "
            "(last_run_at IS NULL OR last_run_at <= clock_timestamp() - make_interval(secs => %s))",
            [sweep.name, sweep.every_seconds * 0.9],
        )
        return cursor.rowcount == 1


def _run(sweep: Sweep) -> None:
    try:
        sweep.run()
    except Exception as error:
        log.exception("Sweep %s failed; the others go on.", sweep.name)
        # After a restart of the database this fails too, and the service connects anew.
        connection.close_if_unusable_or_obsolete()
        _finish(sweep, error=f"{type(error).__name__}: {error}"[:ERROR_CHARACTERS])
    else:
        _finish(sweep, error="")


def _finish(sweep: Sweep, *, error: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE timers_sweep SET last_error = %s, last_success_at = "
            "CASE WHEN %s = '' THEN clock_timestamp() ELSE last_success_at END WHERE name = %s",
            [error, error, sweep.name],
        )
