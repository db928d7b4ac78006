"""What is measured of the engine by itself. Each function returns a line for people."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import connection, transaction

from bench.installation import Installation, wait
from processes.engine import inbox, opening, rows
from processes.engine.turn import Turn
from processes.kinds import kind_of

ACTOR = "service:bench"


def throughput(installed: Installation, *, cases: int) -> str:
    """All cases at once, with both of their messages."""
    spent, began = installed.cpu_seconds(), time.time()
    for number in range(cases):
        name = f"c{number:06d}"
        _post(name, "case.open", "benchloan", {"facts": {"name": name}})
        for what in ("documents", "review"):
            _post(f"{name}.{what}", what, f"bench:{name}", {})
    wait(lambda: _count("cases_case WHERE kind = 'benchloan' AND closed_at IS NOT NULL") >= cases)
    took = time.time() - began
    each = 1000 * (installed.cpu_seconds() - spent) / cases
    return (
        f"throughput    {cases / took:.0f} cases/s, {7 * cases / took:.0f} steps/s; "
        f"{each:.2f} ms of CPU a case, database included"
    )


def latency(installed: Installation, *, cases: int) -> str:
    """One case at a time, on an idle system."""
    gaps: dict[str, list[float]] = {"start": [], "signal": [], "activity": [], "timer": []}
    for number in range(cases):
        name = f"l{number:04d}"
        time.sleep(random.uniform(0.05, 0.3))
        at = time.time()
        _post(name, "case.open", "benchloan", {"facts": {"name": name, "timer_s": 0.3}})
        gaps["start"].append(_when(installed, "verify", name)[0] - at)
        time.sleep(random.uniform(0.1, 0.3))
        _post(f"{name}.documents", "documents", f"bench:{name}", {})
        time.sleep(random.uniform(0.2, 0.4))
        at = time.time()
        _post(f"{name}.review", "review", f"bench:{name}", {})
        began, ended = _when(installed, "appraisal", name)
        gaps["signal"].append(began - at)
        began, done = _when(installed, "decide", name)
        gaps["timer"].append(began - ended - 0.3)
        gaps["activity"].append(_when(installed, "notify", name)[0] - done)
    told = "; ".join(f"{what} {_spread(found, 1000)} ms" for what, found in gaps.items())
    return f"latency       until the next activity begins, after a {told}"


def timers(installed: Installation, *, count: int, far: int) -> str:
    """So many timers due within one second, first alone, then above far ones."""
    lines, medians = [], []
    for turn, below in enumerate([0, far] if far else [0]):
        if below:
            _set_far_timers(below)
        line, median = _due_at_once(installed, count=count, mark=f"t{turn}")
        medians.append(median)
        lines.append(f"timers        {count} in one second, {below} far ones below: {line}")
    if len(medians) == 2:
        lines.append(f"              with far ones / without: {medians[1] / medians[0]:.2f}")
    return "\n".join(lines)


def _due_at_once(installed: Installation, *, count: int, mark: str) -> tuple[str, float]:
    later = datetime.now(UTC) + timedelta(days=1)
    with transaction.atomic():
        for number in range(count):
            name = f"{mark}{number:06d}"
            _post(name, "case.open", "sleeper", {"facts": {"name": name, "due_at": later}})
    mine = f"timers_timer WHERE due_at < now() + interval '2 days' {_OURS}"
    wait(lambda: _count(mine) >= count, seconds=600)
    time.sleep(1)
    due_at = float(int(time.time()) + 4)
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE timers_timer AS t SET due_at = to_timestamp(%s) + (n.place %% 1000) * "
            "interval '1 millisecond' FROM (SELECT s.case_ptr_id, right(s.name, 6)::int AS place "
            "FROM kind_sleeper AS s WHERE s.name LIKE %s) AS n WHERE t.case_id = n.case_ptr_id",
            [due_at, f"{mark}%"],
        )
        cursor.execute("ANALYZE timers_timer")
    spent = installed.cpu_seconds()
    wait(lambda: _count(f"timers_timer WHERE due_at < now() + interval '1 hour' {_OURS}") == 0)
    fired = time.time() - due_at
    wait(lambda: sum(1 for case in installed.executions("woke") if case[:2] == mark) >= count)
    each = 1000 * (installed.cpu_seconds() - spent) / count
    lags = [
        began - due_at - int(case[2:]) % 1000 / 1000
        for case, (began, _) in installed.executions("woke").items()
        if case[:2] == mark
    ]
    assert min(lags) >= 0, "A timer fired early."
    median = statistics.median(lags)
    return (
        f"all fired after {fired:.1f} s, {_spread(_lags_of_firing(mark, due_at), 1)} s after their "
        f"time; next activity begun {_spread(lags, 1)} s after it; {each:.2f} ms of CPU each",
        median,
    )


def _lags_of_firing(mark: str, due_at: float) -> list[float]:
    """Seconds from the time of each timer to the commit, within a batch, that fired it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT extract(epoch FROM e.recorded_at) - %s "
            "- right(s.name, 6)::int %% 1000 / 1000.0 "
            "FROM kind_sleeper AS s JOIN audit_event AS e ON e.case_id = s.case_ptr_id "
            "WHERE s.name LIKE %s AND e.type = 'timer.fired'",
            [due_at, f"{mark}%"],
        )
        return [float(lag) for (lag,) in cursor.fetchall()]


