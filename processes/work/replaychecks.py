"""The replay check over all open cases: batch by batch, in several processes, in bounded memory."""

from __future__ import annotations

import multiprocessing
import os
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from django.db import connection, connections
from django.db.models import QuerySet

from cases.models import Case
from processes.engine import versions
from processes.engine.replaycheck import BATCH, FINE, Verdict, check_batch
from timers import clock

PROCESSES = 8  # at most, unless asked for
FINDINGS = 10_000  # differences that one report keeps; the rest are counted


@dataclass(slots=True)
class Report:
    """What a check has found so far. The counts are of all cases, the findings of those not fine.

    `counts` are by (kind, step, version, verdict); `changes` by (kind, step, version, name of the
    marker, what it gave).
    """

    counts: Counter[tuple[str, str, int, str]] = field(default_factory=Counter)
    changes: Counter[tuple[str, str, int, str, bool]] = field(default_factory=Counter)
    findings: list[Verdict] = field(default_factory=list)

    def add(self, one: Verdict) -> None:
        self.counts[one.kind, one.step, one.version, one.verdict] += 1
        for name, answer in one.changes.items():
            self.changes[one.kind, one.step, one.version, name, answer] += 1
        if one.verdict != FINE and len(self.findings) < FINDINGS:
            self.findings.append(one)

    def join(self, other: Report) -> None:
        self.counts += other.counts
        self.changes += other.changes
        self.findings += other.findings[: FINDINGS - len(self.findings)]

    def count(self, verdict: str) -> int:
        return sum(n for key, n in self.counts.items() if key[3] == verdict)

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    def steps(self) -> list[dict[str, Any]]:
        """One row a kind, step and version: how many are fine, differ, are unknown."""
        rows: dict[tuple[str, str, int], dict[str, Any]] = {}
        for (kind, step, version, verdict), number in sorted(self.counts.items()):
            row = rows.setdefault(
                (kind, step, version),
                {"kind": kind, "step": step, "version": version}
                | {"fine": 0, "differs": 0, "unknown": 0},
            )
            row[verdict] = number
        return list(rows.values())

    def markers(self) -> list[dict[str, Any]]:
        """One row a changed("…") in the code: how many open cases take the old way, how many the
        new one; it may go when none takes the old."""
        rows = []
        for one in versions.markers():
            key = (one.kind, one.step, one.version, one.name)
            old = self.changes[*key, False]
            rows.append(
                {
                    "kind": one.kind,
                    "step": one.step,
                    "version": one.version,
                    "name": one.name,
                    "place": one.place,
                    "old": old,
                    "new": self.changes[*key, True],
                    "may_go": not old,
                }
            )
        return rows


def check_ids(ids: Sequence[int], *, version: int | None = None) -> Report:
    """The report on these cases, replayed in this process."""
    report = Report()
    for verdict in check_batch(ids, version=version):
        report.add(verdict)
    return report


def batches(cases: QuerySet[Case], *, size: int = BATCH) -> Iterator[list[int]]:
    """The ids of cases, in order, so many at a time."""
    last, cases = 0, cases.order_by("pk")
    while ids := list(cases.filter(pk__gt=last).values_list("pk", flat=True)[:size]):
        yield ids
        last = ids[-1]


def check_in_parallel(
    cases: QuerySet[Case], *, processes: int = 0, size: int = BATCH
) -> Iterator[Report]:
    """Replay these cases in so many processes, each with a connection that cannot write. Yields
    the report on each batch as it comes; at most three batches a process are under way."""
    processes = processes or min(PROCESSES, os.cpu_count() or 1)
    if processes == 1:
        for ids in batches(cases, size=size):
            yield check_ids(ids)
        return
    connection.close()  # what is forked must not share it
    with ProcessPoolExecutor(
        processes, mp_context=multiprocessing.get_context("fork"), initializer=_begin
    ) as pool:
        under_way: deque[Future[Report]] = deque()
        for ids in batches(cases, size=size):
            under_way.append(pool.submit(check_ids, ids))
            if len(under_way) >= processes * 3:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()


_parents: list[Any] = []  # connections of the parent: kept, since closing one would end it there


def _begin() -> None:
    """A process of the pool: a connection of its own, on which the database refuses to write."""
    _parents.extend(connections.all(initialized_only=True))
    for alias in list(connections):
        if hasattr(connections._connections, alias):
            del connections[alias]
    clock.refresh()
    with connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")
