"""The statements of the hot path: few, set-based, through Django's cursor.

Models and pages use the ORM. Here a batch of cases is locked, read and written with one statement
each, whatever their number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any, NamedTuple

from audit import keys, moments
from audit.literals import literal
from audit.record import COLUMNS as EVENT_COLUMNS
from audit.record import Recorded
from cases.models import Case

CASE_FIELDS = [f.attname for f in Case._meta.concrete_fields]
_CASE_COLUMNS = ", ".join(f'"{f.column}"' for f in Case._meta.concrete_fields)

# What an advance may change of a case, with the type a VALUES list needs to be told.
_MOVING = {  # at every event
    "head_number": "integer",
    "head_hash": "bytea",
    "waits": "text",
    "waiting_on": "text",
    "waiting_since": "timestamptz",
    "waiting_until": "timestamptz",
    "stopped_at": "timestamptz",
}
_ENTERING = {  # rarely: at the entry of a step, or by an act of staff
    "step": "text",
    "visit": "integer",
    "step_version": "integer",
    "code_digest": "text",
    "entered_number": "integer",
    "entered_at": "timestamptz",
    "owner_id": "bigint",
    "team_id": "bigint",
    "closed_at": "timestamptz",
    "outcome": "text",
    "outcome_reason": "text",
}
_rare = itemgetter(*_ENTERING)


class Locked(NamedTuple):
    """A case as a turn takes it in: its row, and its events since it entered its step."""

    row: dict[str, Any]
    events: list[Recorded]
    key: keys.Key | keys.Destroyed | None  # None: from before there were any


Kept = dict[tuple[int, str], list[dict[str, Any]]]  # messages by (case, name), oldest first
Fence = tuple[int, int, int, int, int]  # case, visit, command, worker, attempt: a claim that holds


def lock_cases(
    cursor: Any, ids: Sequence[int], *, wait: bool
) -> tuple[list[Locked], Kept, set[Fence]]:
    """Lock case rows in the order of their ids and return them with their events; the messages that
    came before their case waited for them; and the claims on their activities. Without `wait`,
    cases that another transaction holds are left out.

    Whoever takes a claim away holds the case, so those that are found hold until the commit.
    """
    if not ids:
        return [], {}, set()
    wanted = ",".join([f"{case_id:d}" for case_id in sorted(ids)])
    found_keys = keys.at_hand(ids)
    unknown = ",".join([f"{case_id:d}" for case_id in ids if case_id not in found_keys])
    moments.read_fast(cursor)
    # One round trip. Each statement sees what was committed when it begins: after the locks.
    statement = _LOCK.format(wanted=wanted, skip="" if wait else "SKIP LOCKED")
    cursor.execute(statement + _KEYS.format(unknown=unknown) if unknown else statement)
    rows = [dict(zip(CASE_FIELDS, row, strict=True)) for row in cursor.fetchall()]
    cursor.nextset()
    events: dict[int, list[Recorded]] = {row["id"]: [] for row in rows}
    for event in cursor.fetchall():
        if event[0] in events:
            events[event[0]].append(Recorded(*event))
    cursor.nextset()
    kept: Kept = {}
    for message in cursor.fetchall():
        found = dict(zip(_KEPT, message, strict=True))
        kept.setdefault((found["case_id"], found["name"]), []).append(found)
    cursor.nextset()
    held = {claim for claim in cursor.fetchall() if claim[0] in events}
    if unknown:
        cursor.nextset()
        for row in cursor.fetchall():
            found_keys[row[0]] = keys.learn(*row)
    locked = [Locked(row, events[row["id"]], found_keys.get(row["id"])) for row in rows]
    return locked, kept, held


_KEPT = ("id", "case_id", "name", "source", "key", "data", "actor", "on_behalf")
# LATERAL with its ORDER BY keeps Postgres on one index range a case, whatever its statistics say.
_LOCK = f"""
    SELECT {_CASE_COLUMNS} FROM cases_case WHERE id IN ({{wanted}})
     ORDER BY id FOR NO KEY UPDATE {{skip}};
    SELECT event.* FROM cases_case AS c CROSS JOIN LATERAL (
           SELECT {EVENT_COLUMNS} FROM audit_event
            WHERE case_id = c.id AND number >= c.entered_number ORDER BY number
           ) AS event
     WHERE c.id IN ({{wanted}});
    SELECT {", ".join(_KEPT)} FROM cases_message
     WHERE state = 'kept' AND case_id IN ({{wanted}}) ORDER BY id;
    SELECT case_id, visit, command, worker_id, attempt FROM processes_activity
     WHERE worker_id IS NOT NULL AND case_id IN ({{wanted}})
