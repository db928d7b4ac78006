"""Opening a restricted case, for a purpose and for a time: recorded, told, and logged."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db.models import Q
from django.utils import translation
from django.utils.translation import gettext as _

from cases import access, dates
from cases.actors import Actor
from cases.errors import Invalid, NoSuchCase, NotAllowed
from cases.models import Case, Notice, Opening, Person
from cases.purposes import PURPOSES
from processes.acts.locking import acting_on
from timers import clock

REASON_CHARACTERS = 2000


def case_to_open(person: Person, reference: str) -> Case:
    """The restricted case of this reference that this person may open. Raises NoSuchCase as if
    there were none, for all others too."""
    found = None
    if "\0" not in reference:
        found = Case.objects.filter(reference=reference, restricted=True).first()
    if found is None or not access.may(person, "open restricted", found):
        raise NoSuchCase(
            _("There is no case %(reference)s among those you may see.") % {"reference": reference}
        )
    return found


def open_restricted(*, case_id: int, purpose: str, reason: str, actor: Actor) -> Opening:
    """Let the actor read a restricted case for some hours; its caseworker and the supervisors of
    its team are told. Raises Invalid, NotAllowed."""
    reason = reason.strip()
    if purpose not in PURPOSES:
        raise Invalid(
            _("The purpose is one of: %(names)s.") % {"names": ", ".join(PURPOSES)},
            {"purpose": _("Choose one.")},
        )
    if not reason or len(reason) > REASON_CHARACTERS or "\0" in reason:
        raise Invalid(_("Say why you open this case."), {"reason": _("Needed.")})
    if actor.person is None:
        raise NotAllowed(_("Only a person opens a restricted case."))
    with acting_on(case_id, actor=actor, closed=True, run_code=False) as (turn, run):
        access.require(actor, "open restricted", run.case)
        until = turn.now + timedelta(hours=settings.LONGCASE_PURPOSE_HOURS)
        told = {"purpose": purpose, "reason": reason, "until": until}
        event = turn.record(run, "case.access_opened", told, actor=actor.code)
        turn.project(run)
        opening = Opening.objects.create(
            case_id=case_id,
            person=actor.person,
            number=event.number,
            purpose=purpose,
            opened_at=turn.now,
            until=until,
        )
        _tell(run.case, opening)
    return opening


def _tell(case: Case, opening: Opening) -> None:
    leads = Q(groups__name=access.SUPERVISOR) & (Q(team=case.team_id) | Q(leads=case.team_id))
    wanted = Q(pk=case.owner_id) | leads if case.team_id else Q(pk=case.owner_id)
    people = Person.objects.filter(wanted, is_active=True).exclude(pk=opening.person_id).distinct()

    def said(one: Person) -> str:
        with translation.override(one.reads_in):
            return _(
                "%(who)s opened the restricted case %(case)s until %(until)s: %(purpose)s."
            ) % {
                "who": opening.person,
                "case": case.reference,
                "until": dates.moment(opening.until),
                "purpose": PURPOSES[opening.purpose],
            }

    Notice.objects.bulk_create(
        Notice(case=case, person=one, kind="opened", text=said(one)[:300], written_at=clock.now())
        for one in people
    )
