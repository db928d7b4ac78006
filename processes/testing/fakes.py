"""Fakes for what is outside: activities as a whole, or the services that they call."""

from __future__ import annotations

import inspect
import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx
from django.conf import settings

from processes import services
from processes.activities import Attempt, Definition, Refused
from processes.services import Service


@dataclass
class FakeActivity:
    """An activity that a test answers. `calls` are the arguments of each attempt, in order."""

    name: str
    calls: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)  # the idempotency key of each attempt


class Fakes:
    """Takes the place of activities until the test is over."""

    def __init__(self) -> None:
        self._real: dict[str, tuple[Definition, Callable[..., Any]]] = {}

    def __call__(
        self,
        activity: Definition,
        returns: Any = None,
        *,
        does: Callable[..., Any] | None = None,
        fails: int = 0,
        refuses: str = "",
    ) -> FakeActivity:
        """Answer an activity: with a value, by a function of its arguments (`does`), or with a
        final no (`refuses`). The first `fails` attempts lose their connection before that."""
        if not isinstance(activity, Definition):
            raise TypeError(f"{activity!r} is no activity; name the decorated function itself.")
        if does is not None and refuses:
            raise ValueError("A fake answers by `does` or refuses, not both.")
        real = self._real.setdefault(activity.name, (activity, activity.function))[1]
        found = FakeActivity(activity.name)
        left = fails

        def answer(attempt: Attempt, **arguments: Any) -> Any:
            nonlocal left
            inspect.signature(real).bind(attempt, **arguments)  # a fake hides no wrong call
            found.calls.append(arguments)
            found.keys.append(attempt.key)
            if left > 0:
                left -= 1
                raise ConnectionError(f"{activity.on} does not answer (a fake)")
            if refuses:
                raise Refused(refuses)
            return does(**arguments) if does is not None else returns

        activity.function = answer
        return found

    def __enter__(self) -> Fakes:
        return self

    def __exit__(self, *_: object) -> None:
        for activity, function in self._real.values():
            activity.function = function


@dataclass(frozen=True)
class Call:
    """One call to a service outside."""

    service: str
    method: str
    path: str
    body: dict[str, Any]
    key: str  # the idempotency key it came under


class Outside:
    """Answers the calls that activities make to services. The rest fails the test."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._answers: dict[tuple[str, str, str], tuple[int, Any]] = {}
        self._hosts: dict[str, Service] = {}
        self._down: set[str] = set()
        self._unanswered: list[str] = []
        self._environ: dict[str, str | None] = {}

    def answer(
        self,
        service: Service,
        method: str,
        path: str,
        answer: dict[str, Any] | Callable[[Call], dict[str, Any]],
        *,
        status: int = 200,
    ) -> None:
        """From now on this call is answered so. A `*` in the path stands for any one part of it; a
        function is given the call."""
        self._know(service)
        self._answers[service.setting, method.upper(), path] = (status, answer)

    def down(self, service: Service) -> None:
        """The service gives no answer until `up`."""
        self._know(service)
        self._down.add(service.setting)

    def up(self, service: Service) -> None:
        """The service answers again."""
        self._down.discard(service.setting)

    def calls_to(self, service: Service, path: str = "") -> list[Call]:
        """The calls that came to a service, in order; those to one path if it is given."""
        return [
            c for c in self.calls if c.service == service.setting and _fits(path or c.path, c.path)
        ]

    def require_answered(self) -> None:
        """Fail the test if code called what no test answers."""
        if self._unanswered:
            raise AssertionError(
                "The code called services that this test does not answer:\n  "
                + "\n  ".join(self._unanswered)
                + "\nAnswer with outside.answer(service, method, path, {…}), or fake the activity."
            )

    def __enter__(self) -> Outside:
        self._patch = services.answered_by(self._reply)
        self._patch.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._patch.__exit__(None, None, None)
        for name, before in self._environ.items():
            if before is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = before

    def _know(self, service: Service) -> None:
        """The service has an address in this test, even where the installation knows none."""
        address = getattr(settings, service.setting, "") or os.environ.get(service.setting, "")
        if not address:
            address = f"http://{service.setting.lower().replace('_', '-')}.test"
            self._environ.setdefault(service.setting, os.environ.get(service.setting))
            os.environ[service.setting] = address
        self._hosts[address.rstrip("/")] = service

    def _reply(self, request: httpx.Request) -> httpx.Response:
        url = str(request.url).split("?")[0]
        base = max((b for b in self._hosts if url.startswith(b)), key=len, default="")
        service = self._hosts[base].setting if base else urlsplit(url).netloc
        path = url[len(base) :] if base else urlsplit(url).path
        body = json.loads(request.content) if request.content else {}
        key = request.headers.get("Idempotency-Key", "")
        call = Call(service, request.method, path, body, key)
        self.calls.append(call)
        if service in self._down:
            raise httpx.ConnectError("nobody answers (the test says so)")
        for (setting, method, pattern), (status, answer) in self._answers.items():
            if setting == service and method == call.method and _fits(pattern, path):
                found = answer(call) if callable(answer) else answer
                return httpx.Response(status, json=found)
        self._unanswered.append(f"{call.method} {path or '/'} at {service}, with {body}")
        return httpx.Response(501, json={"reason": "no test answers this call"})


def _fits(pattern: str, path: str) -> bool:
    parts = (re.escape(part) for part in pattern.split("*"))
    return re.fullmatch("[^/]+".join(parts), path) is not None
