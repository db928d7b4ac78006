"""Notices to staff: what somebody should know, and when it is no longer so."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from cases import dates
from cases.models import Notice, Task
from timers.calendars import Calendar
from timers.clocks import ClockState


def tell_overdue(task: Task, *, reference: str, now: datetime) -> None:
    """The supervisors learn that a task was not done by its date."""
    Notice.objects.create(
        case_id=task.case_id,
        role="supervisor",
        kind="overdue",
        text=_overdue(task, reference),
        written_at=now,
    )


def tell_cancelled(task: Task, *, reference: str, now: datetime) -> None:
    """Whoever holds a task learns that nobody needs it any more."""
    Notice.objects.create(
        case_id=task.case_id,
        person_id=task.holder_id,
        kind="cancelled",
        text=_no_longer_needed(task, reference),
        written_at=now,
    )


def no_longer_overdue(task: Task, *, reference: str, now: datetime) -> None:
    """A task that has ended is nothing to hurry about: its notice leaves the pages."""
    if task.overdue_at is not None:
        Notice.objects.filter(
            case_id=task.case_id, text=_overdue(task, reference), seen_at=None
        ).update(seen_at=now)


# Notices are kept as they are written, for whoever has a role, and found again by their words: so
# they are in one language, the installation's.


def _overdue(task: Task, reference: str) -> str:
    told = {"task": task.title, "case": reference}
    with translation.override(settings.LANGUAGE_CODE):
        return _("%(task)s of %(case)s is overdue.") % told


def _no_longer_needed(task: Task, reference: str) -> str:
    told = {"task": task.title, "case": reference}
    with translation.override(settings.LANGUAGE_CODE):
        return _("%(task)s of %(case)s is no longer needed.") % told


def tell_clock(*, case_id: int, owner_id: int | None, name: str, text: str, now: datetime) -> None:
    """The owner of a case and the supervisors learn what a business clock came to."""
    told = {"case_id": case_id, "kind": "clock", "cause": name, "text": text, "written_at": now}
    Notice.objects.create(role="supervisor", **told)
    if owner_id is not None:
        Notice.objects.create(person_id=owner_id, **told)


def tell_left(*, case_id: int, who: str, count: int, now: datetime) -> None:
    """The supervisors learn that whoever worked on cases has left, and nobody has them now."""
    with translation.override(settings.LANGUAGE_CODE):
        text = ngettext(
            "%(who)s has left; %(n)s case has no caseworker any more.",
            "%(who)s has left; %(n)s cases have no caseworker any more.",
            count,
        ) % {"who": who, "n": count}
    Notice.objects.create(
        case_id=case_id, role="supervisor", kind="other", text=text, written_at=now
    )


def about_clock(
    mark: str, title: str, reference: str, state: ClockState, calendar: Calendar, now: datetime
) -> str:
    """What to say of a clock whose warning, target, limit or longest pause has come."""
    with translation.override(settings.LANGUAGE_CODE):
        return _about_clock(mark, str(title), reference, state, calendar, now)


def _about_clock(
    mark: str, title: str, reference: str, state: ClockState, calendar: Calendar, now: datetime
) -> str:
    what: dict[str, object] = {"clock": title, "case": reference}
    if mark == "limit":
        return _("%(clock)s of %(case)s has passed.") % what
    if mark == "pause":
        return _("%(clock)s of %(case)s is paused longer than it may be.") % what
    if mark == "target":
        return _("%(clock)s of %(case)s has passed its target.") % what
    assert state.limit_at is not None
    left = (calendar.local(state.limit_at).date() - calendar.local(now).date()).days
    what |= {"left": left, "day": dates.day(state.limit_at)}
    said = ngettext(
        "%(clock)s of %(case)s ends on %(day)s, %(left)s day from now.",
        "%(clock)s of %(case)s ends on %(day)s, %(left)s days from now.",
        left,
    )
    return said % what
