"""Each word of a step, from asking to answer."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from audit.read import events_of
from cases.models import Case, Notice
from processes.acts.cases import change_facts
from processes.engine.words import ask_review
from processes.models import Activity, Incident
from tests.processes.conftest import SERVICE, Trials, effects
from tests.trial import activities, steps
from timers import clock
from timers.models import Timer

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_case_lives_through_activities_messages_and_a_timer(trials: Trials) -> None:
    case = trials.open("loan")
    trials.send(case, "documents")
    trials.send(case, "review")
    trials.engine.advance(seconds=2)

    after = trials.fresh(case)
    assert (after.step, after.result, after.outcome) == ("done", "closed", "done")
    assert effects() == ["verify", "appraisal", "decide", "notify"]
    assert not Incident.objects.exists()


# -- several at once


def test_all_of_waits_for_each_and_keeps_their_order(trials: Trials) -> None:
    case = trials.open("together")
    assert trials.fresh(case).result == "a,b,c"
    assert sorted(effects()) == ["a", "b", "c"]


def test_all_of_cancels_the_rest_when_one_fails(trials: Trials) -> None:
    # Given an activity that is refused beside a message and a sleep
    activities.trouble[:] = [activities.Refused("not this one")]
    case = trials.open("together_failing")

    # Then the message and the sleep are cancelled, and the code goes on with the error
    assert not Timer.objects.filter(case_id=case.pk).exists()
    assert [wait["name"] for wait in trials.fresh(case).waits] == ["after"]
    trials.send(case, "after")
    assert trials.fresh(case).outcome_reason == "Refused: not this one"


def test_first_of_takes_the_message_and_cancels_the_timer(trials: Trials) -> None:
    case = trials.open("race")
    trials.send(case, "go")
    assert trials.fresh(case).result == "0"
    assert not Timer.objects.exists()
    assert trials.last(case, "wait.cancelled").data["commands"] == [2]


def test_first_of_takes_the_timer_and_no_longer_waits_for_the_message(trials: Trials) -> None:
    case = trials.open("race")
    trials.engine.advance(days=2)
    assert trials.fresh(case).result == "1"


def test_async_functions_run_side_by_side(trials: Trials) -> None:
    case = trials.open("helpers")
    trials.send(case, "b", n=2)
    trials.send(case, "a", n=1)
    assert trials.fresh(case).result == "a1 b2"


def test_a_race_of_functions_cancels_what_the_loser_waited_for(trials: Trials) -> None:
    case = trials.open("helper_race")
    trials.send(case, "quick", n=7)
    assert trials.fresh(case).result == "1 7"
    assert [w for w in trials.fresh(case).waits if w["name"] == "never"] == []


def test_what_was_started_is_awaited_later(trials: Trials) -> None:
    case = trials.open("side")
    assert effects() == ["aside"]
    trials.send(case, "go")
    assert trials.fresh(case).result == "aside"


def test_a_race_that_was_won_takes_no_message_from_a_later_wait(trials: Trials) -> None:
    # Given a document and a message that are both there when a race for them begins
    case = trials.open("met_race")
    trials.hand_in(case, "passport")
    trials.send(case, "go", n=1)
    trials.send(case, "begin")

    # Then the document wins, and the message is still there for the wait that follows
    assert trials.fresh(case).result == "0 1"


# -- time


def test_a_sleep_ends_when_it_should_and_tells_the_moment(trials: Trials) -> None:
    began = clock.now()
    case = trials.open("nap")
    trials.engine.advance(days=2, hours=23)
    assert trials.fresh(case).is_open
    trials.engine.advance(hours=1)
    assert trials.fresh(case).result == (began + timedelta(days=3)).isoformat()


def test_a_deadline_that_is_kept_leaves_no_timer(trials: Trials) -> None:
    case = trials.open("hour")
    trials.send(case, "confirmed")
    assert trials.fresh(case).result == "confirmed"
    assert not Timer.objects.exists()


def test_a_deadline_that_passes_ends_its_block(trials: Trials) -> None:
    case = trials.open("hour")
    trials.engine.advance(minutes=59)
    assert trials.fresh(case).is_open
    trials.engine.advance(minutes=1)
    assert trials.fresh(case).result == "late"


def test_a_wait_inside_a_deadline_says_until_when_and_what_then(trials: Trials) -> None:
    case = trials.open("patience")
    (wait,) = trials.fresh(case).waits
    assert wait["kind"] == "documents"
    assert wait["until"] == clock.now() + timedelta(days=30)
    assert (wait["met"], wait["otherwise"]) == ("the trial ends well", "the trial fails")


@pytest.mark.parametrize(
    ("days", "message", "result"),
    [
        ([], "early late", "outer False inner False"),
        ([4], "late", "outer False inner True"),
        ([4, 6], "", "outer True inner True"),
    ],
)
def test_deadlines_nest(trials: Trials, days: list[int], message: str, result: str) -> None:
    case = trials.open("nested")
    for some in days:
        trials.engine.advance(days=some)
    for name in message.split():
        trials.send(case, name)
    assert trials.fresh(case).result == result
    assert not Timer.objects.exists()


def test_the_outer_deadline_ends_an_inner_block_that_has_time_left(trials: Trials) -> None:
    case = trials.open("nested_outside")
    trials.engine.advance(days=4)
    assert trials.fresh(case).result == "outer True inner False"
    assert not Timer.objects.exists()


def test_a_deadline_cancels_all_that_its_block_waits_for(trials: Trials) -> None:
    activities.trouble[:] = [ConnectionError("down")]
    case = trials.open("deadline_of_many")
    trials.engine.advance(days=2)
    assert trials.fresh(case).result == "late"
    assert not Activity.objects.exists() and not Timer.objects.exists()


def test_two_timers_due_at_once_fire_in_order_and_the_second_means_nothing(
    trials: Trials,
) -> None:
    """Downtime makes both deadlines due before anyone looks; the outer one ends the inner."""
    case = trials.open("nested_outside_then_waiting")
    trials.engine.turned.advance(days=20)
    trials.settle()
    assert trials.count(case, "timer.fired") == 1
    trials.send(case, "go")
    assert trials.fresh(case).result == "outer True inner False"


# -- chance


def test_now_chance_and_names_are_the_same_in_each_replay(trials: Trials) -> None:
    case = trials.open("chance")
    began = clock.now()
    trials.engine.advance(days=1)
    trials.send(case, "go")
    first = trials.fresh(case).result
    assert first.startswith(began.isoformat())

    # And another case has chances of its own
    other = trials.open("chance")
    trials.send(other, "go")
    assert trials.fresh(other).result.split()[1:] != first.split()[1:]


# -- inside activities


def test_an_inside_activity_writes_in_the_transaction_that_records_it(trials: Trials) -> None:
    case = trials.open("broken_once")
    trials.send(case, "go")
    assert Notice.objects.filter(case=case).count() == 1
    assert trials.count(case, "activity.done") == 1
    trials.send(case, "more", n=1)
    trials.engine.advance(days=1)
    assert Notice.objects.filter(case=case).count() == 1


def test_an_inside_activity_is_undone_when_the_code_fails_after_it(
    trials: Trials, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Given code that fails after writing a row
    monkeypatch.setattr(steps, "broken", [True])
    case = trials.open("broken_once")
    trials.send(case, "go")

    # Then neither the row nor its event is there
    assert not Notice.objects.exists()
    assert "activity.done" not in trials.types(case)
    assert trials.fresh(case).stopped_at is not None

    # When the code has been mended, the row is written once
    steps.broken.clear()
    trials.engine.advance(minutes=1)
    from processes.work import sweeps

    assert sweeps.revive(case.pk, actor="engine")
    assert Notice.objects.filter(case=case).count() == 1


def test_an_inside_activity_that_fails_gives_its_error_to_the_code(trials: Trials) -> None:
    activities.trouble[:] = [ValueError("no")]
    case = trials.open("local_handled")
    assert trials.fresh(case).outcome_reason == "ValueError: no"
    assert trials.last(case, "activity.done").data["error"] == "ValueError: no"


# -- facts


def test_facts_that_change_mid_step_reach_the_code(trials: Trials) -> None:
    case = trials.open("amount_now", amount=10)
    change_facts(case_id=case.pk, changes={"amount": "12.50"}, reason="typing error", actor=SERVICE)
    trials.send(case, "go")
    after = trials.fresh(case)
    assert (after.result, str(after.amount)) == ("10.00 12.50", "12.50")


def test_a_step_entered_again_is_a_visit_of_its_own(trials: Trials) -> None:
    case = trials.open("two_steps")
    trials.send(case, "first", key="one")
    trials.send(case, "second", key="two", back=True)
    assert (trials.fresh(case).step, trials.fresh(case).visit) == ("trying", 3)
    trials.send(case, "first", key="three")
    trials.send(case, "second", key="four", n=4)
    assert trials.fresh(case).result == "second 4"


# -- staff


def test_a_step_without_code_waits_for_staff(trials: Trials) -> None:
    case = trials.open("staff")
    (wait,) = trials.fresh(case).waits
    assert (wait["kind"], wait["on"], wait["met"]) == ("staff", "caseworker", "the trial ends")


# -- many


def test_a_step_of_a_thousand_events_goes_on(trials: Trials) -> None:
    case = trials.open("many")
    assert trials.fresh(case).result == "500"
    assert len(events_of(case.pk)) == 1003
    assert len(set(activities.effects)) == 500


def test_the_clock_of_the_tests_stands_where_it_was_put(trials: Trials) -> None:
    assert clock.now() == datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
    assert not Case.objects.exists()


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("underwriting", "Underwriting review"),
        ("review", "Review"),
        ("second_review", "Second review"),
    ],
)
def test_a_review_that_is_called_one_is_not_called_so_twice(name: str, title: str) -> None:
    assert ask_review(name, role="supervisor").title == title
