"""The feed: all events of the installation in one order, without gaps, each once.

Each commit that writes events leaves a row in `audit_unnumbered`, in the same statement. `number`
takes what has been committed, one process at a time, and gives it positions in the feed. An event
whose commit comes late is numbered when it has come, behind what was read before; none is passed
over. Nothing depends on transaction numbers or clocks, so a restored copy goes on where it was.

One row of the feed is what one commit wrote of one case: events `first` to `last`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db import connection, transaction

from audit import moments
from audit.record import COLUMNS, Recorded

CHANNEL = "longcase_feed"  # NOTIFY here: there is something new to read
AT_ONCE = 5000  # rows that one transaction numbers
OVERLAP = timedelta(minutes=10)  # longer than a commit takes that still comes
_LOCK = 0x4C46  # the class of the lock that one numbering process holds


class Place(NamedTuple):
    """Where a reader stands: it has read this row up to and including this event's number."""

    position: int
    number: int


BEGINNING = Place(0, 0)


class Row(NamedTuple):
    position: int
    case_id: int
    first: int
    last: int


class Found(NamedTuple):
    """An event of the feed."""

    position: int
    event: Recorded

    @property
    def place(self) -> Place:
        return Place(self.position, self.event.number)


# The order of the ids is right for each case, and for all that follows from one another: whoever
# continues a case has waited for the lock of the commit before, and takes a later id. What is
# committed with a lower id, after a higher one was numbered, stands in no such relation to it.
_NUMBER = f"""
    WITH taken AS (
        DELETE FROM audit_unnumbered WHERE id IN
               (SELECT id FROM audit_unnumbered ORDER BY id LIMIT {AT_ONCE:d})
        RETURNING id, case_id, first, last
    )
    INSERT INTO audit_feed (position, case_id, first, last)
    SELECT (SELECT coalesce(max(position), 0) FROM audit_feed) + row_number() OVER (ORDER BY id),
           case_id, first, last FROM taken
"""


def number() -> int:
    """Give positions to what was committed since; how many rows got one. Safe to call anywhere, at
    any time: where another process is at it, this does nothing."""
    count = 0
    while True:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT EXISTS (SELECT 1 FROM audit_unnumbered)")
            if not cursor.fetchone()[0]:
                return count
            cursor.execute("SELECT pg_try_advisory_xact_lock(%s, 1)", [_LOCK])
            if not cursor.fetchone()[0]:
                return count
            cursor.execute(_NUMBER)
            count += cursor.rowcount
            is_all = cursor.rowcount < AT_ONCE
            cursor.execute("SELECT pg_notify(%s, '')", [CHANNEL])
        if is_all:
            return count


def end() -> Place:
    """Behind the last event that has a position."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT position, last FROM audit_feed ORDER BY position DESC LIMIT 1")
        row = cursor.fetchone()
    return Place(*row) if row else BEGINNING


def rows_after(place: Place, limit: int) -> list[Row]:
    """The rows from a place on that are not read to their end."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT position, case_id, first, last FROM audit_feed "
            "WHERE position >= %s AND NOT (position = %s AND last <= %s) "
            "ORDER BY position LIMIT %s",
            [place.position, place.position, place.number, limit],
        )
        rows = [Row(*row) for row in cursor.fetchall()]
    if rows and rows[0].position == place.position:
        rows[0] = rows[0]._replace(first=max(rows[0].first, place.number + 1))
    return rows


def events_in(rows: Sequence[Row], limit: int, *, types: Sequence[str] = ()) -> list[Found]:
    """The first events of these rows, in order; of some types only where these are named. A type
    that ends in a star stands for all that begin so."""
    if not rows:
        return []
    values = ",".join([f"({r.position:d},{r.case_id:d},{r.first:d},{r.last:d})" for r in rows])
    only, given = ("AND type LIKE ANY(%s)", [[_like(one) for one in types]]) if types else ("", [])
    with connection.cursor() as cursor:
        moments.read_fast(cursor)
        # LATERAL keeps Postgres on one index range a row, whatever its statistics say.
        cursor.execute(
            f"SELECT wanted.position, event.* FROM (VALUES {values}) AS wanted "
            f"(position, id, first, last) CROSS JOIN LATERAL (SELECT {COLUMNS} FROM audit_event "
            f"WHERE case_id = wanted.id AND number BETWEEN wanted.first AND wanted.last {only} "
            "ORDER BY number) AS event ORDER BY wanted.position, event.number LIMIT %s",
            [*given, limit],
        )
        return [Found(row[0], Recorded(*row[1:])) for row in cursor.fetchall()]


def _like(type: str) -> str:
    word = type.removesuffix("*")
    safe = word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"{safe}%" if word != type else safe


def mark_of(hash: bytes) -> str:
    """A few signs by which a place is known to be the same one as when it was read."""
    return hashlib.sha256(bytes(hash)).hexdigest()[:8]


def mark_at(place: Place) -> str | None:
    """The mark of a place; None where the feed has no such place (any more)."""
    if place == BEGINNING:
        return ""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT e.hash FROM audit_feed AS f JOIN audit_event AS e ON e.case_id = f.case_id "
            "AND e.number = %s WHERE f.position = %s AND %s BETWEEN f.first AND f.last",
            [place.number, place.position, place.number],
        )
        row = cursor.fetchone()
    return mark_of(row[0]) if row else None


def place_since(moment: datetime) -> Place:
    """The place before what was recorded at this moment or later. Commits overlap, so some that
    were recorded up to ten minutes earlier may follow it; none that is later lies before it."""
    low, high = 0, end().position
    while low < high:  # positions have no gaps
        middle = (low + high + 1) // 2
        if _recorded_at(middle) < moment - OVERLAP:
            low = middle
        else:
            high = middle - 1
    with connection.cursor() as cursor:
        cursor.execute("SELECT position, last FROM audit_feed WHERE position = %s", [low])
        row = cursor.fetchone()
    return Place(*row) if row else BEGINNING


def _recorded_at(position: int) -> datetime:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT e.recorded_at FROM audit_feed AS f JOIN audit_event AS e "
            "ON e.case_id = f.case_id AND e.number = f.first WHERE f.position = %s",
            [position],
        )
        return cursor.fetchone()[0]


def cases_after(position: int) -> list[int]:
    """The cases with events behind this position, numbered yet or not."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT case_id FROM audit_feed WHERE position > %s UNION "
            "SELECT case_id FROM audit_unnumbered ORDER BY 1",
            [position],
        )
        return [case_id for (case_id,) in cursor.fetchall()]


def missing(cursor: Any, limit: int = 20) -> list[tuple[int, int, int]]:
    """Cases whose events do not stand in the feed each once: (case, events, in the feed)."""
    cursor.execute(
        "SELECT coalesce(e.case_id, f.case_id), coalesce(e.n, 0), coalesce(f.n, 0) FROM "
        "(SELECT case_id, count(*) AS n FROM audit_event GROUP BY case_id) AS e FULL JOIN "
        "(SELECT case_id, sum(last - first + 1) AS n FROM (SELECT case_id, first, last "
        "FROM audit_feed UNION ALL SELECT case_id, first, last FROM audit_unnumbered) AS told "
        "GROUP BY case_id) AS f ON f.case_id = e.case_id WHERE e.n IS DISTINCT FROM f.n "
        "ORDER BY 1 LIMIT %s",
        [limit],
    )
    return [tuple(row) for row in cursor.fetchall()]
