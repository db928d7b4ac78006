"""Calls to services outside, and what their answers mean.

    bank = Service("the bank", "LONGCASE_BANK_URL")
    answer = bank.call("POST", "/payouts", key=attempt.key, body={"amount": amount})
    booking = bank.field(answer, "booking", str)

A 4xx answer is a final no and keeps the service's reason. Everything else that is not a clean
answer (5xx, silence, a broken connection, an answer that says something else) may heal and is
tried again.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import httpx
from django.conf import settings

from processes.activities import Refused
from timers import clock

CALL_SECONDS = 10.0  # for a whole call; the lease of the claim is longer
ANSWER_BYTES = 64 * 1024
MAY_HEAL = frozenset({408, 425, 429})  # 4xx that only say "not now"

_answers: Callable[[httpx.Request], httpx.Response] | None = None


class ServiceFailed(Exception):
    """The service gave no usable answer. It may the next time."""


class Service:
    """One service outside, by the setting, or the environment variable, with its address."""

    def __init__(self, name: str, setting: str) -> None:
        self.name = name
        self.setting = setting

    def call(
        self, method: str, path: str, *, key: str, body: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Call it under an idempotency key. Raises Refused and ServiceFailed."""
        url = getattr(settings, self.setting, "") or os.environ.get(self.setting, "")
        if not url:
            raise ServiceFailed(f"No address is known for {self.name}: set {self.setting}.")
        try:
            status, content = _exchange(method, url.rstrip("/") + path, key=key, body=body)
        except httpx.HTTPError as error:
            raise ServiceFailed(f"{self.name} gave no answer: {_spell(error)}") from error
        answer = _read(content)
        if 400 <= status < 500 and status not in MAY_HEAL:
            raise Refused(f"{self.name} answered {status}: {_reason(answer, content)}")
        if status >= 300:
            raise ServiceFailed(f"{self.name} answered {status}: {_reason(answer, content)}")
        if answer is None:
            raise ServiceFailed(f"{self.name} answered what is no JSON object.")
        return answer

    def field(self, answer: dict[str, Any], name: str, kind: type) -> Any:
        """A field of an answer. Raises ServiceFailed when it is missing or of another kind."""
        value = answer.get(name)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise ServiceFailed(f"{self.name} answered without a proper “{name}”.")
        return value


@contextmanager
def answered_by(answers: Callable[[httpx.Request], httpx.Response]) -> Iterator[None]:
    """Let a function of this process answer all calls, instead of the network."""
    global _answers
    before, _answers = _answers, answers
    _client.cache_clear()
    try:
        yield
    finally:
        _answers = before
        _client.cache_clear()


@functools.cache
def _client() -> httpx.Client:
    """One a process: making it takes longer than a call, and its connections are kept."""
    transport = httpx.MockTransport(_answers) if _answers is not None else None
    return httpx.Client(
        timeout=httpx.Timeout(CALL_SECONDS, connect=3.0), transport=transport, trust_env=False
    )


def _exchange(method: str, url: str, *, key: str, body: dict[str, Any] | None) -> tuple[int, bytes]:
    content = json.dumps(_plain(body)) if body is not None else None
    headers = {"Idempotency-Key": key, "Accept": "application/json"}
    if content is not None:
        headers["Content-Type"] = "application/json"
    end = clock.monotonic() + CALL_SECONDS
    found = bytearray()
    with _client().stream(method, url, content=content, headers=headers) as answer:
        for piece in answer.iter_bytes():
            found += piece
            if len(found) > ANSWER_BYTES:
                raise httpx.TransportError("the answer is too long")
            if clock.monotonic() > end:  # it drips: each piece came in time, the whole does not
                raise httpx.ReadTimeout("the answer takes too long")
        return answer.status_code, bytes(found)


def _plain(body: dict[str, Any]) -> dict[str, Any]:
    """Amounts travel as text: 5000.00 stays exact whatever the other side reads JSON with."""
    return {
        name: f"{value:.2f}" if isinstance(value, Decimal) else value
        for name, value in body.items()
    }


def _read(content: bytes) -> dict[str, Any] | None:
    try:
        answer = json.loads(content)
    except (ValueError, RecursionError):  # no JSON, or nested without end
        return None
    return answer if isinstance(answer, dict) else None


def _reason(answer: dict[str, Any] | None, content: bytes) -> str:
    for name in ("reason", "detail", "title", "error"):
        if answer and isinstance(answer.get(name), str):
            return " ".join(answer[name].split())[:500]
    return "without a reason" if not content else "with a text that is no reason"


def _spell(error: httpx.HTTPError) -> str:
    if isinstance(error, httpx.TimeoutException):
        return f"nothing within {CALL_SECONDS:g} seconds"
    return " ".join(str(error).split())[:200] or type(error).__name__
