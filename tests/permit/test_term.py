"""The legal term: it stands still, becomes longer, passes, and says why."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from audit.read import events_of
from cases.errors import Invalid
from processes.acts.cases import get_case


def test_it_runs_from_the_day_of_receipt(desk: Any) -> None:
    # The clock of the tests stands on 30 November 2026
    assert desk.limit(desk.open()) == "2027-01-25"
    assert desk.limit(desk.open(received_on=date(2026, 11, 25))) == "2027-01-20"


def test_it_stands_still_while_data_are_missing_and_goes_on_when_they_come(
    desk: Any, engine: Any
) -> None:
    # Given an application whose drawings are missing
    case = desk.to("awaiting_data")
    assert desk.clock(case).is_paused
    assert desk.letters(case)[-1] == "data_needed"

    # When they come after ten days
    engine.advance(days=10)
    desk.send(case, "drawings")

    # Then it runs again, ten days longer, and the application is looked at again
    assert desk.step(case) == "completeness"
    assert desk.clock(case).is_running
    assert desk.limit(case) == "2027-02-04"
    assert desk.letters(case)[-1] == "data_received"
    desk.do(case, "completeness", "complete")
    assert desk.step(case) == "assessment"


def test_data_can_be_asked_for_again_with_fewer_days(desk: Any, engine: Any) -> None:
    case = desk.to("awaiting_data")
    engine.advance(days=10)
    desk.send(case, "drawings")
    desk.do(case, "completeness", "missing", "Now the photographs.", photographs=True, short=True)
    assert get_case(case.pk).data_days == 28
    engine.advance(days=14)
    assert desk.letters(case)[-1] == "data_reminder"
    engine.advance(days=14)
    assert "untreated" in desk.names(case)
    assert desk.limit(case) == "2027-03-04"  # 10 days, and 28


def test_without_data_the_authority_leaves_it_untreated(desk: Any, engine: Any) -> None:
    # Given data that never come
    case = desk.to("awaiting_data")
    engine.advance(days=42)
    assert desk.step(case) == "awaiting_data"
    assert desk.clock(case).is_running

    # When the authority says so, the decision is sent, and nobody objects
    desk.do(case, "untreated", "untreated", "Without drawings nothing can be judged.")
    desk.do(case, "send_decision", "send")
    assert desk.letters(case)[-1] == "decision_not_treated"
    desk.bring(case, "archived")

    # Then the case ends untreated
    assert get_case(case.pk).outcome == "not_treated"


def test_data_that_come_late_still_count_until_the_authority_has_said(
    desk: Any, engine: Any
) -> None:
    case = desk.to("awaiting_data")
    engine.advance(days=45)
    desk.send(case, "drawings")
    assert desk.step(case) == "completeness"
    assert desk.names(case) == ["completeness"]


def test_the_applicant_may_say_that_nothing_comes(desk: Any, engine: Any) -> None:
    case = desk.to("awaiting_data")
    engine.advance(days=3)
    desk.say(case, "nothing_comes", reason="I have none.")
    assert "untreated" in desk.names(case)
    desk.do(case, "untreated", "treat", "The photographs are enough.")
    assert desk.step(case) == "assessment"


def test_it_is_extended_once_with_a_reason_that_the_applicant_reads(desk: Any, engine: Any) -> None:
    # Given an application under assessment
    case = desk.to("assessment")
    assert desk.limit(case) == "2027-01-25"

    # When the authority extends the term
    desk.say(case, "extend_term", reason="The water board needs longer.")

    # Then it is 42 days longer, the reviews go on, and it cannot be done twice
    assert desk.limit(case) == "2027-03-08"
    assert desk.names(case) == ["content_build"]
    assert desk.letters(case)[-1] == "term_extended"
    assert desk.say(case, "extend_term", reason="Once more.").state == "kept"
    desk.bring(case, "decision")
    assert desk.limit(case) == "2027-03-08"
    assert desk.letters(case).count("term_extended") == 1


def test_an_extension_without_a_reason_is_refused(desk: Any) -> None:
    case = desk.to("assessment")
    with pytest.raises(Invalid, match="reason"):
        desk.say(case, "extend_term", reason=" ")
    assert desk.limit(case) == "2027-01-25"


@pytest.mark.parametrize("step", ["receipt", "completeness", "assessment", "draft", "decision"])
def test_the_permit_is_granted_by_default_when_the_term_passes(
    desk: Any, engine: Any, step: str
) -> None:
    # Given a policy that grants by default, and a case that nobody decides
    case = desk.to(step, by_default=True)

    # When the last day is over, and not before
    engine.advance(days=56)
    assert desk.step(case) == step
    engine.advance(days=1)

    # Then the law has decided; the caseworker only sends it
    after = get_case(case.pk)
    assert (after.step, after.decision, after.decided_by) == (
        "sending",
        "granted_by_default",
        "law",
    )
    assert desk.names(case) == ["send_decision"]
    desk.do(case, "send_decision", "send")
    assert desk.letters(case)[-1] == "decision_granted_by_default"
    desk.bring(case, "archived")
    assert get_case(case.pk).outcome == "granted_by_default"


def test_a_decision_that_lies_unsent_when_the_term_passes_is_none(desk: Any, engine: Any) -> None:
    case = desk.to("draft", by_default=True)
    desk.do(case, "draft", "refuse", "No.")
    desk.do(case, "decision", "decide")
    assert desk.step(case) == "sending"
    engine.advance(days=57)
    assert get_case(case.pk).decision == "granted_by_default"


def test_nothing_is_granted_by_default_while_the_term_stands_still(desk: Any, engine: Any) -> None:
    case = desk.to("awaiting_data", by_default=True)
    engine.advance(days=41)
    desk.send(case, "drawings")
    engine.advance(days=55)
    assert desk.step(case) == "completeness"
    engine.advance(days=2)
    assert get_case(case.pk).decision == "granted_by_default"


def test_an_extension_moves_the_decision_by_default(desk: Any, engine: Any) -> None:
    case = desk.to("assessment", by_default=True)
    desk.say(case, "extend_term", reason="More time.")
    engine.advance(days=98)
    assert desk.step(case) == "assessment"
    engine.advance(days=1)
    assert get_case(case.pk).decision == "granted_by_default"


def test_without_the_policy_the_applicant_is_told_once_that_we_are_late(
    desk: Any, engine: Any
) -> None:
    case = desk.to("assessment")
    engine.advance(days=60)
    assert desk.letters(case)[-1] == "term_passed"
    assert desk.step(case) == "assessment"
    desk.bring(case, "archived")
    assert desk.letters(case).count("term_passed") == 1
    assert get_case(case.pk).outcome == "granted"


def test_the_policy_is_that_of_the_day_on_which_the_case_came(desk: Any, settings: Any) -> None:
    from processes.permit.models import default_policy

    settings.LONGCASE_PERMIT_BY_DEFAULT = False
    assert not default_policy()
    settings.LONGCASE_PERMIT_BY_DEFAULT = True
    assert default_policy()
    opened = next(e for e in events_of(desk.open(by_default=True).pk) if e.type == "case.opened")
    assert opened.data["facts"]["by_default"] is True


def test_people_are_warned_before_the_term_passes(desk: Any, engine: Any) -> None:
    case = desk.to("assessment")
    engine.advance(days=55)
    assert "clock.warned" in [event.type for event in events_of(case.pk)]


def test_a_wait_says_what_comes_of_its_own_date_and_not_of_the_term(desk: Any, engine: Any) -> None:
    # Given a review that is due before the term is over
    case = desk.to("assessment", by_default=True)
    review = next(w for w in get_case(case.pk).waits if w["name"] == "content_build")
    assert review["otherwise"] == "the supervisors are told"

    # When the term comes first
    engine.advance(days=50)
    desk.do(case, "content_build", "for")
    engine.advance(days=3)
    desk.do(case, "draft", "grant")

    # Then it says what comes of that
    decision = next(w for w in get_case(case.pk).waits if w["name"] == "decision")
    assert decision["otherwise"] == "the permit is granted by default"
    assert decision["until"] == desk.clock(case).limit_at
