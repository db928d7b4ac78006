"""The database goes away in the middle of work, and comes back."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import psycopg
import pytest
from django.db import OperationalError, connection

from audit.read import events_of
from processes.acts.cases import open_case
from processes.acts.messages import deliver_message
from processes.work import claims, connections, firing, intake
from processes.work.attempts import run_attempt
from processes.work.drain import Drain
from tests.processes.conftest import SERVICE
from timers import clock

pytestmark = pytest.mark.django_db(transaction=True)


def open_trial(script: str) -> Any:
    return open_case(kind="trial", facts={"script": script}, title=script, actor=SERVICE)


def test_results_survive_the_restart_and_the_worker_takes_new_work(
    engine: Any, monkeypatch: Any
) -> None:
    # Given a drain with the results of three activities, whose commit meets a dying database
    case = open_trial("together")
    drain = Drain()
    drain._register()
    try:
        with connection.cursor() as cursor:
            claimed = claims.claim_short(cursor, worker_id=drain.worker_id, limit=10)
        drain.in_hand = len(claimed)
        for one in claimed:
            drain.results.put(run_attempt(one))

        def die(*_: Any) -> None:
            raise OperationalError("gone") from psycopg.errors.AdminShutdown("gone")

        with monkeypatch.context() as patch:
            patch.setattr(intake, "record_results", die)
            with pytest.raises(OperationalError):
                drain.step()

        # When the database is back, they are recorded, once
        drain.step(claim=False)
        assert [e.type for e in events_of(case.pk)].count("activity.completed") == 3

        # And the worker counts nothing as in hand, so that it takes as much as before
        assert drain.in_hand == 0 and not drain.backlog
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock_all()")


def test_a_lost_connection_is_told_apart_from_work_that_fails() -> None:
    lost = OperationalError("gone")
    lost.__cause__ = psycopg.errors.AdminShutdown("gone")
    assert connections.is_lost(lost)
    assert connections.is_lost(psycopg.OperationalError("server closed the connection"))
    locked = OperationalError("locked")
    locked.__cause__ = psycopg.errors.DeadlockDetected("locked")
    assert not connections.is_lost(locked)
    assert not connections.is_lost(ValueError("a bug"))


def test_timers_are_not_tried_one_by_one_while_the_database_is_away(
    engine: Any, monkeypatch: Any
) -> None:
    tries: list[int] = []

    def die(limit: int) -> int:
        tries.append(limit)
        raise OperationalError("gone") from psycopg.errors.AdminShutdown("gone")

    monkeypatch.setattr(firing, "_fire", die)
    with pytest.raises(OperationalError):
        firing.fire(500)
    assert tries == [500]


def test_time_never_runs_back_in_a_history(engine: Any) -> None:
    # Given a case, and a process that has not heard yet that the clock was turned
    case = open_trial("two_steps")
    before = clock.now()
    engine.turned.set(before - timedelta(days=2))

    # When that process acts on the case
    deliver_message(case_id=case.pk, name="first", data={}, source="s", key="1", actor=SERVICE)

    # Then what it records is not older than what was recorded before
    times = [event.recorded_at for event in events_of(case.pk)]
    assert len(times) > 4
    assert times == sorted(times)
