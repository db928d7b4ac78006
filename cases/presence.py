"""Who has a form open right now: it warns whoever opens it too, and locks nothing."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Q

from cases.models.beside import Presence
from cases.models.person import Person
from timers import clock

RUNS_OUT = timedelta(minutes=2)  # a page that is open tells so every 20 seconds
KEPT = timedelta(days=1)


def note(person: Person, address: str) -> None:
    """This person has the form at this address open, now and since whenever they opened it."""
    now = clock.now()
    rows = Presence.objects.filter(person=person, address=address)
    if not rows.filter(seen_at__gte=now - RUNS_OUT).update(seen_at=now):
        Presence.objects.bulk_create(
            [Presence(person=person, address=address, since=now, seen_at=now)],
            update_conflicts=True,
            unique_fields=["person", "address"],
            update_fields=["since", "seen_at"],
        )


def others(person: Person, address: str) -> list[Presence]:
    """Who else has it open, the first one first."""
    near = Q(address=address, seen_at__gte=clock.now() - RUNS_OUT, person__is_active=True)
    found = Presence.objects.filter(near).exclude(person=person)
    return list(found.select_related("person").order_by("since", "pk"))


def leave(person: Person, address: str) -> None:
    """They sent it, or closed it."""
    Presence.objects.filter(person=person, address=address).delete()


def forget_old() -> int:
    """Drop what ran out long ago. Run by the timer service."""
    dropped, _ = Presence.objects.filter(seen_at__lt=clock.now() - KEPT).delete()
    return dropped
