"""Undoing a wrong click: an event that takes the effect of another one back.

Nothing is erased. The compensating event names the one that it undoes, so it is undone once. It is
offered right after the act, to whoever did it, for LONGCASE_UNDO_MINUTES; a supervisor of the case
may undo a colleague's too. What the case has gone on with stays: a decision is taken back by
processes.acts.decisions, which knows what rests on it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from audit.models import Event
from cases import access, dates
from cases.actors import Actor
from cases.errors import CaseClosed, NotAllowed, Refused
from cases.models import Case, Document, Person, Requirement, Task
from processes.acts.locking import acting_on
from processes.engine.commands import ISSUING
from processes.engine.run import Run
from processes.engine.turn import Turn
from timers import clock

LOOKS_BACK = 8  # events: what an act of one moment records


class CannotUndo(Refused):
    """The act stands: something rests on it, or it was undone, or the time for it is over."""


Undo = Callable[[Turn, Run, Event, Actor], None]
_undoes: dict[str, Undo] = {}


def undo_event(*, case_id: int, number: int, actor: Actor) -> Event:
    """Take back what this event did. Raises CannotUndo (why), NotAllowed, CaseClosed."""
    with acting_on(case_id, actor=actor, closed=True) as (turn, run):
        event = _event(case_id, number)
        _require_right(run, event, actor)
        undo = _undoes.get(event.type)
        if undo is None:
            raise CannotUndo(_("This cannot be undone."))
        _require_in_time(run, event)
        if run.is_closed:
            raise CaseClosed(
                _("%(case)s was closed meanwhile, and takes nothing more.")
                % {"case": run.reference}
            )
        undo(turn, run, event, actor)
        turn.project(run)
    return event


def undoable(case_id: int, person: Person) -> int | None:
    """The number of the event that this person has just recorded, if it can be undone."""
    head = Case.objects.filter(pk=case_id).values_list("head_number", flat=True).first() or 0
    mine = Event.objects.filter(
        case_id=case_id, number__gt=head - LOOKS_BACK, actor=f"person:{person.pk}"
    )
    newest = mine.order_by("-number").first()
    if newest is None or newest.type not in _undoes or "undoes" in newest.data:
        return None
    if newest.type.startswith("document.") and not _is_alone(case_id, newest):
        return None
    return newest.number


def _is_alone(case_id: int, event: Event) -> bool:
    """Whether nothing has followed from it by itself."""
    later = Event.objects.filter(case_id=case_id, number__gt=event.number, actor="engine")
    return not later.exists()


def _event(case_id: int, number: int) -> Event:
    event = Event.objects.filter(case_id=case_id, number=number).first()
    if event is None:
        raise CannotUndo(_("There is no such event in this case."))
    return event


def _require_right(run: Run, event: Event, actor: Actor) -> None:
    person = actor.person
    if person is None:
        raise NotAllowed(_("Only a person undoes what a person did."))
    is_own = event.actor == f"person:{person.pk}"
    case = run.case
    supervises = access.SUPERVISOR in person.roles and access.may(person, "work on case", case)
    if not is_own and not supervises:
        raise NotAllowed(_("Whoever did this may undo it, or a supervisor of the case."))


def _require_in_time(run: Run, event: Event) -> None:
    minutes = settings.LONGCASE_UNDO_MINUTES
    if clock.now() > event.happened_at + timedelta(minutes=minutes):
        raise CannotUndo(
            _(
                "This was done on %(at)s, and could be undone for %(n)s minutes. Put it right by "
                "an act of its own, with the reason."
            )
            % {"at": dates.moment(event.happened_at), "n": minutes}
        )
    for later in Event.objects.filter(case_id=run.case_id, number__gt=event.number):
        if later.data.get("undoes") == event.number:
            raise CannotUndo(_("This was undone already."))


def _undo(*types: str) -> Callable[[Undo], Undo]:
    def declare(function: Undo) -> Undo:
        for one in types:
            _undoes[one] = function
        return function

    return declare


def _record(turn: Turn, run: Run, type: str, event: Event, actor: Actor, **data: Any) -> None:
    told = {**data, "undoes": event.number}
    turn.record(run, type, told, actor=actor.code, on_behalf=actor.on_behalf)


# -- who has what


@_undo("task.claimed", "task.released", "task.handed_over")
def _holder(turn: Turn, run: Run, event: Event, actor: Actor) -> None:
    """The task goes back to whoever had it, or to nobody."""
    data = event.data
    task = Task.objects.filter(
        case_id=run.case_id, visit=data["visit"], command=data["task"], state="open"
    ).first()
    had, has = {
        "task.claimed": (None, data.get("person")),
        "task.released": (data.get("person"), None),
        "task.handed_over": (data.get("before"), data.get("to")),
    }[event.type]
    if task is None or task.holder_id != has:
        raise CannotUndo(_("The task has gone on since: look who has it now."))
    back = Person.objects.filter(pk=had).first() if had else None
    if back is not None and not access.may(back, "claim task", task):
        raise CannotUndo(_("%(who)s can no longer take the task.") % {"who": back})
    task.holder, task.claimed_at = back, turn.now if back else None
    task.save(update_fields=["holder", "claimed_at"])
    about = {"task": task.command, "visit": task.visit, "name": task.name}
    if back is None:
        _record(turn, run, "task.released", event, actor, **about, person=has, reason="")
    elif has is None:
        _record(turn, run, "task.claimed", event, actor, **about, person=back.pk)
    else:
        _record(
            turn, run, "task.handed_over", event, actor, **about, to=back.pk, before=has, reason=""
        )


@_undo("case.assigned")
def _assigned(turn: Turn, run: Run, event: Event, actor: Actor) -> None:
    data = event.data
    if run.row["owner_id"] != data["owner"]:
        raise CannotUndo(_("The case was given to somebody else since."))
    back = Person.objects.filter(pk=data["before"]).first() if data["before"] else None
    if back is not None and not back.is_active:
        raise CannotUndo(_("%(who)s has left, and cannot take the case.") % {"who": back})
    run.row["owner_id"] = back.pk if back else None
    if "team_before" in data:
        run.row["team_id"] = data["team_before"]
    _record(
        turn,
        run,
        "case.assigned",
        event,
        actor,
        owner=run.row["owner_id"],
        before=data["owner"],
        reason="",
        team=run.row["team_id"],
        team_before=data.get("team"),
    )


# -- facts


@_undo("facts.changed")
def _facts(turn: Turn, run: Run, event: Event, actor: Actor) -> None:
    """The facts are again what they were, as a change of its own."""
    changes = event.data["changes"]
    _require_same_step(run, event)
    moved = [name for name, (_before, after) in changes.items() if run.facts.get(name) != after]
    if moved:
        raise CannotUndo(_("These facts were changed once more since."))
    before = {name: was for name, (was, _after) in changes.items()}
    if wrong := run.kind.check_facts({**run.facts, **before}):
        raise CannotUndo("; ".join(str(one) for one in wrong.values()))
    for name, was in before.items():
        setattr(run.case, name, was)
    run.facts_changed = True
    told = {
        "changes": {name: [after, was] for name, (was, after) in changes.items()},
        "reason": "",
        "undoes": event.number,
    }
    turn.feed(run, "facts.changed", told, actor=actor.code, on_behalf=actor.on_behalf)


def _require_same_step(run: Run, event: Event) -> None:
    if event.number < run.row["entered_number"]:
        raise CannotUndo(
            _("The case has moved on to “%(step)s” since, on what was known then.")
            % {"step": run.kind.step_label(run.row["step"])}
        )


# -- documents


@_undo("document.accepted", "document.rejected")
def _judged(turn: Turn, run: Run, event: Event, actor: Actor) -> None:
    """The paper is to be judged again, while the step has not gone on with it."""
    data = event.data
    _require_same_step(run, event)
    document = Document.objects.filter(case_id=run.case_id, name=data["name"]).latest("version")
    state = event.type.removeprefix("document.")
    if document.version != data["version"] or document.state != state:
        raise CannotUndo(_("The document has gone on since: a newer version, or another verdict."))
    if _went_on(run, event):
        raise CannotUndo(
            _("The case has gone on with this document since: a letter, or the next work.")
        )
    document.state, document.reason = "received", ""
    document.judged_at, document.judged_by = None, ""
    document.dated_date = document.valid_until_date = None
    document.save()
    Requirement.objects.filter(case_id=run.case_id, name=document.name).update(
        state="received", reason=""
    )
    _record(
        turn,
        run,
        "document.reconsidered",
        event,
        actor,
        name=document.name,
        version=document.version,
        digest=document.digest,
    )


def _went_on(run: Run, event: Event) -> bool:
    """Whether anything followed from the verdict: work that was asked for, or a request that is
    met, of which the step's code has heard."""
    if any(one.number > event.number and one.type in ISSUING for one in run.events):
        return True
    return any(
        one.type == "documents.requested"
        and event.data["name"] in one.data["names"]
        and one.data["command"] not in run.open
        for one in run.events
    )
