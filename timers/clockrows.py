"""The rows of clocks: a projection of their events, written with them in one statement."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from audit import codec
from audit.literals import literal
from timers.clocks import ClockState, encode


class ClockRow(NamedTuple):
    """As the table has it; `data` is the whole state, so that a page needs no history."""

    case_id: int
    name: str
    calendar: str
    state: str  # running, paused, stopped
    started_at: datetime
    target_at: datetime | None
    limit_at: datetime | None
    is_late: bool  # the limit passed while it ran
    data: str


_TYPES = {
    "case_id": "bigint",
    "name": "text",
    "calendar": "text",
    "state": "text",
    "started_at": "timestamptz",
    "target_at": "timestamptz",
    "limit_at": "timestamptz",
    "is_late": "boolean",
    "data": "text",
}


def row_of(case_id: int, state: ClockState) -> ClockRow:
    return ClockRow(case_id, *told(state))


def told(state: ClockState) -> tuple[Any, ...]:
    """What a row says of a clock."""
    return (
        state.name,
        state.calendar,
        state.word,
        state.started_at,
        state.target_at,
        state.limit_at,
        state.has_passed,
        codec.encode(encode(state)),
    )


def write(cursor: Any, rows: Sequence[ClockRow]) -> None:
    """Insert or replace these rows."""
    if not rows:
        return
    values = ",".join(
        "("
        + ",".join(
            f"{literal(value)}::{kind}" for value, kind in zip(row, _TYPES.values(), strict=True)
        )
        + ")"
        for row in rows
    )
    names = list(_TYPES)
    sets = ",".join(f"{name}=excluded.{name}" for name in names[2:])
    cursor.execute(
        f"INSERT INTO timers_clock ({','.join(names)}) VALUES {values} "
        f"ON CONFLICT (case_id, name) DO UPDATE SET {sets}"
    )


def purpose(mark: str, name: str) -> str:
    """What a timer of a clock is for: clock:limit:term."""
    return f"clock:{mark}:{name}"


def mark_of(purpose: str) -> tuple[str, str]:
    """The mark and the name of the clock."""
    _, mark, name = purpose.split(":", 2)
    return mark, name
