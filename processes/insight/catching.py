"""Catching up with the feed: work of the long lane, for which no case ever waits.

The timer service calls a worker while the tables are behind. Timers that are due come first: a
worker that is at it stops for them, and is called again.
"""

from __future__ import annotations

import logging
from datetime import timedelta

from celery import shared_task
from django.db import close_old_connections, connection

from processes.insight import writing
from timers import clock, due

SLICE_SECONDS = 8.0  # then others have their turn; the next sweep calls again
CALL_LASTS_SECONDS = 30  # a call that nobody heard by then is no call any more
TIMERS_LATE = timedelta(seconds=1)

log = logging.getLogger("longcase.insight")


def publish_behind() -> int:
    """A sweep: call a worker while the tables are behind and nothing more urgent is."""
    if not writing.behind() or timers_wait():
        return 0
    try:
        catch_up.apply_async(queue="long", retry=False, expires=CALL_LASTS_SECONDS)
    except Exception as error:  # any broker's own errors
        log.warning("broker_unavailable", extra={"error": type(error).__name__})
        return 0
    return 1


def timers_wait() -> bool:
    """Whether timers are due that nobody has fired yet."""
    with connection.cursor() as cursor:
        return due.are_late(cursor, by=TIMERS_LATE)


@shared_task(name="processes.insight.catching", ignore_result=True, time_limit=600)
def catch_up() -> None:
    """Write a slice of what has happened since."""
    close_old_connections()
    clock.refresh_if_stale()
    writing.catch_up(seconds=SLICE_SECONDS, gives_way=timers_wait)
