"""The short lane: one process that is awake works through whatever is due, in shared commits.

    results of finished activities + new messages
      → one transaction: lock their cases, record, let their code go on, claim what is due
      → run the claimed activities in threads; their results gather while the next commit runs

When nothing is left it says that it is idle and sleeps until somebody calls.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from queue import Empty, SimpleQueue
from typing import Any

import psycopg
from django.conf import settings
from django.db import Error as DatabaseError
from django.db import close_old_connections, connection

from processes.engine import inbox, rows
from processes.engine.runner import speaking
from processes.engine.turn import Turn
from processes.engine.wake import TIMERS_WAIT, WORK_CHANNEL
from processes.work import claims, connections, crashpoint, firing, intake, memory, sweeps
from processes.work.attempts import run_attempt
from processes.work.results import Claim, Done, record_failure, record_result
from timers import clock, due

log = logging.getLogger("longcase.drain")

BATCH = 200  # cases in one commit at most
THREADS = 8
POLL_SECONDS = 1.0
GRACE_SECONDS = 0.002
IN_HAND = 256  # claims a process holds at most, when activities are quick
TIMERS_AT_ONCE = 8  # batches of overdue timers before results and claims have their turn
TIMERS_LATE = timedelta(seconds=3)  # then a worker fires timers without being called


class Drain:
    """One drain of the short lane. `run` until `stop` is set."""

    def __init__(self, *, threads: int | None = None) -> None:
        self.threads = threads or int(getattr(settings, "LONGCASE_DRAIN_THREADS", THREADS))
        self.stop = threading.Event()
        self.results: SimpleQueue[Done | None] = SimpleQueue()  # None: look, something changed
        self.in_hand = 0
        self.seconds_each = 0.05  # of recent activities, smoothed; slow until it knows better
        self.worker_id = 0
        self.backlog: list[Done] = []  # results that are not recorded yet
        self.timers_wait = False  # the timer service has more due than it can fire at once
        self._told_idle = False
        self._swept = 0.0
        self._seen = 0.0

    # -- life

    def run(self) -> None:
        """Work until stopped; survives restarts of the database."""
        listener = threading.Thread(target=self._listen, daemon=True, name="drain-listener")
        listener.start()
        memory.settle()
        pause = 0.1
        with ThreadPoolExecutor(self.threads, thread_name_prefix="activity") as pool:
            self._pool = pool
            while not self.stop.is_set():
                try:
                    self._register()
                    self._loop()
                    pause = 0.1
                except (DatabaseError, psycopg.Error) as error:
                    log.warning("database_away", extra={"error": type(error).__name__})
                    connection.close()
                    self.worker_id = 0
                    self.stop.wait(pause)
                    pause = min(pause * 2, 5.0)
            self._leave(pool)

    def _register(self) -> None:
        clock.refresh()
        self.worker_id = claims.register("short").pk
        self._told_idle = False

    def _loop(self) -> None:
        while not self.stop.is_set():
            self._fire_timers()
            worked = self.step()
            clock.refresh_if_stale()  # after the work, which somebody may be waiting for
            self._sweep_if_due()
            if not worked and not self.backlog:
                self._sleep()
            elif not worked:
                clock.sleep(0.005)  # the cases are held elsewhere; let them go first

    def _fire_timers(self) -> None:
        """Help the timer service when it is behind: what was promised for a time that is past comes
        before new work."""
        for _ in range(TIMERS_AT_ONCE):
            if not self.timers_wait:
                return
            self.timers_wait = firing.fire(firing.HELPING) == firing.HELPING

    def step(self, *, claim: bool = True) -> bool:
        """One round with all results there are. They stay here until their commit is known to be
        done: after a restart of the database they are recorded under their old claims, or found to
        be recorded or given away, and in no case counted as still in hand."""
        self.backlog = self._gather(self.backlog)
        worked, self.backlog = self.round(self.backlog, claim=claim)
        return worked

    def _leave(self, pool: ThreadPoolExecutor) -> None:
        """A stop in good order: finish what runs, record it, give back the rest."""
        pool.shutdown(wait=True, cancel_futures=True)
        try:
            for _ in range(3):
                self.step(claim=False)
                if not self.backlog:
                    break
            with connection.cursor() as cursor:
                claims.release(cursor, self.worker_id)
                cursor.execute("DELETE FROM processes_worker WHERE id = %s", [self.worker_id])
        except (DatabaseError, psycopg.Error) as error:
            log.warning("left_without_database", extra={"error": type(error).__name__})
        connection.close()

    # -- one commit

    def round(self, results: Sequence[Done], *, claim: bool = True) -> tuple[bool, list[Done]]:
        """One shared commit. Whether it did anything, and the results it could not record yet."""
        try:
            return self._round(results, claim=claim)
        except Exception as error:
            if connections.is_lost(error):
                raise
            log.exception("batch_failed")
            intake.settle_alone(results, self.worker_id)
            self.in_hand -= len(results)
            return True, []

    def _round(self, results: Sequence[Done], *, claim: bool) -> tuple[bool, list[Done]]:
        free = self._capacity() - self.in_hand + len(results) if claim else 0
        with speaking(), Turn(worker_id=self.worker_id, slots=max(0, free)) as turn:
            cursor = turn.cursor
            messages = inbox.claim_new(cursor, BATCH) if claim else []
            cases = inbox.resolve(cursor, messages)
            wanted = {done.claim.case_id for done in results} | set(cases.values())
            runs = {run.case_id: run for run in turn.lock(sorted(wanted), wait=False)}
            backlog = intake.record_results(turn, runs, results)
            crashpoint.reach("drain.recorded")
            taken = intake.take_messages(turn, runs, messages, cases)
            if claim:
                turn.last = lambda: self._ending(turn, is_awake=bool(results or messages))
            crashpoint.reach("drain.claimed")
        crashpoint.reach("drain.committed")
        if results or messages:
            self._told_idle = False
        recorded = len(results) - len(backlog)
        self.in_hand -= recorded
        claimed = claims.claims_of(turn.answer)
        for row in turn.claimed:
            self._begin(_claim_of(row))
        for one in claimed:
            self._begin(one)
        return bool(recorded or taken or claimed or turn.claimed), backlog

    def _ending(self, turn: Turn, *, is_awake: bool) -> str:
        """Claim what is due; and say first that nobody need call any more."""
        claiming = claims.claiming_short(worker_id=self.worker_id, limit=max(0, turn.slots))
        if is_awake and self._told_idle:
            return f"{_idle(self.worker_id, False)};\n{claiming}"
        return claiming

    def _capacity(self) -> int:
        """How many claims to hold: quick activities many, slow ones no more than threads."""
        return max(self.threads, min(IN_HAND, int(self.threads * 0.25 / self.seconds_each)))

    def _begin(self, claim: Claim) -> None:
        self.in_hand += 1
        self._pool.submit(self._attempt, claim)

    def _attempt(self, claim: Claim) -> None:
        began = clock.monotonic()
        done: Done | None = None
        try:
            crashpoint.reach("attempt.begun")
            done = run_attempt(claim)
            crashpoint.reach("attempt.done")
        finally:
            close_old_connections()
            took = clock.monotonic() - began
            self.seconds_each = max(0.0005, 0.9 * self.seconds_each + 0.1 * took)
            self.results.put(done or Done(claim, error="Nobody waits for it any more."))

    # -- waiting

    def _gather(self, backlog: Sequence[Done]) -> list[Done]:
        """What is there. A quick activity that has just begun gets the moment that it needs."""
        gathered = list(backlog)
        grace = GRACE_SECONDS if self.in_hand and not backlog else 0.0
        while len(gathered) < BATCH:
            try:
                done = self.results.get(timeout=grace) if grace else self.results.get_nowait()
            except Empty:
                break
            grace = 0.0
            if done is not None:
                gathered.append(done)
        return gathered

    def _sleep(self) -> None:
        """Until a result, a call, or the next poll. Says so first, and looks once more after."""
        if not self._told_idle and self.in_hand < self._capacity():
            with connection.cursor() as cursor:
                # Lost in a crash of the database, it is only told again.
                cursor.execute(
                    "BEGIN; SET LOCAL synchronous_commit = off; "
                    f"{_idle(self.worker_id, True)}; COMMIT"
                )
            self._told_idle = True
            return
        try:
            done = self.results.get(timeout=POLL_SECONDS)
        except Empty:
            return
        if done is not None:
            self.results.put(done)

    def _listen(self) -> None:
        """Wake the drain when somebody calls."""
        while not self.stop.is_set():
            try:
                with psycopg.connect(_conninfo(), autocommit=True) as listening:
                    listening.execute(f"LISTEN {WORK_CHANNEL}; LISTEN {clock.TURN_CHANNEL}")
                    while not self.stop.is_set():
                        for call in listening.notifies(timeout=1.0, stop_after=1):
                            if call.channel == clock.TURN_CHANNEL:
                                clock.was_turned()
                            elif call.payload == TIMERS_WAIT:
                                self.timers_wait = True
                            self.results.put(None)
            except psycopg.Error:
                self.stop.wait(1.0)

    def _sweep_if_due(self) -> None:
        moment = clock.monotonic()
        if moment - self._swept >= 1.0:
            self._swept = moment
            sweeps.free_lost_claims()
            with connection.cursor() as cursor:  # the timer service may be dead, or frozen
                self.timers_wait |= due.are_late(cursor, by=TIMERS_LATE)
        if moment - self._seen >= 5.0:
            self._seen = moment
            with connection.cursor() as cursor:
                cursor.execute(
                    "UPDATE processes_worker SET seen_at = %s, skew_ms = %s WHERE id = %s",
                    [clock.now(), int(clock.skew().total_seconds() * 1000), self.worker_id],
                )
                if cursor.rowcount == 0:
                    raise psycopg.OperationalError("This worker was taken for dead.")


def _claim_of(row: rows.ActivityRow) -> Claim:
    assert row.worker_id is not None
    return Claim(
        row.case_id,
        row.visit,
        row.command,
        row.name,
        row.arguments,
        row.on_behalf,
        row.lane,
        row.attempt,
        row.failures,
        row.losses,
        row.worker_id,
    )


def _idle(worker_id: int, is_idle: bool) -> str:
    return f"UPDATE processes_worker SET is_idle = {is_idle} WHERE id = {worker_id:d}"


def _conninfo() -> str:
    """The parameters of Django's own connection, for one that only listens."""
    parameters: dict[str, Any] = connection.get_connection_params()
    for ours in ("context", "cursor_factory", "prepare_threshold", "pool"):
        parameters.pop(ours, None)
    return psycopg.conninfo.make_conninfo(**{k: v for k, v in parameters.items() if v is not None})


__all__ = ["Drain", "record_failure", "record_result"]