_OURS = "AND case_id > 0"


def _set_far_timers(count: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO timers_timer (case_id, visit, command, purpose, due_at, data) "
            "SELECT -n, 1, 1, 'command', now() + interval '30 days' + n * interval '1 second', '' "
            "FROM generate_series(1, %s) AS n",
            [count],
        )
    connection.close()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE timers_timer")


def replay(installed: Installation, *, events: int) -> str:
    """A step with this many events, run again from its start."""
    with Turn() as turn:
        run = _open(turn, count=events // 2 - 1)
        for number in range(1, events // 2):
            turn.feed(
                run,
                "activity.completed",
                {"command": number, "result": {"step": str(number), "ok": True}},
                actor="engine",
            )
    loading, whole = [], []
    for _ in range(20):
        with transaction.atomic(), connection.cursor() as cursor:
            began = time.process_time()
            locked, *_ = rows.lock_cases(cursor, [run.case_id], wait=True)
            loading.append(time.process_time() - began)
        with Turn() as turn:
            began = time.process_time()
            turn.lock([run.case_id], wait=True)
            whole.append(time.process_time() - began)
    found = len(locked[0].events)
    load, all_ = 1000 * statistics.median(loading), 1000 * statistics.median(whole)
    return (
        f"replay        a step of {found} events: {all_ - load:.1f} ms of CPU, beyond "
        f"{load:.1f} ms for loading them"
    )


def ageing(installed: Installation, *, few: int, many: int) -> str:
    """One advance of a case with few and with many events before its step."""
    costs = {}
    for old in (few, many):
        with Turn() as turn:
            run = _open(turn, count=0)
        for begin in range(0, old, 5000):
            with Turn() as turn:
                (run,) = turn.lock([run.case_id], wait=True)
                for number in range(begin, min(begin + 5000, old)):
                    turn.record(run, "note.written", {"text": f"Note {number}"}, actor=ACTOR)
        with Turn() as turn:
            (run,) = turn.lock([run.case_id], wait=True)
            turn.take(run, "again", {}, actor=ACTOR, on_behalf="")
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE audit_event")
        costs[old] = statistics.median(_advance(run.case_id) for _ in range(100))
    return (
        f"age           an advance of a case with {few} old events {costs[few]:.2f} ms, "
        f"with {many} {costs[many]:.2f} ms (median, whole commit)"
    )


def _advance(case_id: int) -> float:
    began = time.perf_counter()
    with Turn() as turn:
        (run,) = turn.lock([case_id], wait=True)
        command = max(run.open)
        turn.feed(
            run,
            "message.received",
            {"command": command, "name": "ping", "source": "bench", "key": "ping", "data": {}},
            actor=ACTOR,
        )
    return 1000 * (time.perf_counter() - began)


def _open(turn: Turn, *, count: int) -> Any:
    turn.slots = 0
    return opening.begin(turn, kind_of("repeater"), facts={"count": count}, title="", actor=ACTOR)


def _post(key: str, name: str, to: str, data: dict[str, Any]) -> None:
    inbox.store(source="bench", key=key, name=name, to=to, data=data, actor=ACTOR)


def _count(table: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {table}")
        return int(cursor.fetchone()[0])


def _when(installed: Installation, step: str, case: str) -> tuple[float, float]:
    wait(lambda: case in installed.executions(step), seconds=60, every=0.01)
    return installed.executions(step)[case]


def _spread(values: Sequence[float], scale: float) -> str:
    ordered = sorted(values)
    p50, p99 = (ordered[min(len(ordered) - 1, int(q * len(ordered)))] for q in (0.5, 0.99))
    return f"{p50 * scale:.1f} (p50) {p99 * scale:.1f} (p99)"
