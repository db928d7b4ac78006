"""Turning the clock of a demo installation, through each due timer in order."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import connection

from cases.actors import Actor
from timers import clock, due

STEP_WAIT_SECONDS = 15.0  # for the installation to settle at one moment


def turn_clock(*, days: float, actor: Actor) -> datetime:
    """Move the installation's time. Raises ClockNotTurnable outside of a demo.

    The clock stops at each timer that falls due on the way, until it has fired and what follows
    from it has been done, so that cases live through the time in order.
    """
    target = clock.now() + timedelta(days=days)
    while (moment := _next_timer(target)) is not None:
        seconds = (moment - clock.now()).total_seconds()
        if seconds > 0:
            clock.turn(int(seconds) + 1)
        if not _settled():
            break  # something waits for a repair; time goes on all the same
    left = (target - clock.now()).total_seconds()
    if left > 0:
        clock.turn(int(left))
    return clock.now()


def _next_timer(target: datetime) -> datetime | None:
    moment = due.next_due(connection, clock.now())
    return moment if moment is not None and moment <= target else None


def _settled() -> bool:
    """Whether all that is due by now has been done, within a short wait."""
    end = clock.monotonic() + STEP_WAIT_SECONDS
    while clock.monotonic() < end:
        moment = clock.now()  # what a timer set off is due a moment after it
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT (SELECT count(*) FROM timers_timer WHERE due_at <= %s) + "
                "(SELECT count(*) FROM cases_message WHERE state = 'new') + "
                "(SELECT count(*) FROM processes_activity WHERE state = 'due' AND due_at <= %s)",
                [moment, moment],
            )
            if cursor.fetchone()[0] == 0:
                return True
        clock.sleep(0.05)
    return False
