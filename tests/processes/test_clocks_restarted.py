"""A restarted step gives nobody more time: its clocks are the case's, and run on."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from cases.actors import Actor
from cases.models import Case
from processes.acts.restarting import restart_step
from processes.engine.verify import verify
from processes.models import Incident
from tests.histories import sound
from tests.processes.conftest import Trials
from tests.processes.test_clocks import clock_of, fourth, limit_on, local, timers_of

__all__ = ["fourth"]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def restart(people: Any, fourth: Trials) -> Any:
    """Restart the step of a case, and let it go on."""

    def restarted(case: Case) -> None:
        restart_step(case_id=case.pk, reason="A new rule.", actor=Actor.of(people.otto))
        fourth.settle()
        sound.check_case(case.pk)
        assert not list(verify())
        assert [one.came for one in Incident.objects.all()] == []

    return restarted


def moves(trials: Trials, case: Case) -> list[tuple[str, str]]:
    """What was asked of clocks since the case entered its step, and why it changed nothing."""
    last = max(e.number for e in trials.events(case) if e.type == "step.entered")
    return [
        (e.type.removeprefix("clock."), e.data.get("unchanged", ""))
        for e in trials.events(case)
        if e.type.startswith("clock.") and e.number > last
    ]


def send(trials: Trials, case: Case, name: str, **data: Any) -> None:
    """A message that is another one in each visit."""
    visit = trials.fresh(case).visit
    trials.send(case, name, key=f"{case.pk}-{visit}-{name}", **data)


def test_a_clock_that_runs_and_was_extended_stays_as_it_is(fourth: Trials, restart: Any) -> None:
    # Given a term of 56 days from 4 January, extended by 42
    case = fourth.open("extends")
    before, timers = clock_of(case).stood, timers_of(case)
    assert limit_on(case) == date(2027, 4, 12)

    # When its step is restarted after ten days, twice
    fourth.engine.until(local(2027, 1, 14))
    for _ in range(2):
        restart(case)

        # Then the code asks for both again, and neither date nor reminder has moved
        assert moves(fourth, case) == [("started", "running"), ("extended", "extended")]
        assert clock_of(case).stood == before
        assert timers_of(case) == timers

    # And the limit that everybody was told still holds
    fourth.engine.until(local(2027, 4, 13))
    assert fourth.count(case, "clock.limit_passed") == 1


def test_an_extension_that_the_visit_before_had_not_asked_for_counts(
    fourth: Trials, restart: Any
) -> None:
    # Given a service level of 5 working days, not extended yet, whose step is restarted
    case = fourth.open("extends_late")
    restart(case)
    assert moves(fourth, case) == [("started", "running")]

    # When the code extends it twice, as its terms allow
    send(fourth, case, "begin")
    assert limit_on(case, "service") == date(2027, 1, 18)
    send(fourth, case, "again", once_more=True)

    # Then both count, once
    assert limit_on(case, "service") == date(2027, 1, 25)
    restart(case)
    send(fourth, case, "begin")
    send(fourth, case, "again", once_more=True)
    assert moves(fourth, case)[1:] == [("extended", "extended")] * 2
    assert limit_on(case, "service") == date(2027, 1, 25)
    send(fourth, case, "end")
    assert fourth.fresh(case).result == "ended"


def test_one_extension_before_and_one_after_the_restart(fourth: Trials, restart: Any) -> None:
    case = fourth.open("extends_late")
    send(fourth, case, "begin")
    restart(case)
    send(fourth, case, "begin")
    assert limit_on(case, "service") == date(2027, 1, 18)
    send(fourth, case, "again", once_more=True)
    assert moves(fourth, case)[1:] == [("extended", "extended"), ("extended", "")]
    assert limit_on(case, "service") == date(2027, 1, 25)


def test_a_clock_that_stands_still_does_so_until_the_code_lets_it_run(
    fourth: Trials, restart: Any
) -> None:
    # Given a term that has stood still since 14 January
    case = fourth.open("stands_still")
    fourth.engine.until(local(2027, 1, 14))
    send(fourth, case, "begin")
    still = clock_of(case).stood

    # When the step is restarted two days later, and asks for the same again
    fourth.engine.until(local(2027, 1, 16))
    restart(case)
    assert clock_of(case).stood == still
    send(fourth, case, "begin")
    assert moves(fourth, case) == [("started", "running"), ("paused", "paused")]

    # Then it runs again on 18 January, four days longer and no more
    fourth.engine.until(local(2027, 1, 18))
    send(fourth, case, "papers")
    assert fourth.fresh(case).result == "1 True"
    assert limit_on(case) == date(2027, 3, 5)
