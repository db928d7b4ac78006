"""What the operators' pages read."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, F, Max, Min, Q, QuerySet

from cases import explain
from cases.explain import ClockView
from cases.models import Case
from cases.retries import Retry
from cases.words import plain
from processes.activities import UnknownActivity, definition_of
from processes.kinds import kind_of
from processes.models import Activity, Incident, Worker
from timers import clock
from timers.models import Clock, Service, Timer

CAUSES = 200  # shown at most
PAGE_ROWS = 50
SILENT_AFTER = timedelta(seconds=60)


def open_causes(cases: QuerySet[Case]) -> list[dict[str, Any]]:
    """The causes that stop some of these cases now, the one that stops most first."""
    found = (
        Incident.objects.filter(closed_at=None, case__in=cases)
        .values("cause")
        .annotate(
            first=Min("pk"),
            title=Max("title"),
            kind=Max("kind"),
            count=Count("pk"),
            since=Min("opened_at"),
            due_at=Min("case__waiting_until"),
        )
        .order_by("-count", "since")
    )
    return list(found[:CAUSES])


def incidents_of(cause: str, cases: QuerySet[Case]) -> QuerySet[Incident]:
    """Those of these cases that one cause stops, the most urgent first."""
    found = Incident.objects.filter(cause=cause, closed_at=None, case__in=cases)
    found = found.select_related("case")
    return found.order_by(F("case__waiting_until").asc(nulls_last=True), "pk")


def due_today(cause: str, cases: QuerySet[Case], now: datetime) -> int:
    """How many of them are due within a day, or late already."""
    return (
        incidents_of(cause, cases).filter(case__waiting_until__lt=now + timedelta(days=1)).count()
    )


def mended_lately(cases: QuerySet[Case]) -> list[Incident]:
    found = Incident.objects.filter(closed_at__isnull=False, case__in=cases)
    found = found.select_related("case")
    return list(found.order_by("-closed_at")[:10])


def clock_views(case: Case, *, now: datetime) -> list[ClockView]:
    """The business clocks of a case for a page or the API, the one that ends first on top."""
    terms = kind_of(case.kind).clocks
    rows = Clock.objects.filter(case_id=case.pk).order_by("limit_at", "name")
    return [
        explain.view_of(
            one.stood,
            title=str(terms[one.name].title) if one.name in terms else plain(one.name),
            now=now,
            terms=terms.get(one.name),
        )
        for one in rows
    ]


def stopped_cases(cases: QuerySet[Case]) -> int:
    return cases.filter(closed_at=None, stopped_at__isnull=False).count()


def retries_of(case: Case) -> dict[int, Retry]:
    """What of a case's outside work has failed and is tried again, or no more: by command."""
    found = {}
    rows = Activity.objects.filter(case_id=case.pk).exclude(failures=0, losses=0, state="due")
    for row in rows.order_by("pk"):
        try:
            most = definition_of(row.name).attempts
        except UnknownActivity:
            most = row.failures + row.losses
        found[row.command] = Retry(
            failed=row.failures + row.losses,
            most=most,
            next_at=None if row.state == "stopped" or row.worker_id is not None else row.due_at,
            is_stopped=row.state == "stopped",
            error=row.last_error,
        )
    return found


def glance(now: datetime) -> dict[str, Any]:
    """Workers, clocks, activities and timers, for one look."""
    clock.refresh_if_stale()
    activities = Activity.objects.filter(state="due").aggregate(
        due=Count("pk", filter=Q(due_at__lte=now, worker_id=None)),
        running=Count("pk", filter=Q(worker_id__isnull=False)),
        retrying=Count("pk", filter=Q(due_at__gt=now, worker_id=None)),
    )
    timers = Timer.objects.aggregate(
        late=Count("pk", filter=Q(due_at__lt=now)), next_at=Min("due_at")
    )
    waitless = Case.objects.filter(closed_at=None, waits="[]").count()
    return {
        "activities": activities,
        "timers": timers,
        "waitless": waitless,
        "stopped": stopped_cases(Case.objects.all()),
        "services": signs_of_life(now),
        "retrying": list(
            Activity.objects.filter(state="due", due_at__gt=now, failures__gt=0).order_by("due_at")[
                :20
            ]
        ),
    }


def signs_of_life(now: datetime) -> list[dict[str, Any]]:
    """The processes of this installation, and when each was last seen."""
    known = [
        {
            "id": None,
            "name": one.name,
            "kind": one.kind,
            "started_at": one.started_at,
            "seen_at": one.seen_at,
            "doing": one.doing,
            "is_silent": one.silent_for > SILENT_AFTER,
        }
        for one in Service.objects.with_silence().order_by("kind", "name")
    ]
    workers = [
        {
            "id": one.pk,
            "name": one.name,
            "kind": f"worker, {one.lane}",
            "started_at": one.started_at,
            "seen_at": one.seen_at,
            "doing": one.doing,
            "is_silent": now - one.seen_at > SILENT_AFTER,
        }
        for one in Worker.objects.order_by("name")
    ]
    return known + workers
