"""Writing the tables of insight: behind the feed, a few cases at a time (catching.py calls).

Each case that something happened to is folded anew, once, however often it comes in what is read.
Whoever writes holds the row of the place, so that two never write of one case at once.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from itertools import groupby

from django.db import connection, models, transaction

from audit import feed, moments
from audit.record import COLUMNS, Recorded
from cases.models import Case
from processes.insight.folding import Rows, folded
from processes.insight.models import (
    CasePath,
    InsightPlace,
    PaperRejected,
    StepVisit,
    Term,
    VisitWait,
)
from processes.kinds import kinds
from timers import clock

ROWS_AT_ONCE = 1000  # of the feed, in one transaction
CASES_AT_ONCE = 200  # folded together
# Of no use here, and large: they are not read.
_LEFT_OUT = ("facts.changed", "activity.attempt_failed", "activity.retried", "case.related")
_TABLES: tuple[type[models.Model], ...] = (CasePath, StepVisit, VisitWait, Term, PaperRejected)


def catch_up(*, seconds: float | None = None, gives_way: Callable[[], bool] = lambda: False) -> int:
    """Write what has happened since, for some seconds or to the end, or until it `gives_way` to
    something else. Returns how many cases were written; nothing where another process is at it."""
    until = clock.monotonic() + seconds if seconds is not None else None
    feed.number()
    written = 0
    while not gives_way() and (found := _step()) is not None:
        written += found
        if until is not None and clock.monotonic() > until:
            break
    return written


@transaction.atomic
def _step() -> int | None:
    """Write of the next rows of the feed. None when there are none, or another process writes."""
    place = _held(skip=True)
    if place is None:
        return None
    rows = feed.rows_after(feed.Place(place.position, place.number), ROWS_AT_ONCE)
    if not rows:
        return None
    newest: dict[int, int] = {}
    for row in rows:
        newest[row.case_id] = max(newest.get(row.case_id, 0), row.last)
    known = dict(CasePath.objects.filter(pk__in=newest).values_list("case_id", "upto"))
    todo = [case_id for case_id, last in newest.items() if known.get(case_id, 0) < last]
    for start in range(0, len(todo), CASES_AT_ONCE):
        write(todo[start : start + CASES_AT_ONCE])
    place.position, place.number = rows[-1].position, rows[-1].last
    place.save()
    return len(todo)


def rebuild() -> int:
    """Make all rows anew from history. Work, and pages, go on meanwhile. Returns how many cases."""
    written, last = 0, 0
    while True:
        with transaction.atomic():
            _held(skip=False)
            ids = list(
                Case.objects.filter(pk__gt=last)
                .order_by("pk")
                .values_list("pk", flat=True)[:CASES_AT_ONCE]
            )
            if not ids:
                break
            write(ids)
            last, written = ids[-1], written + len(ids)
    return written


def _held(*, skip: bool) -> InsightPlace | None:
    """The place, locked until the transaction ends; None where another process has it."""
    InsightPlace.objects.bulk_create([InsightPlace(pk=1)], ignore_conflicts=True)
    return InsightPlace.objects.select_for_update(skip_locked=skip).filter(pk=1).first()


def write(case_ids: Sequence[int]) -> None:
    """Write the rows of these cases, in the place of those that there are."""
    for model in _TABLES:
        model._default_manager.filter(case_id__in=case_ids).delete()
    rows = list(rows_of(case_ids))
    CasePath.objects.bulk_create([one.path for one in rows])
    StepVisit.objects.bulk_create([visit for one in rows for visit in one.visits], batch_size=2000)
    VisitWait.objects.bulk_create([wait for one in rows for wait in one.waits], batch_size=2000)
    Term.objects.bulk_create([term for one in rows for term in one.terms], batch_size=2000)
    PaperRejected.objects.bulk_create([paper for one in rows for paper in one.papers])


def rows_of(case_ids: Sequence[int]) -> Iterable[Rows]:
    """The rows of these cases as their events give them; nothing is written."""
    kind_names = dict(Case.objects.filter(pk__in=case_ids).values_list("pk", "kind"))
    for case_id, events in groupby(_events_of(case_ids), key=lambda event: event.case_id):
        kind = kind_names.get(case_id)
        if kind is None:
            continue
        found = folded(case_id, kind, events, staff_steps=staff_steps(kind), papers=papers_of(kind))
        if found is not None:
            yield found


def staff_steps(kind: str) -> Mapping[str, str]:
    """By step without code: the role that it waits for."""
    known = kinds().get(kind)
    return {step: one.role for step, one in known.staff_steps.items()} if known else {}


def papers_of(kind: str) -> Container[str]:
    known = kinds().get(kind)
    return known.document_titles if known else ()


def _events_of(case_ids: Sequence[int]) -> list[Recorded]:
    with connection.cursor() as cursor:
        moments.read_fast(cursor)
        cursor.execute(
            f"SELECT {COLUMNS} FROM audit_event WHERE case_id = ANY(%s) AND type <> ALL(%s) "
            "ORDER BY case_id, number",
            [list(case_ids), list(_LEFT_OUT)],
        )
        return [Recorded(*row) for row in cursor.fetchall()]


def behind() -> int:
    """How many rows of the feed are not in the tables yet."""
    place = InsightPlace.objects.filter(pk=1).values_list("position", flat=True).first() or 0
    return max(feed.end().position - place, 0)
