"""Filters that are spelled once hold what changes between two uses."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group

from cases import access, noticeboard
from cases.actors import Actor
from cases.models import Case, Notice, Person
from processes.acts.absences import enter_absence
from processes.acts.openings import open_restricted
from timers import clock

pytestmark = pytest.mark.django_db(transaction=True)


def seen_by(person: Person) -> set[int]:
    """As the next request finds it, whose person is read anew; both ways say the same."""
    asked = Person.objects.get(pk=person.pk)
    found = set(Case.objects.filter(pk__in=access.visible_pks(asked)).values_list("pk", flat=True))
    assert found == set(access.visible_cases(asked).values_list("pk", flat=True))
    return found


def test_each_change_of_what_somebody_sees_counts_at_once(desk: Any) -> None:
    eve, case = desk.people.eve, desk.open("patience")
    assert seen_by(desk.people.sanne) == seen_by(desk.people.ada) == {case.pk}
    assert seen_by(eve) == set()
    reviewed = desk.open("review")
    eve.groups.add(Group.objects.get(name="underwriter"))  # a role
    assert seen_by(eve) == {reviewed.pk}
    Person.objects.filter(pk=eve.pk).update(team=desk.people.sanne.team)  # a team
    assert seen_by(eve) == {case.pk, reviewed.pk}
    Person.objects.filter(pk=eve.pk).update(is_active=False)
    assert seen_by(eve) == set()


@pytest.mark.unsound("a case is restricted by hand")
def test_a_day_a_substitute_and_a_moment_count_too(desk: Any) -> None:
    eve, sanne, case = desk.people.eve, desk.people.sanne, desk.open("patience")
    today = clock.now().date()
    enter_absence(
        person=sanne,
        from_date=today + timedelta(days=1),
        until_date=today + timedelta(days=1),
        substitute=eve,
        actor=Actor.of(sanne),
    )
    assert isinstance(today, date) and seen_by(eve) == set()
    desk.engine.advance(days=1)
    assert seen_by(eve) == {case.pk}
    desk.engine.advance(days=1)
    assert seen_by(eve) == set()

    # A restricted case, opened for some hours
    Case.objects.filter(pk=case.pk).update(restricted=True)
    milan = Person.objects.get(pk=desk.people.petra.pk)
    assert case.pk not in seen_by(milan)
    open_restricted(case_id=case.pk, purpose="complaint", reason="A call.", actor=Actor.of(milan))
    assert case.pk in seen_by(milan)
    desk.engine.advance(days=30)
    assert case.pk not in seen_by(milan)


def test_the_bar_counts_what_the_page_lists(desk: Any) -> None:
    case, petra = desk.open("patience"), desk.people.petra

    def told() -> tuple[int, int]:
        asked = Person.objects.get(pk=petra.pk)
        return noticeboard.unread_count(asked, most=100), noticeboard.unread(asked).count()

    assert told() == (0, 0)
    for number in range(3):
        Notice.objects.create(
            person=petra, case=case, kind="other", text=f"{number}", written_at=clock.now()
        )
    assert told() == (3, 3)
    assert noticeboard.unread_count(petra, most=2) == 2
    noticeboard.mark_read(petra, [Notice.objects.order_by("pk")[0].pk])
    assert told() == (2, 2)
    noticeboard.mute(petra, ["other"])
    assert told() == (0, 0)
