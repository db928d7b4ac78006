"""Timers as rows: set many, take what is due, remove many. Each is one statement.

Through the caller's cursor and in the caller's transaction, so that a timer and the event that
sets, fires or cancels it commit together.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from audit import moments
from audit.literals import moment, text, word
from timers import clock

ROWS_PER_STATEMENT = 1000
# The timer service looks at least once a second, so only what is due before needs a call.
LOOKS_EVERY = timedelta(seconds=1)


class TimerKey(NamedTuple):
    """What names a timer: the command of a step visit that set it, and what for."""

    case_id: int
    visit: int
    command: int
    purpose: str


class TimerRow(NamedTuple):
    case_id: int
    visit: int
    command: int
    purpose: str
    due_at: datetime
    data: str = ""
    id: int | None = None  # the database gives it

    @property
    def key(self) -> TimerKey:
        return TimerKey(*self[:4])


def insert(cursor: Any, rows: Sequence[TimerRow]) -> None:
    """Set timers. Calls the timer service on commit if one is due before it looks again."""
    for some in _portions(rows):
        values = ",".join(
            f"({row.case_id:d},{row.visit:d},{row.command:d},{word(row.purpose)},"
            f"{moment(row.due_at)},{text(row.data)})"
            for row in some
        )
        cursor.execute(
            f"INSERT INTO timers_timer (case_id,visit,command,purpose,due_at,data) VALUES {values}"
        )
    if rows and min(row.due_at for row in rows) < clock.now() + LOOKS_EVERY:
        wake(cursor)


def take_due(cursor: Any, now: datetime, limit: int, *, only: int | None = None) -> list[TimerRow]:
    """Lock and return up to `limit` timers that are due, the earliest first; or only one, by id.

    Another timer service skips what this transaction holds. Take the locks of the cases with
    SKIP LOCKED afterwards, never by waiting: whoever holds a case may be about to cancel its timer.
    """
    moments.read_fast(cursor)
    cursor.execute(
        "SELECT case_id, visit, command, purpose, due_at, data, id FROM timers_timer "
        f"WHERE due_at <= %s {'' if only is None else f'AND id = {only:d} '}"
        "ORDER BY due_at, id LIMIT %s FOR UPDATE SKIP LOCKED",
        [now, limit],
    )
    return [TimerRow(*row) for row in cursor.fetchall()]


def remove(cursor: Any, ids: Sequence[int]) -> int:
    """Delete timers that have fired, by id; returns how many there were."""
    removed = 0
    for some in _portions(ids):
        wanted = ",".join(f"{timer_id:d}" for timer_id in some)
        cursor.execute(f"DELETE FROM timers_timer WHERE id IN ({wanted})")
        removed += cursor.rowcount
    return removed


def cancel(cursor: Any, keys: Sequence[tuple[int, int, int, str]]) -> int:
    """Delete timers by key; returns how many were still open."""
    cancelled = 0
    for some in _portions(keys):
        wanted = ",".join(
            f"({case_id:d},{visit:d},{command:d},{word(purpose)})"
            for case_id, visit, command, purpose in some
        )
        cursor.execute(
            "DELETE FROM timers_timer "
            f"USING (VALUES {wanted}) AS gone (case_id,visit,command,purpose) "
            "WHERE timers_timer.case_id = gone.case_id AND timers_timer.visit = gone.visit "
            "AND timers_timer.command = gone.command AND timers_timer.purpose = gone.purpose"
        )
        cancelled += cursor.rowcount
    return cancelled


def next_due(connection: Any, after: datetime) -> datetime | None:
    """The first due time after a moment. What is due and still there is somebody else's turn."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT min(due_at) FROM timers_timer WHERE due_at > %s", [after])
        return cursor.fetchone()[0]


def are_late(cursor: Any, *, by: timedelta) -> bool:
    """Whether a timer has been due for longer than this: nobody seems to fire them."""
    cursor.execute(
        "SELECT EXISTS (SELECT 1 FROM timers_timer WHERE due_at < %s)", [clock.now() - by]
    )
    return bool(cursor.fetchone()[0])


def wake(cursor: Any) -> None:
    """Call the timer service, when this transaction commits, to look at once."""
    cursor.execute(f"SELECT pg_notify({word(clock.WAKE_CHANNEL)}, 'due')")


def _portions(rows: Sequence[Any]) -> Iterable[Sequence[Any]]:
    for start in range(0, len(rows), ROWS_PER_STATEMENT):
        yield rows[start : start + ROWS_PER_STATEMENT]
