"""How long a case is kept is reckoned from what it rests on, each time somebody asks."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from cases.actors import Actor
from cases.errors import Invalid, NotAllowed
from cases.models import AccountChange, Case
from processes import retention
from processes.acts.cases import get_case
from processes.acts.reopening import reopen_case
from processes.acts.retention import change_retention, restore_retention
from processes.kinds import kind_of, kinds
from processes.retention import Retention, kept

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    ("start", "rule", "until"),
    [
        (date(2026, 12, 1), Retention(years=5), date(2031, 12, 1)),
        (date(2028, 2, 29), Retention(years=1), date(2029, 2, 28)),
        (date(2027, 1, 31), Retention(months=1), date(2027, 2, 28)),
        (date(2026, 12, 31), Retention(months=18), date(2028, 6, 30)),
    ],
)
def test_a_span_ends_on_the_same_day_or_the_last_of_the_month(
    start: date, rule: Retention, until: date
) -> None:
    assert rule.last(start) == until


@pytest.fixture
def closed(desk: Any) -> Case:
    case = desk.open("patience")
    desk.engine.advance(days=31)
    return desk.fresh(case)


def test_it_explains_itself(office: Any, engine: Any) -> None:
    case = office.open()
    engine.settle()
    assert "kept for 1 year from its end" in kept(get_case(case.pk)).sentence
    office.withdraw(case)
    engine.settle()
    found = kept(get_case(case.pk))
    assert found.until == date(2027, 11, 30)
    assert found.sentence == (
        "Kept until 30 Nov 2027: 1 year from 30 Nov 2026, when it was closed "
        "(credit policy: applications that came to nothing)."
    )
    assert not found.has_come(date(2027, 11, 29)) and found.has_come(date(2027, 11, 30))


def test_a_case_that_is_opened_again_has_no_date_and_then_a_later_one(
    desk: Any, closed: Case
) -> None:
    first = kept(closed).until
    assert first is not None
    reopen_case(case_id=closed.pk, reason="Papers came.", actor=Actor.of(desk.people.sanne))
    desk.engine.settle()
    assert kept(desk.fresh(closed)).until is None
    desk.engine.advance(days=31)
    again = kept(desk.fresh(closed)).until
    assert again is not None and again > first


def test_a_changed_rule_counts_at_once_and_is_on_record(anna: Any, ruth: Any, closed: Case) -> None:
    kind = kind_of("trial")
    given = {"kind": kind, "ending": "failed", "since": "closed", "basis": "policy 7"}
    change_retention(**given, months=24, why="The policy changed.", actor=Actor.of(anna))
    assert kept(closed).until == date(2028, 12, 30)
    note = AccountChange.objects.get(what="retention.changed")
    assert (note.why, note.by) == ("The policy changed.", f"person:{anna.pk}")
    assert note.data["changes"]["months"] == [84, 24]
    with pytest.raises(NotAllowed):
        change_retention(**given, months=1, why="x", actor=Actor.of(ruth))
    with pytest.raises(Invalid):
        change_retention(**given, months=0, why="x", actor=Actor.of(anna))
    restore_retention(kind=kind, ending="failed", why="A mistake.", actor=Actor.of(anna))
    assert kept(closed).until == date(2033, 12, 30)


def test_a_case_is_kept_as_long_as_one_that_it_belongs_with_is_open(desk: Any) -> None:
    case = desk.open("parent")
    child = Case.objects.get(parent=case.pk)
    near = retention.open_near_to([case.pk, child.pk])
    assert near == {case.pk: [child.reference], child.pk: [case.reference]}

    # Once both are closed, each has a day of its own
    desk.engine.advance(days=2)
    assert retention.open_near_to([case.pk, child.pk]) == {}
    assert kept(desk.fresh(child)).until is not None


def test_every_kind_that_ships_says_how_long_it_is_kept_and_why() -> None:
    ours = [one for one in kinds().values() if one.model.__module__.startswith("processes.")]
    assert len(ours) >= 9
    for kind in ours:
        assert "" in kind.retention, kind.name
        assert all(str(rule.basis) for rule in kind.retention.values()), kind.name


def test_cases_are_found_on_the_day_on_which_their_time_is_over(desk: Any, closed: Case) -> None:
    until = kept(closed).until
    assert until is not None

    def due(day: date) -> list[int]:
        return [one.case.pk for one in retention.due_cases(today=day)]

    assert due(date(2027, 6, 1)) == []
    desk.engine.advance(days=(until - date(2026, 12, 31)).days - 2)
    assert due(date(until.year, until.month, until.day - 1)) == []
    assert due(until) == [closed.pk]
