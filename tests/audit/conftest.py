"""Histories to read, verify and tamper with."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection

from audit import record
from audit.chain import GENESIS

NINE = datetime(2027, 1, 4, 9, tzinfo=UTC)


@dataclass
class History:
    """The head of a case, as the case's row would keep it."""

    case_id: int
    head_number: int = 0
    head_hash: bytes = GENESIS
    sealer: Any = None

    def add(self, type: str, /, **data: Any) -> record.Recorded:
        return record.record(
            self,
            type,
            actor="engine",
            recorded_at=NINE + timedelta(minutes=self.head_number),
            **data,
        )

    @property
    def head(self) -> tuple[int, int, bytes]:
        return self.case_id, self.head_number, self.head_hash


@pytest.fixture
def write_history(db: None) -> Callable[..., History]:
    """A history of so many events that each differ."""

    def write(case_id: int = 1, *, events: int = 5) -> History:
        history = History(case_id)
        for number in range(1, events + 1):
            history.add("fact.changed", amount=number * 1000)
        return history

    return write


@pytest.fixture
def tamper(db: None) -> Callable[..., None]:
    """What a superuser could do behind our back: change history with the triggers off."""

    def execute(sql: str, *values: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET session_replication_role = 'replica'")
            cursor.execute(sql, values)
            cursor.execute("SET session_replication_role = 'origin'")

    return execute
