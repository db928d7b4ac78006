"""Sealing the read log, so that a row that is changed, removed or slipped in later shows.

Rows are written by many at once, and each request must not wait for the one before. So they are
not chained one by one: every few minutes, and before each anchor, one process takes the rows that
no seal covers yet and writes a seal of them. It names their ids, and holds

    digest = SHA-256 over, for each row in the order of ids, the UTF-8 bytes of
             ["id","at",…] as one JSON array of texts, null where there is none, and a line feed
    hash   = SHA-256(hash of the seal before + JSON array of all its own columns)

A row whose commit comes late is covered by a later seal. What a database superuser changes before
the first seal, within those minutes, shows only in numbers that are missing.

A month that has had its time is given up whole: a seal says so, then its rows may be deleted; the
database refuses to delete any others.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Any

from django.conf import settings
from django.db import connection, transaction

from audit.codec import utc_text
from audit.models import ReadSeal
from audit.reads import COLUMNS

GENESIS = bytes(32)
AT_ONCE = 20_000  # rows of one seal
LATE_SEALS = 12  # among the rows of so many seals a row may come that was committed late
SURELY_KEPT = 12  # months; how many are kept may have been changed since
SLACK = timedelta(hours=1)  # by which a row may be older than those sealed before it
_LOCK = 0x4C47  # the class of the lock that one sealing process holds
_AT, _CASE_IDS, _DIGEST, _MARKS = 1, 10, 12, 13  # places in a row


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with the read log, and at which seal."""

    seal: int
    words: str


def last() -> tuple[int, bytes]:
    """The number and the hash of the last seal."""
    found = ReadSeal.objects.order_by("-number").values_list("number", "hash").first()
    return (found[0], bytes(found[1])) if found else (0, GENESIS)


def seal() -> int:
    """Seal the rows that no seal covers; how many there were. Safe to call anywhere, at any time:
    where another process is at it, this waits for it."""
    count = 0
    while True:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, 1)", [_LOCK])
            cursor.execute(_UNSEALED, [AT_ONCE])
            rows = cursor.fetchall()
            by_month: dict[date, list[Any]] = {}
            for row in rows:
                by_month.setdefault(_month_of(row[_AT]), []).append(row)
            for month, found in sorted(by_month.items()):
                _write(
                    kind="rows",
                    month=month,
                    ids=_multirange([row[0] for row in found]),
                    rows=len(found),
                    first_at=min(row[_AT] for row in found),
                    last_at=max(row[_AT] for row in found),
                    digest=_digest(found),
                )
        count += len(rows)
        if len(rows) < AT_ONCE:
            return count


def drop_month(month: date, *, by: str) -> int:
    """Give up the rows of a month: seal that it was done and by whom, and delete them. How many.

    The caller has seen to it that the month has had its time.
    """
    seal()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, 1)", [_LOCK])
        month, after = month.replace(day=1), next_month(month)
        moments = [datetime(one.year, one.month, 1, tzinfo=UTC) for one in (month, after)]
        cursor.execute("SELECT count(*) FROM audit_read WHERE at >= %s AND at < %s", moments)
        count = int(cursor.fetchone()[0])
        if not count:
            return 0
        digests = ReadSeal.objects.filter(kind="rows", month=month).order_by("number")
        told = b"".join(bytes(one) for one in digests.values_list("digest", flat=True))
        _write(kind="dropped", month=month, rows=count, digest=hashlib.sha256(told).digest(), by=by)
        cursor.execute("DELETE FROM audit_read WHERE at >= %s AND at < %s", moments)
    return count


