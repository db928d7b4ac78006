"""A closed case is opened again, where its kind says so, with a reason that the customer reads."""

from __future__ import annotations

from typing import Any

import pytest

from audit.read import events_of
from cases.actors import Actor
from cases.errors import Invalid, NotAllowed
from cases.models import Case
from processes.acts.cases import move_case
from processes.acts.reopening import CannotReopen, reopen_case
from processes.engine.replay import as_it_stood
from processes.engine.verify import differences_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def closed(desk: Any) -> Any:
    case = desk.open("patience")
    desk.engine.advance(days=31)
    case = desk.fresh(case)
    assert (case.step, case.is_open) == ("failed", False)
    return case


def test_it_goes_on_at_the_step_that_its_kind_names(desk: Any, visit: Any, closed: Any) -> None:
    # Given a case that failed for want of papers
    last = closed.head_number
    page = visit(desk.people.sanne).open(closed.get_absolute_url())
    assert "Reopen the trial" in page

    # When its caseworker opens it again, by a double click
    address = f"{closed.get_absolute_url()}reopen/reopen/"
    form = visit(desk.people.sanne).open(address)
    assert "It is tried once more." in form
    page = form.send(address, reason="The papers were at the desk.")
    again = form.send(address, reason="The papers were at the desk.")
    desk.engine.settle()

    # Then it waits for the papers anew, once, and the record of its first end stays
    assert "The case is open again." in page and "The case is open again." in again
    case = desk.fresh(closed)
    assert (case.step, case.is_open, case.outcome, case.outcome_reason) == ("trying", True, "", "")
    assert case.visit == closed.visit + 1
    assert case.waiting_on == "applicant"
    events = events_of(case.pk)
    (reopened,) = [e for e in events if e.data.get("reopened")]
    assert reopened.number == last + 1
    assert reopened.data["reason"] == "The papers were at the desk."
    assert reopened.actor == f"person:{desk.people.sanne.pk}"
    assert as_it_stood(case, last).closed and not as_it_stood(case).closed
    assert list(differences_of(case)) == []
    page = visit(desk.people.sanne).open(f"{case.get_absolute_url()}history/")
    assert "Opened again at Trying" in page and "Closed: Failed" in page

    # And it may end once more
    desk.engine.advance(days=31)
    assert desk.fresh(case).step == "failed"
    assert list(differences_of(desk.fresh(case))) == []


def test_only_those_may_whom_kind_and_team_allow(desk: Any, visit: Any, closed: Any) -> None:
    people = desk.people
    for person in (people.eve, people.milan, people.ada, people.otto):
        with pytest.raises(NotAllowed):
            reopen_case(case_id=closed.pk, reason="I may not.", actor=Actor.of(person))
    address = f"{closed.get_absolute_url()}reopen/reopen/"
    assert visit(people.eve).open(address).status == 404
    assert visit(people.ada).open(address).status == 403
    assert "Reopen" not in visit(people.ada).open(closed.get_absolute_url())
    with pytest.raises(Invalid):
        reopen_case(case_id=closed.pk, reason="  ", actor=Actor.of(people.sanne))
    assert desk.fresh(closed).head_number == closed.head_number


def test_a_role_that_the_edge_names_is_told_to_those_without_it(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    sanne, petra = Actor.of(desk.people.sanne), Actor.of(desk.people.petra)
    move_case(case_id=case.pk, name="withdraw", data={"reason": "No need."}, actor=sanne)
    page = visit(desk.people.sanne).open(case.get_absolute_url())
    assert "It can be reopened by: supervisor." in page
    with pytest.raises(NotAllowed):
        reopen_case(case_id=case.pk, reason="A mistake.", actor=sanne)
    reopen_case(case_id=case.pk, reason="A mistake.", actor=petra)
    assert desk.fresh(case).step == "second"
    with pytest.raises(CannotReopen, match="open already"):
        reopen_case(case_id=case.pk, reason="A mistake.", actor=petra)


def test_an_end_without_such_an_edge_is_final_and_says_so(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    sanne = Actor.of(desk.people.sanne)
    move_case(case_id=case.pk, name="finish", data={}, actor=sanne)
    with pytest.raises(CannotReopen, match="Open a new one"):
        reopen_case(case_id=case.pk, reason="Once more.", actor=sanne)
    page = visit(desk.people.sanne).open(case.get_absolute_url())
    assert "that ended so is not reopened" in page and "Reopen the trial" not in page


def test_what_a_parent_went_on_with_stays_closed(desk: Any) -> None:
    parent = desk.open("parent")
    child = Case.objects.get(parent=parent)
    petra = Actor.of(desk.people.petra)
    move_case(case_id=child.pk, name="withdraw", data={"reason": "No need."}, actor=petra)
    with pytest.raises(CannotReopen, match="has gone on with how it ended"):
        reopen_case(case_id=child.pk, reason="Once more.", actor=petra)
