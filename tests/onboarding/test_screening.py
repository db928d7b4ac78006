"""A possible match on the sanctions lists: two different people look, a third where they differ."""

from __future__ import annotations

from typing import Any

import pytest

from cases.errors import NotAllowed
from cases.models import Letter
from tests.onboarding.desk import ADA, BOB

pytestmark = pytest.mark.django_db(transaction=True)
MATCHING = {"name": "Ghostly Bakery"}


def test_two_people_clear_a_business(desk: Any) -> None:
    case = desk.open(**MATCHING)
    task = desk.task(case)
    assert (task.name, task.role) == ("screening", "compliance officer")
    assert "Ghostly Trading" in task.show["entry_1"]
    desk.do(case, "carl", "no_match", "Another country, another trade.")
    with pytest.raises(NotAllowed, match="four eyes"):
        desk.do(case, "carl", "no_match", "I said so.")
    desk.do(case, "cora", "no_match", "Agreed.")
    assert desk.step(case) == "awaiting_documents"


def test_a_match_that_two_people_see_refuses_without_telling_why(desk: Any) -> None:
    case = desk.open(**MATCHING)
    desk.do(case, "carl", "match", "Same address.")
    assert "Same address." in desk.task(case).show["the_first_look_says"]
    desk.do(case, "cora", "match", "The same people.")
    assert desk.now(case).outcome == "refused"
    assert "sanctions" in desk.now(case).outcome_reason
    text = Letter.objects.filter(case_id=case.pk).latest("pk").text
    assert "sanction" not in text and "match" not in text


@pytest.mark.parametrize(
    ("last", "step"), [("no_match", "awaiting_documents"), ("match", "refused")]
)
def test_where_two_people_differ_the_head_of_compliance_decides(
    desk: Any, last: str, step: str
) -> None:
    case = desk.open(**MATCHING)
    desk.do(case, "carl", "no_match", "Another country.")
    desk.do(case, "cora", "match", "The same people.")
    assert desk.task(case).role == "compliance lead"
    desk.do(case, "lead", last, "I called the register.")
    assert desk.step(case) == step


def test_an_owner_who_matches_is_looked_at_in_their_own_case(desk: Any) -> None:
    case = desk.open(owners=f"{ADA.replace('Ada', 'Phantom')}\n{BOB}")
    matched, sound = desk.owners(case)
    assert sound.outcome == "cleared"
    assert desk.step(case) == "owners"
    desk.do(matched, "carl", "match", "Born on the same day.")
    desk.do(matched, "cora", "match", "Agreed.")
    assert desk.now(matched).outcome == "not_cleared"
    assert desk.now(case).outcome == "refused"
    assert matched.reference in desk.now(case).outcome_reason


def test_an_owner_whose_number_is_wrong_ends_it(desk: Any) -> None:
    case = desk.open(owners=ADA.replace("999900001", "999900000"))
    assert desk.owners(case)[0].outcome == "not_cleared"
    assert desk.now(case).outcome == "refused"


def test_a_match_years_later_ends_the_relation(desk: Any, outside: Any) -> None:
    case = desk.to_active()
    hit = {"list": "New list", "entry": "Example Bakery Ltd", "likeness": 97}
    outside.behave("sanctions", answer={"hits": [hit]}, times=1)
    desk.engine.advance(days=5 * 365 + 2)
    assert desk.step(case) == "review"
    desk.do(case, "carl", "match", "It is them.")
    desk.do(case, "cora", "match", "Yes.")
    assert desk.step(case) == "offboarding"
    assert "sanction" not in Letter.objects.filter(case_id=case.pk).latest("pk").text
