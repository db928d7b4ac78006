"""Reading all of history at the pace of SHA-256: the database spells the line of each event.

So Python does no more for an event than hash it. What the database spells is believed only where
the hash of it is the stored one; a case of which that is not true is read again, column by column,
by whoever looks for the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any, NamedTuple

from django.db import connection

from audit.chain import GENESIS

ROWS_PER_FETCH = 5000

_SPELLED = "to_char({0} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"
# to_json quotes text exactly as chain.link does.
_LINE = (
    "convert_to('[' || case_id || ',' || number || ',' || to_json(type) || ',' || data || ',' || "
    f"to_json(actor) || ',' || to_json(on_behalf) || ',\"' || {_SPELLED.format('happened_at')} || "
    f"'\",\"' || {_SPELLED.format('recorded_at')} || '\"]', 'UTF8')"
)
_ROWS = f"SELECT case_id, number, {_LINE}, hash FROM audit_event"
_ORDER = " ORDER BY case_id, number"


class Chain(NamedTuple):
    """What the events of a case come to: a sound chain that ends so, or not a sound one."""

    case_id: int
    number: int  # of its last event
    hash: bytes
    events: int  # that were looked at
    is_sound: bool


def chains(*, above: int = 0, upto: int | None = None) -> Iterator[Chain]:
    """The chain of each case that has events, by case: of those with a number above `above`, and
    up to `upto`."""
    where, values = "case_id > %s", [above]
    if upto is not None:
        where, values = where + " AND case_id <= %s", [above, upto]
    yield from _joined(_rows(f"{_ROWS} WHERE {where}{_ORDER}", values), {})


def tails(ends: Mapping[int, tuple[int, bytes]]) -> Iterator[Chain]:
    """The chain of each of these cases that has events behind the one given by number and hash,
    from there on."""
    if ends:
        pairs = ",".join([f"({case_id:d},{number:d})" for case_id, (number, _) in ends.items()])
        inner = f"{_ROWS} WHERE case_id = wanted.id AND number > wanted.after{_ORDER}"
        sql = f"SELECT event.* FROM (VALUES {pairs}) AS wanted (id, after)"
        yield from _joined(_rows(f"{sql} CROSS JOIN LATERAL ({inner}) AS event{_ORDER}", []), ends)


def _rows(sql: str, values: list[Any]) -> Iterator[tuple[Any, ...]]:
    connection.ensure_connection()
    # psycopg's own cursor: Django's gives bytes as text, at thrice the price of the rest.
    with connection.connection.cursor(
        name="longcase_scan", binary=True, withhold=connection.get_autocommit()
    ) as cursor:
        cursor.execute(sql, values or None)
        while rows := cursor.fetchmany(ROWS_PER_FETCH):
            yield from rows


def _joined(
    rows: Iterator[tuple[Any, ...]], ends: Mapping[int, tuple[int, bytes]]
) -> Iterator[Chain]:
    # Once for each event ever written: nothing is called here but what must be.
    case_id, number, previous, events, is_sound = None, 0, GENESIS, 0, True
    for row_case, row_number, line, sealed in rows:
        if row_case != case_id:
            if case_id is not None:
                yield Chain(case_id, number, previous, events, is_sound)
            case_id, events, is_sound = row_case, 0, True
            number, previous = ends.get(row_case, (0, GENESIS))
        events += 1
        number += 1
        previous = sha256(previous + line).digest()
        if previous != sealed or row_number != number:
            is_sound, previous, number = False, sealed, row_number
    if case_id is not None:
        yield Chain(case_id, number, previous, events, is_sound)
