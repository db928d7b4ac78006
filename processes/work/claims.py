"""Claims on activities. They free themselves when the worker's connection dies.

Each worker process holds one session lock under its number. A claim whose worker's lock is gone
is free within a second; a lease is the fallback for workers that hang with their connection open.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connection

from audit.literals import moment
from processes.models import Worker
from processes.work.results import Claim
from timers import clock

WORKER_LOCKS = 0x4C43  # the class of our session locks, so that others' do not meet them
SHORT_LEASE_SECONDS = 60.0  # unless settings.LONGCASE_SHORT_LEASE_SECONDS says otherwise

_RETURNING = (
    "a.case_id, a.visit, a.command, a.name, a.arguments, a.on_behalf, a.lane, a.attempt, "
    "a.failures, a.losses, a.worker_id"
)


def short_lease_seconds() -> float:
    return float(getattr(settings, "LONGCASE_SHORT_LEASE_SECONDS", SHORT_LEASE_SECONDS))


def register(lane: str) -> Worker:
    """Enter this process among the workers, and hold its lock on this connection."""
    moment = clock.now()
    worker = Worker.objects.create(
        name=f"{platform.node()}/{os.getpid()}", lane=lane, started_at=moment, seen_at=moment
    )
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s, %s)", [WORKER_LOCKS, worker.pk])
    return worker


def holds_lock(worker_id: int) -> bool:
    """Whether this connection still holds the worker's lock: it is gone after a reconnect."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = %s "
            "AND objid = %s AND objsubid = 2 AND pid = pg_backend_pid() AND granted)",
            [WORKER_LOCKS, worker_id],
        )
        return bool(cursor.fetchone()[0])


def claiming_short(*, worker_id: int, limit: int) -> str:
    """The statement that claims short activities that are due, the oldest first; `claims_of` reads
    its answer. It has no parameters, so it can go with others."""
    at = clock.now()
    lease = at + timedelta(seconds=short_lease_seconds())
    return (
        f"UPDATE processes_activity AS a SET worker_id = {worker_id:d}, attempt = a.attempt + 1, "
        f"lease_until = {moment(lease)} FROM (SELECT id FROM processes_activity "
        f"WHERE lane = 'short' AND worker_id IS NULL AND state = 'due' AND due_at <= {moment(at)} "
        f"ORDER BY due_at LIMIT {limit:d} FOR UPDATE SKIP LOCKED) AS due WHERE a.id = due.id "
        f"RETURNING {_RETURNING}"
    )


def claims_of(answer: Iterable[Sequence[Any]]) -> list[Claim]:
    return [Claim(*row) for row in answer]


def claim_short(cursor: Any, *, worker_id: int, limit: int) -> list[Claim]:
    """Claim short activities that are due."""
    if limit <= 0:
        return []
    cursor.execute(claiming_short(worker_id=worker_id, limit=limit))
    return claims_of(cursor.fetchall())


def claim_one(*, worker_id: int, key: tuple[int, int, int], lease_seconds: float) -> Claim | None:
    """Claim one long activity, if it is still due and nobody has it."""
    moment = clock.now()
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE processes_activity AS a SET worker_id = %s, attempt = a.attempt + 1, "
            "lease_until = %s WHERE a.case_id = %s AND a.visit = %s AND a.command = %s "
            "AND a.worker_id IS NULL AND a.state = 'due' AND a.due_at <= %s "
            f"RETURNING {_RETURNING}",
            [worker_id, moment + timedelta(seconds=lease_seconds), *key, moment],
        )
        row = cursor.fetchone()
    return Claim(*row) if row else None


def renew(claim: Claim, *, lease_seconds: float, progress: str | None) -> bool:
    """Say that the claim is alive. False when it is no longer ours: stop."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE processes_activity SET lease_until = %s, progress = coalesce(%s, progress) "
            "WHERE case_id = %s AND visit = %s AND command = %s AND worker_id = %s "
            "AND attempt = %s",
            [clock.now() + timedelta(seconds=lease_seconds), progress, *claim.fence],
        )
        return bool(cursor.rowcount)


def release(cursor: Any, worker_id: int) -> int:
    """Give back what this worker holds and has not begun, without counting it as a loss."""
    cursor.execute(
        "UPDATE processes_activity SET worker_id = NULL, lease_until = NULL, published_at = NULL "
        "WHERE worker_id = %s",
        [worker_id],
    )
    return cursor.rowcount


def lost_claims(cursor: Any, limit: int) -> list[Claim]:
    """Claims whose worker is gone or whose lease has run out."""
    cursor.execute(
        f"SELECT {_RETURNING} FROM processes_activity AS a WHERE a.worker_id IS NOT NULL "
        "AND (a.lease_until < %s OR NOT EXISTS (SELECT 1 FROM pg_locks AS l "
        "WHERE l.locktype = 'advisory' AND l.classid = %s AND l.objid = a.worker_id "
        "AND l.objsubid = 2 AND l.granted AND l.database = "
        "(SELECT oid FROM pg_database WHERE datname = current_database()))) "
        "ORDER BY a.id LIMIT %s",
        [clock.now(), WORKER_LOCKS, limit],
    )
    return [Claim(*row) for row in cursor.fetchall()]
