"""A worker whose pool lost a process, and perhaps the lock under which it takes its work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from processes.work import bootstep

ROOT = Path(__file__).resolve().parents[2]

# A pool of two as Celery has it; all its processes wait for work when one of them is killed.
IDLE_POOL = """
import os, signal, time
import django
django.setup()
import billiard.pool
from types import SimpleNamespace
from processes.work.bootstep import PoolWatch

pool = billiard.pool.Pool(2)
PoolWatch.start(SimpleNamespace(look=lambda *a: PoolWatch.look(None, *a)),
                SimpleNamespace(pool=SimpleNamespace(_pool=pool)))
time.sleep(1)
os.kill(pool._pool[0].pid, signal.SIGKILL)
time.sleep(15)
print("it lives on")
"""


def test_a_worker_ends_when_an_idle_process_of_its_pool_is_killed() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IDLE_POOL],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == bootstep.ENDED_BY_ITSELF, done.stdout + done.stderr


@pytest.fixture
def ended(monkeypatch: Any) -> list[int]:
    codes: list[int] = []
    monkeypatch.setattr(os, "_exit", codes.append)
    return codes


def lose(*, exitcode: int, jobs: list[list[int]], by_time_limit: bool = False) -> None:
    process = SimpleNamespace(pid=17, exitcode=exitcode, _job_terminated=by_time_limit)
    cache = {
        number: SimpleNamespace(worker_pids=lambda pids=pids: pids)
        for number, pids in enumerate(jobs)
    }
    bootstep.PoolWatch.look(None, SimpleNamespace(_cache=cache, _pool=[]), process)  # type: ignore[arg-type]


def test_one_that_was_killed_at_work_is_replaced_and_its_neighbours_go_on(ended: list[int]) -> None:
    lose(exitcode=-signal.SIGKILL, jobs=[[4], [17]])
    lose(exitcode=-signal.SIGKILL, jobs=[], by_time_limit=True)
    lose(exitcode=0, jobs=[])
    assert ended == []


def test_one_that_was_killed_while_it_waited_may_have_held_the_lock(ended: list[int]) -> None:
    lose(exitcode=-signal.SIGKILL, jobs=[[4]])
    assert ended == [bootstep.ENDED_BY_ITSELF]
