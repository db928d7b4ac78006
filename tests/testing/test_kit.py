"""The test kit, on the trial kind: acts, fakes, assertions, and what fails a test by itself."""

from __future__ import annotations

from typing import Any

import pytest

from cases.errors import Invalid
from processes.services import Service
from processes.testing import coverage, sound
from processes.testing.fakes import Outside
from tests.trial import activities, steps

bank = Service("the bank", "LONGCASE_KIT_BANK_URL")


def test_people_parties_and_time_act_on_a_case(open_case: Any, clock: Any) -> None:
    # Given a case that waits for papers within thirty days
    case = open_case("trial", script="patience")
    case.assert_waits_for("documents")

    # When one is rejected, handed in anew and accepted, and the other comes a day later
    case.reject("passport", reason="unreadable")
    case.accept("passport")
    clock.advance(days=1)
    case.accept("payslip")

    # Then it ended well, and its history says so in order
    assert (case.step, case.result, case.is_open) == ("done", "complete", False)
    case.assert_in_order("document.rejected passport", "document.accepted payslip", "step.entered")
    case.assert_never("timer.fired")


def test_time_passes_through_each_timer(open_case: Any, clock: Any) -> None:
    case = open_case("trial", script="patience")
    clock.advance(days=30)
    assert (case.step, case.outcome_reason) == ("failed", "no documents")
    assert case.assert_told("timer.fired").actor == "engine"


def test_a_second_reviewer_is_another_person(open_case: Any) -> None:
    case = open_case("trial", script="review")
    first = case.decide("approve", task="first")
    second = case.decide("approve", task="again")
    assert first.closed_by != second.closed_by
    assert case.result == f"{first.closed_by} {second.closed_by}"


def test_an_activity_is_faked_and_its_calls_are_seen(open_case: Any, fake: Any, clock: Any) -> None:
    asked = fake(activities.call, does=lambda what: {"what": what.upper()}, fails=1)
    case = open_case("trial", script="together")
    clock.advance(hours=1)
    assert case.result == "A,B,C"
    assert sorted(call["what"] for call in asked.calls) == ["a", "a", "b", "c"]
    assert len(set(asked.keys)) == 3  # the second attempt came under the key of the first
    assert activities.effects == []


def test_a_fake_hides_no_wrong_call(fake: Any, open_case: Any, monkeypatch: Any) -> None:
    async def wrong(case: Any) -> Any:
        await steps.call(whatever="a")

    fake(activities.call, returns={})
    monkeypatch.setitem(steps.scripts, "loan", wrong)
    case = open_case("trial", script="loan")
    case._kit.advance(days=1)
    assert "missing a required argument: 'what'" in case.incident.came


def test_a_refusal_stops_what_does_not_handle_it(fake: Any, open_case: Any) -> None:
    fake(activities.call, refuses="Unknown there.")
    case = open_case("trial", script="unhandled")
    assert "Unknown there." in case.incident.came
    fake(activities.call, returns={"what": "x"})
    case.try_again()
    assert (case.result, case.incident) == ("fine", None)


def test_a_third_party_answers_at_its_address(open_case: Any, fake: Any) -> None:
    fake(activities.call)
    case = open_case("trial", script="ask_outside")
    case.answer("valuation", value=12)
    assert case.result == "12"
    with pytest.raises(AssertionError, match="asks no third party for “valuation”"):
        case.answer("valuation", value=13)


def test_a_subcase_is_a_case_under_test(open_case: Any) -> None:
    case = open_case("trial", script="parent")
    case.subcase.send("go")
    assert case.result == "child done 0"
    assert [one.step for one in case.subcases] == ["done"]


def test_facts_that_do_not_fit_are_named(open_case: Any) -> None:
    with pytest.raises(Invalid, match="amuont"):
        open_case("trial", script="race", amuont=3)


def test_a_wrong_assertion_shows_the_history(open_case: Any) -> None:
    case = open_case("trial", script="race")
    with pytest.raises(AssertionError, match="step.entered open trying"):
        case.assert_waits_for("task review")
    with pytest.raises(AssertionError, match="message.awaited go"):
        case.assert_told("timer.fired")
    with pytest.raises(AssertionError, match="has 0 open tasks"):
        case.decide("approve")


# -- services outside


def test_calls_to_a_service_are_answered_and_seen(outside: Outside) -> None:
    outside.answer(bank, "POST", "/payouts/*/confirm", lambda call: {"booking": call.key})
    answer = bank.call("POST", "/payouts/7/confirm", key="1.2.3", body={"amount": "5.00"})
    assert answer == {"booking": "1.2.3"}
    (call,) = outside.calls_to(bank, "/payouts/7/confirm")
    assert call.body == {"amount": "5.00"}


def test_a_service_can_be_down_for_a_while(outside: Outside) -> None:
    outside.answer(bank, "GET", "/rates", {"rate": "4.2"})
    outside.down(bank)
    with pytest.raises(Exception, match="gave no answer"):
        bank.call("GET", "/rates", key="k")
    outside.up(bank)
    assert bank.call("GET", "/rates", key="k") == {"rate": "4.2"}


def test_what_no_test_answers_fails_the_test() -> None:
    with Outside() as outside:
        outside.answer(bank, "GET", "/rates", {})
        with pytest.raises(Exception, match="no test answers this call"):
            bank.call("POST", "/payouts", key="k", body={"amount": "1"})
    with pytest.raises(AssertionError, match="POST /payouts at LONGCASE_KIT_BANK_URL"):
        outside.require_answered()


# -- what is checked by itself


@pytest.mark.unsound("its row is forged")
def test_a_row_that_does_not_equal_its_history_is_found(open_case: Any) -> None:
    from tests.trial.models import Trial

    case = open_case("trial", script="race")
    Trial.objects.filter(pk=case.pk).update(amount=7)
    with pytest.raises(AssertionError, match="amount"):
        sound.check_all()


def test_transitions_that_no_test_took_are_named(open_case: Any) -> None:
    taken = coverage.Taken()
    case = open_case("trial", script="two_steps")
    case.send("first")
    taken.look()
    lines = coverage.of(steps.trial, taken)
    assert "trial: transition go_back, to trying" in lines
    assert "trial: step staff" in lines
    assert not any("go_second" in line or line.endswith("step second") for line in lines)
    # One that several steps have is taken from one of them
    case.send("second", n=1)
    taken.look()
    (finish,) = [one for one in coverage.of(steps.trial, taken) if "transition finish" in one]
    assert finish == "trial: transition finish, to done (from trying, staff)"
    # And what another process saw counts as well
    other = coverage.Taken()
    other.hear(taken.told())
    assert (other.edges, other.steps) == (taken.edges, taken.steps)
