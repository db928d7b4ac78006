"""Work over many cases about their steps' code, in slices: checks, previews, moves and undoing.

A run is a row. A worker takes it under a lease, works through batches of cases, each in a commit
with its results, and leaves it for the next slice. A lost message, or a worker that dies, costs a
few seconds: a sweep calls for the run again, and it goes on after the last batch.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from celery import shared_task
from django.db import close_old_connections, transaction
from django.db.models import Q, QuerySet

from cases.actors import Actor
from cases.errors import Refused
from cases.models import Case, Person
from processes.acts import moving as acts
from processes.engine.moving import MOVED, Moved, timers_stay
from processes.engine.replaycheck import FINE, Verdict, check_batch, open_cases
from processes.engine.standing import fold
from processes.kinds import NoSuchKind
from processes.models import CodeResult, CodeRun
from processes.work.replaychecks import FINDINGS, Report
from timers import clock

log = logging.getLogger("longcase.coderuns")

BATCH = 100
SLICE_SECONDS = 20.0  # then others have their turn
LEASE = timedelta(seconds=120)  # of one slice; its task is ended before
RUNS_KEPT = 20  # checks and previews; moves are kept for ever
KINDS = ("check", "preview", "move", "undo")


# -- asking for one


def ask(
    *,
    what: str,
    actor: Actor,
    kind: str = "",
    step: str = "",
    from_version: int | None = None,
    to_version: int | None = None,
    reason: str = "",
    undoes: CodeRun | None = None,
    by_worker: bool = True,
) -> CodeRun:
    """Have a worker do this over all open cases it is about. The same one again, while the first
    is not done, is that first one."""
    asked = {
        "what": what,
        "kind": kind,
        "step": step,
        "from_version": from_version,
        "to_version": to_version,
        "undoes": undoes,
    }
    with transaction.atomic():
        known = CodeRun.objects.filter(
            **{k: v for k, v in asked.items() if v is not None},
            **{f"{k}__isnull": True for k, v in asked.items() if v is None},
            ended_at=None,
        ).first()
        if known is not None:
            return known
        run = CodeRun(**asked, reason=reason, actor=actor.code, asked_at=clock.now())
        run.total = undoable(undoes).count() if undoes is not None else cases_of(run).count()
        run.save()
        _forget_old(what)
        if by_worker:
            transaction.on_commit(lambda: publish(run.pk), robust=True)
    return run


def cases_of(run: CodeRun) -> QuerySet[Case]:
    """The open cases that a check, a preview or a move is about."""
    cases = open_cases(kind=run.kind, step=run.step)
    if run.from_version is not None:
        cases = cases.filter(step_version=run.from_version)
    if run.what in ("preview", "move"):
        cases = cases.exclude(code_digest="").exclude(step_version=run.to_version)
    return cases


def undoable(run: CodeRun) -> QuerySet[CodeResult]:
    """The results of a move that can be taken back."""
    return run.results.filter(result=MOVED)


def _forget_old(what: str) -> None:
    if what in ("check", "preview"):
        old = CodeRun.objects.filter(what=what, ended_at__isnull=False).order_by("-pk")
        for one in old[RUNS_KEPT - 1 :]:
            one.delete()


def publish(run_id: int) -> None:
    """Call a worker. What is lost, the sweep finds."""
    try:
        work_on_run.apply_async(args=[run_id], queue="long", retry=False)
    except Exception as error:  # any broker's own errors
        log.warning("broker_unavailable", extra={"error": type(error).__name__})


def publish_unfinished() -> int:
    """A sweep: call for the runs that nobody works on."""
    now = clock.now()
    waiting = CodeRun.objects.filter(ended_at=None).filter(
        Q(lease_until=None) | Q(lease_until__lt=now)
    )
    ids = list(waiting.values_list("pk", flat=True)[:BATCH])
    for run_id in ids:
        publish(run_id)
    return len(ids)


# -- doing it


@shared_task(name="processes.work.coderuns", ignore_result=True)
def work_on_run(run_id: int) -> None:
    """One slice of a run; then the next is called for."""
    close_old_connections()
    clock.refresh_if_stale()
    if not work_on(run_id):
        publish(run_id)


def work_on(run_id: int, *, seconds: float = SLICE_SECONDS) -> bool:
    """Work on a run for a while. True when nothing of it is left to do here."""
    now = clock.now()
    taken = CodeRun.objects.filter(pk=run_id, ended_at=None).filter(
        Q(lease_until=None) | Q(lease_until__lt=now)
    )
    if not taken.update(lease_until=now + LEASE, state="running"):
        return True  # it is done, or another has it
    began, run = clock.monotonic(), CodeRun.objects.get(pk=run_id)
    try:
        while clock.monotonic() - began < seconds:
            if not _batch(run):
                _end(run, "done")
                return True
    except (Refused, NoSuchKind) as refusal:  # a version or a right that is gone meanwhile
        _end(run, "failed", str(refusal))
        return True
    CodeRun.objects.filter(pk=run_id, ended_at=None).update(lease_until=None)
    return False


def _end(run: CodeRun, state: str, error: str = "") -> None:
    CodeRun.objects.filter(pk=run.pk, ended_at=None).update(
        state=state, error=error, ended_at=clock.now(), lease_until=None
    )


def _batch(run: CodeRun) -> bool:
    """The next cases of a run, in one commit with what is kept of them. False if none is left."""
    with transaction.atomic():
        # Whoever had it before and is slow will find that it has gone on.
        held = CodeRun.objects.select_for_update().get(pk=run.pk)
        if held.ended_at is not None or held.last_id != run.last_id:
            return False
        results, last = _STEPS[run.what](run)
        if last is None:
            return False
        CodeResult.objects.bulk_create(results)
        run.last_id = last
        run.save(update_fields=["last_id", "report"])
    return True


def _next(cases: QuerySet[Any], run: CodeRun) -> list[int]:
    return list(
        cases.filter(pk__gt=run.last_id).order_by("pk").values_list("pk", flat=True)[:BATCH]
    )


Step = tuple[list[CodeResult], int | None]  # what is kept of a batch, and where it ended


def _check(run: CodeRun) -> Step:
    ids = _next(cases_of(run), run)
    report = report_of(run)
    kept = len(report.findings)
    for verdict in check_batch(ids):
        report.add(verdict)
    run.report = _as_data(report)
    return [_result(run, one) for one in report.findings[kept:]], ids[-1] if ids else None


def _preview(run: CodeRun) -> Step:
    ids = _next(cases_of(run), run)
    cases = {case.pk: case for case in Case.objects.filter(pk__in=ids)}
    results = []
    for verdict in check_batch(ids, version=run.to_version):
        one = _result(run, verdict)
        one.version = cases[verdict.case_id].step_version
        if verdict.verdict == FINE:
            one.result, one.sentence = "fits", _dates_stay(cases[verdict.case_id])
        results.append(one)
    _count(run, results)
    return results, ids[-1] if ids else None


def _dates_stay(case: Case) -> str:
    from audit.read import events_of

    open_, _documents = fold(events_of(case.pk, after=case.entered_number - 1))
    return timers_stay(open_)


def _move(run: CodeRun) -> Step:
    ids = _next(cases_of(run), run)
    moved = acts.move_cases(
        case_ids=ids,
        kind=run.kind,
        step=run.step,
        to=run.to_version or 0,
        reason=run.reason,
        actor=actor_of(run),
    )
    return _moved(run, moved), ids[-1] if ids else None


def _undo(run: CodeRun) -> Step:
    assert run.undoes is not None
    rows = list(undoable(run.undoes).filter(pk__gt=run.last_id).order_by("pk")[:BATCH])
    moved = acts.move_back(
        moves=[(row.case_id, row.visit, row.version, row.step) for row in rows],
        reason=run.reason,
        actor=actor_of(run),
    )
    return _moved(run, moved), rows[-1].pk if rows else None


_STEPS = {"check": _check, "preview": _preview, "move": _move, "undo": _undo}


def actor_of(run: CodeRun) -> Actor:
    """Who asked for a run, with the rights that they have now."""
    who, _colon, number = run.actor.partition(":")
    if who == "person" and number.isdecimal():
        return Actor.of(Person.objects.get(pk=int(number)))
    return Actor(run.actor)


def _result(run: CodeRun, one: Verdict) -> CodeResult:
    return CodeResult(
        run=run,
        case_id=one.case_id,
        step=one.step,
        version=one.version,
        visit=0,
        result=one.verdict,
        sentence=one.sentence,
    )


def _moved(run: CodeRun, moved: Sequence[Moved]) -> list[CodeResult]:
    results = [
        CodeResult(
            run=run,
            case_id=one.case_id,
            step=run.step,
            version=one.was,
            visit=one.visit,
            result=one.result,
            sentence=one.sentence,
        )
        for one in moved
    ]
    _count(run, results)
    return results


def _count(run: CodeRun, results: Sequence[CodeResult]) -> None:
    counts = Counter(run.report.get("results", {}))
    counts.update(one.result for one in results)
    run.report = {"results": dict(counts)}


# -- the report of a check, as a row keeps it


def _as_data(report: Report) -> dict[str, Any]:
    return {
        "counts": [[*key, number] for key, number in sorted(report.counts.items())],
        "changes": [[*key, number] for key, number in sorted(report.changes.items())],
    }


def report_of(run: CodeRun) -> Report:
    """What a check has counted so far. Its findings are rows; here are as many blanks."""
    report = Report()
    for *key, number in run.report.get("counts", []):
        report.counts[tuple(key)] = number
    for *key, number in run.report.get("changes", []):
        report.changes[tuple(key)] = number
    rest = sum(n for key, n in report.counts.items() if key[3] != FINE)
    report.findings = [_BLANK] * min(rest, FINDINGS)
    return report


_BLANK = Verdict(0, "", "", "", 0, "")
