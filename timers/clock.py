"""The one clock. Nothing else in Longcase reads the system's time.

now() is this machine's time, corrected by what it is off from the database's clock, plus the turn
of the installation: a demo may be moved into the future, and every process follows within a
second. Tests fix the clock of their process with turned().
"""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Any, Self

from django.conf import settings
from django.db import connection as default_connection

STALE_SECONDS = 1.0  # a long-running process asks the database again after this
IGNORED_SKEW = timedelta(milliseconds=50)  # below this a difference is the network's
WAKE_CHANNEL = "longcase_timer"  # NOTIFY here wakes the timer service
TURN_CHANNEL = "longcase_turn"  # NOTIFY here: the clock of the installation was turned

# What this process knows. Threads share it: each is one assignment, so none sees a half of it.
_skew = timedelta()
_offset = timedelta()
_correction = timedelta()  # the sum of both
_refreshed_at = float("-inf")  # monotonic
_turned: "Turned | None" = None


class ClockNotTurnable(Exception):
    """This installation's clock may not be moved."""


def now() -> datetime:
    """The current moment, in UTC."""
    if _turned is not None:
        return _turned.at
    return datetime.now(UTC) + _correction


def monotonic() -> float:
    """Seconds that only grow, for measuring durations within this process."""
    return time.monotonic()


def sleep(seconds: float) -> None:
    """Do nothing for that many real seconds; a turned clock does not shorten them."""
    time.sleep(seconds)


def skew() -> timedelta:
    """What this machine was last found to be behind (+) or ahead (-) of the database's clock."""
    return _skew


def offset() -> timedelta:
    """How far ahead the installation's clock is turned, as this process last read it."""
    return _offset


def refresh(connection: Any = default_connection) -> None:
    """Read the installation's turn, and measure the difference to the database's clock."""
    asked, asked_at = time.monotonic(), datetime.now(UTC)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT clock_timestamp(), (SELECT offset_seconds FROM timers_turn WHERE id = 1), "
            "(SELECT max(id) FROM timers_calendar_change)"
        )
        database_at, offset_seconds, newest_change = cursor.fetchone()
    round_trip = timedelta(seconds=time.monotonic() - asked)
    _remember(
        skew=_cautious(database_at - (asked_at + round_trip / 2), doubt=round_trip / 2),
        offset=timedelta(seconds=offset_seconds or 0),
    )
    if on_calendar_change is not None:
        on_calendar_change(newest_change or 0)


# Told, each time that the clock is read, the number of the newest change of a calendar.
on_calendar_change: Callable[[int], None] | None = None


def refresh_if_stale(connection: Any = default_connection) -> None:
    """refresh(), at most once a second: cheap enough for every pass of a loop."""
    if time.monotonic() - _refreshed_at >= STALE_SECONDS:
        refresh(connection)


def was_turned() -> None:
    """This process was told that the clock was turned: refresh_if_stale() reads it next time."""
    global _refreshed_at
    _refreshed_at = float("-inf")


def turn(seconds: int) -> datetime:
    """Move the clock of the whole installation ahead, and return the new time.

    Raises ClockNotTurnable unless settings.LONGCASE_DEMO, and ValueError for a step back: history
    would then tell of a future.
    """
    if not getattr(settings, "LONGCASE_DEMO", False):
        raise ClockNotTurnable(
            "The clock of this installation cannot be turned, because its cases may be real. "
            "A demo installation can: start it with LONGCASE_DEMO=1."
        )
    if seconds < 0:
        raise ValueError(f"The clock only turns ahead; {seconds} seconds would turn it back.")
    with default_connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO timers_turn (id, offset_seconds) VALUES (1, %s) ON CONFLICT (id) "
            "DO UPDATE SET offset_seconds = timers_turn.offset_seconds + excluded.offset_seconds",
            [seconds],
        )
        cursor.execute("SELECT pg_notify(%s, 'turn')", [TURN_CHANNEL])
    refresh(default_connection)
    return now()


def turned(at: datetime) -> "Turned":
    """Fix this process's clock at a moment; for tests and for driving recorded cases.

    with clock.turned(datetime(2027, 1, 4, 9, tzinfo=UTC)) as time:
        time.advance(days=30)
    """
    return Turned(at)


class Turned(AbstractContextManager["Turned"]):
    """The handle on a fixed clock. It stands still unless told to move."""

    def __init__(self, at: datetime) -> None:
        self.at = _aware(at)
        self._before: Turned | None = None

    def set(self, at: datetime) -> datetime:
        self.at = _aware(at)
        return self.at

    def advance(self, span: timedelta = timedelta(), **units: float) -> datetime:
        """Go on by a span: advance(days=30, hours=2)."""
        return self.set(self.at + span + timedelta(**units))

    def __enter__(self) -> Self:
        global _turned
        self._before, _turned = _turned, self
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        global _turned
        _turned = self._before


def _aware(at: datetime) -> datetime:
    if at.tzinfo is None:
        raise ValueError(f"{at!r} has no time zone, so it is no moment.")
    return at.astimezone(UTC)


def _remember(*, skew: timedelta, offset: timedelta) -> None:
    global _skew, _offset, _correction, _refreshed_at
    _skew, _offset, _correction = skew, offset, skew + offset
    _refreshed_at = time.monotonic()


def _cautious(measured: timedelta, *, doubt: timedelta) -> timedelta:
    """The part of a measured difference that the round trip cannot explain."""
    sure = abs(measured) - doubt
    if sure < IGNORED_SKEW:
        return timedelta()
    return sure if measured > timedelta() else -sure
