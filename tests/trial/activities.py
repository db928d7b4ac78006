"""Activities whose world is a list that the test looks at."""

from collections.abc import Callable
from typing import Any

import httpx

from cases.models import Notice
from processes.activities import Attempt, Refused, activity
from timers import clock

effects: list[tuple[str, str]] = []  # (what, idempotency key), in order
trouble: list[Exception] = []  # raised by the next attempts, first to last
undo_trouble: list[Exception] = []  # and by the next attempts to undo


def _meet_trouble() -> None:
    if trouble:
        raise trouble.pop(0)


@activity(attempts=3, first_retry_seconds=10)
def call(attempt: Attempt, *, what: str) -> dict[str, Any]:
    _meet_trouble()
    effects.append((what, attempt.key))
    return {"what": what, "attempt": attempt.number}


@activity(attempts=3)
def uncall(attempt: Attempt, *, result: Any, what: str) -> None:
    if undo_trouble:
        raise undo_trouble.pop(0)
    unsure = "" if result is not None else f" ({attempt.undoes})"
    effects.append((f"undo {what}{unsure}", attempt.key))


@activity(attempts=3, compensate=uncall)
def call_undoably(attempt: Attempt, *, what: str) -> str:
    _meet_trouble()
    effects.append((what, attempt.key))
    return what


@activity(inside=True)
def inside(attempt: Attempt, *, what: str) -> str:
    _meet_trouble()
    effects.append((what, attempt.key))
    return what


@activity(inside=True)
def inside_note(attempt: Attempt, *, text: str) -> None:
    """A row of our own database, written in the transaction that records it."""
    Notice.objects.create(case_id=attempt.case_id, text=text, written_at=clock.now())


@activity(lane="long", attempts=5)
def call_long(attempt: Attempt, *, what: str) -> str:
    effects.append((what, attempt.key))
    return what


after_call: list[Callable[[int], None]] = []  # called with the number of each outside call


@activity(lane="long", attempts=3)
def ten_calls(attempt: Attempt) -> int:
    """Ten calls to the outside, each reported."""
    for number in range(1, 11):
        effects.append((f"call {number}", attempt.key))
        for tell in after_call:
            tell(number)
        attempt.heartbeat(done=number)
    return 10


@activity(attempts=4, first_retry_seconds=10)
def pay(attempt: Attempt, *, address: str, amount: str) -> str:
    """Have a service outside book a payment, once for a key."""
    answer = httpx.post(
        address, json={"amount": amount}, headers={"Idempotency-Key": attempt.key}, timeout=5
    )
    if 400 <= answer.status_code < 500:
        raise Refused(answer.text)
    answer.raise_for_status()
    return str(answer.json())


@activity(attempts=2)
def unrecordable(attempt: Attempt) -> object:
    return object()