"""
_KEYS = f"""; SELECT {keys.COLUMNS} FROM audit_casekey WHERE case_id IN ({{unknown}})"""


def case_ids(cursor: Any, count: int) -> list[int]:
    """Numbers for new cases, which are also those of their references."""
    cursor.execute(
        "SELECT nextval(pg_get_serial_sequence('cases_case', 'id')) FROM generate_series(1, %s)",
        [count],
    )
    return [row[0] for row in cursor.fetchall()]


def insert_cases(cursor: Any, rows: Sequence[dict[str, Any]]) -> None:
    """Insert new case rows as they stand at the end of the turn."""
    if rows:
        _insert(
            cursor, "cases_case", _CASE_COLUMNS, [[row[f] for f in CASE_FIELDS] for row in rows]
        )


def insert_facts(cursor: Any, connection: Any, instances: Iterable[Any]) -> None:
    """Insert the kind's own rows, one statement a kind."""
    for model, members in _by_model(instances).items():
        fields = model._meta.local_concrete_fields
        columns = ", ".join(f'"{f.column}"' for f in fields)
        rows = [
            [f.get_db_prep_save(getattr(one, f.attname), connection) for f in fields]
            for one in members
        ]
        _insert(cursor, model._meta.db_table, columns, rows)


def update_cases(cursor: Any, rows: Iterable[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    """Write what an advance changed of each case: (row as it was locked, row as it stands)."""
    moved: list[dict[str, Any]] = []
    entered: list[dict[str, Any]] = []
    for was, row in rows:
        (moved if _rare(row) == _rare(was) else entered).append(row)
    _update(cursor, "cases_case", "id", _MOVING, moved)
    _update(cursor, "cases_case", "id", {**_MOVING, **_ENTERING}, entered)


def update_facts(cursor: Any, connection: Any, instances: Iterable[Any]) -> None:
    """Write the kind's own columns, one statement a kind."""
    for model, members in _by_model(instances).items():
        fields = [f for f in model._meta.local_concrete_fields if not f.primary_key]
        types = {f.column: f.db_type(connection) for f in fields}
        key = model._meta.pk.column
        values = [
            {key: one.pk}
            | {f.column: f.get_db_prep_save(getattr(one, f.attname), connection) for f in fields}
            for one in members
        ]
        _update(cursor, model._meta.db_table, key, types, values)


def _by_model(instances: Iterable[Any]) -> dict[Any, list[Any]]:
    found: dict[Any, list[Any]] = {}
    for instance in instances:
        found.setdefault(type(instance), []).append(instance)
    return found


def _update(
    cursor: Any, table: str, key: str, types: Mapping[str, Any], rows: Sequence[dict[str, Any]]
) -> None:
    if not rows:
        return
    names = [key, *types]
    sets = ", ".join(f'"{name}" = new."{name}"' for name in types)
    first = ", ".join(
        [literal(rows[0][key])] + [f"{literal(rows[0][n])}::{kind}" for n, kind in types.items()]
    )
    rest = ["(" + ",".join([literal(row[name]) for name in names]) + ")" for row in rows[1:]]
    quoted = ", ".join(f'"{name}"' for name in names)
    cursor.execute(
        f'UPDATE "{table}" AS old SET {sets} FROM (VALUES {", ".join([f"({first})", *rest])}) '
        f'AS new ({quoted}) WHERE old."{key}" = new."{key}"'
    )


class ActivityRow(NamedTuple):
    case_id: int
    visit: int
    command: int
    name: str
    arguments: str  # encoded
    on_behalf: str
    lane: str
    due_at: datetime
    attempt: int = 0
    failures: int = 0
    losses: int = 0
    worker_id: int | None = None
    lease_until: datetime | None = None
    published_at: datetime | None = None
    state: str = "due"
    last_error: str = ""


_ACTIVITY_COLUMNS = ", ".join(ActivityRow._fields)


def insert_activities(cursor: Any, rows: Sequence[ActivityRow]) -> None:
    if rows:
        _insert(cursor, "processes_activity", _ACTIVITY_COLUMNS, rows)


def drop_activities(cursor: Any, keys: Sequence[tuple[int, int, int]]) -> None:
    """Remove activities that are done, or that nobody waits for any more, running or not."""
    if keys:
        values = ",".join([f"({c:d},{v:d},{n:d})" for c, v, n in keys])
        cursor.execute(
            f"DELETE FROM processes_activity AS a USING (VALUES {values}) AS c (case_id, visit, "
            "command) WHERE a.case_id = c.case_id AND a.visit = c.visit AND a.command = c.command"
        )


def settle_messages(
    cursor: Any, rows: Sequence[tuple[int, str, int | None, str, datetime]]
) -> None:
    """Write what became of messages: (id, state, case, why, moment). The last word counts, where
    one was kept and then used."""
    types = {"state": "text", "case_id": "bigint", "why": "text", "settled_at": "timestamptz"}
    last = {row[0]: dict(zip(("id", *types), row, strict=True)) for row in rows}
    _update(cursor, "cases_message", "id", types, list(last.values()))


def _insert(cursor: Any, table: str, columns: str, rows: Iterable[Iterable[Any]]) -> None:
    values = ",".join(["(" + ",".join(map(literal, row)) + ")" for row in rows])
    cursor.execute(f"INSERT INTO {table} ({columns}) VALUES {values}")
