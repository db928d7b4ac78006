"""Taking a decision back: the old one stays readable, and the review is open once more.

A kind says which decisions may be taken back, and along which edge of its graph (`takes_back=`).
The case goes back to the step that asked, as long as nothing rests on the decision that cannot be
undone: a letter that went out, money that was paid, another person's answer or decision.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django_fsm import TransitionNotAllowed

from audit.models import Event
from cases import access, dates
from cases.actors import Actor
from cases.errors import CaseClosed, Invalid, NotAllowed, Refused, TaskNotOpen
from cases.fsm import Edge, edges
from cases.models import Case, Person, Task
from cases.sentences import is_letter
from cases.words import party, plain
from processes.activities import UnknownActivity, definition_of
from processes.acts.cases import get_case
from processes.acts.locking import acting_on
from processes.kinds import kind_of
from processes.models import Activity
from timers import clock


class CannotTakeBack(Refused):
    """The decision stands: its kind does not let it be taken back, or too much rests on it."""


def take_back_decision(*, task_id: int, reason: str, actor: Actor) -> Case:
    """Take back how a review ended. The case goes back to the step that asks for the review.

    Raises CannotTakeBack (naming what has happened since), TaskNotOpen (not decided, or taken back
    before), CaseClosed, NotAllowed, Invalid.
    """
    if not reason.strip():
        raise Invalid(
            _("Say why the decision is taken back; it stays with the case."),
            {"reason": _("Needed.")},
        )
    case_id = Task.objects.filter(pk=task_id).values_list("case_id", flat=True).first()
    if case_id is None:
        raise TaskNotOpen(_("There is no such task."))
    with acting_on(case_id, actor=actor) as (turn, run):
        task = Task.objects.select_related("case").get(pk=task_id)
        edge = require_possible(task, actor=actor, lock=True)
        turn.record(
            run,
            "task.taken_back",
            {
                "task": task.command,
                "visit": task.visit,
                "name": task.name,
                "outcome": task.outcome,
                "by": task.closed_by,
                "reason": reason.strip(),
            },
            actor=actor.code,
            on_behalf=actor.on_behalf,
        )
        task.state = "taken_back"
        task.save(update_fields=["state"])
        try:
            turn.take(run, edge.name, {}, actor=actor.code, on_behalf=actor.on_behalf)
        except TransitionNotAllowed as error:
            raise CannotTakeBack(
                _("%(task)s can no longer be taken back: the case is at “%(step)s” now.")
                % {"task": task, "step": run.kind.step_label(run.row["step"])}
            ) from error
    return get_case(case_id)


def may_take_back(task: Task, person: Person) -> bool:
    """Whether to offer it: the act would be done now. Reads, and locks nothing."""
    try:
        edge = require_possible(task, actor=Actor.of(person))
    except Refused:
        return False
    return task.case.step in edge.sources


def require_possible(task: Task, *, actor: Actor, lock: bool = False) -> Edge:
    """The edge along which this decision is taken back. Raises what take_back_decision raises.

    With `lock`, no worker can begin an activity of the case between the answer and the commit.
    """
    case = task.case
    if case.closed_at is not None:
        raise CaseClosed(
            _("%(case)s was closed on %(day)s with outcome “%(outcome)s”: nothing opens in it.")
            % {"case": case, "day": dates.day(case.closed_at), "outcome": plain(case.outcome)}
        )
    if task.state == "taken_back":
        raise TaskNotOpen(_("%(task)s was taken back before.") % {"task": task})
    if task.state != "done":
        raise TaskNotOpen(
            _("%(task)s is not decided, so there is nothing to take back.") % {"task": task}
        )
    access.require(actor, "take back decision", task)
    _require_in_time(task, actor)
    edge = _edge_for(task)
    events = _events_since(task)
    for event in events:
        if (happened := _irrevocable(event, events)) is not None:
            raise CannotTakeBack(
                _("%(task)s stands. Since then: %(what)s.") % {"task": task, "what": happened}
            )
    _require_nothing_under_way(task, lock=lock)
    return edge


def _require_in_time(task: Task, actor: Actor) -> None:
    person = actor.person
    if person is None or access.supervises_task.test(person, task):
        return
    hours = settings.LONGCASE_TAKE_BACK_HOURS
    if clock.now() > task.closed_at + timedelta(hours=hours):
        raise NotAllowed(
            _(
                "You decided this on %(at)s, and could take it back for %(hours)s hours. A "
                "supervisor still can."
            )
            % {"at": dates.moment(task.closed_at), "hours": hours}
        )


def _edge_for(task: Task) -> Edge:
    kind = kind_of(task.case.kind)
    for edge in edges(kind.model):
        if task.name in edge.takes_back:
            return edge
    raise CannotTakeBack(
        _("A case of the kind “%(kind)s” does not let “%(review)s” be taken back.")
        % {"kind": kind.title, "review": task.title}
    )


def _events_since(task: Task) -> list[Event]:
    """What was recorded after the decision, in order."""
    later = Event.objects.filter(case_id=task.case_id, number__gt=task.opened_number)
    events = list(later.order_by("number"))
    for place, event in enumerate(events):
        data = event.data
        if event.type == "task.completed" and (data["visit"], data["command"]) == (
            task.visit,
            task.command,
        ):
            return events[place + 1 :]
    return []


def _irrevocable(event: Event, events: list[Event]) -> str | None:
    """What this event did that nobody can undo, in words; None when it may be left behind."""
    data, day = event.data, dates.day(event.happened_at)
    match event.type:
        case "task.completed":
            if any(_takes_back(later, data) for later in events):
                return None
            return _("“%(what)s” was decided on %(day)s; take that back first") % {
                "what": plain(data["name"]),
                "day": day,
            }
        case "activity.completed" | "activity.done":
            return _of_activity(event, events)
        case "message.received" | "message.matched":
            return _("the message “%(what)s” came on %(day)s") % {
                "what": plain(data["name"]).lower(),
                "day": day,
            }
        case "party.answered":
            return _("an answer that was asked for came on %(day)s") % {"day": day}
        case "subcase.closed":
            return _("the sub-case %(case)s ended on %(day)s") % {
                "case": data.get("reference", ""),
                "day": day,
            }
        case "step.entered" if event.actor != "engine" and not _after_taking_back(event, events):
            return _("the case was moved by hand on %(day)s") % {"day": day}
    return None


def _takes_back(event: Event, completed: dict[str, Any]) -> bool:
    return event.type == "task.taken_back" and (event.data["visit"], event.data["task"]) == (
        completed["visit"],
        completed["command"],
    )


def _after_taking_back(event: Event, events: list[Event]) -> bool:
    return any(e.type == "task.taken_back" and e.number == event.number - 1 for e in events)


def _of_activity(event: Event, events: list[Event]) -> str | None:
    data, day = event.data, dates.day(event.happened_at)
    result = data.get("result")
    if data["command"] < 0:
        return None  # it undid something, or had nothing to do with the step
    if is_letter(result):
        return _("the letter “%(subject)s” to %(who)s was written on %(day)s") % {
            "subject": result["subject"],
            "who": result.get("to") or party("customer"),
            "day": day,
        }
    asked: Any = data
    for earlier in events:
        if earlier.number >= event.number:
            break
        if earlier.type == "activity.scheduled" and earlier.data["command"] == data["command"]:
            asked = earlier.data
    if _can_be_undone(asked.get("name", "")):
        return None
    return _("“%(what)s” was done on %(day)s") % {
        "what": plain(asked.get("name", "")) or _("Work"),
        "day": day,
    }


def _can_be_undone(name: str) -> bool:
    try:
        return definition_of(name).compensate is not None
    except UnknownActivity:
        return False


def _require_nothing_under_way(task: Task, *, lock: bool) -> None:
    """An attempt that was begun may take effect, or has. What can be undone is undone."""
    found = Activity.objects.filter(case_id=task.case_id, command__gt=0)
    if lock:
        found = found.select_for_update()
    for one in found.order_by("pk"):
        if not one.attempt:
            continue
        if not _can_be_undone(one.name):
            raise CannotTakeBack(
                _(
                    "%(task)s cannot be taken back: “%(what)s” was begun (attempt %(n)s), and "
                    "may have taken effect. Wait for how it ends."
                )
                % {"task": task, "what": plain(one.name), "n": one.attempt}
            )
