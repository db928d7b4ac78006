"""Activities whose world is a list that the test looks at."""

from typing import Any

from cases.models import Notice
from processes.activities import Attempt, Refused, activity
from timers import clock

effects: list[tuple[str, str]] = []  # (what, idempotency key), in order
trouble: list[Exception] = []  # raised by the next attempts, first to last


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
    effects.append((f"undo {what}", attempt.key))


@activity(attempts=3, compensate=uncall)
def call_undoably(attempt: Attempt, *, what: str) -> str:
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


__all__ = ["Refused", "call", "call_long", "call_undoably", "effects", "inside", "inside_note", "trouble"]
