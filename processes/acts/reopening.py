"""Opening a closed case again, along an edge that its kind declares for it (`reopens=True`).

The record of how it ended stays: the events, letters and decisions of that time, and whatever was
undone when it closed. The case goes on at the step to which the edge leads, as a new visit. Its
clocks were stopped by the end; code that starts one starts it afresh.
"""

from __future__ import annotations

from django.utils.translation import gettext as _
from django_fsm import TransitionNotAllowed

from cases import access, dates
from cases.actors import Actor
from cases.errors import Invalid, NotAllowed, Refused
from cases.fsm import Edge, edges
from cases.models import Case, Person
from processes.acts.cases import get_case
from processes.acts.locking import acting_on
from processes.engine import performing
from processes.engine.run import Run
from processes.engine.turn import Turn
from processes.kinds import kind_of
from processes.letters import send_letter


class CannotReopen(Refused):
    """The case is open, or its kind does not let it be opened again."""


def reopen_case(*, case_id: int, name: str = "", reason: str, actor: Actor) -> Case:
    """Open a closed case again; `name` is the edge, where its kind offers several from its end.

    Raises CannotReopen (open, or none of its kind, or its parent has gone on), NotAllowed, Invalid.
    """
    if not reason.strip():
        raise Invalid(
            _("Say why the case is opened again; the customer reads it."), {"reason": _("Needed.")}
        )
    with acting_on(case_id, actor=actor, closed=True) as (turn, run):
        access.require(actor, "reopen case", run.case)
        if not run.is_closed:
            raise CannotReopen(_("%(case)s is open already.") % {"case": run.reference})
        edge = _edge(run, name)
        if edge.role and actor.person is not None and edge.role not in actor.person.roles:
            raise NotAllowed(
                _("Only a person with the role %(role)s may do this.") % {"role": edge.role}
            )
        words = {name: reason.strip() for name in edge.asks}
        try:
            turn.take(run, edge.name, words, actor=actor.code, on_behalf=actor.on_behalf)
        except TransitionNotAllowed as error:
            raise CannotReopen(_stays_closed(run)) from error
        _tell_customer(turn, run, reason.strip())
    return get_case(case_id)


def ways_to_reopen(case: Case, person: Person) -> list[Edge]:
    """The edges along which this person could open this case again now."""
    if case.is_open or _has_answered_its_parent(case.parent_command):
        return []
    if not access.may(person, "reopen case", case):
        return []
    return [
        edge
        for edge in edges(type(case))
        if edge.reopens
        and case.step in edge.sources
        and (not edge.role or edge.role in person.roles)
        and _is_possible(case, edge)
    ]


def why_closed_for_good(case: Case, person: Person) -> str:
    """Why somebody who works on this closed case is not offered to open it again."""
    if _has_answered_its_parent(case.parent_command):
        return _("It stays closed: the case that began it has gone on with how it ended.")
    found = [e for e in edges(type(case)) if e.reopens and case.step in e.sources]
    possible = [edge for edge in found if _is_possible(case, edge)]
    if not possible:
        kind = kind_of(case.kind)
        return _(
            "It stays closed: a case of the kind “%(kind)s” that ended so is not reopened."
        ) % {"kind": kind.title}
    roles = ", ".join(sorted({edge.role for edge in possible if edge.role}))
    return _("It can be reopened by: %(role)s.") % {"role": roles}


def _edge(run: Run, name: str) -> Edge:
    if _has_answered_its_parent(run.row["parent_command"]):
        raise CannotReopen(
            _("%(case)s stays closed: the case that began it has gone on with how it ended.")
            % {"case": run.reference}
        )
    found = [
        edge
        for edge in edges(run.kind.model)
        if edge.reopens and run.row["step"] in edge.sources and name in ("", edge.name)
    ]
    if not found:
        raise CannotReopen(_stays_closed(run))
    return found[0]


def _stays_closed(run: Run) -> str:
    return _(
        "%(case)s stays closed: a case of the kind “%(kind)s” that ended as “%(step)s” on %(day)s "
        "is not reopened. Open a new one, and name this one in it."
    ) % {
        "case": run.reference,
        "kind": run.kind.title,
        "step": run.kind.step_label(run.row["step"]),
        "day": dates.day(run.row["closed_at"]),
    }


def _has_answered_its_parent(parent_command: int | None) -> bool:
    return parent_command is not None


def _is_possible(case: Case, edge: Edge) -> bool:
    """Whether the conditions of the edge hold. Asked of the case, which stays as it is."""
    method = getattr(type(case), edge.name)
    found = method._django_fsm.transitions.get(case.step)
    return found is not None and all(condition(case) for condition in found.conditions)


def _tell_customer(turn: Turn, run: Run, reason: str) -> None:
    """A letter by itself, which goes out whatever the case does next."""
    if not run.kind.reopened_letter or run.is_closed:
        return
    performing.schedule_aside(
        turn,
        run,
        send_letter,
        {"template": run.kind.reopened_letter, "reason": reason},
    )
    turn.project(run)
