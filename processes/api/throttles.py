"""How often one caller may call: so many a minute, counted in the database for all servers."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import connection
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from processes.api.callers import Caller
from timers import clock

_COUNT = """
    INSERT INTO cases_callcount (caller, minute, calls) VALUES (%s, %s, 1)
    ON CONFLICT (caller, minute) DO UPDATE SET calls = cases_callcount.calls + 1
    RETURNING calls
"""


class PerCaller(BaseThrottle):
    """The limit of LONGCASE_API_CALLS a minute, told with each answer."""

    def allow_request(self, request: Request, view: Any) -> bool:
        caller = request.user
        if not isinstance(caller, Caller):
            return True
        moment = clock.now().timestamp()
        self.left_seconds = 60 - int(moment % 60)
        most = settings.LONGCASE_API_CALLS
        with connection.cursor() as cursor:
            cursor.execute(_COUNT, [caller.code, int(moment // 60)])
            calls = cursor.fetchone()[0]
        view.told = {
            "RateLimit-Limit": str(most),
            "RateLimit-Remaining": str(max(0, most - calls)),
            "RateLimit-Reset": str(self.left_seconds),
        }
        return bool(calls <= most)

    def wait(self) -> float:
        return float(self.left_seconds)
