"""A whole installation in one process, on a turned clock: for tests and recorded cases.

The same turns, results and timers as in the drain and the timer service, one after the other and
without threads, so that what happens is repeatable.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db import connection

from processes.engine.turn import Turn
from processes.models import Activity, Worker
from processes.work import claims, firing, intake, perform
from processes.work.attempts import run_attempt
from processes.work.results import Claim, Done
from timers import clock

_LOOK = """
    SELECT EXISTS (SELECT 1 FROM cases_message WHERE state = 'new'),
           EXISTS (SELECT 1 FROM processes_activity WHERE lane = 'short' AND state = 'due'
                      AND worker_id IS NULL AND due_at <= %s),
           EXISTS (SELECT 1 FROM timers_timer WHERE due_at <= %s),
           EXISTS (SELECT 1 FROM processes_activity WHERE lane = 'long' AND state = 'due'
                      AND worker_id IS NULL AND due_at <= %s)
"""
_NEXT = """
    SELECT least((SELECT min(due_at) FROM timers_timer WHERE due_at > %s),
                 (SELECT min(due_at) FROM processes_activity
                   WHERE state = 'due' AND worker_id IS NULL AND due_at > %s))
"""
ROUNDS = 10_000  # without coming to rest: something schedules itself for ever


class Found(NamedTuple):
    """What is due now."""

    messages: bool
    short: bool
    timers: bool
    long: bool


class Inline:
    """Runs whatever is due, in this thread, when told to."""

    def __init__(self, turned: clock.Turned, *, batch: int = 200) -> None:
        self.turned = turned
        self.batch = batch
        self.worker: Worker | None = None

    def __enter__(self) -> Inline:
        self.worker = claims.register("short")
        return self

    def __exit__(self, *_: Any) -> None:
        if self.worker is not None:
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT pg_advisory_unlock(%s, %s)", [claims.WORKER_LOCKS, self.worker.pk]
                )
            Worker.objects.filter(pk=self.worker.pk).delete()

    def settle(self) -> None:
        """Do what is due now, until nothing is."""
        for _ in range(ROUNDS):
            found = self._look()
            if not (
                (found.messages and self._take_messages())
                or (found.short and self._work())
                or (found.timers and firing.fire(self.batch))
                or (found.long and self._long())
            ):
                return
        raise RuntimeError(f"No rest after {ROUNDS} rounds: something schedules itself for ever.")

    def advance(self, span: timedelta = timedelta(), **units: float) -> None:
        """Let time pass, through each timer and each retry in order, and do what is due then."""
        self.settle()
        self.until(clock.now() + span + timedelta(**units))
        self.settle()

    def until(self, moment: datetime) -> None:
        """Let time pass up to this moment, doing what falls due on the way when it does."""
        while (next_at := self.next_due()) is not None and next_at <= moment:
            self.turned.set(max(next_at, clock.now()))
            self.settle()
        self.turned.set(moment)

    def next_due(self) -> datetime | None:
        """The moment at which the next timer or retry is due; None if time alone brings nothing."""
        with connection.cursor() as cursor:
            cursor.execute(_NEXT, [clock.now()] * 2)
            return cursor.fetchone()[0]

    def _look(self) -> Found:
        """Whether anything is due, in one question: mostly nothing is, and each costs a trip."""
        with connection.cursor() as cursor:
            cursor.execute(_LOOK, [clock.now()] * 3)
            return Found(*cursor.fetchone())

    def _take_messages(self) -> bool:
        assert self.worker is not None
        from processes.engine import inbox

        try:
            with Turn() as turn:
                messages = inbox.claim_new(turn.cursor, self.batch)
                cases = inbox.resolve(turn.cursor, messages)
                runs = {r.case_id: r for r in turn.lock(list(set(cases.values())), wait=True)}
                return bool(intake.take_messages(turn, runs, messages, cases))
        except Exception:
            intake.settle_alone([], self.worker.pk)
            return True

    def _work(self) -> bool:
        assert self.worker is not None
        with connection.cursor() as cursor:
            claimed = claims.claim_short(cursor, worker_id=self.worker.pk, limit=self.batch)
        done = [one for claim in claimed if (one := self.attempt(claim)) is not None]
        if done:
            self.record(done)
        return bool(claimed)

    def attempt(self, claim: Claim) -> Done | None:
        """Run one claimed activity. A subclass may answer otherwise, or None: not yet."""
        return run_attempt(claim) or Done(claim, error="Nobody waits for it any more.")

    def record(self, results: list[Done]) -> None:
        try:
            with Turn() as turn:
                wanted = sorted({done.claim.case_id for done in results})
                runs = {run.case_id: run for run in turn.lock(wanted, wait=True)}
                intake.record_results(turn, runs, results)
        except Exception:
            assert self.worker is not None
            intake.settle_alone(results, self.worker.pk)

    def _long(self) -> bool:
        keys = Activity.objects.filter(
            lane="long", state="due", worker_id=None, due_at__lte=clock.now()
        ).values_list("case_id", "visit", "command")
        return sum(perform.perform_one(key) for key in keys) > 0
