"""Acts on people: somebody leaves the organisation, or may no longer do what they hold."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from cases import access
from cases.accounts import note_change
from cases.actors import Actor
from cases.errors import NotAllowed
from cases.models import Case, Person, Task
from processes.acts import advice, clients
from processes.acts.locking import acting_on
from processes.engine import notices
from timers import clock


def deactivate_person(*, person: Person, actor: Actor, reason: str = "") -> int:
    """Let a person go: they can no longer sign in or be given work, and what they hold returns to
    its queues at once, each with an entry in its case. Their tokens end, for good. Due dates stay,
    and so does their name on what they decided. The supervisors of the teams learn of cases that
    are without a caseworker now. Safe to repeat. Returns how many tasks were released. Raises
    NotAllowed.
    """
    if actor.person is not None and not access.may(actor.person, "let person go", person):
        raise NotAllowed(
            f"{actor.person} may not let {person} go; a supervisor of their team can, or an "
            "administrator."
        )
    if actor.person is not None and actor.person.pk == person.pk:
        raise NotAllowed("Nobody lets themselves go; a supervisor or an administrator can.")
    with transaction.atomic():
        # First, so that whatever is claimed from here on is refused.
        held = Person.objects.select_for_update().filter(pk=person.pk)
        if held.filter(is_active=True).update(is_active=False):
            note_change("person.left", actor=actor, person=person, why=reason)
            _tell_supervisors(person)
        clients.revoke_tokens(person=person, actor=actor)
    held = Task.objects.filter(holder=person, state="open").order_by("case_id", "pk")
    released = _release(list(held), person=person, actor=actor, reason=reason or _left(person))
    person.is_active = False
    return released


def release_unfit(*, person: Person, actor: Actor) -> int:
    """What somebody holds and may no longer do, as their roles or teams have changed, returns to
    its queues, each with an entry in its case. Advice stays: it was asked of them, not of a role.
    Safe to repeat. Returns how many tasks were released."""
    now = Person.objects.get(pk=person.pk)
    held = Task.objects.filter(holder=now, state="open", advises=None).select_related("case")
    unfit = [task for task in held.order_by("case_id", "pk") if not _may_hold(now, task)]
    reason = f"{now} no longer has the role or team for it."
    return _release(unfit, person=now, actor=actor, reason=reason)


def _may_hold(person: Person, task: Task) -> bool:
    fits = task.role in person.roles and access.is_within_reach(person, task)
    return fits or access.stood_in_for(person, task) is not None


def _release(held: Sequence[Task], *, person: Person, actor: Actor, reason: str) -> int:
    released = 0
    for task_id, case_id in [(one.pk, one.case_id) for one in held]:
        with acting_on(case_id, actor=actor, closed=True) as (turn, run):
            task = Task.objects.get(pk=task_id)
            if task.holder_id != person.pk or not task.is_open:
                continue
            if task.advises_id is not None:
                advice.withdraw_advice(turn, run, task, actor=actor, reason=reason)
                continue
            task.holder, task.claimed_at = None, None
            task.save(update_fields=["holder", "claimed_at"])
            turn.record(
                run,
                "task.released",
                {
                    "task": task.command,
                    "visit": task.visit,
                    "name": task.name,
                    "person": person.pk,
                    "reason": reason,
                },
                actor=actor.code,
                on_behalf=actor.on_behalf,
            )
            turn.project(run)
            released += 1
    return released


def _tell_supervisors(person: Person) -> None:
    """One notice for each team, on the oldest of the cases that are without a caseworker now."""
    left = Case.objects.filter(owner=person, closed_at=None)
    by_team: dict[int | None, list[int]] = {}
    for team, pk in left.order_by("opened_at", "pk").values_list("team", "pk"):
        by_team.setdefault(team, []).append(pk)
    for cases in by_team.values():
        notices.tell_left(case_id=cases[0], who=str(person), count=len(cases), now=clock.now())


def _left(person: Person) -> str:
    return f"{person} has left."
