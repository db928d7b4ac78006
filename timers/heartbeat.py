"""Processes that say every few seconds that they live, in rows that health checks read."""

import os
import socket
from datetime import timedelta
from typing import Any

from timers import clock
from timers.models import Service

BEATS_EVERY_SECONDS = 5.0
DEAD_AFTER = timedelta(seconds=20)
FORGOTTEN_AFTER = timedelta(days=1)


class Heartbeat:
    """The row of this process. Call beat() as often as you like; it writes every five seconds."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.machine = socket.gethostname()
        self.pid = os.getpid()
        self.name = f"{kind}@{self.machine}:{self.pid}"
        self._beaten_at = float("-inf")
        self._doing: str | None = None

    def beat(self, connection: Any, doing: str = "") -> None:
        now = clock.monotonic()
        if now - self._beaten_at < BEATS_EVERY_SECONDS and doing == self._doing:
            return
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO timers_service "
                "(kind, name, machine, pid, started_at, seen_at, doing, skew_ms) "
                "VALUES (%s, %s, %s, %s, clock_timestamp(), clock_timestamp(), %s, %s) "
                "ON CONFLICT (name) DO UPDATE SET "
                "seen_at = excluded.seen_at, doing = excluded.doing, skew_ms = excluded.skew_ms",
                [self.kind, self.name, self.machine, self.pid, doing, self._skew_ms()],
            )
        self._beaten_at, self._doing = now, doing

    def stop(self) -> None:
        """This process leaves in good order; one that is killed stays, silent, for a day."""
        Service.objects.filter(name=self.name).delete()
        Service.objects.silent_longer_than(FORGOTTEN_AFTER).delete()

    def _skew_ms(self) -> int:
        return round(clock.skew() / timedelta(milliseconds=1))


def living(kind: str) -> int:
    """How many processes of a kind gave a sign of life lately."""
    return Service.objects.with_silence().filter(kind=kind, silent_for__lte=DEAD_AFTER).count()
