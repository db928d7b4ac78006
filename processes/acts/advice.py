"""Asking a colleague for advice on a task, without giving the task away.

The request is a task of its own for that one colleague. Their answer lands on the form of the task
and in the history. It blocks nothing: whoever holds the task may decide without it, and then the
request ends with the task.
"""

from __future__ import annotations

from django.db.models import Q
from django.utils.translation import gettext as _

from cases import access
from cases.actors import Actor
from cases.errors import Invalid, NotAllowed, TaskHeld
from cases.models import Person, Task
from processes.acts.finding import case_of, open_task
from processes.acts.locking import acting_on
from processes.engine.run import Run
from processes.engine.turn import Turn

ADVICE = "advice"  # the name of such a task
GIVEN, DECLINED = "given", "declined"


def ask_advice(*, task_id: int, of: Person, question: str, actor: Actor) -> Task:
    """Ask a colleague what they think of a task that the actor holds. Returns their task.

    Raises Invalid (no question; they cannot be asked, or were already), TaskNotOpen, NotAllowed.
    """
    question = question.strip()
    if not question or "\0" in question or len(question) > 10_000:
        raise Invalid(
            _("Write what you want to know, in at most 10,000 characters."),
            {"question": _("Needed.")},
        )
    with acting_on(case_of(task_id), actor=actor, closed=True) as (turn, run):
        task = open_task(task_id)
        access.require(actor, "ask advice", task)
        actor = access.acting_for(actor, task)
        _require_askable(of, task, actor)
        number = run.head_number + 1
        data = {
            "command": -number,
            "visit": 0,
            "name": ADVICE,
            "to": of.pk,
            "question": question,
            "about": {"visit": task.visit, "command": task.command, "name": task.name},
        }
        turn.record(run, "advice.asked", data, actor=actor.code, on_behalf=actor.on_behalf)
        turn.project(run)
        return Task.objects.create(
            case_id=task.case_id,
            visit=0,
            command=-number,
            name=ADVICE,
            title=_("Advice: %(task)s") % {"task": task.title},
            is_review=False,
            role="",
            outcomes=[
                [GIVEN, _("This is my advice"), True],
                [DECLINED, _("I cannot advise on this"), True],
            ],
            show={"question": question},
            holder=of,
            claimed_at=turn.now,
            opened_at=turn.now,
            opened_number=number,
            due_at=task.due_at,
            advises=task,
        )


def give_advice(*, task_id: int, outcome: str, reason: str, actor: Actor) -> Task:
    """Answer a request for advice, or say that one cannot. Raises TaskNotOpen, TaskHeld, Invalid.

    Whoever asked finds the answer on the form of their task.
    """
    with acting_on(case_of(task_id), actor=actor, closed=True) as (turn, run):
        task = open_task(task_id)
        actor = access.acting_for(actor, task)
        codes = (actor.code, actor.on_behalf)
        if actor.person is None or f"person:{task.holder_id}" not in codes:
            raise TaskHeld(_("%(who)s is asked for this advice.") % {"who": task.holder})
        if not actor.person.is_active:
            raise NotAllowed(_("%(who)s is no longer active.") % {"who": actor.person})
        if outcome not in (GIVEN, DECLINED):
            raise Invalid(_("Say whether you can advise."), {"outcome": _("Needed.")})
        if not reason.strip():
            raise Invalid(_("Write your advice."), {"reason": _("Needed.")})
        task.state, task.closed_at, task.closed_by = "done", turn.now, actor.code
        task.outcome, task.reason, task.covers_number = outcome, reason.strip(), run.head_number
        task.save()
        _record(turn, run, "advice.given", task, actor, outcome=outcome, reason=reason.strip())
    return task


def withdraw_advice(turn: Turn, run: Run, task: Task, *, actor: Actor, reason: str) -> None:
    """Nobody is left to give it: the request ends, and the task goes on without it."""
    task.state, task.closed_at, task.closed_by = "cancelled", turn.now, actor.code
    task.save(update_fields=["state", "closed_at", "closed_by"])
    _record(turn, run, "advice.withdrawn", task, actor, to=task.holder_id, reason=reason)
    turn.project(run)


def advisers_for(task: Task, person: Person) -> list[Person]:
    """Who may be asked: active colleagues of the case's team or of the task's role; of a
    restricted case only those who see it anyhow."""
    near = Q(team=task.case.team_id) if task.case.team_id else Q()
    wanted = near | Q(groups__name=task.role) if near else near
    people = Person.objects.prefetch_related("groups").filter(wanted, is_active=True)
    found = [
        one
        for one in people.distinct().order_by("last_name", "first_name", "username")
        if one.pk != person.pk and one.roles - access.SEE_ALL
    ]
    if task.case.restricted:
        found = [one for one in found if access.can_see(one, task.case)]
    return found


def _require_askable(of: Person, task: Task, actor: Actor) -> None:
    asker = actor.person
    if asker is None:
        raise NotAllowed(_("Only a person asks for advice."))
    if of.pk not in {one.pk for one in advisers_for(task, asker)}:
        raise Invalid(
            _("%(who)s cannot be asked: not an active colleague for this work.") % {"who": of},
            {"of": _("Choose a colleague of the list.")},
        )
    if Task.objects.filter(advises=task, holder=of, state="open").exists():
        raise Invalid(
            _("%(who)s was asked already, and has not answered yet.") % {"who": of},
            {"of": _("Asked already.")},
        )


def _record(turn: Turn, run: Run, type: str, task: Task, actor: Actor, **more: object) -> None:
    data = {"command": task.command, "visit": task.visit, "name": task.name, **more}
    turn.record(run, type, data, actor=actor.code, on_behalf=actor.on_behalf)