def months() -> list[tuple[date, int]]:
    """The months whose rows are kept, with how many are sealed, oldest first."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT month, sum(rows) FROM audit_read_seal WHERE kind = 'rows' AND month NOT IN"
            " (SELECT month FROM audit_read_seal WHERE kind = 'dropped')"
            " GROUP BY month ORDER BY month"
        )
        return [(row[0], int(row[1])) for row in cursor.fetchall()]


def next_month(day: date) -> date:
    return (day.replace(day=1) + timedelta(days=32)).replace(day=1)


def verify(*, anchored: tuple[int, bytes] | None = None) -> Iterator[Finding]:
    """What is wrong with the log. `anchored` is a head that was kept elsewhere: without one, who
    removes the last seals together with their rows leaves no trace."""
    seals = list(ReadSeal.objects.order_by("number"))
    dropped = {one.month for one in seals if one.kind == "dropped"}
    previous, youngest = GENESIS, None
    for place, one in enumerate(seals, start=1):
        if one.number != place:
            yield Finding(place, f"Seal {place} is missing.")
            return
        if bytes(one.hash) != _hash(previous, one):
            yield Finding(place, f"Seal {place} was changed, or one before it.")
            return
        previous = bytes(one.hash)
        if one.kind != "rows":
            yield from _verify_drop(one)
            continue
        if one.month not in dropped:
            yield from _verify_rows(one)
        if youngest and one.first_at and one.first_at < youngest - SLACK:
            said = f"{utc_text(one.first_at)}, after rows of {utc_text(youngest)}"
            yield Finding(place, f"Seal {place} covers a row that says it is of {said}.")
        youngest = max(filter(None, (youngest, one.last_at)), default=None)
    if anchored and anchored[0]:
        number, kept = anchored
        if number > len(seals):
            yield Finding(number, f"Seal {number} is gone: the log was cut off behind it.")
        elif bytes(seals[number - 1].hash) != kept:
            yield Finding(number, f"Seal {number} is not the one that was kept elsewhere.")
    with connection.cursor() as cursor:
        cursor.execute(_SLIPPED_IN)
        for (row_id,) in cursor.fetchall():
            yield Finding(len(seals), f"Row {row_id} was slipped in: no seal covers it.")


def _verify_drop(one: ReadSeal) -> Iterator[Finding]:
    """Whether the month that was given up had had its time: whoever has all rights over the
    database could write such a seal to be rid of what somebody read yesterday."""
    least = min(settings.LONGCASE_READ_LOG_MONTHS, SURELY_KEPT)
    at = one.sealed_at
    age = (at.year - one.month.year) * 12 + at.month - one.month.month
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s > now() + %s", [at, SLACK])
        is_future = cursor.fetchone()[0]
    if age <= least or is_future:
        words = f"Seal {one.number}, of {utc_text(at)} by {one.by}, gives up the rows of "
        yield Finding(one.number, f"{words}{one.month:%Y-%m}, which had not had their time.")


def _verify_rows(one: ReadSeal) -> Iterator[Finding]:
    with connection.cursor() as cursor:
        cursor.execute(_SEALED, {"ids": one.ids})
        rows = cursor.fetchall()
    if _digest(rows) == bytes(one.digest):
        return
    missing = sorted(set(_numbers(one.ids)) - {row[0] for row in rows})
    what = (
        f"row {missing[0]}" + (f" and {len(missing) - 1} more" if missing[1:] else "")
        if missing
        else ""
    )
    said = f"lacks {what}" if missing else "has a row that was changed"
    yield Finding(one.number, f"Seal {one.number}, of {utc_text(one.sealed_at)}, {said}.")


def _write(
    *,
    kind: str,
    month: date,
    digest: bytes,
    ids: str = "",
    rows: int = 0,
    first_at: datetime | None = None,
    last_at: datetime | None = None,
    by: str = "",
) -> None:
    number, previous = last()
    with connection.cursor() as cursor:
        cursor.execute("SELECT now()")
        now = cursor.fetchone()[0]
    one = ReadSeal(
        number=number + 1,
        kind=kind,
        month=month,
        sealed_at=now,
        ids=ids,
        rows=rows,
        first_at=first_at,
        last_at=last_at,
        digest=digest,
        by=by,
    )
    one.hash = _hash(previous, one)
    one.save(force_insert=True)


def _hash(previous: bytes, one: ReadSeal) -> bytes:
    told = [
        one.number,
        one.kind,
        one.month.isoformat(),
        utc_text(one.sealed_at),
        one.ids,
        one.rows,
        utc_text(one.first_at) if one.first_at else None,
        utc_text(one.last_at) if one.last_at else None,
        bytes(one.digest).hex(),
        one.by,
    ]
    return hashlib.sha256(previous + _json(told)).digest()


def _digest(rows: Iterable[Any]) -> bytes:
    found = hashlib.sha256()
    for row in rows:
        told: list[str | None] = [None if one is None else str(one) for one in row]
        told[_AT] = utc_text(row[_AT])
        for place in (_CASE_IDS, _MARKS):
            if row[place] is not None:
                told[place] = " ".join(str(one) for one in row[place])
        if row[_DIGEST] is not None:
            told[_DIGEST] = bytes(row[_DIGEST]).hex()
        found.update(_json(told) + b"\n")
    return found.digest()


def _json(told: list[Any]) -> bytes:
    return json.dumps(told, separators=(",", ":"), ensure_ascii=False).encode()


def _month_of(at: datetime) -> date:
    return at.astimezone(UTC).date().replace(day=1)


def _multirange(ids: list[int]) -> str:
    """These ids, ascending, as Postgres writes an int8multirange."""
    parts, begin = [], ids[0]
    for one, after in pairwise([*ids, None]):
        if one is not None and after != one + 1:
            parts.append(f"[{begin},{one + 1})")
            begin = after if after is not None else begin
    return "{" + ",".join(parts) + "}"


def _numbers(ids: str) -> Iterator[int]:
    for part in ids.strip("{}").replace("),", ") ").split():
        low, high = part.strip("[)").split(",")
        yield from range(int(low), int(high))


_COVER = "SELECT coalesce(range_agg(ids::int8multirange), '{}') AS cover FROM"
_LATELY = f"""({_COVER} (SELECT ids FROM audit_read_seal WHERE kind = 'rows'
    ORDER BY number DESC LIMIT {LATE_SEALS:d}) AS late) AS lately"""
_UNSEALED = f"""
    SELECT id, {COLUMNS} FROM audit_read, {_LATELY}
     WHERE id >= coalesce(lower(cover), 0) AND NOT id <@ cover ORDER BY id LIMIT %s
"""
_SLIPPED_IN = f"""
    SELECT id FROM audit_read, {_LATELY},
           ({_COVER} audit_read_seal WHERE kind = 'rows') AS ever (sealed)
     WHERE id < lower(cover) AND NOT id <@ sealed ORDER BY id LIMIT 100
"""
_SEALED = f"""
    SELECT id, {COLUMNS} FROM audit_read
     WHERE id >= lower(%(ids)s::int8multirange) AND id < upper(%(ids)s::int8multirange)
       AND id <@ %(ids)s::int8multirange ORDER BY id
"""
