"""Sweeps: what is found by looking, so that losing every message costs seconds and no work."""

from __future__ import annotations

import logging
from datetime import timedelta

from django.conf import settings
from django.db import connection, transaction

from cases.models import Case
from processes.engine import stopping, wake
from processes.engine.turn import ENGINE, Turn
from processes.engine.visits import parked_from
from processes.models import Incident
from processes.work import claims, intake, isolation
from processes.work.results import record_loss
from timers import clock

log = logging.getLogger("longcase.sweeps")

BATCH = 200
PUBLISH_SOONEST_SECONDS = 5  # after a message that brought nobody


def free_lost_claims() -> int:
    """Give activities of workers that died, or that hang past their lease, to others."""
    with connection.cursor() as cursor:
        lost = claims.lost_claims(cursor, BATCH)
    if not lost:
        return 0
    freed = 0
    with Turn() as turn:
        runs = {r.case_id: r for r in turn.lock(sorted({c.case_id for c in lost}), wait=False)}
        for claim in lost:
            if claim.case_id in runs and intake.holds(turn, claim):
                record_loss(turn, runs[claim.case_id], claim)
                freed += 1
    if freed:
        log.warning("claims_freed", extra={"count": freed})
        wake.call_idle_workers()
        publish_long_activities()  # what was lost twice goes on in the long lane
    return freed


def publish_long_activities() -> int:
    """Send the messages of long activities that are due and that nobody has taken.

    Again after five seconds, then after as long as the activity has been waiting, and at the
    latest every LONGCASE_PUBLISH_AGAIN_SECONDS: an emptied broker costs seconds, and a lane that is
    busy or switched off is not flooded.
    """
    moment = clock.now()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE processes_activity SET published_at = %s WHERE id IN ("
            "SELECT id FROM processes_activity WHERE lane = 'long' AND state = 'due' "
            "AND worker_id IS NULL AND due_at <= %s AND (published_at IS NULL OR "
            "published_at < %s - least(%s, greatest(%s, published_at - due_at))) "
            "ORDER BY due_at LIMIT %s FOR UPDATE SKIP LOCKED) "
            "RETURNING case_id, visit, command, name",
            [
                moment,
                moment,
                moment,
                timedelta(seconds=settings.LONGCASE_PUBLISH_AGAIN_SECONDS),
                timedelta(seconds=PUBLISH_SOONEST_SECONDS),
                BATCH,
            ],
        )
        due = cursor.fetchall()
    for key in due:
        wake.publish(*key)
    return len(due)


def retry_incidents() -> int:
    """Try cases again whose code failed, ever more rarely: a new release may have mended it."""
    moment = clock.now()
    ids = list(
        Incident.objects.filter(closed_at=None, next_try_at__lte=moment).values_list(
            "case_id", flat=True
        )[:BATCH]
    )
    return sum(revive(case_id, actor=ENGINE) for case_id in ids)


def revive(case_id: int, *, actor: str) -> bool:
    """Run a parked case's code again from its checkpoint. True if it goes on; if it fails as
    before, nothing changes but the time of the next try."""
    try:
        return _revive(case_id, actor=actor)
    except isolation.PASSING:
        raise
    except Exception:  # what the code now asks for cannot be written
        log.exception("case_not_revived", extra={"case": case_id})
        with transaction.atomic():
            _try_later(case_id)
        return False


def _revive(case_id: int, *, actor: str) -> bool:
    with Turn() as turn:
        (run,) = turn.lock([case_id], wait=True)
        if not run.is_parked:
            return False
        mark = run.mark()
        live_from = parked_from(run.events)
        stopping.close_incident(turn, run, how="retried", actor=actor)
        try:
            turn.replay(run, live_from=live_from)
            turn.use_kept(run)
            turn.go_on(run)
        except Exception as error:
            run.incident = "code"
            failure: Exception | None = error
        else:
            failure = None
        # One that fails in a later step has gone on until there, and is stopped anew.
        if failure is not None or (run.is_parked and run.visit == mark.row["visit"]):
            turn.undo(run, mark)
            run.incident = mark.incident
            _try_later(case_id)
            return False
        if not run.incident:
            stopping.stop_again(turn, run, stopping.still_stopped(run))
            turn.project(run)
        return True


def _try_later(case_id: int) -> None:
    again = Incident.objects.select_for_update().filter(case_id=case_id, closed_at=None).first()
    if again is not None:
        again.tries += 1
        again.next_try_at = stopping.retry_at(clock.now(), again.tries + 1)
        again.save(update_fields=["tries", "next_try_at"])


def find_cases_without_wait() -> int:
    """An open case that waits for nobody and nothing is lost: stop it where operators see it."""
    ids = list(
        Case.objects.filter(closed_at=None, stopped_at=None, waits="[]").values_list(
            "id", flat=True
        )[:BATCH]
    )
    for case_id in ids:
        with Turn() as turn:
            for run in turn.lock([case_id], wait=False):
                turn.project(run)
                if run.row["waits"] == "[]" and not run.is_closed and not run.incident:
                    stopping.stop(turn, run, stopping.NobodyWaits(run.row["step"]))
                    turn.project(run)
    return len(ids)


def forget_dead_workers() -> int:
    """Remove workers whose lock is gone and which hold nothing."""
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM processes_worker AS w WHERE NOT EXISTS (SELECT 1 FROM pg_locks AS l "
            "WHERE l.locktype = 'advisory' AND l.classid = %s AND l.objid = w.id "
            "AND l.objsubid = 2 AND l.granted AND l.database = "
            "(SELECT oid FROM pg_database WHERE datname = current_database())) "
            "AND w.started_at < %s AND NOT EXISTS "
            "(SELECT 1 FROM processes_activity AS a WHERE a.worker_id = w.id)",
            [claims.WORKER_LOCKS, clock.now() - timedelta(seconds=30)],
        )
        return cursor.rowcount
