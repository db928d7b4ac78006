"""The record of who changed what about people, teams and absences. It is only ever added to."""

from __future__ import annotations

from typing import Any

from cases.actors import Actor
from cases.models import AccountChange, Person, Team
from timers import clock


def note_change(
    what: str,
    *,
    actor: Actor,
    person: Person | None = None,
    team: Team | None = None,
    why: str = "",
    **data: Any,
) -> AccountChange:
    """Keep one change, in the transaction that makes it."""
    return AccountChange.objects.create(
        at=clock.now(),
        by=actor.code,
        person=person,
        team=team,
        what=what,
        data=data,
        why=why.strip(),
    )
