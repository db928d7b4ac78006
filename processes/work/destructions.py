"""Carrying out destruction lists and requests: a slice at once, under a lease, a case a commit."""

from __future__ import annotations

import logging
from datetime import timedelta

from celery import shared_task
from django.db import close_old_connections
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from cases.models import Destruction, DestructionRow
from processes.acts import destructions
from processes.erasing import files
from processes.work import connections
from timers import clock

log = logging.getLogger("longcase.erasing")

ROWS_AT_ONCE = 20  # between two looks at the lease
SLICE_SECONDS = 20.0  # then others have their turn
LEASE = timedelta(seconds=60)  # from the last look
LOOKS_AGAIN = timedelta(hours=1)  # at what stays until it may be erased


def publish(destruction_id: int) -> None:
    """Call a worker. What is lost, the sweep finds."""
    try:
        carry_on_destruction.apply_async(args=[destruction_id], queue="long", retry=False)
    except Exception as error:  # any broker's own errors
        log.warning("broker_unavailable", extra={"error": type(error).__name__})


def publish_unfinished() -> int:
    """A sweep: call for those that are approved and that nobody carries on."""
    ids = list(_free().order_by("second_at").values_list("pk", flat=True)[:100])
    for destruction_id in ids:
        publish(destruction_id)
    return len(ids)


@shared_task(name="processes.work.destructions", ignore_result=True)
def carry_on_destruction(destruction_id: int) -> None:
    """One slice; then the next is called for."""
    close_old_connections()
    clock.refresh_if_stale()
    if not carry_on(destruction_id):
        publish(destruction_id)


def carry_on(destruction_id: int, *, seconds: float = SLICE_SECONDS) -> bool:
    """Carry on for a while. True when nothing of it is left to do now."""
    if not _free().filter(pk=destruction_id).update(lease_until=clock.now() + LEASE):
        return True  # it is over, not approved, waits for its hour, or another carries it on
    began = clock.monotonic()
    Destruction.objects.filter(pk=destruction_id, begun_at=None).update(begun_at=clock.now())
    last = 0
    try:
        while clock.monotonic() - began < seconds:
            held = Destruction.objects.filter(pk=destruction_id, ended_at=None)
            if not held.update(lease_until=clock.now() + LEASE):
                return True  # it was dropped
            listed = DestructionRow.objects.filter(
                destruction=destruction_id, state=DestructionRow.State.LISTED
            )
            rows = list(listed.filter(pk__gt=last).order_by("pk")[:ROWS_AT_ONCE])
            if not rows:
                now = clock.now()
                is_over = not listed.exists()  # or some stay, until they may be erased
                held.update(looked_at=now, ended_at=now if is_over else None)
                files.delete_left()
                return True
            for row in rows:
                _do(destruction_id, row.pk)
                last = row.pk
                if clock.monotonic() - began >= seconds:
                    break
    finally:
        Destruction.objects.filter(pk=destruction_id).update(lease_until=None)
    return False


def _free() -> QuerySet[Destruction]:
    now = clock.now()
    nobody = Q(lease_until=None) | Q(lease_until__lt=now)
    its_hour = Q(looked_at=None) | Q(looked_at__lte=now - LOOKS_AGAIN)
    return Destruction.objects.filter(nobody, its_hour, ended_at=None, second_at__isnull=False)


def _do(destruction_id: int, row_id: int) -> None:
    """One row. A fault of ours is told in its place and keeps no other row from its turn."""
    try:
        destructions.do_row(destruction_id=destruction_id, row_id=row_id)
    except Exception as error:
        if connections.is_lost(error):
            raise
        log.exception("destruction_row_failed", extra={"row": row_id})
        why = _("A fault kept Longcase from erasing this case. Nothing of it was changed.")
        destructions.refuse_row(destruction_id=destruction_id, row_id=row_id, why=why)
