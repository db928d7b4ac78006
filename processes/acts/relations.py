"""Relating a case to another one by hand, both ways, and taking that back."""

from __future__ import annotations

from django.utils.translation import gettext as _

from cases import access
from cases.actors import Actor
from cases.errors import Invalid, Refused
from cases.models import Case, Person, Relation
from processes.acts.locking import acting_on_both


class NotRelated(Refused):
    """The two cases are not related by hand, or not any more."""


def relate_cases(*, case_id: int, reference: str, reason: str, actor: Actor) -> Case:
    """Relate a case to the one of this reference. Both histories tell it. Returns the other.

    Safe to repeat. Raises Invalid (no reason, the case itself, none that the actor may see).
    """
    if not reason.strip():
        raise Invalid(_("Say why the cases belong together."), {"reason": _("Needed.")})
    other = _found(reference, actor)
    if other.pk == case_id:
        raise Invalid(_("A case is not related to itself."), {"reference": _("Name another case.")})
    with acting_on_both(case_id, other.pk, actor=actor) as (turn, runs):
        access.require(actor, "work on case", runs[0].case)
        if Relation.objects.filter(case_id=case_id, other_id=other.pk).exists():
            return other
        for run, far in zip(runs, reversed(runs), strict=True):
            told = {"other": far.case_id, "reference": far.reference, "reason": reason.strip()}
            event = turn.record(
                run, "case.related", told, actor=actor.code, on_behalf=actor.on_behalf
            )
            turn.project(run)
            Relation.objects.create(
                case_id=run.case_id,
                other_id=far.case_id,
                reason=reason.strip(),
                number=event.number,
                related_at=turn.now,
                related_by=actor.code,
            )
    return other


def part_cases(*, case_id: int, other_id: int, reason: str, actor: Actor) -> None:
    """Say that two cases do not belong together after all. Raises NotRelated, Invalid."""
    if not reason.strip():
        raise Invalid(_("Say why they do not belong together."), {"reason": _("Needed.")})
    with acting_on_both(case_id, other_id, actor=actor) as (turn, runs):
        access.require(actor, "work on case", runs[0].case)
        if not Relation.objects.filter(case_id=case_id, other_id=other_id).exists():
            raise NotRelated(_("These cases are not related, or not any more."))
        for run, far in zip(runs, reversed(runs), strict=True):
            told = {"other": far.case_id, "reference": far.reference, "reason": reason.strip()}
            turn.record(run, "case.parted", told, actor=actor.code, on_behalf=actor.on_behalf)
            turn.project(run)
            Relation.objects.filter(case_id=run.case_id, other_id=far.case_id).delete()


def related_to(case: Case, person: Person) -> list[Relation]:
    """The cases that this one was related to by hand, among those that this person may see."""
    seen = access.visible_pks(person)
    found = Relation.objects.filter(case=case, other__in=seen).select_related("other")
    return list(found.order_by("-related_at", "-pk")[:50])


def unknown(reference: str) -> Invalid:
    """The refusal of a reference that names none of the cases that somebody may see."""
    return Invalid(
        _("There is no case “%(reference)s” among those you may see.")
        % {"reference": reference.strip()[:40]},
        {"reference": _("Not found.")},
    )


def _found(reference: str, actor: Actor) -> Case:
    who = actor.person or actor.client
    seen = access.visible_cases(who) if who is not None else Case.objects.none()
    wanted = reference.strip()
    other = None if "\0" in wanted else seen.filter(reference__iexact=wanted).first()
    if other is None:
        raise unknown(reference)
    return other
