"""Notices to staff: what somebody should know, and when it is no longer so."""

from __future__ import annotations

from datetime import datetime

from cases.models import Notice, Task


def tell_overdue(task: Task, *, reference: str, now: datetime) -> None:
    """The supervisors learn that a task was not done by its date."""
    Notice.objects.create(
        case_id=task.case_id,
        role="supervisor",
        text=_overdue(task, reference),
        written_at=now,
    )


def tell_cancelled(task: Task, *, reference: str, now: datetime) -> None:
    """Whoever holds a task learns that nobody needs it any more."""
    Notice.objects.create(
        case_id=task.case_id,
        person_id=task.holder_id,
        text=f"{task.title} of {reference} is no longer needed.",
        written_at=now,
    )


def no_longer_overdue(task: Task, *, reference: str, now: datetime) -> None:
    """A task that has ended is nothing to hurry about: its notice leaves the pages."""
    if task.overdue_at is not None:
        Notice.objects.filter(
            case_id=task.case_id, text=_overdue(task, reference), seen_at=None
        ).update(seen_at=now)


def _overdue(task: Task, reference: str) -> str:
    return f"{task.title} of {reference} is overdue."
