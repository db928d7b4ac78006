"""Carrying on acts on many cases: a slice at once, under a lease, until each row has its result."""

from __future__ import annotations

import logging
from datetime import timedelta

from celery import shared_task
from django.db import close_old_connections
from django.db.models import Q
from django.utils.translation import gettext as _

from cases.models import BulkAct, BulkRow
from processes.acts import bulk
from processes.work import connections
from timers import clock

log = logging.getLogger("longcase.bulkacts")

ROWS_AT_ONCE = 50  # between two looks at the lease
SLICE_SECONDS = 20.0  # then others have their turn
LEASE = timedelta(seconds=120)  # of one slice


def publish(act_id: int) -> None:
    """Call a worker. What is lost, the sweep finds."""
    try:
        carry_on_act.apply_async(args=[act_id], queue="long", retry=False)
    except Exception as error:  # any broker's own errors
        log.warning("broker_unavailable", extra={"error": type(error).__name__})


def publish_unfinished() -> int:
    """A sweep: call for the acts that nobody carries on."""
    now = clock.now()
    waiting = BulkAct.objects.filter(begun_at__isnull=False, ended_at=None).filter(
        Q(lease_until=None) | Q(lease_until__lt=now)
    )
    ids = list(waiting.values_list("pk", flat=True)[:100])
    for act_id in ids:
        publish(act_id)
    return len(ids)


@shared_task(name="processes.work.bulkacts", ignore_result=True)
def carry_on_act(act_id: int) -> None:
    """One slice of an act; then the next is called for."""
    close_old_connections()
    clock.refresh_if_stale()
    if not carry_on(act_id):
        publish(act_id)


def carry_on(act_id: int, *, seconds: float = SLICE_SECONDS) -> bool:
    """Carry on with an act for a while. True when nothing of it is left to do here."""
    now = clock.now()
    taken = BulkAct.objects.filter(pk=act_id, begun_at__isnull=False, ended_at=None).filter(
        Q(lease_until=None) | Q(lease_until__lt=now)
    )
    if not taken.update(lease_until=now + LEASE):
        return True  # it is done, or another carries it on
    began = clock.monotonic()
    act = BulkAct.objects.select_related("person").get(pk=act_id)
    try:
        while clock.monotonic() - began < seconds:
            rows = list(
                BulkRow.objects.filter(act=act, result="")
                .select_related("task")
                .order_by("place")[:ROWS_AT_ONCE]
            )
            if not rows:
                BulkAct.objects.filter(pk=act_id, ended_at=None).update(ended_at=clock.now())
                return True
            for row in rows:
                _do(act, row)
                if clock.monotonic() - began >= seconds:
                    break
    finally:
        BulkAct.objects.filter(pk=act_id).update(lease_until=None)
    return False


def _do(act: BulkAct, row: BulkRow) -> None:
    """One row. A fault of ours is told in its place and keeps no other row from its turn."""
    try:
        bulk.do_row(act=act, row=row)
    except Exception as error:
        if connections.is_lost(error):
            raise
        log.exception("bulk_row_failed", extra={"act": act.pk, "case": row.case_id})
        bulk.refuse_row(row=row, why=_("A fault kept Longcase from doing it. Nothing was changed."))
