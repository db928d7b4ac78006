"""Remind me: told of a case on the morning of a day, by the clock, until it closes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from audit.read import events_of
from cases import dates
from cases.actors import Actor
from cases.errors import CaseClosed, Invalid, NotAllowed
from cases.models import Notice, Reminder
from processes.acts.reminders import cancel_reminder, set_reminder
from processes.engine.verify import verify
from timers import clock
from timers.models import Timer

pytestmark = pytest.mark.django_db(transaction=True)


def in_days(n: int) -> Any:
    return dates.local_date(clock.now()) + timedelta(days=n)


def types_of(case: Any) -> list[str]:
    return [e.type for e in events_of(case.pk) if e.type.startswith("reminder.")]


def test_it_comes_on_the_morning_of_its_day_once(desk: Any) -> None:
    case = desk.open("patience")
    sanne = Actor.of(desk.people.sanne)
    set_reminder(case_id=case.pk, day=in_days(3), text="Call Mr Hartog", actor=sanne)
    assert list(verify()) == []

    desk.engine.advance(days=2)
    assert not Notice.objects.filter(person=desk.people.sanne).exists()
    desk.engine.advance(days=2)

    (notice,) = Notice.objects.filter(person=desk.people.sanne)
    assert notice.text == "Call Mr Hartog"
    assert not Reminder.objects.exists()
    assert types_of(case) == ["reminder.set", "reminder.came"]
    assert list(verify()) == []


def test_another_day_takes_its_place_and_the_same_again_changes_nothing(desk: Any) -> None:
    case = desk.open("patience")
    sanne = Actor.of(desk.people.sanne)
    for days in (3, 3, 5, 5):
        set_reminder(case_id=case.pk, day=in_days(days), actor=sanne)
    assert types_of(case) == ["reminder.set", "reminder.cancelled", "reminder.set"]
    assert cancel_reminder(case_id=case.pk, actor=sanne)
    assert not cancel_reminder(case_id=case.pk, actor=sanne)
    assert not Timer.objects.filter(purpose="reminder").exists()
    assert list(verify()) == []


def test_it_is_gone_when_the_case_closes(desk: Any) -> None:
    case = desk.open("patience")
    set_reminder(case_id=case.pk, day=in_days(40), actor=Actor.of(desk.people.sanne))
    desk.engine.advance(days=31)  # no documents: the trial fails by itself
    assert desk.fresh(case).closed_at
    assert not Reminder.objects.exists()
    assert not Timer.objects.filter(purpose="reminder").exists()
    assert list(verify()) == []
    with pytest.raises(CaseClosed):
        set_reminder(case_id=case.pk, day=in_days(40), actor=Actor.of(desk.people.sanne))


def test_only_those_who_see_the_case_and_a_day_ahead(desk: Any) -> None:
    case = desk.open("patience")
    for stranger in (desk.people.eve, desk.people.ada):
        with pytest.raises(NotAllowed):
            set_reminder(case_id=case.pk, day=in_days(3), actor=Actor.of(stranger))
    for days in (-1, 0, 4000):
        with pytest.raises(Invalid):
            set_reminder(case_id=case.pk, day=in_days(days), actor=Actor.of(desk.people.sanne))
    assert types_of(case) == []


def test_one_person_has_theirs_beside_another(desk: Any) -> None:
    case = desk.open("patience")
    for person in (desk.people.sanne, desk.people.petra):
        set_reminder(case_id=case.pk, day=in_days(3), actor=Actor.of(person))
    cancel_reminder(case_id=case.pk, actor=Actor.of(desk.people.petra))
    assert Reminder.objects.get().person == desk.people.sanne
    assert list(verify()) == []
