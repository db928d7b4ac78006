"""The statements of the hot path: few, set-based, through Django's cursor.

Models and pages use the ORM. Here a batch of cases is locked, read and written with one statement
each, whatever their number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from cases.models import Case

CASE_FIELDS = [f.attname for f in Case._meta.concrete_fields]
_CASE_COLUMNS = ", ".join(f'"{f.column}"' for f in Case._meta.concrete_fields)

# What an advance may change of a case, with the type a VALUES list needs to be told.
_CHANGED = {
    "step": "text",
    "visit": "integer",
    "step_version": "integer",
    "code_digest": "text",
    "entered_number": "integer",
    "entered_at": "timestamptz",
    "head_number": "integer",
    "head_hash": "bytea",
    "owner_id": "bigint",
    "team_id": "bigint",
    "waits": "text",
    "waiting_on": "text",
    "waiting_since": "timestamptz",
    "waiting_until": "timestamptz",
    "closed_at": "timestamptz",
    "stopped_at": "timestamptz",
    "outcome": "text",
    "outcome_reason": "text",
}
CHANGED_FIELDS = tuple(_CHANGED)


def lock_cases(cursor: Any, ids: Sequence[int], *, wait: bool) -> list[dict[str, Any]]:
    """Lock case rows in the order of their ids and return them. Without `wait`, those that another
    transaction holds are left out."""
    cursor.execute(
        f"SELECT {_CASE_COLUMNS} FROM cases_case WHERE id = ANY(%s) ORDER BY id "
        f"FOR NO KEY UPDATE {'' if wait else 'SKIP LOCKED'}",
        [sorted(ids)],
    )
    return [dict(zip(CASE_FIELDS, row, strict=True)) for row in cursor.fetchall()]


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
    by_model: dict[Any, list[Any]] = {}
    for instance in instances:
        by_model.setdefault(type(instance), []).append(instance)
    for model, members in by_model.items():
        fields = model._meta.local_concrete_fields
        columns = ", ".join(f'"{f.column}"' for f in fields)
        rows = [
            [f.get_db_prep_save(getattr(one, f.attname), connection) for f in fields]
            for one in members
        ]
        _insert(cursor, model._meta.db_table, columns, rows)


def update_cases(cursor: Any, rows: Sequence[dict[str, Any]]) -> None:
    """Write what an advance changed of each case."""
    if not rows:
        return
    sets = ", ".join(f"{name} = new.{name}" for name in _CHANGED)
    casts = "(%s::bigint, " + ", ".join(f"%s::{kind}" for kind in _CHANGED.values()) + ")"
    plain = "(" + ", ".join(["%s"] * (len(_CHANGED) + 1)) + ")"
    values = ", ".join([casts] + [plain] * (len(rows) - 1))
    params: list[Any] = []
    for row in rows:
        params.append(row["id"])
        params += [row[name] for name in CHANGED_FIELDS]
    cursor.execute(
        f"UPDATE cases_case SET {sets} FROM (VALUES {values}) AS new (id, {', '.join(_CHANGED)}) "
        "WHERE cases_case.id = new.id",
        params,
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


def settle_activities(
    cursor: Any, claims: Sequence[tuple[int, int, int, int, int]]
) -> set[tuple[int, int, int]]:
    """Remove the activities whose claim still holds; returns their keys.

    A claim is (case, visit, command, worker, attempt). One that ran out finds no row, and its
    result is not taken: this is the fence.
    """
    if not claims:
        return set()
    values = ", ".join(
        ["(%s::bigint, %s::integer, %s::integer, %s::bigint, %s::integer)"] * len(claims)
    )
    cursor.execute(
        "DELETE FROM processes_activity AS a USING (VALUES "
        + values
        + ") AS c (case_id, visit, command, worker_id, attempt) WHERE a.case_id = c.case_id "
        "AND a.visit = c.visit AND a.command = c.command AND a.worker_id = c.worker_id "
        "AND a.attempt = c.attempt RETURNING a.case_id, a.visit, a.command",
        [part for claim in claims for part in claim],
    )
    return {tuple(row) for row in cursor.fetchall()}


def drop_activities(cursor: Any, keys: Sequence[tuple[int, int, int]]) -> None:
    """Remove activities that nobody waits for any more, running or not."""
    if keys:
        values = ", ".join(["(%s::bigint, %s::integer, %s::integer)"] * len(keys))
        cursor.execute(
            "DELETE FROM processes_activity AS a USING (VALUES "
            + values
            + ") AS c (case_id, visit, command) WHERE a.case_id = c.case_id "
            "AND a.visit = c.visit AND a.command = c.command",
            [part for key in keys for part in key],
        )


def kept_messages(cursor: Any, ids: Sequence[int]) -> dict[tuple[int, str], list[dict[str, Any]]]:
    """Messages that came before their case waited for them, by (case, name), oldest first."""
    cursor.execute(
        "SELECT id, case_id, name, source, key, data, actor, on_behalf FROM cases_message "
        "WHERE state = 'kept' AND case_id = ANY(%s) ORDER BY id",
        [list(ids)],
    )
    names = ("id", "case_id", "name", "source", "key", "data", "actor", "on_behalf")
    found: dict[tuple[int, str], list[dict[str, Any]]] = {}
    for row in cursor.fetchall():
        message = dict(zip(names, row, strict=True))
        found.setdefault((message["case_id"], message["name"]), []).append(message)
    return found


def settle_messages(
    cursor: Any, rows: Sequence[tuple[int, str, int | None, str, datetime]]
) -> None:
    """Write what became of messages: (id, state, case, why, moment). The last word counts, where
    one was kept and then used."""
    if rows:
        rows = list({row[0]: row for row in rows}.values())
        values = ", ".join(
            ["(%s::bigint, %s::text, %s::bigint, %s::text, %s::timestamptz)"] * len(rows)
        )
        cursor.execute(
            "UPDATE cases_message AS m SET state = n.state, case_id = n.case_id, why = n.why, "
            "settled_at = n.at FROM (VALUES "
            + values
            + ") AS n (id, state, case_id, why, at) WHERE m.id = n.id",
            [part for row in rows for part in row],
        )


def _insert(cursor: Any, table: str, columns: str, rows: Sequence[Sequence[Any]]) -> None:
    width = len(rows[0])
    most = max(1, 60_000 // width)  # Postgres takes at most 65,535 parameters a statement
    one = "(" + ", ".join(["%s"] * width) + ")"
    for begin in range(0, len(rows), most):
        some = rows[begin : begin + most]
        cursor.execute(
            f"INSERT INTO {table} ({columns}) VALUES " + ", ".join([one] * len(some)),
            [value for row in some for value in row],
        )
