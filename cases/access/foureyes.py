"""Four eyes: who took part in a case, and may not judge it for that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from audit.models import Event
from cases.access.scope import selves
from cases.models import Case, Person, Task


def is_own_request(person: Person, case: Case) -> bool:
    """Whether the case is this person's own: they opened it, somebody opened it for them, they are
    or were its caseworker, they changed its facts or judged its papers, or they did that one's work
    as a substitute. Such a person reviews nothing of it, whatever roles they have, also after they
    gave it away. While somebody stands in for another, either counts."""
    both = selves(person)
    if case.owner_id in both:
        return True
    if (known := _foreseen(person, case)) is not None:
        return known.is_own
    codes = [f"person:{one}" for one in both]
    opened = Q(number=1) & (Q(actor__in=codes) | Q(on_behalf__in=codes))
    stood_in = Q(actor__in=codes, on_behalf=f"person:{case.owner_id}")
    worked = Q(type__in=WORKING) & (Q(actor__in=codes) | Q(on_behalf__in=codes))
    told = Event.objects.filter(case_id=case.pk)
    if told.filter(opened | stood_in | worked).exists():
        return True
    given = told.filter(type__in=GIVING).values_list("data", flat=True)
    return any(_caseworkers_in(data) & set(both) for data in given)


# What whoever works on a case does to what a review rests on.
WORKING = ("facts.changed", "document.accepted", "document.rejected")
GIVING = ("case.opened", "case.assigned")  # whose data name a caseworker


def _caseworkers_in(data: Any) -> set[int]:
    """Whom such an event made the caseworker, and who was it before."""
    return {found for name in ("owner", "before") if isinstance(found := data.get(name), int)}


def is_barred(person: Person, task: Task) -> bool:
    """Four eyes: the task must not be done by this person, nor by one they stand in for, nor by
    one for whom a barred person decided before."""
    if not task.unlike:
        return False
    codes = [f"person:{one}" for one in selves(person)]
    if set(codes) & set(task.unlike):
        return True
    if (known := _foreseen(person, task.case)) is not None:
        return bool(known.decided_for & set(task.unlike))
    return Event.objects.filter(
        case_id=task.case_id,
        type="task.completed",
        actor__in=list(task.unlike),
        on_behalf__in=codes,
    ).exists()


@dataclass(frozen=True, slots=True)
class _Foreseen:
    """What four eyes look for in the history of a case, for one person."""

    is_own: bool
    decided_for: frozenset[str]  # who decided on behalf of this person, or of their other self


def foresee(person: Person, cases: Sequence[Case]) -> None:
    """Read in one query what `is_own_request` and `is_barred` ask of these cases for this person:
    for lists, where each would be a query of its own. Acts ask anew, under the lock."""
    codes = {f"person:{one}" for one in selves(person)}
    told = Event.objects.filter(case_id__in=[case.pk for case in cases]).filter(
        Q(number=1)
        | Q(actor__in=codes, on_behalf__startswith="person:")
        | Q(on_behalf__in=codes)
        | Q(actor__in=codes, type__in=WORKING)
        | Q(type__in=GIVING)
    )
    both = set(selves(person))
    own: dict[int, bool] = {}
    decided: dict[int, set[str]] = {}
    owner_of = {case.pk: f"person:{case.owner_id}" for case in cases}
    for case_id, number, kind, actor, on_behalf, data in told.values_list(
        "case_id", "number", "type", "actor", "on_behalf", "data"
    ):
        opened = number == 1 and bool({actor, on_behalf} & codes)
        worked = kind in WORKING and bool({actor, on_behalf} & codes)
        given = kind in GIVING and bool(_caseworkers_in(data) & both)
        if opened or worked or given or (actor in codes and on_behalf == owner_of[case_id]):
            own[case_id] = True
        if kind == "task.completed" and on_behalf in codes:
            decided.setdefault(case_id, set()).add(actor)
    for case in cases:
        case.__dict__.setdefault("_foreseen", {})[person.pk] = _Foreseen(
            own.get(case.pk, False), frozenset(decided.get(case.pk, ()))
        )


def _foreseen(person: Person, case: Case) -> _Foreseen | None:
    return case.__dict__.get("_foreseen", {}).get(person.pk)
