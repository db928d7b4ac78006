"""Acts on people: somebody leaves the organisation."""

from __future__ import annotations

from django.db import transaction

from cases import access
from cases.accounts import note_change
from cases.actors import Actor
from cases.errors import NotAllowed
from cases.models import Person, Task
from processes.acts import advice
from processes.acts.locking import acting_on


def deactivate_person(*, person: Person, actor: Actor, reason: str = "") -> int:
    """Let a person go: they can no longer sign in or be given work, and what they hold returns to
    its queues at once, each with an entry in its case. Due dates stay, and so does their name on
    what they decided. Safe to repeat. Returns how many tasks were released. Raises NotAllowed.
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
    released = 0
    held = Task.objects.filter(holder=person, state="open").order_by("case_id", "pk")
    for task_id, case_id in held.values_list("pk", "case_id"):
        with acting_on(case_id, actor=actor, closed=True) as (turn, run):
            task = Task.objects.get(pk=task_id)
            if task.holder_id != person.pk or not task.is_open:
                continue
            if task.advises_id is not None:
                advice.withdraw_advice(turn, run, task, actor=actor, reason=reason or _left(person))
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
                    "reason": reason or _left(person),
                },
                actor=actor.code,
                on_behalf=actor.on_behalf,
            )
            turn.project(run)
            released += 1
    person.is_active = False
    return released


def _left(person: Person) -> str:
    return f"{person} has left."
