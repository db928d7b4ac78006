"""Who is away today, and for whom somebody stands in.

Days are those of the organisation's time zone. There are no chains: whoever stands in for a person
who stands in for a third does not reach the third's cases.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from django.db.models import OuterRef, Subquery

from cases import dates
from cases.models import Absence, Person
from timers import clock

# On the person, by attribute: the one of a request stands behind a proxy with a dict of its own.
_KEPT = "_stands_in_for"


def today() -> date:
    """The day it is where the organisation works."""
    return dates.local_date(clock.now())


def away_now(people: Iterable[Person | int]) -> dict[int, Absence]:
    """Which of these people are away today, by their id; one query. Who has left is not away."""
    ids = {one if isinstance(one, int) else one.pk for one in people}
    day = today()
    found = Absence.objects.filter(
        person__in=ids, person__is_active=True, from_date__lte=day, until_date__gte=day
    )
    return {one.person_id: one for one in found.select_related("substitute")}


def away_until(person: str) -> Subquery:
    """Until which day the person in this column is away today; null for one who is here. For
    lists, where `away_now` would be one more query."""
    day = today()
    found = Absence.objects.filter(
        person=OuterRef(person), person__is_active=True, from_date__lte=day, until_date__gte=day
    )
    return Subquery(found.order_by("-until_date").values("until_date")[:1])


def stands_in_for(person: Person) -> list[Person]:
    """The people whom this person stands in for today. One query a day and object."""
    day = today()
    known: tuple[date, list[Person]] | None = getattr(person, _KEPT, None)
    if known is not None and known[0] == day:
        return known[1]
    found = Person.objects.filter(
        absences__substitute=person,
        absences__from_date__lte=day,
        absences__until_date__gte=day,
        is_active=True,
    ).distinct()
    people = list(found)
    setattr(person, _KEPT, (day, people))
    return people


def knows_of_none(person: Person) -> None:
    """A query has just found that this person stands in for nobody today."""
    setattr(person, _KEPT, (today(), []))


def forget(person: Person | None) -> None:
    """Ask anew whom this person stands in for: an absence was entered or ended."""
    if person is not None and hasattr(person, _KEPT):
        delattr(person, _KEPT)


def overlapping(person: Person, first: date, last: date) -> list[Absence]:
    """This person's absences that share a day with this span."""
    found = Absence.objects.filter(person=person, from_date__lte=last, until_date__gte=first)
    return list(found.select_related("substitute"))
