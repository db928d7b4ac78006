"""Legal holds: while one stands, a case is not destroyed, whatever its date says.

A hold beats retention and erasure at the moment of execution: both take the case's lock, and who
erases looks for holds under it.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from cases import access, dates
from cases.actors import Actor
from cases.errors import Invalid, NotAllowed, Refused
from cases.models import Case, Hold
from processes import retention
from processes.acts.cases import get_case
from processes.acts.locking import acting_on
from processes.erasing import people
from processes.erasing.people import Identity

REASON_CHARACTERS = 2000


class AlreadyHeld(Refused):
    """All of these cases are held already."""


class NotHeld(Refused):
    """The hold was lifted before."""


@dataclass(slots=True)
class HoldBook:
    """The holds that stand at this moment, to ask of many cases."""

    of_cases: dict[int, list[Hold]] = field(default_factory=dict)
    of_people: dict[Identity, Hold] = field(default_factory=dict)

    @classmethod
    def now(cls) -> HoldBook:
        return cls.of(Hold.objects.filter(lifted_at=None).order_by("pk"))

    @classmethod
    def of(cls, holds: Iterable[Hold]) -> HoldBook:
        """Those of these holds that stand."""
        book = cls()
        persons: dict[int, Hold] = {}
        for hold in holds:
            if hold.lifted_at is not None:
                continue
            book.of_cases.setdefault(hold.case_id, []).append(hold)
            if hold.of_person:
                persons[hold.case_id] = hold
        for case in retention.as_their_kinds(Case.objects.filter(pk__in=persons)):
            for identity in people.identity_of(case):
                book.of_people.setdefault(identity, persons[case.pk])
        return book

    def holding(self, case: Case) -> Hold | None:
        """The hold that keeps this case, loaded as its kind; its own first."""
        if own := self.of_cases.get(case.pk):
            return own[0]
        if not self.of_people:
            return None
        found = (self.of_people.get(one) for one in sorted(people.identity_of(case)))
        return next((one for one in found if one is not None), None)


def sentence_of(hold: Hold) -> str:
    """ "It is held since 3 Dec 2026, …": the reason stays on the page of the case."""
    return _("It is held since %(day)s, and must not be destroyed until the hold is lifted.") % {
        "day": dates.day(hold.placed_at)
    }


@transaction.atomic
def place_hold(
    *, case_ids: Iterable[int], reason: str, actor: Actor, of_person: bool = False
) -> list[Hold]:
    """Hold these cases; `of_person` also holds every other case that names the same person, also
    ones that come later. Each history tells it. Cases that have such a hold are left as they are.

    Raises Invalid (no reason, no cases), NotAllowed, AlreadyHeld, CaseErased.
    """
    access.require(actor, "hold case")
    said = _required(reason)
    wanted = sorted(set(case_ids))
    if not wanted:
        raise Invalid(_("There is no case to hold."))
    batch = uuid.uuid4()
    placed = []
    for case_id in wanted:  # in the order of their ids, as all locks are taken
        with acting_on(case_id, actor=actor, closed=True, run_code=False) as (turn, run):
            _require_seen(actor, run.case)
            if Hold.objects.filter(case_id=case_id, lifted_at=None, of_person=of_person).exists():
                continue
            event = turn.record(
                run,
                "hold.placed",
                {"reason": said, "of_person": of_person},
                actor=actor.code,
                on_behalf=actor.on_behalf,
            )
            placed.append(
                Hold.objects.create(
                    case_id=case_id,
                    of_person=of_person,
                    batch=batch,
                    reason=said,
                    number=event.number,
                    placed_at=turn.now,
                    placed_by=actor.code,
                )
            )
    if not placed:
        raise AlreadyHeld(_("They are all held already."))
    return placed


def hold_person(*, case_id: int, reason: str, actor: Actor) -> list[Hold]:
    """Hold all cases of the person of this one, also those that come later."""
    access.require(actor, "hold case")
    found = people.cases_of(get_case(case_id))
    ids = [one.case.pk for one in found if one.is_sure]
    return place_hold(case_ids=ids, reason=reason, actor=actor, of_person=True)


@transaction.atomic
def lift_hold(*, hold_id: int, reason: str, actor: Actor) -> list[Hold]:
    """Lift a hold, with those that were placed together with it. Raises Invalid, NotAllowed,
    NotHeld."""
    access.require(actor, "hold case")
    said = _required(reason)
    first = Hold.objects.get(pk=hold_id)
    together = Hold.objects.filter(batch=first.batch, lifted_at=None)
    case_ids = sorted(together.values_list("case_id", flat=True))
    lifted = []
    for case_id in case_ids:
        with acting_on(case_id, actor=actor, closed=True, run_code=False) as (turn, run):
            _require_seen(actor, run.case)
            hold = Hold.objects.filter(batch=first.batch, case_id=case_id, lifted_at=None).first()
            if hold is None:
                continue
            turn.record(
                run,
                "hold.lifted",
                {"placed": hold.number, "reason": said},
                actor=actor.code,
                on_behalf=actor.on_behalf,
            )
            hold.lifted_at, hold.lifted_by, hold.lifted_why = turn.now, actor.code, said
            hold.save(update_fields=["lifted_at", "lifted_by", "lifted_why"])
            lifted.append(hold)
    if not lifted:
        raise NotHeld(_("This hold was lifted before."))
    return lifted


def holds_about(case: Case) -> list[Hold]:
    """The holds of a case, the last one first, and those of people that stand: it may be theirs."""
    concerned = Q(case=case.pk) | Q(of_person=True, lifted_at=None)
    return list(Hold.objects.filter(concerned).order_by("-pk"))


def _required(reason: str) -> str:
    said = reason.strip()
    if not said or "\0" in said:
        raise Invalid(_("Say why."), {"reason": _("Needed.")})
    if len(said) > REASON_CHARACTERS:
        raise Invalid(_("A reason has at most 2,000 characters."), {"reason": _("Too long.")})
    return said


def _require_seen(actor: Actor, case: Case) -> None:
    if actor.person is not None and not access.can_see(actor.person, case):
        raise NotAllowed(_("%(who)s may not see this case.") % {"who": actor.person})
