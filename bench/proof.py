"""What proof costs: checking all of history, the heads alone, an anchor, and a path to it."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

from django.db import connection

from audit import anchors, signing
from audit.paths import Paths
from audit.verify import snapshot, verify_chains
from bench.grow import grow
from cases.models import Case
from processes.engine.verify import Looked, verify_heads
from timers import clock

KEY = signing.SigningKey.of("7" * 64)
TICKS = os.sysconf("SC_CLK_TCK")


def proof(*, size: int, events: int, many: int) -> Iterator[str]:
    """On `size` cases that really happened; anchors also on `many` cases of one event."""
    grow(cases=size, events=events)
    _feed()
    yield _chains()
    yield from _anchors("real cases")
    yield _heads()
    if many:
        _many(many)
        yield from _anchors(f"with {many:,} more cases of one event")


def _feed() -> None:
    """Copies are not in the feed."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE audit_event")
        cursor.execute("TRUNCATE audit_unnumbered")
        cursor.execute(
            "INSERT INTO audit_feed SELECT (SELECT coalesce(max(position), 0) FROM audit_feed) + "
            "row_number() OVER (ORDER BY e.case_id), e.case_id, e.first, e.last FROM "
            "(SELECT case_id, min(number) AS first, max(number) AS last FROM audit_event "
            "GROUP BY case_id) AS e WHERE NOT EXISTS "
            "(SELECT 1 FROM audit_feed AS f WHERE f.case_id = e.case_id)"
        )


def _timed(what: Callable[[], Any]) -> tuple[float, float, float, Any]:
    """Seconds: of the wall, of CPU here, of CPU in the database; and what came of it."""
    connection.ensure_connection()
    began = (time.monotonic(), time.process_time(), _backend())
    found = what()
    return (
        time.monotonic() - began[0],
        time.process_time() - began[1],
        _backend() - began[2],
        found,
    )


def _backend() -> float:
    with open(f"/proc/{connection.connection.info.backend_pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def _chains() -> str:
    def run() -> int:
        with snapshot():
            heads = list(Case.objects.order_by("pk").values_list("pk", "head_number", "head_hash"))
            assert list(verify_chains(heads)) == []
        return sum([head[1] for head in heads])

    wall, here, there, events = _timed(run)
    return (
        f"verify        {events:,} events: {events / (here + there):,.0f}/s on one core "
        f"(CPU {here:.2f} s Python, {there:.2f} s Postgres; wall {wall:.2f} s)"
    )


def _heads() -> str:
    looked = Looked()
    wall, here, there, _ = _timed(lambda: list(verify_heads(keys=[KEY.public], looked=looked)))
    return (
        f"verify heads  {looked.cases:,} cases: {wall:.2f} s "
        f"(CPU {here:.2f} s Python, {there:.2f} s Postgres)"
    )


def _anchors(what: str) -> Iterator[str]:
    def make() -> Any:
        return anchors.make(day=date(2027, 1, 4), now=clock.now(), keys=[KEY])

    for name in ("anchor", "anchor again"):
        wall, here, there, made = _timed(make)
        said = anchors.said_in(made)
        yield (
            f"{name:13} {what}: {said['cases']:,} cases, {said['moved']:,} moved: {wall:.2f} s "
            f"(CPU {here:.2f} s Python, {there:.2f} s Postgres)"
        )
        if name == "anchor":
            _move_one_in_a_hundred()
    chosen = random.Random(7).sample(range(1, said["cases"]), 50)
    wall, here, _there, _ = _timed(lambda: [Paths().of(one, made.number) for one in chosen])
    yield f"path          {1000 * wall / len(chosen):.1f} ms each (CPU {1000 * here / 50:.1f} ms)"


def _move_one_in_a_hundred() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO audit_feed SELECT (SELECT max(position) FROM audit_feed) + "
            "row_number() OVER (ORDER BY case_id), case_id, max(number), max(number) "
            "FROM audit_event WHERE case_id % 100 = 7 GROUP BY case_id"
        )


def _many(count: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "WITH first AS (SELECT max(case_id) + 1 AS id FROM audit_event), made AS ("
            "INSERT INTO audit_event (case_id, number, type, data, actor, happened_at, "
            "recorded_at, hash) SELECT id + n, 1, 'case.opened', '{}', 'engine', now(), now(), "
            "sha256(n::text::bytea) FROM first, generate_series(1, %s) AS n RETURNING case_id) "
            "INSERT INTO audit_feed SELECT (SELECT max(position) FROM audit_feed) + "
            "row_number() OVER (ORDER BY case_id), case_id, 1, 1 FROM made",
            [count],
        )
        cursor.execute("ANALYZE audit_event")
        cursor.execute("ANALYZE audit_feed")
