"""Carrying on jobs: a slice at once, under a lease, until each row has its result."""

from __future__ import annotations

import logging
from datetime import timedelta

from celery import shared_task
from django.db import close_old_connections
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from cases.errors import Refused
from cases.models import Job, JobRow
from processes.acts import jobs
from processes.work import connections
from timers import clock

log = logging.getLogger("longcase.jobs")

ROWS_AT_ONCE = 50  # between two looks at the lease
SLICE_SECONDS = 20.0  # then others have their turn
LEASE = timedelta(seconds=60)  # from the last look


def publish(job_id: int) -> None:
    """Call a worker. What is lost, the sweep finds."""
    try:
        carry_on_job.apply_async(args=[job_id], queue="long", retry=False)
    except Exception as error:  # any broker's own errors
        log.warning("broker_unavailable", extra={"error": type(error).__name__})


def publish_unfinished() -> int:
    """A sweep: call for the jobs that nobody carries on."""
    ids = list(_free().order_by("made_at").values_list("pk", flat=True)[:100])
    for job_id in ids:
        publish(job_id)
    return len(ids)


@shared_task(name="processes.work.jobs", ignore_result=True)
def carry_on_job(job_id: int) -> None:
    """One slice of a job; then the next is called for."""
    close_old_connections()
    clock.refresh_if_stale()
    if not carry_on(job_id):
        publish(job_id)


def carry_on(job_id: int, *, seconds: float = SLICE_SECONDS) -> bool:
    """Carry on with a job for a while. True when nothing of it is left to do here."""
    if not _free().filter(pk=job_id).update(lease_until=clock.now() + LEASE):
        return True  # it is over, or another carries it on
    began = clock.monotonic()
    job = Job.objects.get(pk=job_id)
    Job.objects.filter(pk=job_id, begun_at=None).update(begun_at=clock.now())
    try:
        while clock.monotonic() - began < seconds:
            held = Job.objects.filter(pk=job_id, ended_at=None)
            if not held.update(lease_until=clock.now() + LEASE):
                return True  # it was cancelled
            waiting = JobRow.objects.filter(job=job, state=JobRow.State.WAITING)
            rows = list(waiting.order_by("place")[:ROWS_AT_ONCE])
            if not rows:
                held.update(ended_at=clock.now())
                return True
            for row in rows:
                _do(job, row)
                if clock.monotonic() - began >= seconds:
                    break
    finally:
        Job.objects.filter(pk=job_id).update(lease_until=None)
    return False


def _free() -> QuerySet[Job]:
    now = clock.now()
    return Job.objects.filter(ended_at=None).filter(Q(lease_until=None) | Q(lease_until__lt=now))


def _do(job: Job, row: JobRow) -> None:
    """One row. A fault of ours is told in its place and keeps no other row from its turn."""
    try:
        jobs.do_row(job=job, row=row)
    except Exception as error:
        if connections.is_lost(error):
            raise
        log.exception("job_row_failed", extra={"job": job.pk, "row": row.place})
        why = Refused(_("A fault kept Longcase from opening this case. Nothing was changed."))
        jobs.refuse_row(row=row, why=why)
