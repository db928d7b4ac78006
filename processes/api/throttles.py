"""How often one caller may call: so many a minute, counted in the database for all servers.

Whoever fails to say who they are is counted by address, so that nobody tries tokens at leisure.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import connection
from django.http import HttpRequest
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from cases import signins
from cases.models.client import CallCount
from timers import clock

_COUNT = """
    INSERT INTO cases_callcount (caller, minute, calls) VALUES (%s, %s, 1)
    ON CONFLICT (caller, minute) DO UPDATE SET calls = cases_callcount.calls + 1
    RETURNING calls
"""


class PerCaller(BaseThrottle):
    """The limit of LONGCASE_API_CALLS a minute, told with each answer."""

    def allow_request(self, request: Request, view: Any) -> bool:
        code = getattr(request.user, "code", None)
        if code is None:
            return True
        minute, self.left_seconds = _minute()
        most = settings.LONGCASE_API_CALLS
        calls = _count(code, minute)
        view.told = {
            "RateLimit-Limit": str(most),
            "RateLimit-Remaining": str(max(0, most - calls)),
            "RateLimit-Reset": str(self.left_seconds),
        }
        return bool(calls <= most)

    def wait(self) -> float:
        return float(self.left_seconds)


def require_few_failures(request: Request | HttpRequest) -> None:
    """Raise Throttled for an address that failed too often in this minute."""
    minute, left = _minute()
    failures = CallCount.objects.filter(caller=_address(request), minute=minute)
    if failures.filter(calls__gte=settings.LONGCASE_API_FAILURES).exists():
        raise Throttled(wait=left)


def failed(request: Request | HttpRequest) -> None:
    """Count a call that did not say who calls."""
    _count(_address(request), _minute()[0])


def _address(request: Request | HttpRequest) -> str:
    """Where a call comes from."""
    return f"address:{signins.address_of(request.META)}"[:80]


def _minute() -> tuple[int, int]:
    """The minute, since 1970, and the seconds that are left of it."""
    moment = clock.now().timestamp()
    return int(moment // 60), 60 - int(moment % 60)


def _count(caller: str, minute: int) -> int:
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, [caller, minute])
        return int(cursor.fetchone()[0])
