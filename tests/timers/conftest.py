from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from timers import clock, due
from timers.due import TimerRow

NINE = datetime(2027, 1, 4, 9, tzinfo=UTC)


@pytest.fixture
def at_nine() -> Iterator[clock.Turned]:
    with clock.turned(NINE) as time:
        yield time


@pytest.fixture
def set_timer(db: None) -> Callable[..., TimerRow]:
    """A timer of a case, due some minutes after nine."""

    def insert(case_id: int, *, minutes: float = 0, purpose: str = "command") -> TimerRow:
        row = TimerRow(
            case_id=case_id,
            visit=1,
            command=1,
            purpose=purpose,
            due_at=NINE + timedelta(minutes=minutes),
        )
        with connection.cursor() as cursor:
            due.insert(cursor, [row])
        return row

    return insert
