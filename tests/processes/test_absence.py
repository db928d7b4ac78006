"""Absence: for some days another sees and does a person's own work, and history names both."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from cases import absence, access
from cases.actors import Actor
from cases.errors import Invalid, NotAllowed
from cases.models import Absence, AccountChange, Case, Person
from processes.acts import absences, tasks
from processes.acts.cases import assign_case, change_facts, open_case
from tests.cases.conftest import Visitor
from tests.processes.conftest import SERVICE, Trials

pytestmark = pytest.mark.django_db(transaction=True)


def away(person: Person, substitute: Person | None, *, days: int = 7, by: Person) -> Absence:
    entered = absences.enter_absence(
        person=person,
        from_date=absence.today(),
        until_date=absence.today() + timedelta(days=days),
        substitute=substitute,
        reason="leave",
        actor=Actor.of(by),
    )
    person.__dict__.pop("_stands_in_for", None)
    return entered


def case_of(trials: Trials, owner: Person, script: str = "staff", **more: Any) -> Case:
    case = open_case(
        kind="trial",
        facts={"script": script},
        title="Hartog Bakery",
        actor=SERVICE,
        owner=owner,
        team=owner.team,
        **more,
    )
    trials.settle()
    return case


def test_a_substitute_does_a_colleagues_own_work_and_both_names_stay(
    trials: Trials, people: Any
) -> None:
    # Given a restricted case of Sanne's, and one of her team that is not hers; Eve is of another
    own = case_of(trials, people.sanne, restricted=True)
    teams = case_of(trials, people.petra)
    assert not access.can_see(people.eve, own)

    # When Sanne is away and Eve stands in for her
    away(people.sanne, people.eve, by=people.petra)

    # Then Eve sees and changes Sanne's own case, and no other of the team
    assert access.can_see(people.eve, own) and not access.can_see(people.eve, teams)
    assert not access.may(people.eve, "work on case", teams)
    change_facts(
        case_id=own.pk, changes={"amount": 900}, reason="new offer", actor=Actor.of(people.eve)
    )
    event = trials.last(own, "facts.changed")
    assert (event.actor, event.on_behalf) == (
        f"person:{people.eve.pk}",
        f"person:{people.sanne.pk}",
    )
    assert "Eve Outside for Sanne de Wit" in Visitor(people.eve).open(
        f"/cases/{own.reference}/history/"
    )

    # And when Sanne is back, Eve does not any more
    trials.engine.advance(days=9)
    assert not access.can_see(people.eve, own)
    with pytest.raises(NotAllowed):
        change_facts(
            case_id=own.pk, changes={"amount": 1}, reason="late", actor=Actor.of(people.eve)
        )


def test_a_substitute_completes_a_held_task_and_no_more(
    trials: Trials, people: Any, bram: Person
) -> None:
    held, free = trials.open("review"), trials.open("review")
    task = trials.claim(held, people.milan)
    away(people.milan, people.sanne, by=people.petra)

    # Sanne is no underwriter: what nobody holds is not hers to take
    with pytest.raises(NotAllowed, match="role underwriter"):
        trials.claim(free, people.sanne)
    with pytest.raises(NotAllowed):  # and whoever stands in for nobody gets nothing
        tasks.complete_task(
            task_id=task.pk, outcome="approve", reason="", actor=Actor.of(people.eve)
        )

    page = Visitor(people.sanne).open(f"/tasks/{task.pk}/")
    assert page.status == 200 and page.send(f"/tasks/{task.pk}/", outcome="approve").status == 200
    done = trials.last(held, "task.completed")
    assert (done.actor, done.on_behalf) == (
        f"person:{people.sanne.pk}",
        f"person:{people.milan.pk}",
    )


def test_four_eyes_take_a_substitute_for_both_people(
    trials: Trials, people: Any, bram: Person
) -> None:
    # Given a first review that Ayşe decided for Milan, who holds it and is away
    case = trials.open("review")
    task = trials.claim(case, people.milan)
    entered = away(people.milan, people.ayse, by=people.petra)
    tasks.complete_task(task_id=task.pk, outcome="approve", reason="", actor=Actor.of(people.ayse))
    trials.settle()

    # Then neither of them does the second one: not now, and not after Milan is back
    for person in (people.ayse, people.milan):
        with pytest.raises(NotAllowed, match="four eyes"):
            trials.claim(case, person)
    absences.end_absence(absence_id=entered.pk, actor=Actor.of(people.milan))
    for person in (people.ayse, people.milan):
        with pytest.raises(NotAllowed, match="four eyes"):
            trials.claim(case, person)
    trials.decide(case, bram)

    # And whoever stands in for a caseworker reviews nothing of that one's cases, then or later
    mine = case_of(trials, people.sanne, script="review")
    assert access.may(bram, "claim task", trials.task(mine))
    back = away(people.sanne, bram, by=people.petra)
    with pytest.raises(NotAllowed, match="own request"):
        trials.claim(mine, bram)
    change_facts(case_id=mine.pk, changes={"amount": 5}, reason="told", actor=Actor.of(bram))
    absences.end_absence(absence_id=back.pk, actor=Actor.of(people.sanne))
    bram = Person.objects.get(pk=bram.pk)
    with pytest.raises(NotAllowed, match="own request"):
        trials.claim(mine, bram)


def test_there_are_no_chains(trials: Trials, people: Any, joris: Person) -> None:
    case = case_of(trials, people.sanne)
    away(people.sanne, joris, by=people.petra)
    away(joris, people.eve, by=people.petra)
    assert access.can_see(joris, case) and not access.can_see(people.eve, case)


def test_an_absence_is_entered_by_oneself_or_ones_supervisor_and_never_overlaps(
    people: Any, joris: Person, clock: Any
) -> None:
    today = absence.today()

    def enter(by: Person, person: Person, first: int, last: int, **more: Any) -> Absence:
        return absences.enter_absence(
            person=person,
            from_date=today + timedelta(days=first),
            until_date=today + timedelta(days=last),
            actor=Actor.of(by),
            **more,
        )

    for outsider in (people.eve, joris, people.ada, people.otto):
        with pytest.raises(NotAllowed):
            enter(outsider, people.sanne, 0, 3)
    enter(people.sanne, people.sanne, 0, 3, substitute=joris)
    with pytest.raises(Invalid, match="already"):
        enter(people.petra, people.sanne, 3, 9)
    enter(people.petra, people.sanne, 4, 9)
    with pytest.raises(Invalid, match="before the first"):
        enter(people.sanne, people.sanne, 20, 19)
    with pytest.raises(Invalid, match="over"):
        enter(people.sanne, people.sanne, -3, -1)
    with pytest.raises(Invalid, match="themselves"):
        enter(people.sanne, people.sanne, 30, 31, substitute=people.sanne)
    with pytest.raises(Invalid, match="auditor"):
        enter(people.sanne, people.sanne, 30, 31, substitute=people.ada)

    assert set(absence.away_now([people.sanne, joris])) == {people.sanne.pk}
    first = Absence.objects.order_by("from_date").first()
    assert first is not None
    absences.end_absence(absence_id=first.pk, actor=Actor.of(people.petra))
    assert not absence.away_now([people.sanne])
    with pytest.raises(absences.AbsenceOver):
        absences.end_absence(absence_id=first.pk, actor=Actor.of(people.petra))

    told = AccountChange.objects.filter(person=people.sanne).order_by("pk")
    assert [one.what for one in told] == ["absence.entered", "absence.entered", "absence.ended"]
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        told.update(why="something else")


def test_a_case_given_to_another_is_the_substitutes_no_more(
    trials: Trials, people: Any, joris: Person
) -> None:
    case = case_of(trials, people.sanne, restricted=True)
    away(people.sanne, people.eve, by=people.petra)
    assign_case(case_id=case.pk, owner=joris, actor=Actor.of(people.eve), reason="too much")
    assert trials.last(case, "case.assigned").on_behalf == f"person:{people.sanne.pk}"
    assert not access.can_see(people.eve, case)
