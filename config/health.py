"""Whether this process lives, and whether it can serve."""

from typing import Any

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Min
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from timers.models import Service

_migrated = False  # migrations are not undone while a process runs: once seen is enough


@require_safe
@never_cache
def live(request: HttpRequest) -> JsonResponse:
    """This process answers. Says nothing about the database: restarting would not mend that."""
    return JsonResponse({"live": True})


@require_safe
@never_cache
def ready(request: HttpRequest) -> JsonResponse:
    """Whether pages can be served now; the ages of heartbeats are told, and fail nothing."""
    checks: dict[str, Any] = {"database": False, "migrated": False}
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        checks["database"] = True
        checks["migrated"] = is_migrated()
        checks["heartbeat_age_seconds"] = heartbeat_ages()
    except DatabaseError as error:
        checks["problem"] = type(error).__name__  # its text may hold addresses and names
    ok = checks["database"] and checks["migrated"]
    return JsonResponse({"ready": ok, **checks}, status=200 if ok else 503)


def is_migrated() -> bool:
    """Whether every migration of this code has been applied."""
    global _migrated
    if not _migrated:
        executor = MigrationExecutor(connection)
        _migrated = not executor.migration_plan(executor.loader.graph.leaf_nodes())
    return _migrated


def heartbeat_ages() -> dict[str, float]:
    """Seconds since the newest sign of life of each kind of service, by the database's clock."""
    kinds = Service.objects.with_silence().order_by().values("kind")
    return {
        row["kind"]: round(row["youngest"].total_seconds(), 1)
        for row in kinds.annotate(youngest=Min("silent_for"))
    }
