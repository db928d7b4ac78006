"""Who should get which case: by load and absence, to a substitute, or to nobody."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Count, Q

from cases import access
from cases.absence import away_now, today
from cases.models import Absence, Case, Person, Task, Team
from processes.acts.bulk import plan_key

CAPACITY = 30  # open cases at a time, of a person for whom none is said


@dataclass(slots=True)
class Candidate:
    """A caseworker who may get cases, with what they have already."""

    person: Person
    cases: int
    absence: Absence | None

    @property
    def load(self) -> float:
        """The share of their capacity that they would have with one case more."""
        return (self.cases + 1) / max(self.person.capacity or CAPACITY, 1)


def candidates(team: Team, *, without: Person | None = None) -> list[Candidate]:
    """The active caseworkers of a team, the least loaded first; those who are away last."""
    people = (
        Person.objects.filter(team=team, is_active=True, groups__name=access.CASEWORKER)
        .exclude(pk=without.pk if without else None)
        .distinct()
        .order_by("last_name", "first_name", "username")
    )
    held = dict(
        Case.objects.filter(owner__in=people.values("pk"), closed_at=None)
        .order_by()
        .values_list("owner")
        .annotate(n=Count("pk"))
    )
    away = away_now(people)
    found = [Candidate(one, held.get(one.pk, 0), away.get(one.pk)) for one in people]
    return sorted(found, key=lambda one: (one.absence is not None, one.load))


def spread(cases: Sequence[Case], among: Iterable[Candidate]) -> dict[str, int | None]:
    """Each case to whoever has the least load then, and is not away. Nobody there: to nobody."""
    here = [one for one in among if one.absence is None]
    plan: dict[str, int | None] = {}
    for case in cases:
        least = min(here, key=lambda one: one.load, default=None)
        plan[plan_key(case_id=case.pk)] = least.person.pk if least else None
        if least is not None:
            least.cases += 1
    return plan


RULES = ("substitute", "spread", "queue")


def plan_by_rule(
    rule: str, *, person: Person, team: Team, cases: Sequence[Case], tasks: Sequence[Task]
) -> dict[str, int | None]:
    """Where the work of somebody who leaves goes. Tasks in hand go to the substitute where that
    one has their role, and else back to their queues: whoever takes them sees to four eyes."""
    plan: dict[str, int | None] = {plan_key(case_id=one.pk): None for one in cases}
    plan |= {plan_key(task_id=one.pk): None for one in tasks}
    if rule == "spread":
        plan |= spread(cases, candidates(team, without=person))
    elif rule == "substitute" and (other := substitute_of(person)) is not None:
        if access.CASEWORKER in other.roles:
            plan |= {plan_key(case_id=one.pk): other.pk for one in cases}
        plan |= {plan_key(task_id=one.pk): other.pk for one in tasks if one.role in other.roles}
    return plan


def substitute_of(person: Person) -> Person | None:
    """Who stands in for a person now, or will the next time that they are away."""
    found = (
        Absence.objects.filter(person=person, until_date__gte=today())
        .filter(Q(substitute__is_active=True))
        .select_related("substitute")
        .order_by("from_date")
        .first()
    )
    return found.substitute if found else None
