"""Acts on human work: claim, release, hand over, complete.

Four eyes is enforced here, when a task is claimed and again when it is completed, so no face can
go around it.
"""

from __future__ import annotations

from typing import Any

from audit.record import Recorded
from cases import access, amounts, dates, papers
from cases.actors import Actor
from cases.errors import (
    CaseChanged,
    Invalid,
    NotAllowed,
    PaperNotJudged,
    TaskHeld,
)
from cases.models import Document, Person, Requirement, Task
from processes.acts import advice
from processes.acts.finding import case_of, open_task
from processes.acts.locking import acting_on, require_seen
from processes.engine import leaving, notices
from processes.engine.run import Run
from processes.engine.turn import Turn


def claim_task(*, task_id: int, actor: Actor, batch: int | None = None) -> Task:
    """Take a task. Raises TaskHeld (who has it, since when), TaskNotOpen, NotAllowed.

    `batch` is the number of the act on many tasks that it is part of.
    """
    with acting_on(case_of(task_id), actor=actor, closed=True) as (turn, run):
        task = open_task(task_id)
        person = _person(actor)
        if task.holder_id == person.pk:
            return task
        absent = access.stood_in_for(person, task)
        if task.holder_id is None:
            actor = _require_fit_or_stand_in(actor, task)
        elif absent is not None:
            raise TaskHeld(
                f"{absent} has {task} and is away. You stand in for {absent}: do it as it is, or "
                "hand it over."
            )
        else:
            require_fit(person, task)
        if task.holder_id is not None:
            raise TaskHeld(
                f"{task.holder} has {task} since {dates.moment(task.claimed_at)}. Ask for it, or "
                "have a supervisor hand it over."
            )
        task.holder, task.claimed_at = person, turn.now
        task.save(update_fields=["holder", "claimed_at"])
        _record(turn, run, "task.claimed", task, actor, batch=batch, person=person.pk)
        turn.project(run)
    return task


def release_task(*, task_id: int, actor: Actor, reason: str = "", batch: int | None = None) -> Task:
    """Put a task back into its queue. Raises TaskNotOpen, NotAllowed."""
    with acting_on(case_of(task_id), actor=actor, closed=True) as (turn, run):
        task = open_task(task_id)
        _require_own_role(task)
        is_auditor = actor.person is not None and access.AUDITOR in actor.person.roles
        if task.holder_id is None and not is_auditor:
            return task
        access.require(actor, "release task", task)
        actor = access.acting_for(actor, task)
        before = task.holder_id
        task.holder, task.claimed_at = None, None
        task.save(update_fields=["holder", "claimed_at"])
        _record(turn, run, "task.released", task, actor, batch=batch, person=before, reason=reason)
    return task


def hand_over_task(
    *, task_id: int, to: Person, actor: Actor, reason: str, batch: int | None = None
) -> Task:
    """Give a task to another person of its role. Raises TaskNotOpen, NotAllowed, Invalid."""
    if not reason.strip():
        raise Invalid(
            "Say why the task is handed over; the next one reads it.", {"reason": "Needed."}
        )
    with acting_on(case_of(task_id), actor=actor, closed=True) as (turn, run):
        task = open_task(task_id)
        _require_own_role(task)
        access.require(actor, "hand over task", task)
        actor = access.acting_for(actor, task)
        if not to.is_active:
            raise Invalid(f"{to} has left and cannot take tasks.", {"to": "Choose somebody else."})
        require_fit(to, task)
        before = task.holder_id
        task.holder, task.claimed_at = to, turn.now
        task.save(update_fields=["holder", "claimed_at"])
        told = {"to": to.pk, "before": before, "reason": reason}
        _record(turn, run, "task.handed_over", task, actor, batch=batch, **told)
    return task


def complete_task(
    *,
    task_id: int,
    outcome: str,
    reason: str,
    actor: Actor,
    result: dict[str, Any] | None = None,
    seen_number: int | None = None,
) -> Task:
    """Record a person's outcome and let the case go on.

    `seen_number` is the last event the person had before them: facts or documents that changed
    since raise CaseChanged. A review does not go on while a newer version of an accepted paper is
    not accepted itself: PaperNotJudged. Also raises TaskNotOpen, TaskHeld, NotAllowed, Invalid.
    Advice that was asked for this task and is still out is not waited for.
    """
    if Task.objects.filter(pk=task_id, advises__isnull=False).exists():
        return advice.give_advice(task_id=task_id, outcome=outcome, reason=reason, actor=actor)
    with acting_on(case_of(task_id), actor=actor, closed=True) as (turn, run):
        task = open_task(task_id)
        if actor.person is not None:
            if task.holder_id is None:
                require_fit(actor.person, task)
                raise NotAllowed(f"Take {task} first, so that others see who decides.")
            actor = _require_fit_or_stand_in(actor, task)
            if task.holder_id not in (_person(actor).pk, _person_id(actor.on_behalf)):
                raise TaskHeld(f"{task.holder} has {task}; only the holder completes it.")
        _require_outcome(task, outcome, reason)
        clean = _result(task, result or {})
        if task.is_review and not _asks_for_reasons(task, outcome):
            _require_papers_judged(task)
        covers = run.head_number
        if seen_number is not None:
            require_seen(run, seen_number)
            _require_unchanged(turn, run, seen_number)
        task.state, task.closed_at, task.closed_by = "done", turn.now, actor.code
        task.outcome, task.reason, task.result = outcome, reason.strip(), clean
        task.covers_number = covers
        task.save()
        notices.no_longer_overdue(task, reference=run.reference, now=turn.now)
        leaving.cancel_advice([task.pk], run.reference, now=turn.now, cause=actor.code)
        turn.cursor.execute(
            "DELETE FROM timers_timer WHERE case_id = %s AND visit = %s AND command = %s "
            "AND purpose = 'overdue'",
            [task.case_id, task.visit, task.command],
        )
        turn.feed(
            run,
            "task.completed",
            {
                "command": task.command,
                "visit": task.visit,
                "name": task.name,
                "outcome": outcome,
                "reason": reason.strip(),
                "result": clean,
                "covers": covers,
            },
            actor=actor.code,
            on_behalf=actor.on_behalf,
        )
    return task


