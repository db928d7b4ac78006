"""Lists of cases whose time has come, and requests of people to be erased: made, reviewed,
approved by two, dropped. Workers carry them out: processes/work/destructions.py.

Four eyes are here and in the table itself, not on a page: the second approval is refused to whoever
gave the first, and to who stands in for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import Count
from django.utils.translation import gettext as _

from cases import access, dates
from cases.actors import ENGINE, Actor
from cases.errors import CaseBusy, CaseErased, Invalid, NoSuchCase, NotAllowed, Refused
from cases.models import Case, Destruction, DestructionRow, Erasure, Person
from processes import retention
from processes.acts.holds import HoldBook
from processes.erasing import people
from processes.erasing.erase import Ground, NotErasable, erase_case
from timers import clock

MOST_ROWS = 1000  # of one list: as many as two people can look through
OFF_FOR = timedelta(days=180)  # a case that was taken off a list is not listed again sooner
TEXT_CHARACTERS = 2000
State = DestructionRow.State


class NothingIsDue(Refused):
    """No case may be destroyed today that is not on a list already."""


class SameHands(Refused):
    """Whoever approved first does not approve second."""

    status = 403


class Over(Refused):
    """It was carried out, or dropped, before."""


class CannotTakeOff(Refused):
    """The case is erased, or was taken off before."""


# -- making


@transaction.atomic
def make_list(*, actor: Actor) -> Destruction:
    """A list of the cases whose date has come, without those that are held, on a list that is not
    carried out yet, or taken off one lately. Raises NothingIsDue, NotAllowed."""
    access.require(actor, "destroy cases")
    found = _due_now()
    if not found:
        raise NothingIsDue(_("No case has come to its date that is not on a list already."))
    made = Destruction.objects.create(
        what=Destruction.What.LIST, asked_at=clock.now(), asked_by=actor.code
    )
    _fill(made, found)
    return made


def make_daily() -> int:
    """The list of the day, by the timer service; none where nothing has come. Safe to repeat."""
    day = dates.local_date(clock.now())
    last = Destruction.objects.filter(asked_by=ENGINE.code).order_by("-pk").first()
    if last is not None and dates.local_date(last.asked_at) >= day:
        return 0
    try:
        return make_list(actor=ENGINE).rows.count()
    except NothingIsDue:
        return 0


def _due_now() -> list[int]:
    listed = set(
        DestructionRow.objects.filter(state=State.LISTED, destruction__ended_at=None).values_list(
            "case_id", flat=True
        )
    )
    listed |= set(
        DestructionRow.objects.filter(
            state=State.OFF, settled_at__gte=clock.now() - OFF_FOR
        ).values_list("case_id", flat=True)
    )
    book = HoldBook.now()
    found: list[int] = []
    for kept in retention.due_cases():
        if kept.case.pk not in listed and book.holding(kept.case) is None:
            found.append(kept.case.pk)
            if len(found) == MOST_ROWS:
                break
    return found


@transaction.atomic
def request_erasure(
    *, case_ids: Iterable[int], reason: str, basis: str, stays: bool, actor: Actor
) -> Destruction:
    """Ask that these cases of a person be erased; the asking is the first approval. With `stays`,
    what cannot be erased yet is erased by itself when it can.

    Raises Invalid (a reason that names the person: it would stay), NoSuchCase, CaseErased,
    NotAllowed.
    """
    access.require(actor, "destroy cases")
    if actor.person is None:
        raise NotAllowed(_("Only a person asks for this."))
    ids = sorted(set(case_ids))
    if not 1 <= len(ids) <= MOST_ROWS:
        raise Invalid(_("Choose the cases that are to be erased."), {"cases": _("Choose some.")})
    rows = access.visible_cases(actor.person).filter(pk__in=ids)
    cases = retention.as_their_kinds(rows)
    if len(cases) < len(ids):
        raise NoSuchCase(_("One of these cases is not there, or not to be seen by you."))
    if gone := next((one for one in cases if one.erased_at is not None), None):
        raise CaseErased(_("%(case)s is erased already.") % {"case": gone.reference})
    made = Destruction.objects.create(
        what=Destruction.What.REQUEST,
        asked_at=clock.now(),
        asked_by=actor.code,
        reason=_text("reason", reason, cases),
        basis=_text("basis", basis, cases),
        stays=stays,
        first_by=actor.person,
        first_at=clock.now(),
    )
    _fill(made, ids)
    return made


def _fill(made: Destruction, case_ids: Sequence[int]) -> None:
    DestructionRow.objects.bulk_create(
        DestructionRow(destruction=made, case_id=case_id) for case_id in case_ids
    )


def _text(name: str, text: str, cases: Sequence[Case]) -> str:
    said = text.strip()
    if not said or "\0" in said:
        raise Invalid(_("Give a reason and the ground in law."), {name: _("Needed.")})
    if len(said) > TEXT_CHARACTERS:
        raise Invalid(_("At most 2,000 characters."), {name: _("Too long.")})
    if people.names_somebody(said, cases):
        raise Invalid(
            _("This text stays when the case is erased, so it must not say who the person is."),
            {name: _("Write it without the name, mail address or number.")},
        )
    return said


# -- reviewing


@transaction.atomic
def take_off(*, row_id: int, reason: str, actor: Actor) -> DestructionRow:
    """Take a case off a list or request. Raises CannotTakeOff, Over, Invalid, NotAllowed."""
    access.require(actor, "destroy cases")
    if not reason.strip() or "\0" in reason:
        raise Invalid(_("Say why it is taken off."), {"reason": _("Needed.")})
    row = DestructionRow.objects.select_related("case").get(pk=row_id)
    held = _open(row.destruction_id)
    taken = DestructionRow.objects.filter(pk=row_id, state=State.LISTED).update(
        state=State.OFF,
        why=reason.strip()[:TEXT_CHARACTERS],
        settled_at=clock.now(),
        settled_by=actor.code,
    )
    if not taken:
        told = {"case": row.case.reference}
        raise CannotTakeOff(_("%(case)s was taken off before, or is erased.") % told)
    if held.second_at is None and not held.rows.filter(state=State.LISTED).exists():
        _end(held, actor, _("Every case was taken off."))
    row.refresh_from_db()
    return row


@transaction.atomic
def approve(*, destruction_id: int, actor: Actor) -> Destruction:
    """Approve a list or request. The first approval says that it was reviewed; on the second, by
    somebody else, it is carried out. Raises SameHands, Over, NotAllowed."""
    access.require(actor, "destroy cases")
    if actor.person is None:
        raise NotAllowed(_("Only a person approves this."))
    held = _open(destruction_id)
    if held.second_at is not None:
        raise Over(_("Two people have approved it, and it is being carried out."))
    if held.first_by is None:
        held.first_by, held.first_at = actor.person, clock.now()
    elif not access.is_another(actor.person, held.first_by):
        raise SameHands(
            _("%(who)s approved it first. It takes a second person to have it carried out.")
            % {"who": held.first_by}
        )
    else:
        held.second_by, held.second_at = actor.person, clock.now()
    held.save(update_fields=["first_by", "first_at", "second_by", "second_at"])
    return held


@transaction.atomic
def drop(*, destruction_id: int, reason: str, actor: Actor) -> Destruction:
    """Give a list or request up; what was erased by then stays erased. Raises Over, Invalid,
    NotAllowed."""
    access.require(actor, "destroy cases")
    held = _open(destruction_id)
    cases = retention.as_their_kinds(Case.objects.filter(pk__in=held.rows.values("case")))
    said = _text("reason", reason, cases)
    _end(held, actor, said)
    return held


def _end(held: Destruction, actor: Actor, why: str) -> None:
    held.dropped_at = held.ended_at = clock.now()
    held.dropped_by, held.dropped_why = actor.code, why
    held.save(update_fields=["dropped_at", "ended_at", "dropped_by", "dropped_why"])


def _open(destruction_id: int) -> Destruction:
    held = Destruction.objects.select_for_update().get(pk=destruction_id)
    if held.ended_at is not None:
        raise Over(_("It was carried out, or dropped, before."))
    return held


# -- carrying out


def do_row(*, destruction_id: int, row_id: int) -> str:
    """Erase the case of one row, unless that was done before: the case and its result in one
    commit. Returns what became of it: erased, refused, listed (it stays), or "" for neither."""
    try:
        with transaction.atomic():
            row = _still(destruction_id, row_id)
            if row is None:
                return ""
            erase_case(case_id=row.case_id, ground=_ground(row.destruction))
            row.state, row.why = State.ERASED, ""
            row.settled_at = clock.now()
            row.save(update_fields=["state", "why", "settled_at"])
            return str(State.ERASED)
    except NotErasable as why:
        stays = Destruction.objects.filter(pk=destruction_id, stays=True).exists()
        return _refuse(destruction_id, row_id, str(why), stays=stays)
    except CaseBusy:
        return str(State.LISTED)  # somebody is at it; it is tried again
    except Refused as why:
        return _refuse(destruction_id, row_id, str(why), stays=False)


def refuse_row(*, destruction_id: int, row_id: int, why: str) -> None:
    """Say why a row was not done, unless it was meanwhile."""
    _refuse(destruction_id, row_id, why, stays=False)


def _still(destruction_id: int, row_id: int) -> DestructionRow | None:
    """The row under its lock, while two people's approval stands and it is not settled."""
    held = Destruction.objects.select_for_update().get(pk=destruction_id)
    if held.second_at is None or held.ended_at is not None:
        return None
    rows = DestructionRow.objects.select_for_update(of=("self",)).select_related(
        "destruction__first_by", "destruction__second_by"
    )
    return rows.filter(pk=row_id, state=State.LISTED).first()


