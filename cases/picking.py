"""The next thing to take: what nobody has, the most pressing first, without what one may not do."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from cases import access
from cases.models import Case, Person, Task
from cases.worklist import next_cases, next_tasks

LOOKED_AT = 50  # of each; past this somebody takes by hand


@dataclass(frozen=True, slots=True)
class Next:
    """A task or a case that a person can take. `passed_over`: more pressing ones that they may
    not do."""

    thing: Task | Case
    due_at: datetime | None
    passed_over: int

    @property
    def case(self) -> Case:
        return self.thing.case if isinstance(self.thing, Task) else self.thing

    @property
    def key(self) -> str:
        return f"{'t' if isinstance(self.thing, Task) else 'c'}{self.thing.pk}"


def next_for(person: Person) -> list[Next]:
    """What this person can take, the most pressing first: four eyes are kept, and a case is taken
    by caseworkers alone."""
    parts = (part.select_related("case")[:LOOKED_AT] for part in next_tasks(person))
    tasks = [task for part in parts for task in part]
    access.foresee(person, [task.case for task in tasks])
    cases = list(next_cases(person)[:LOOKED_AT]) if access.CASEWORKER in person.roles else []
    things: list[tuple[Task | Case, datetime | None]] = [(one, one.due_at) for one in tasks]
    things += [(one, one.waiting_until) for one in cases]
    things.sort(key=lambda pair: (pair[1] is None, pair[1] or _opened(pair[0]), pair[0].pk))
    found, passed_over = [], 0
    for thing, due_at in things:
        act = "claim task" if isinstance(thing, Task) else "assign case"
        if access.may(person, act, thing):
            found.append(Next(thing, due_at, passed_over))
        else:
            passed_over += 1
    return found


def _opened(thing: Task | Case) -> datetime:
    return thing.opened_at
