"""Papers that no longer count are asked for again, by Longcase itself."""

from __future__ import annotations

from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _

from cases import dates
from cases.actors import ENGINE
from cases.errors import Refused
from cases.models import Document, Requirement
from processes.acts.locking import acting_on
from processes.engine import performing
from processes.engine.run import Run
from processes.engine.turn import Turn
from processes.kinds import kinds
from processes.letters import send_letter
from processes.validity import today
from timers import clock

AT_ONCE = 200  # of one round; the rest follows in the next


def ask_again() -> int:
    """Ask for what was accepted and counts no longer, in open cases that still need it. Returns
    how many were asked for. Safe to repeat; any number may run."""
    rules = {
        (kind.name, name): rule for kind in kinds().values() for name, rule in kind.validity.items()
    }
    if not rules:
        return 0
    wanted = Requirement.objects.filter(
        case=OuterRef("case"), name=OuterRef("name"), state="accepted", is_open=True
    )
    over = Document.objects.filter(
        Exists(wanted),
        state="accepted",
        valid_until_date__lt=today(clock.now()),
        case__closed_at=None,
        case__stopped_at=None,
    )
    found = over.order_by("valid_until_date", "pk").values_list(
        "pk", "case_id", "name", "case__kind", "case__step"
    )
    asked = 0
    for pk, case_id, name, kind, step in found[:AT_ONCE]:
        rule = rules.get((kind, name))
        if rule is not None and rule.is_needed_in(step):
            asked += _ask(pk, case_id)
    return asked


def _ask(document_id: int, case_id: int) -> bool:
    try:
        with acting_on(case_id, actor=ENGINE) as (turn, run):
            document = Document.objects.get(pk=document_id)
            requirement = Requirement.objects.filter(case_id=case_id, name=document.name).first()
            if requirement is None or requirement.state != "accepted" or run.is_parked:
                return False
            reason = _("%(file)s counted until %(day)s; a newer one is needed.") % {
                "file": document.filename,
                "day": dates.day(document.valid_until_date),
            }
            requirement.state, requirement.asked_at = "asked", turn.now
            requirement.reason, requirement.reminders = reason, 0
            requirement.reminded_at = None
            requirement.save()
            told = {"name": document.name, "title": requirement.title, "reason": reason}
            turn.feed(run, "document.asked", told, actor=ENGINE.code)
            _tell(turn, run, requirement)
    except Refused:
        return False  # closed, or held by somebody: the next round looks again
    return True


def _tell(turn: Turn, run: Run, requirement: Requirement) -> None:
    """The letter with which a rejected paper is asked for serves here too."""
    template = run.kind.rejection_letters.get(requirement.asked_of)
    if template is None or run.is_closed:
        return
    more = {"template": template, "paper": requirement.title, "reason": requirement.reason}
    performing.schedule_aside(turn, run, send_letter, more)
    turn.project(run)
