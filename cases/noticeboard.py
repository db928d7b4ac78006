"""What a person should know: the notices meant for them, unread or of before.

A notice is meant for one person, or for all of a role. While somebody is away, whoever stands in
for them has theirs too. One whose cause is gone is no longer shown as unread: its task has ended,
its clock was stopped, its case is closed.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from cases import absence, access
from cases.models import Absence, MutedKind, Notice, NoticeRead, Person
from timers import clock
from timers.models import Clock

# The kinds of notices, as people mute them.
KINDS = {
    "overdue": _("A task is overdue"),
    "clock": _("A term ends soon, or has passed"),
    "cancelled": _("A task of mine is no longer needed"),
    "reminder": _("I wanted to be reminded of a case"),
    "mention": _("Somebody names me in a note"),
    "file": _("A stored file is missing or altered"),
    "opened": _("Somebody opened a restricted case of mine, or of my team"),
    "other": _("Anything else"),
}
ENDS_WITH_CASE = ("overdue", "clock", "reminder")


def meant_for(person: Person, *, at: datetime | None = None) -> QuerySet[Notice]:
    """All notices meant for this person, within what they may see `at` this moment, now; newest
    first."""
    day = absence.today()
    away = Absence.objects.filter(
        substitute=person, from_date__lte=day, until_date__gte=day
    ).values("person")
    meant = Q(person=person) | Q(person__in=away) | _of_their_roles(person)
    return (
        # That a restricted case was opened is told to supervisors who do not see it by themselves.
        Notice.objects.filter(
            meant & Q(case__in=access.visible_cases(person, at=at))
            | Q(kind="opened", person=person)
        )
        .annotate(is_read=Exists(_reads(person)), is_muted=Exists(_mutes(person)))
        .order_by("-written_at", "-pk")
    )


def _of_their_roles(person: Person) -> Q:
    """What is told to all of a role: to a team's own people, of the cases of their team."""
    of_all = Q(role__in=person.roles - access.TEAM_ROLES)
    own = Q(case__team=None) | Q(case__team__in=person.team_ids) | Q(case__owner=person)
    return Q(person=None) & (of_all | Q(role__in=person.roles & access.TEAM_ROLES) & own)


def _reads(person: Person) -> QuerySet[NoticeRead]:
    return NoticeRead.objects.filter(notice=OuterRef("pk"), person=person)


def _mutes(person: Person) -> QuerySet[MutedKind]:
    return MutedKind.objects.filter(kind=OuterRef("kind"), person=person)


def unread_count(person: Person, *, most: int) -> int:
    """How many there are of `unread`, as far as that. Each page tells it."""

    def counted() -> QuerySet[Notice, Any]:
        return unread(person, at=access.ASKING).order_by().values("pk")[:most]

    sql, params = access.spelled(f"unread {most}", person, counted)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM ({sql}) AS found", params)
        return int(cursor.fetchone()[0])


def unread(person: Person, *, at: datetime | None = None) -> QuerySet[Notice]:
    """What this person has not read, does not mute, and what is still so."""
    stopped = Clock.objects.filter(
        case_id=OuterRef("case_id"), name=OuterRef("cause"), state="stopped"
    )
    return (
        meant_for(person, at=at)
        .filter(seen_at=None, is_read=False, is_muted=False)
        .exclude(kind__in=ENDS_WITH_CASE, case__closed_at__isnull=False)
        .exclude(Q(kind="clock") & Exists(stopped))
    )


def mark_read(person: Person, notices: Iterable[int]) -> int:
    """This person has read these. Safe to repeat; what is not meant for them is left out."""
    found = list(meant_for(person).filter(pk__in=list(notices), is_read=False))
    now = clock.now()
    NoticeRead.objects.bulk_create(
        [NoticeRead(notice=one, person=person, read_at=now) for one in found],
        ignore_conflicts=True,
    )
    # What was meant for one person alone is over when they, or who stands in, have read it.
    own = [one.pk for one in found if one.person_id is not None]
    Notice.objects.filter(pk__in=own, seen_at=None).update(seen_at=now)
    return len(found)


def mute(person: Person, kinds: Iterable[str]) -> None:
    """From now on these kinds, and no others, are muted."""
    wanted = [kind for kind in kinds if kind in KINDS]
    MutedKind.objects.filter(person=person).exclude(kind__in=wanted).delete()
    MutedKind.objects.bulk_create(
        [MutedKind(person=person, kind=kind) for kind in wanted], ignore_conflicts=True
    )
