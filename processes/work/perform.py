"""The long lane: one message, one process and one time limit for each activity."""

from __future__ import annotations

import logging
import threading
from contextlib import suppress
from typing import Any

from celery import shared_task
from celery.exceptions import SoftTimeLimitExceeded
from django.db import Error as DatabaseError
from django.db import close_old_connections, connection

from audit import codec
from processes.activities import AttemptCancelled, UnknownActivity, definition_of
from processes.models import Activity
from processes.work import claims, crashpoint, intake
from processes.work.attempts import run_attempt
from processes.work.results import Claim, Done
from timers import clock

log = logging.getLogger("longcase.perform")

_worker_id = 0


@shared_task(name="processes.work.perform", ignore_result=True)
def perform(case_id: int, visit: int, command: int) -> None:
    """Claim one activity, do it, record its result. Does nothing if there is nothing to do."""
    close_old_connections()
    clock.refresh_if_stale()
    perform_one((case_id, visit, command))


def perform_one(key: tuple[int, int, int]) -> bool:
    """Whether the activity was there to be claimed."""
    name = Activity.objects.filter(case_id=key[0], visit=key[1], command=key[2]).values_list(
        "name", flat=True
    )
    if not name:
        return False
    try:
        lease_seconds = definition_of(name[0]).lease_seconds
    except UnknownActivity:
        lease_seconds = claims.short_lease_seconds()
    claim = claims.claim_one(worker_id=_own_id(), key=key, lease_seconds=lease_seconds)
    if claim is None:
        return False
    crashpoint.reach("perform.claimed")
    with Renewal(claim, lease_seconds=lease_seconds) as renewal:
        try:
            done = run_attempt(claim, renewal.report)
        except SoftTimeLimitExceeded:
            done = Done(claim, error="It took longer than its time limit and was stopped.")
    crashpoint.reach("perform.done")
    if done is not None:
        intake.settle_alone([done], claim.worker_id, messages=False)
    return True


def _own_id() -> int:
    """This process as a worker; entered anew when its connection, and so its lock, was lost."""
    global _worker_id
    if not _worker_id or not claims.holds_lock(_worker_id):
        _worker_id = claims.register("long").pk
    return _worker_id


class Renewal:
    """Keeps a claim alive from a thread of its own, and learns when it is no longer ours."""

    def __init__(self, claim: Claim, *, lease_seconds: float) -> None:
        self.claim = claim
        self.lease_seconds = lease_seconds
        self.is_lost = threading.Event()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._renew, daemon=True, name="renewal")

    def __enter__(self) -> Renewal:
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._stop.set()
        self._thread.join(timeout=5)

    def report(self, progress: dict[str, Any] | None) -> None:
        """The activity says how far it is. Raises AttemptCancelled when nobody waits for it."""
        text = codec.encode(progress) if progress is not None else None
        if self.is_lost.is_set() or not claims.renew(
            self.claim, lease_seconds=self.lease_seconds, progress=text
        ):
            raise AttemptCancelled

    def _renew(self) -> None:
        while not self._stop.wait(self.lease_seconds / 3):
            with suppress(DatabaseError):
                if not claims.renew(self.claim, lease_seconds=self.lease_seconds, progress=None):
                    self.is_lost.set()
                    break
        connection.close()
