"""Whether this process lives, and whether it can serve.

Answered before anything else looks at the request: a load balancer asks by address, without TLS,
and under no host name of ours.
"""

import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Max, Min
from django.http import HttpRequest, HttpResponse, JsonResponse

_migrated = False  # migrations are not undone while a process runs: once seen is enough
VERSIONS_EVERY_SECONDS = 30.0
_missing: tuple[float, list[str]] = (float("-inf"), [])  # when it was looked up, what was found


class HealthMiddleware:
    """Answers /health/live and /health/ready; all else goes on. Stands first."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.answers = {"/health/live": live, "/health/ready": ready}

    def __call__(self, request: HttpRequest) -> HttpResponse:
        answer = self.answers.get(request.path_info)
        if answer is None or request.method not in {"GET", "HEAD"}:
            return self.get_response(request)
        response = answer()
        response["Cache-Control"] = "no-store"
        return response


def live() -> JsonResponse:
    """This process answers. Says nothing about the database: restarting would not mend that."""
    return JsonResponse({"live": True})


def ready() -> JsonResponse:
    """Whether pages can be served now; the ages of heartbeats are told, and fail nothing."""
    checks: dict[str, Any] = {"database": False, "migrated": False}
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        checks["database"] = True
        checks["migrated"] = is_migrated()
        if checks["migrated"]:
            checks["heartbeat_age_seconds"] = heartbeat_ages()
            checks["missing_versions"] = missing_versions()
    except DatabaseError as error:
        checks["problem"] = type(error).__name__  # its text may hold addresses and names
    ok = checks["database"] and checks["migrated"] and not checks.get("missing_versions")
    return JsonResponse({"ready": ok, **checks}, status=200 if ok else 503)


def is_migrated() -> bool:
    """Whether every migration of this code has been applied."""
    global _migrated
    if not _migrated:
        executor = MigrationExecutor(connection)
        _migrated = not executor.migration_plan(executor.loader.graph.leaf_nodes())
    return _migrated


def missing_versions() -> list[str]:
    """Versions of steps' code that open cases stand in and this release does not have: it is not
    to serve, so that a rolling deployment stops and the former release goes on."""
    global _missing
    from processes.engine import versions  # this module loads before the models do
    from timers import clock

    if clock.monotonic() - _missing[0] > VERSIONS_EVERY_SECONDS:
        found = [f"{one.kind}.{one.step} version {one.version}" for one in versions.missing()]
        _missing = (clock.monotonic(), found)
    return _missing[1]


def heartbeat_ages() -> dict[str, float]:
    """Seconds since the newest sign of life of each kind of process."""
    from processes.models import Worker  # this module loads before the models do
    from timers import clock
    from timers.models import Service

    services = Service.objects.with_silence().order_by().values("kind")
    ages = {row["kind"]: row["age"] for row in services.annotate(age=Min("silent_for"))}
    clock.refresh_if_stale()  # workers note the installation's time, which a demo may turn
    workers = Worker.objects.order_by().values("lane").annotate(seen_at=Max("seen_at"))
    ages |= {f"worker-{row['lane']}": clock.now() - row["seen_at"] for row in workers}
    return {name: round(max(age.total_seconds(), 0.0), 1) for name, age in ages.items()}


def is_ready(*, port: int, host: str = "127.0.0.1") -> bool:
    """Ask the web server of this machine."""
    shown = f"[{host}]" if ":" in host else host
    try:
        with urllib.request.urlopen(f"http://{shown}:{port}/health/ready", timeout=4) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


if __name__ == "__main__":  # the health check of a container
    from config import environment

    sys.exit(0 if is_ready(port=environment.whole_number("PORT", 8000)) else 1)
