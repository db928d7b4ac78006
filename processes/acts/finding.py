"""Finding the task that an act is about."""

from __future__ import annotations

from cases import dates
from cases.errors import TaskNotOpen
from cases.models import Person, Task


def case_of(task_id: int) -> int:
    """The case of a task. Raises TaskNotOpen where there is none."""
    found = Task.objects.filter(pk=task_id).values_list("case_id", flat=True)
    if not found:
        raise TaskNotOpen("There is no such task.")
    return found[0]


def open_task(task_id: int) -> Task:
    """The task, afresh under the case's lock, which every act on it takes first."""
    task = Task.objects.select_related("case", "holder").get(pk=task_id)
    if not task.is_open:
        how = f"“{task.outcome}” by {_name(task.closed_by)}" if task.outcome else "withdrawn"
        raise TaskNotOpen(f"{task} was closed on {dates.moment(task.closed_at)}: {how}.")
    return task


def _name(actor: str) -> str:
    kind, _, key = actor.partition(":")
    if kind == "person":
        return str(Person.objects.get(pk=int(key)))
    return "Longcase" if kind == "engine" else key
