"""Acts on absences: enter one with a substitute, and end it."""

from __future__ import annotations

from datetime import date, timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from cases import absence, access, dates
from cases.accounts import note_change
from cases.actors import Actor
from cases.errors import Invalid, Refused
from cases.models import Absence, Person
from timers import clock


class AbsenceOver(Refused):
    """The absence has ended, or was withdrawn, already."""


@transaction.atomic
def enter_absence(
    *,
    person: Person,
    from_date: date,
    until_date: date,
    actor: Actor,
    substitute: Person | None = None,
    reason: str = "",
) -> Absence:
    """Say that a person is away from the first to the last day, and who stands in. Raises Invalid
    naming the field, NotAllowed."""
    access.require(actor, "enter absence", person)
    # One after the other for each person: what overlaps is looked for under this lock.
    locked = Person.objects.select_for_update().get(pk=person.pk)
    _require_dates(locked, from_date, until_date)
    _require_substitute(locked, substitute)
    entered = Absence.objects.create(
        person=locked,
        from_date=from_date,
        until_date=until_date,
        substitute=substitute,
        reason=reason.strip(),
        entered_at=clock.now(),
        entered_by=actor.code,
    )
    note_change(
        "absence.entered",
        actor=actor,
        person=locked,
        why=reason,
        from_date=from_date,
        until_date=until_date,
        substitute=substitute.pk if substitute else None,
    )
    absence.forget(substitute)
    return entered


def _require_dates(person: Person, first: date, last: date) -> None:
    if last < first:
        raise Invalid(
            _("The last day lies before the first."), {"until_date": _("Not before the first day.")}
        )
    if last < absence.today():
        raise Invalid(
            _("These days are over; an absence is entered for today or later."),
            {"until_date": _("Today or later.")},
        )
    for other in absence.overlapping(person, first, last):
        span = {"first": dates.day(other.from_date), "last": dates.day(other.until_date)}
        raise Invalid(
            _("%(person)s is away from %(first)s to %(last)s already. End that absence first.")
            % {"person": person, **span},
            {"from_date": _("Away from %(first)s to %(last)s already.") % span},
        )


def _require_substitute(person: Person, substitute: Person | None) -> None:
    if substitute is None:
        return
    why = ""
    if substitute.pk == person.pk:
        why = _("Nobody stands in for themselves.")
    elif not substitute.is_active:
        why = _("%(person)s has left.") % {"person": substitute}
    elif access.AUDITOR in substitute.roles:
        why = _("%(person)s is an auditor, who changes nothing.") % {"person": substitute}
    if why:
        raise Invalid(why + " " + _("Choose somebody else."), {"substitute": why})


@transaction.atomic
def end_absence(*, absence_id: int, actor: Actor, reason: str = "") -> Absence:
    """A person is back: an absence that has begun ends yesterday, one to come is withdrawn. Raises
    AbsenceOver, NotAllowed."""
    found = Absence.objects.select_related("person", "substitute").filter(pk=absence_id).first()
    if found is not None:
        access.require(actor, "enter absence", found.person)
        Person.objects.select_for_update().get(pk=found.person_id)
        found = Absence.objects.select_related("person", "substitute").filter(pk=absence_id).first()
    yesterday = absence.today() - timedelta(days=1)
    if found is None or found.until_date <= yesterday:
        raise AbsenceOver(_("This absence is over already; nothing was changed."))
    note_change(
        "absence.ended",
        actor=actor,
        person=found.person,
        why=reason,
        from_date=found.from_date,
        until_date=found.until_date,
        substitute=found.substitute_id,
    )
    if found.from_date > yesterday:
        found.delete()
    else:
        found.until_date = yesterday
        found.save(update_fields=["until_date"])
    absence.forget(found.substitute)
    return found
