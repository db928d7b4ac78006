"""How a session finds its person: with their team and roles, in one query of every page."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import Group
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, QuerySet

from cases import absence
from cases.models import Absence, Person, Team


class PersonBackend(ModelBackend):
    """Django's own, for people with what every page asks of them."""

    def get_user(self, user_id: Any) -> Person | None:
        person = (
            Person.objects.select_related("team")
            .annotate(
                role_names=ArraySubquery(Group.objects.filter(user=OuterRef("pk")).values("name")),
                led=ArraySubquery(Team.objects.filter(leaders=OuterRef("pk")).values("pk")),
                stood_in_for=ArraySubquery(_absences(OuterRef("pk")).values("person")),
            )
            .filter(pk=user_id)
            .first()
        )
        if person is None or not self.user_can_authenticate(person):
            return None
        person.__dict__["_roles"] = frozenset(person.role_names)
        person.__dict__["_led"] = frozenset(person.led)
        if not person.stood_in_for:
            absence.knows_of_none(person)
        return person


def _absences(substitute: OuterRef) -> QuerySet[Absence]:
    day = absence.today()
    return Absence.objects.filter(substitute=substitute, from_date__lte=day, until_date__gte=day)
