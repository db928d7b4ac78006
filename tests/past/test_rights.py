"""Who sees what of a case's past: the same people who see the case, and nobody changes anything."""

from __future__ import annotations

from typing import Any

import pytest

from audit.read import events_of
from cases.models import Case

pytestmark = pytest.mark.django_db(transaction=True)

PATHS = ["", "1/", "2/?as=corrected&show=all&steps=drawing", "at/?date=2026-01-01", "print/"]
PATHS += ["compare/", "compare/?a=1&b=2"]


def statuses(visitor: Any, case: Case) -> set[int]:
    here = f"{case.get_absolute_url()}history/"
    return {visitor.open(here + path).status for path in PATHS}


def test_whoever_sees_the_case_sees_its_past_and_no_one_else(desk: Any, visit: Any) -> None:
    case, people = desk.open("review", amount=100), desk.people
    for person in (people.sanne, people.petra, people.ada, people.otto, people.milan):
        assert statuses(visit(person), case) == {200, 302}, person
    assert statuses(visit(people.eve), case) == {404}
    # Nobody who is not signed in: a customer has no account here
    anonymous = visit(None)
    for path in PATHS:
        page = anonymous.open(f"{case.get_absolute_url()}history/{path}")
        assert page.response["Location"].startswith("/login/"), path


@pytest.mark.unsound("restricts it by hand")
def test_a_restricted_case_is_closed_to_its_team(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    Case.objects.filter(pk=case.pk).update(restricted=True)
    for person in (desk.people.petra, desk.people.ada):  # who first say what for
        assert statuses(visit(person), case) == {403}
    assert statuses(visit(desk.people.sanne), case) == {200, 302}  # whose case it is


def test_nothing_can_be_sent_and_looking_changes_nothing(desk: Any, visit: Any) -> None:
    case = desk.open("review")
    before = [bytes(one.hash) for one in events_of(case.pk)]
    for person in (desk.people.ada, desk.people.sanne):
        for path in PATHS:
            address = f"{case.get_absolute_url()}history/{path}"
            assert visit(person).client.post(address, {"a": "1"}).status_code == 405
            visit(person).open(address)
    assert [bytes(one.hash) for one in events_of(case.pk)] == before


def test_an_event_of_another_number_is_told_with_those_there_are(desk: Any, visit: Any) -> None:
    case = desk.open("patience")
    visitor = visit(desk.people.ada)
    for number in (0, case.head_number + 1, 10**9):
        assert visitor.open(f"{case.get_absolute_url()}history/{number}/").status == 404
    page = visitor.open(f"{case.get_absolute_url()}history/compare/?a=1&b=999")
    assert page.status == 404 and f"1 to {case.head_number}" in page


def test_operators_see_the_lines_and_not_the_values(desk: Any, visit: Any) -> None:
    case = desk.open("review", amount=7654)
    desk.engine.settle()
    address = f"{case.get_absolute_url()}history/{case.head_number}/"
    operator, auditor = visit(desk.people.otto).open(address), visit(desk.people.ada).open(address)
    assert "waited here" in operator and "waited here" in auditor
    assert "7,654" in auditor and "7,654" not in operator and "7654" not in operator.html
    assert "Values are not shown to operators." in operator
    first = f"{case.get_absolute_url()}history/1/"
    assert "7,654" in visit(desk.people.ada).open(first)
    assert "7,654" not in visit(desk.people.otto).open(first)
    compared = f"{case.get_absolute_url()}history/compare/"
    assert "7,654" not in visit(desk.people.otto).open(compared)
