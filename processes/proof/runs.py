"""Checks over all cases: asked for on a page, done by a worker in slices, kept with their result.

A run is a row. A worker takes it under a lease and goes through the cases batch by batch, each
kept with what it found; a worker that dies costs a few seconds, and the next goes on behind the
last batch. The anchors are looked at first, in one slice.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import timedelta

from celery import shared_task
from django.db import close_old_connections, transaction
from django.db.models import Case as Choice
from django.db.models import Q, Value, When

from audit import feed
from audit.verify import Finding, snapshot
from cases.actors import Actor
from cases.models import Case
from processes.engine import verify
from processes.engine.rowcheck import Difference
from processes.models import CheckFinding, CheckRun
from timers import clock

log = logging.getLogger("longcase.proof")

BATCH = 200  # cases
SLICE_SECONDS = 20.0  # then others have their turn
LEASE = timedelta(seconds=180)  # of one slice
ANCHORS_LEASE = timedelta(seconds=1000)  # of the first, which looks at all anchors at once
FINDINGS = 1000  # that a run keeps; the rest are counted
RUNS_KEPT = 200
WAYS = ("all", "since", "heads")


def last_clean() -> CheckRun | None:
    """The newest run that found nothing and hashed whatever had moved: `since` builds on it."""
    return (
        CheckRun.objects.filter(state="done", found=0, how__in=["all", "since"])
        .order_by("-pk")
        .first()
    )


def begin(*, how: str, rows: bool, actor: str) -> CheckRun:
    """The row of a check that begins now. Without a clean one before, `since` is `all`."""
    before = last_clean()
    if how == "since" and before is None:
        how = "all"
    feed.number()
    return CheckRun.objects.create(
        how=how,
        rows=rows,
        actor=actor,
        asked_at=clock.now(),
        total=Case.objects.count(),
        since=before.position if before and how == "since" else 0,
        position=feed.end().position,
    )


def finish(run: CheckRun, *, state: str = "done", error: str = "") -> None:
    CheckRun.objects.filter(pk=run.pk, ended_at=None).update(
        state=state, error=error[:500], ended_at=clock.now(), lease_until=None
    )
    ended = CheckRun.objects.exclude(ended_at=None).order_by("-pk")
    old = list(ended.values_list("pk", flat=True)[RUNS_KEPT:])
    CheckRun.objects.filter(pk__in=old).delete()


def keep(run: CheckRun, found: Iterable[Difference]) -> list[Difference]:
    """Keep what was found with the run, up to a number, and count all of it."""
    kept = list(found)
    room = max(FINDINGS - run.found, 0)
    CheckFinding.objects.bulk_create(
        [
            CheckFinding(
                run=run,
                reference=one.reference[:60],
                number=one.number,
                words=one.words.replace("\0", "\N{REPLACEMENT CHARACTER}"),
            )
            for one in kept[:room]
        ]
    )
    run.found += len(kept)
    return kept


# -- by a worker


def ask(*, how: str, actor: Actor, by_worker: bool = True) -> CheckRun:
    """Have a worker check. The same one again, while the first is not done, is that first one."""
    with transaction.atomic():
        known = CheckRun.objects.filter(how=how, ended_at=None).first()
        if known is not None:
            return known
        run = begin(how=how, rows=how != "heads", actor=actor.code)
        if by_worker:
            transaction.on_commit(lambda: publish(run.pk), robust=True)
    return run


def publish(run_id: int) -> None:
    """Call a worker. What is lost, the sweep finds."""
    try:
        work_on_check.apply_async(args=[run_id], queue="long", retry=False)
    except Exception as error:  # any broker's own errors
        log.warning("broker_unavailable", extra={"error": type(error).__name__})


def publish_unfinished() -> int:
    """A sweep: call for the checks that nobody works on."""
    now = clock.now()
    waiting = CheckRun.objects.filter(ended_at=None, state__in=["asked", "running"]).filter(
        Q(lease_until=None) | Q(lease_until__lt=now)
    )
    ids = list(waiting.values_list("pk", flat=True)[:20])
    for run_id in ids:
        publish(run_id)
    return len(ids)


@shared_task(name="processes.proof.runs", ignore_result=True, time_limit=990, soft_time_limit=960)
def work_on_check(run_id: int) -> None:
    """One slice of a check; then the next is called for."""
    close_old_connections()
    clock.refresh_if_stale()
    if not work_on(run_id):
        publish(run_id)


def work_on(run_id: int, *, seconds: float = SLICE_SECONDS) -> bool:
    """Work on a check for a while. True when nothing of it is left to do here."""
    now = clock.now()
    taken = CheckRun.objects.filter(pk=run_id, ended_at=None).filter(
        Q(lease_until=None) | Q(lease_until__lt=now)
    )
    until = Choice(
        When(stage="anchors", then=Value(now + ANCHORS_LEASE)), default=Value(now + LEASE)
    )
    if not taken.update(lease_until=until, state="running"):
        return True  # it is done, or another has it
    began, run = clock.monotonic(), CheckRun.objects.get(pk=run_id)
    try:
        while clock.monotonic() - began < seconds:
            if not _batch(run):
                finish(run)
                return True
    except ValueError as error:  # a file of anchors that cannot be read, say
        finish(run, state="failed", error=str(error))
        return True
    CheckRun.objects.filter(pk=run_id, ended_at=None).update(lease_until=None)
    return False


def _batch(run: CheckRun) -> bool:
    """The next piece of a check, and what it found in one commit. False if none is left."""
    looked = verify.Looked()
    at = (run.stage, run.last_id)
    if run.stage == "anchors":
        if run.how == "heads":
            found, more = list(verify.verify_heads(looked=looked)), False
        else:
            found, more = _anchors(looked, reads=run.how == "all"), True
        run.stage, run.left, run.anchors = "cases", looked.left, looked.anchors
        run.cases += looked.cases
        return _keep_batch(run, at, found) and more
    ids = _next(run)
    if run.how == "since":
        if not ids:
            _say_what_was_left(run)
            return False
        with snapshot():
            found = list(verify.verify_moved(ids, run.since, rows=run.rows, looked=looked))
        run.cases, run.events = run.cases + looked.cases, run.events + looked.events
    else:
        upto = ids[-1] if len(ids) == BATCH else None
        found = list(verify.verify_range(run.last_id, upto, rows=run.rows, looked=looked))
        run.cases, run.events = run.cases + looked.cases, run.events + looked.events
        if upto is None:
            with snapshot():
                found += verify.not_in_feed(set())
            _keep_batch(run, at, found)
            return False
    run.last_id = ids[-1]
    return _keep_batch(run, at, found)


def _anchors(looked: verify.Looked, *, reads: bool) -> list[Difference]:
    """What the anchors show, with the references of the cases."""
    with snapshot():
        found = list(verify.anchors_differ(looked=looked, reads=reads))
        wrong = [one.case_id for one in found if isinstance(one, Finding)]
        names = dict(Case.objects.filter(pk__in=wrong).values_list("pk", "reference"))
    return [
        one
        if isinstance(one, Difference)
        else Difference(names.get(one.case_id, f"case {one.case_id}"), one.number, one.words)
        for one in found
    ]


def _next(run: CheckRun) -> list[int]:
    if run.how == "since":
        return [pk for pk in feed.cases_after(run.since) if pk > run.last_id][:BATCH]
    after = Case.objects.filter(pk__gt=run.last_id).order_by("pk")
    return list(after.values_list("pk", flat=True)[:BATCH])


def _say_what_was_left(run: CheckRun) -> None:
    looked = verify.Looked(cases=run.cases, events=run.events)
    left = [*run.left, verify.not_since(looked)]
    CheckRun.objects.filter(pk=run.pk, ended_at=None).update(left=left)


def _keep_batch(run: CheckRun, at: tuple[str, int], found: list[Difference]) -> bool:
    """False where another has gone on meanwhile."""
    with transaction.atomic():
        held = CheckRun.objects.select_for_update().get(pk=run.pk)
        if held.ended_at is not None or (held.stage, held.last_id) != at:
            return False
        keep(run, found)
        run.save(update_fields=["stage", "last_id", "cases", "events", "anchors", "found", "left"])
    return True
