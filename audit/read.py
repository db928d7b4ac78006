"""Reading history, in order, without decoding what nobody looks at."""

from collections.abc import Sequence
from typing import Any

from django.db import connection

from audit import moments
from audit.record import COLUMNS, Recorded


def events_of(
    case_id: int, after: int = 0, upto: int | None = None, *, types: Sequence[str] = ()
) -> list[Recorded]:
    """The events of a case with numbers above `after`, up to and including `upto`; of some types
    only where these are named."""
    sql = f"SELECT {COLUMNS} FROM audit_event WHERE case_id = %s AND number > %s"
    values: list[Any] = [case_id, after]
    if upto is not None:
        sql += " AND number <= %s"
        values.append(upto)
    if types:
        sql += " AND type = ANY(%s)"
        values.append(list(types))
    with connection.cursor() as cursor:
        moments.read_fast(cursor)
        cursor.execute(sql + " ORDER BY number", values)
        return [Recorded(*row) for row in cursor.fetchall()]


def events_numbered(case_id: int, numbers: Sequence[int]) -> list[Recorded]:
    """The events of a case that have these numbers, in order."""
    if not numbers:
        return []
    with connection.cursor() as cursor:
        moments.read_fast(cursor)
        cursor.execute(
            f"SELECT {COLUMNS} FROM audit_event WHERE case_id = %s AND number = ANY(%s) "
            "ORDER BY number",
            [case_id, list(numbers)],
        )
        return [Recorded(*row) for row in cursor.fetchall()]


def last_events(case_id: int, *, above: int, type: str, most: int) -> list[Recorded]:
    """The events of a case above a number, and its last `most` of one type, in order."""
    with connection.cursor() as cursor:
        moments.read_fast(cursor)
        cursor.execute(_LAST, [case_id, above, case_id, type, most])
        return [Recorded(*row) for row in cursor.fetchall()]


# Each half ends early on the index of numbers, however long the history is.
_LAST = f"""
    SELECT {COLUMNS} FROM audit_event WHERE case_id = %s AND number > %s
     UNION
    (SELECT {COLUMNS} FROM audit_event WHERE case_id = %s AND type = %s
      ORDER BY number DESC LIMIT %s)
     ORDER BY number
"""


def last_number(case_id: int, type: str, *, upto: int) -> int | None:
    """The number of the last event of a type up to and including `upto`, if there is one."""
    return _number("number <= %s AND type = %s ORDER BY number DESC LIMIT 1", [case_id, upto, type])


def first_number(case_id: int, type: str, *, after: int) -> int | None:
    """The number of the first event of a type above `after`, if there is one."""
    return _number("number > %s AND type = %s ORDER BY number LIMIT 1", [case_id, after, type])


def _number(condition: str, values: list[Any]) -> int | None:
    with connection.cursor() as cursor:
        # Walked along the events of this one case: few lie between.
        cursor.execute(f"SELECT number FROM audit_event WHERE case_id = %s AND {condition}", values)
        found = cursor.fetchone()
        return found[0] if found else None


def events_since(cursor: Any, pairs: Sequence[tuple[int, int]]) -> dict[int, list[Recorded]]:
    """For each (case, number) the case's events from that number on, in one query.

    Every case asked for has a list in the answer, empty where there is nothing.
    """
    found: dict[int, list[Recorded]] = {case_id: [] for case_id, _ in pairs}
    if not pairs:
        return found
    moments.read_fast(cursor)
    # Whole numbers need no quoting, and as parameters they would take longer than the query.
    wanted = ",".join([f"({case_id:d},{number:d})" for case_id, number in pairs])
    cursor.execute(_SINCE.format(wanted=wanted))
    for row in cursor.fetchall():
        found[row[0]].append(Recorded(*row))
    return found


# LATERAL with its ORDER BY keeps Postgres on one index range a case, whatever its statistics say.
_SINCE = f"""
    SELECT event.*
      FROM (VALUES {{wanted}}) AS wanted (id, first)
     CROSS JOIN LATERAL (
           SELECT {COLUMNS} FROM audit_event
            WHERE case_id = wanted.id AND number >= wanted.first
            ORDER BY number
     ) AS event
"""
