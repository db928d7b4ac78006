"""Carrying on exports: a slice at once, under a lease, until there is a file."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta

from celery import shared_task
from django.db import DatabaseError, close_old_connections, connection
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from cases.errors import Refused
from cases.models import Export
from processes.acts import exports
from processes.exports import keeping, making
from processes.exports.formats import Asked
from processes.work import connections
from timers import clock

log = logging.getLogger("longcase.exports")

SLICE_SECONDS = 20.0  # then others have their turn
LEASE = timedelta(seconds=60)  # from the last sign of life
BEAT_SECONDS = 15.0
TIME_LIMIT = 3600  # seconds; the file of a million cases is one piece of work


def publish(export_id: int) -> None:
    """Call a worker. What is lost, the sweep finds."""
    try:
        carry_on_export.apply_async(args=[export_id], queue="long", retry=False)
    except Exception as error:  # any broker's own errors
        log.warning("broker_unavailable", extra={"error": type(error).__name__})


def publish_unfinished() -> int:
    """A sweep: call for the exports that nobody carries on."""
    ids = list(_free().order_by("made_at").values_list("pk", flat=True)[:100])
    for export_id in ids:
        publish(export_id)
    return len(ids)


@shared_task(
    name="processes.work.exports",
    ignore_result=True,
    time_limit=TIME_LIMIT + 60,
    soft_time_limit=TIME_LIMIT,
)
def carry_on_export(export_id: int) -> None:
    """One slice of an export; then the next is called for."""
    close_old_connections()
    clock.refresh_if_stale()
    if not carry_on(export_id):
        publish(export_id)


def carry_on(export_id: int, *, seconds: float = SLICE_SECONDS) -> bool:
    """Carry on with an export for a while. True when nothing of it is left to do here."""
    if not _free().filter(pk=export_id).update(lease_until=clock.now() + LEASE):
        return True  # it is over, or another carries it on
    began = clock.monotonic()
    export = Export.objects.select_related("person", "client").get(pk=export_id)
    Export.objects.filter(pk=export_id, begun_at=None).update(begun_at=clock.now())
    try:
        asked = making.asked_of(export)
        while clock.monotonic() - began < seconds:
            held = Export.objects.filter(pk=export_id, ended_at=None)
            if not held.update(lease_until=clock.now() + LEASE):
                _sweep(export)
                return True
            exports.require_all_seen(export, exports.caller_of(export))
            with _signs_of_life(export_id):
                is_made = not making.make_part(export, asked)
            if is_made:
                return _finish(export, asked)
    except Refused as refusal:
        return _fail(export, str(refusal))
    except Exception as error:
        if connections.is_lost(error):
            raise
        log.exception("export_failed", extra={"export": export_id})
        return _fail(export, _("a fault of Longcase; operators find it in the log."))
    finally:
        Export.objects.filter(pk=export_id).update(lease_until=None)
    return False


def _finish(export: Export, asked: Asked) -> bool:
    held = Export.objects.filter(pk=export.pk, ended_at=None)
    with _signs_of_life(export.pk):
        made = making.make_file(export, asked)
    if held.update(ended_at=clock.now(), expires_at=exports.expiry(), **made):
        keeping.clear(export, keep=str(made["path"]))
    else:
        _sweep(export)
    return True


def _sweep(export: Export) -> None:
    """Remove what was written for an export that has ended meanwhile: cancelled, or made by
    another worker."""
    path = Export.objects.values_list("path", flat=True).get(pk=export.pk)
    keeping.clear(export, keep=path)


@contextmanager
def _signs_of_life(export_id: int) -> Iterator[None]:
    """Hold the lease while one piece of work takes long. It ends with the process, however that
    ends, and then another may go on."""
    over = threading.Event()

    def beat() -> None:
        while not over.wait(BEAT_SECONDS):
            with suppress(DatabaseError):
                held = Export.objects.filter(pk=export_id, ended_at=None)
                held.update(lease_until=clock.now() + LEASE)
        connection.close()

    thread = threading.Thread(target=beat, daemon=True, name="export")
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _fail(export: Export, why: str) -> bool:
    held = Export.objects.filter(pk=export.pk, ended_at=None)
    if held.update(ended_at=clock.now(), failed=why):
        keeping.clear(export)
    return True


def _free() -> QuerySet[Export]:
    now = clock.now()
    return Export.objects.filter(ended_at=None).filter(Q(lease_until=None) | Q(lease_until__lt=now))
