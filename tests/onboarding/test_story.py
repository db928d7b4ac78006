"""An onboarding from the first letter to the end of the file, as docs/onboarding.md tells it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from cases.errors import Invalid, NotAllowed
from cases.models import Task
from processes.models import Incident
from tests.onboarding.desk import ADA, BOB

pytestmark = pytest.mark.django_db(transaction=True)


def test_from_request_to_the_end_of_the_file_over_years(desk: Any) -> None:
    # Given a business of low risk that is accepted by two analysts
    case = desk.to_active()
    begun_at = desk.now(case).entered_at
    assert [one.outcome for one in desk.owners(case)] == ["cleared", "cleared"]
    assert (desk.now(case).risk, desk.now(case).review_years) == ("low", 5)

    # When five years pass, the file is looked at again by itself
    desk.engine.advance(days=5 * 365)
    assert desk.step(case) == "active"
    desk.engine.advance(days=2)
    review = desk.now(case)
    assert review.step == "review"
    assert review.entered_at.date() == begun_at.date().replace(year=begun_at.year + 5)
    desk.do(case, "anna", "approve")
    assert (desk.step(case), desk.now(case).reviews) == ("active", 1)
    assert len(desk.owners(case)) == 4  # each was checked anew

    # And when the relation ends, the file is kept for five years more, then a person lets it go
    desk.move(case, "offboard", reason="The bakery closes.")
    desk.do(case, "casey", "done")
    assert desk.step(case) == "retained"
    desk.engine.advance(days=5 * 365 + 2)
    desk.do(case, "casey", "keep", "The tax office still asks.")
    desk.engine.advance(days=367)
    desk.do(case, "casey", "close")
    assert desk.now(case).outcome == "ended"
    assert desk.letters(case) == [
        "We have received your request",
        "Papers needed",
        "Welcome",
        "We look at your file again",
        "Your file is up to date",
        "We end our relation",
    ]


@pytest.mark.parametrize(
    ("facts", "risk", "years", "approvers"),
    [
        ({}, "low", 5, ["abel"]),
        ({"activity": "cash"}, "normal", 3, ["carl"]),
        ({"activity": "games", "country": "BR"}, "high", 1, ["carl", "lead"]),
        ({"owners": ADA.replace("Ada", "Minister Ada")}, "normal", 3, ["carl"]),
    ],
)
def test_the_risk_says_who_approves_and_when_the_next_review_is(
    desk: Any, facts: dict[str, Any], risk: str, years: int, approvers: list[str]
) -> None:
    case = desk.to_assessment(**facts)
    desk.do(case, "anna", "approve")
    for name in approvers:
        assert desk.step(case) == "approval"
        desk.do(case, name, "approve")
    found = desk.now(case)
    assert (found.step, found.risk, found.review_years) == ("active", risk, years)
    desk.engine.advance(days=years * 365 - 2)
    assert desk.step(case) == "active"
    desk.engine.advance(days=4)
    assert desk.step(case) == "review"


def test_nobody_approves_what_they_assessed_and_nobody_twice(desk: Any) -> None:
    case = desk.to_assessment(activity="games", country="BR")
    desk.people["anna"].groups.add(*desk.people["lead"].groups.all())
    desk.do(case, "anna", "approve")
    with pytest.raises(NotAllowed, match="four eyes"):
        desk.do(case, "anna", "approve")
    desk.do(case, "lead", "approve")
    with pytest.raises(NotAllowed, match="four eyes"):
        desk.do(case, "lead", "approve")


def test_a_register_that_does_not_know_the_business_refuses_it(desk: Any) -> None:
    case = desk.open(registration_number="12345600")
    assert desk.now(case).outcome == "refused"
    assert "does not know" in desk.now(case).outcome_reason
    assert desk.letters(case)[-1] == "We cannot agree to your request"


def test_services_that_are_down_are_asked_again(desk: Any, outside: Any) -> None:
    outside.behave("sanctions", "down", times=2)
    outside.behave("register", "wrong", times=1)
    case = desk.open()
    assert desk.step(case) == "checks"
    desk.engine.advance(minutes=10)
    assert desk.step(case) == "awaiting_documents"


def test_a_service_that_stays_down_stops_the_case_for_operators(desk: Any, outside: Any) -> None:
    outside.behave("sanctions", "down")
    case = desk.open()
    desk.engine.advance(hours=8)
    assert Incident.objects.get(case_id=case.pk).kind == "activity"
    assert desk.step(case) == "checks"


def test_missing_papers_go_round_until_the_file_is_sound(desk: Any) -> None:
    case = desk.to_assessment(relation="supplier")
    desk.do(case, "anna", "send_back", "The letter is old.", bank_letter=True)
    assert desk.step(case) == "awaiting_documents"
    desk.engine.advance(days=11)
    desk.send(case, "bank_letter", text="new")
    desk.do(case, "abel", "send_back", "The chart lacks a page.", ownership=True, extract=True)
    desk.send(case, "ownership", "extract", text="whole")
    desk.do(case, "anna", "approve")
    assert desk.step(case) == "approval"
    assert desk.letters(case) == [
        "We have received your request",
        "Papers needed",
        "Papers needed once more",
        "Reminder: papers needed",
        "Papers needed once more",
    ]


def test_silence_lapses_the_request(desk: Any) -> None:
    case = desk.open()
    desk.send(case, "extract")
    desk.engine.advance(days=31)
    assert desk.now(case).outcome == "lapsed"
    assert "Identity" in desk.now(case).outcome_reason
    assert desk.letters(case)[2:] == [*["Reminder: papers needed"] * 2, "Your request has lapsed"]


def test_facts_that_change_after_the_checks_are_checked_anew(desk: Any) -> None:
    from cases.actors import Actor
    from processes.acts.cases import change_facts

    case = desk.to_assessment()
    change_facts(
        case_id=case.pk,
        changes={"owners": ADA.replace("60", "100")},
        reason="Bob has sold.",
        actor=Actor.of(desk.people["casey"]),
    )
    desk.do(case, "anna", "approve")
    assert desk.step(case) in ("assessment", "awaiting_documents")
    assert len(desk.owners(case)) == 3
    desk.do(case, "anna", "approve")
    change_facts(
        case_id=case.pk,
        changes={"activity": "games"},
        reason="They also run slot machines.",
        actor=Actor.of(desk.people["casey"]),
    )
    desk.do(case, "abel", "approve")
    assert desk.step(case) == "assessment"
    desk.do(case, "anna", "approve")
    assert desk.now(case).risk == "normal"


@pytest.mark.parametrize("where", ["checks", "owners", "documents", "assessment", "approval"])
def test_it_may_be_withdrawn_from_any_open_step(desk: Any, outside: Any, where: str) -> None:
    facts = {"owners": ADA.replace("Ada Example", "Listman")} if where == "owners" else {}
    if where == "checks":
        outside.behave("register", "down")
    case = desk.open(**facts)
    if where in ("assessment", "approval"):
        desk.send_all(case)
    if where == "approval":
        desk.do(case, "anna", "approve")
    desk.move(case, "withdraw", reason="Found another supplier.")
    assert desk.now(case).outcome == "withdrawn"
    assert desk.letters(case)[-1] == "You have withdrawn your request"
    assert not Task.objects.filter(state="open").exists()
    assert all(not one.is_open for one in desk.owners(case))


def test_a_change_brings_the_review_early_and_may_raise_the_risk(desk: Any) -> None:
    from cases.actors import Actor
    from processes.acts.cases import change_facts

    case = desk.to_active()
    change_facts(
        case_id=case.pk,
        changes={"activity": "finance", "turnover": Decimal(2_000_000), "country": "BR"},
        reason="A new business.",
        actor=Actor.of(desk.people["casey"]),
    )
    desk.tell(case, "We lend money now.")
    assert desk.step(case) == "review"
    desk.do(case, "anna", "papers", "Where does the money come from?", funds=True)
    desk.send(case, "funds")
    desk.do(case, "abel", "approve")
    desk.do(case, "carl", "approve")
    assert desk.step(case) == "review"  # high risk: the head of compliance too
    desk.do(case, "lead", "approve")
    found = desk.now(case)
    assert (found.step, found.risk, found.review_years, found.reviews) == ("active", "high", 1, 1)
    desk.engine.advance(days=367)
    assert desk.step(case) == "review"


def test_a_review_may_end_the_relation(desk: Any) -> None:
    case = desk.to_active()
    desk.tell(case, "We have moved.")
    desk.do(case, "anna", "papers", "The new extract, please.", extract=True)
    desk.engine.advance(days=31)
    assert desk.step(case) == "offboarding"
    assert desk.now(case).outcome_reason == (
        "Not received within 30 days: Extract from the register."
    )


@pytest.mark.parametrize(
    ("owners", "sentence"),
    [
        ("Ada", "Line 1: write name"),
        (f"{ADA}\n\nBob; yesterday; NL; 3; 1", "Line 3: the day of birth"),
        ("Ada; 1970-05-31; nl; 60; 1", "two capital letters"),
        ("Ada; 1970-05-31; NL; many; 1", "the share is a number"),
        ("Ada; 1970-05-31; NL; NaN; 1", "the share is a number"),
        (f"{ADA}\n{BOB}\n{ADA}", "more than 100 %"),
        ("\n".join([ADA.replace("60", "1")] * 21), "at most 20"),
    ],
)
def test_owners_that_cannot_be_read_open_no_case(desk: Any, owners: str, sentence: str) -> None:
    with pytest.raises(Invalid, match=sentence):
        desk.open(owners=owners)


def test_many_owners_are_looked_at_a_few_at_a_time(desk: Any, outside: Any) -> None:
    outside.behave("identity", "down")
    case = desk.open(owners="\n".join(f"Owner {n}; 1970-01-01; NL; 5; 9{n}1" for n in range(12)))
    assert len(desk.owners(case)) == 5
    outside.behave("identity", "ok")
    desk.engine.advance(hours=1)
    assert len(desk.owners(case)) == 12
    assert desk.step(case) == "awaiting_documents"
