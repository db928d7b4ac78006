"""What reading finds in the code of the loan's steps and of the trial kind's."""

from __future__ import annotations

from typing import Any

import pytest

from processes.handbook import book
from processes.handbook.book import reading_of, roles_of, steps_of, tables_of, users_of
from processes.kinds import kinds


def reading(step: str, version: int | None = None) -> Any:
    code = kinds()["loan"].code_of(step, version)
    assert code is not None
    return reading_of(code)


def test_a_review_tells_its_two_sentences_its_role_and_its_outcomes() -> None:
    first, second = reading("underwriting").of("task")
    assert (first.title, first.on, first.due) == (
        "Underwriting review",
        "underwriter",
        "5 working days",
    )
    assert first.outcomes == ("Approve", "Send back for missing papers", "Decline")
    assert first.met.startswith("approved files go on")
    assert first.otherwise == "the supervisors are told"
    assert (second.title, second.on) == ("Second underwriting review", "senior underwriter")


def test_a_wait_within_a_deadline_says_what_comes_then() -> None:
    found = reading("awaiting_documents")
    (papers,) = found.of("documents")
    assert papers.title == "Proof of identity, Payslip, Bank statement"  # as the table has them
    assert papers.otherwise == "the application lapses"
    assert [one.due for one in found.of("deadline", "timer")] == ["30 days", "7 days"]


def test_letters_activities_and_ways_are_found_in_helpers_too() -> None:
    found = reading("appraisal")
    assert [one.name for one in found.of("activity")] == [
        "loan.order_appraisal",
        "loan.chase_appraisal",
    ]
    assert found.of("activity")[0].activity.compensate.name == "loan.cancel_appraisal"
    assert [one.title for one in found.of("letter")] == [
        "Your security is being appraised",
        "We cannot lend to you",
    ]
    assert found.ways == ["decline", "judge_anew", "put_to_decision"]


def test_who_decides_is_what_the_table_can_say() -> None:
    assert reading("decision").parties == ["underwriter", "senior underwriter"]
    assert reading("decision", 1).of("table") == []


@pytest.mark.parametrize("name", sorted(kinds()))
def test_every_step_of_every_kind_can_be_told(name: str) -> None:
    kind = kinds()[name]
    steps = steps_of(kind)
    assert {step.step for step in steps} == {str(v) for v, _ in kind.model.Step.choices}  # type: ignore[attr-defined]
    for step in steps:
        assert bool(step.ways) != step.closes
        assert all(way.who and way.label for way in step.ways)
    assert [step.step for step in steps if step.is_first] == [kind.initial]


def test_the_loan_takes_each_of_its_transitions_somewhere() -> None:
    """Reading finds a `return case.NAME(…)` for each edge that no person takes."""
    ways = {w.edge.name: w for step in steps_of(kinds()["loan"]) for w in step.ways}
    read = {n for s in steps_of(kinds()["loan"]) for r in s.readings.values() for n in r.ways}
    assert {n for n, w in ways.items() if not w.edge.staff and not w.edge.takes_back} == read


def test_roles_and_tables_of_a_kind() -> None:
    steps = steps_of(kinds()["loan"])
    roles = dict(roles_of(steps))
    assert set(roles) == {"caseworker", "underwriter", "senior underwriter"}
    assert "Second underwriting review" in roles["senior underwriter"]
    who, papers = sorted(tables_of(kinds()["loan"]), key=lambda one: one.name, reverse=True)
    assert [step.step for _kind, step in users_of(who)] == ["underwriting", "decision"]
    assert [step.step for _kind, step in users_of(papers)] == ["awaiting_documents"]


def test_what_is_read_is_kept_for_the_process() -> None:
    code = kinds()["loan"].code_of("offer")
    assert code is not None
    assert reading_of(code) is reading_of(code)
    assert book.drawing_of(kinds()["loan"]) is book.drawing_of(kinds()["loan"])


@pytest.mark.parametrize("name", sorted(kinds()))
def test_each_deadline_is_listed_with_the_steps_that_have_it(name: str) -> None:
    steps = steps_of(kinds()[name])
    listed = {
        (used.finding.due, used.finding.otherwise, step.step)
        for used in book.used_in(steps, "deadline", "timer")
        for step in used.steps
    }
    found = [(step, one) for step in steps if step.newest for one in step.newest.found]
    assert listed == {
        (one.due, one.otherwise, step.step)
        for step, one in found
        if one.sort in ("deadline", "timer")
    }


def test_a_step_that_waits_for_a_sub_case_says_so() -> None:
    waits = [step.waits_for for step in steps_of(kinds()["onboarding"])]
    assert any("another case (Beneficial owner)" in one for one in waits)