def _require_own_role(task: Task) -> None:
    if task.advises_id is not None:
        raise NotAllowed(
            f"{task} is asked of {task.holder} alone. Whoever cannot advise says so as its answer."
        )


def _person(actor: Actor) -> Person:
    if actor.person is None:
        raise NotAllowed("Only a person can hold a task.")
    return actor.person


def require_fit(person: Person, task: Task) -> None:
    """The role fits and four eyes are kept. Raises NotAllowed with the reason."""
    if not person.is_active:
        raise NotAllowed(f"{person} is no longer active.")
    if task.role not in person.roles:
        raise NotAllowed(f"{task} is for the role {task.role}, which {person} does not have.")
    if not access.is_within_reach(person, task):
        raise NotAllowed(
            f"{task} is for a {task.role} of the team {task.case.team}, whose case it is; "
            f"{person} belongs to another."
        )
    _require_four_eyes(person, task)


def _require_four_eyes(person: Person, task: Task) -> None:
    """A second, different person; a substitute is both people. Raises NotAllowed with why."""
    if task.is_review and access.is_own_request(person, task.case):
        raise NotAllowed(
            f"{person} opened or works on {task.case.reference} and may not review it: nobody "
            "approves their own request."
        )
    if access.is_barred(person, task):
        raise NotAllowed(
            f"{person} took part before and may not do this one: it needs a second, different "
            "person (four eyes)."
        )


def _require_fit_or_stand_in(actor: Actor, task: Task) -> Actor:
    """Who does it, as history will name them: a substitute may do what the absent one may, if
    nothing keeps either of them from it. Raises NotAllowed with the reason."""
    person = _person(actor)
    absent = access.stood_in_for(person, task)
    if absent is None:
        require_fit(person, task)
        return actor
    if not access.may(person, "complete task", task):
        _require_four_eyes(person, task)
        require_fit(absent, task)
        require_fit(person, task)
    return access.acting_for(actor, task)


def _person_id(code: str) -> int | None:
    """The person of an actor, if it is one."""
    kind, _, key = code.partition(":")
    return int(key) if kind == "person" and key.isdecimal() else None


def _require_outcome(task: Task, outcome: str, reason: str) -> None:
    for value, label, needs_reason in task.outcomes:
        if value == outcome:
            if needs_reason and not reason.strip():
                raise Invalid(
                    f"“{label}” needs a reason; the customer and later readers will see it.",
                    {"reason": "Say why."},
                )
            return
    known = ", ".join(value for value, _, _ in task.outcomes)
    raise Invalid(f"“{outcome}” is no outcome of {task}. It has: {known}.", {"outcome": known})


def _asks_for_reasons(task: Task, outcome: str) -> bool:
    """A no, or a way back. An outcome that needs no reason lets the case go on."""
    return any(value == outcome and needs_reason for value, _, needs_reason in task.outcomes)


def _require_papers_judged(task: Task) -> None:
    """Nobody approves on a paper that was replaced. Raises PaperNotJudged naming each."""
    waiting = papers.unjudged(
        list(Requirement.objects.filter(case_id=task.case_id)),
        list(Document.objects.filter(case_id=task.case_id)),
    )
    if waiting:
        named = "; ".join(
            f"version {one.version} of “{one.filename}” "
            + ("is to be judged" if one.state == "received" else "was rejected")
            for one in waiting
        )
        raise PaperNotJudged(
            f"Not yet: {named}, and the version before it was accepted. The case goes on once the "
            "newest version is accepted."
        )


def _result(task: Task, given: dict[str, Any]) -> dict[str, Any]:
    known = {name for name, _, _ in task.asks}
    extra = set(given) - known
    if extra:
        raise Invalid(
            f"{task} does not ask for {', '.join(sorted(extra))}.",
            dict.fromkeys(extra, "Not asked for."),
        )
    kinds, clean = {name: kind for name, _, kind in task.asks}, {}
    for name, value in given.items():
        if value in ("", None):
            continue
        try:
            clean[name] = amounts.read(value) if kinds[name] == "money" else value
        except amounts.Unreadable as error:
            raise Invalid(f"{task} was not done. {name}: {error}", {name: str(error)}) from error
    return clean


_TELLING = ("facts.changed", "document.received", "document.accepted", "document.rejected")


def _require_unchanged(turn: Turn, run: Run, seen: int) -> None:
    news: list[Recorded] = [e for e in run.events if e.number > seen and e.type in _TELLING]
    if news:
        what = "; ".join(_news(event) for event in news[:5])
        raise CaseChanged(
            f"{run.reference} changed after you opened it: {what}. Look again, then decide."
        )


def _news(event: Recorded) -> str:
    if event.type == "facts.changed":
        return ", ".join(
            f"{name} from {before} to {after}"
            for name, (before, after) in event.data["changes"].items()
        )
    return f"{event.data['name']} {event.type.removeprefix('document.')}"


def _record(
    turn: Turn,
    run: Run,
    type: str,
    task: Task,
    actor: Actor,
    *,
    batch: int | None = None,
    **data: Any,
) -> None:
    if batch is not None:
        data["batch"] = batch
    turn.record(
        run,
        type,
        {"task": task.command, "visit": task.visit, "name": task.name, **data},
        actor=actor.code,
        on_behalf=actor.on_behalf,
    )
