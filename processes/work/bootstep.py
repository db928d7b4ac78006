"""What a Celery worker of ours does besides: host the drain, and know when its pool is lost."""

from __future__ import annotations

import logging
import os
import signal
import threading
from contextlib import suppress
from typing import Any

import billiard.pool
from celery import bootsteps

from processes.webhooks import courier
from processes.work import drain

log = logging.getLogger("longcase.worker")

ENDED_BY_ITSELF = 70  # exit code; whoever looks after the worker starts it again


def is_short_lane() -> bool:
    """Whether this worker is one of the short lane."""
    return os.environ.get("LONGCASE_DRAIN") == "1"


class Drain(bootsteps.StartStopStep):
    """Starts the drain with the worker and lets it finish when the worker stops. Only in workers
    of the short lane, which have LONGCASE_DRAIN=1."""

    requires = {"celery.worker.components:Pool"}

    def __init__(self, parent: Any, **kwargs: Any) -> None:
        super().__init__(parent, **kwargs)
        self.drain: drain.Drain | None = None
        self.thread: threading.Thread | None = None

    def include_if(self, parent: Any) -> bool:
        return is_short_lane()

    def start(self, parent: Any) -> None:
        self.drain = drain.Drain()
        self.thread = threading.Thread(target=self.drain.run, daemon=True, name="drain")
        self.thread.start()

    def stop(self, parent: Any) -> None:
        if self.drain is not None and self.thread is not None:
            self.drain.stop.set()
            self.drain.results.put(None)
            self.thread.join(timeout=10)


class Courier(bootsteps.StartStopStep):
    """Sends webhooks beside the drain; what is being sent when the worker stops is finished."""

    requires = {"celery.worker.components:Pool"}

    def __init__(self, parent: Any, **kwargs: Any) -> None:
        super().__init__(parent, **kwargs)
        self.courier: courier.Courier | None = None
        self.thread: threading.Thread | None = None

    def include_if(self, parent: Any) -> bool:
        return is_short_lane()

    def start(self, parent: Any) -> None:
        self.courier = courier.Courier()
        self.thread = threading.Thread(target=self.courier.run, daemon=True, name="courier")
        self.thread.start()

    def stop(self, parent: Any) -> None:
        if self.courier is not None and self.thread is not None:
            self.courier.stop.set()
            self.thread.join(timeout=10)


class PoolWatch(bootsteps.StartStopStep):
    """Ends a worker whose pool can take no more work, so that it is started again.

    The processes of a pool take their work from one pipe, under one lock. One that is killed
    while it waits for work may take the lock with it, and the others then wait for ever, in a
    worker that looks well. One that is killed at work (out of memory, a time limit) held no
    lock: the pool replaces it, and its neighbours go on.
    """

    requires = {"celery.worker.components:Pool"}

    def start(self, parent: Any) -> None:
        pool = getattr(parent.pool, "_pool", None)
        # With other brokers each process has a pipe of its own, and a handler in this place.
        if isinstance(pool, billiard.pool.Pool) and pool.on_process_down is None:
            pool.on_process_down = lambda process: self.look(pool, process)

    def look(self, pool: Any, process: Any) -> None:
        was_killed = (process.exitcode or 0) < 0
        if was_killed and not was_at_work(pool, process):
            log.error("pool_lost", extra={"lost": process.pid, "exitcode": process.exitcode})
            for other in pool._pool:  # they would wait for the lock for ever, without a parent
                with suppress(ProcessLookupError):
                    os.kill(other.pid, signal.SIGKILL)
            os._exit(ENDED_BY_ITSELF)


def was_at_work(pool: Any, process: Any) -> bool:
    """Whether a process of a pool had a job in hand when it ended."""
    if getattr(process, "_job_terminated", False):
        return True  # by a time limit
    return any(process.pid in job.worker_pids() for job in list(pool._cache.values()))