def _ground(held: Destruction) -> Ground:
    assert held.first_by is not None and held.second_by is not None  # a constraint of the table
    return Ground(
        what=held.what,
        first_by=Actor.of(held.first_by).code,
        second_by=Actor.of(held.second_by).code,
        basis=held.basis,
        destruction=held,
    )


@transaction.atomic
def _refuse(destruction_id: int, row_id: int, why: str, *, stays: bool) -> str:
    row = _still(destruction_id, row_id)
    if row is None:
        return ""
    row.why = why
    if not stays:
        row.state, row.settled_at = State.REFUSED, clock.now()
    row.save(update_fields=["state", "why", "settled_at"])
    return str(row.state)


# -- looking


def counts(made: Sequence[Destruction]) -> dict[int, dict[str, int]]:
    """By list or request: how many of its rows are in each state. One query."""
    found = {one.pk: dict.fromkeys(State.values, 0) for one in made}
    rows = DestructionRow.objects.filter(destruction__in=found).values_list("destruction", "state")
    for pk, state, n in rows.annotate(n=Count("pk")).order_by():
        found[pk][state] = n
    return found


def certificate_of(case: Case) -> Erasure | None:
    """The certificate of an erased case."""
    return Erasure.objects.filter(case=case).first() if case.erased_at is not None else None


def may_approve(person: Person, held: Destruction) -> bool:
    """Whether this person's approval is the next one that it takes."""
    if held.ended_at is not None or held.second_at is not None:
        return False
    if not access.may(person, "destroy cases"):
        return False
    return held.first_by is None or access.is_another(person, held.first_by)
