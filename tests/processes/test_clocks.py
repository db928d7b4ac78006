"""Business clocks of cases: they stand still, move, warn, pass, and survive steps."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from cases.errors import Refused
from cases.models import Case, Notice
from processes.acts import caseclocks
from processes.acts.incidents import retry_incident
from processes.engine.replay import as_it_stood
from processes.engine.verify import differences_of
from processes.models import Incident
from processes.work import firing
from tests.processes.conftest import SERVICE, Trials, at_once
from tests.trial import terms
from timers.models import Clock, Timer

pytestmark = pytest.mark.django_db(transaction=True)

AMSTERDAM = ZoneInfo("Europe/Amsterdam")


def local(year: int, month: int, day: int, hour: int = 9) -> datetime:
    return datetime(year, month, day, hour, tzinfo=AMSTERDAM).astimezone(UTC)


@pytest.fixture
def fourth(trials: Trials) -> Trials:
    """Monday 4 January 2027, nine o'clock in Amsterdam."""
    trials.engine.turned.set(local(2027, 1, 4))
    return trials


def clock_of(case: Case, name: str = "term") -> Any:
    return Clock.objects.get(case_id=case.pk, name=name)


def limit_on(case: Case, name: str = "term") -> date | None:
    on: date | None = clock_of(case, name).stood.dates.limit_on
    return on


def timers_of(case: Case) -> dict[str, datetime]:
    return dict(Timer.objects.filter(case_id=case.pk, visit=0).values_list("purpose", "due_at"))


# -- suspending moves the final date by the days really used


def test_a_suspension_moves_the_limit_by_the_days_really_used(fourth: Trials) -> None:
    # Given a permit of 56 days, with a reminder seven days before its end
    case = fourth.open("term")
    assert limit_on(case) == date(2027, 3, 1)
    assert timers_of(case)["clock:warn0:term"] == local(2027, 2, 22)

    # When it is suspended on 14 January for at most 21 days
    fourth.engine.until(local(2027, 1, 14, 10))
    fourth.send(case, "begin")
    assert limit_on(case) == date(2027, 3, 22)
    assert list(timers_of(case)) == ["clock:pause:term"]  # no reminder while it stands still

    # And resumed on 23 January
    fourth.engine.until(local(2027, 1, 23, 16))
    fourth.send(case, "papers")
    assert limit_on(case) == date(2027, 3, 10)
    assert timers_of(case)["clock:warn0:term"] == local(2027, 3, 3)

    # And suspended once more, for two days
    fourth.engine.until(local(2027, 2, 1))
    fourth.send(case, "more")
    fourth.engine.until(local(2027, 2, 3))
    fourth.send(case, "looked")
    assert limit_on(case) == date(2027, 3, 12)

    # Then history shows each shift with its reason
    told = [
        (e.type, e.data.get("reason"), e.data["dates"]["limit_on"])
        for e in fourth.events(case)
        if e.type.startswith("clock.")
    ]
    assert told == [
        ("clock.started", None, date(2027, 3, 1)),
        ("clock.paused", "papers are missing", date(2027, 3, 22)),
        ("clock.resumed", None, date(2027, 3, 10)),
        ("clock.paused", "a second look", date(2027, 4, 21)),
        ("clock.resumed", None, date(2027, 3, 12)),
    ]

    # And the reminder came once, on 5 March, and the limit ended the block
    fourth.engine.until(local(2027, 3, 5, 10))
    assert fourth.count(case, "clock.warned") == 1
    fourth.engine.until(local(2027, 3, 12, 23))
    assert fourth.fresh(case).is_open
    fourth.engine.until(local(2027, 3, 13, 0))
    after = fourth.fresh(case)
    assert (after.step, after.outcome_reason) == ("failed", "the term passed")
    assert fourth.count(case, "clock.limit_passed") == 1
    assert not Timer.objects.exists()


def test_no_reminder_comes_while_it_stands_still(fourth: Trials) -> None:
    case = fourth.open("term")
    fourth.engine.until(local(2027, 2, 20))
    fourth.send(case, "begin")
    fourth.engine.until(local(2027, 2, 27))  # past the old reminder
    assert "clock.warned" not in fourth.types(case)


def test_a_pause_that_reaches_its_end_ends_by_itself(fourth: Trials) -> None:
    case = fourth.open("term")
    fourth.engine.until(local(2027, 1, 14))
    fourth.send(case, "begin")
    fourth.engine.until(local(2027, 2, 10))
    resumed = fourth.last(case, "clock.resumed")
    assert resumed.data["automatic"] and resumed.data["until"] == date(2027, 2, 4)
    assert limit_on(case) == date(2027, 3, 22)
    # And the code, which resumes it when the papers come, finds it running
    fourth.send(case, "papers")
    assert fourth.last(case, "clock.resumed").data["unchanged"] == "running"
    assert limit_on(case) == date(2027, 3, 22)


def test_a_pause_may_go_on_and_people_are_told(fourth: Trials, people: Any) -> None:
    case = fourth.open("alerting")
    fourth.engine.advance(hours=49)
    assert fourth.count(case, "clock.pause_passed") == 1
    assert clock_of(case, "answer").limit_at is None
    assert Notice.objects.filter(role="supervisor", text__contains="Answer").count() == 1
    fourth.engine.until(local(2027, 1, 7))  # Thursday; three days used nothing
    fourth.send(case, "go")
    # Begun on Monday at nine and paused at once: eight opening hours from Thursday at nine
    assert fourth.fresh(case).result == "2027-01-07 16:00:00+00:00"


# -- several clocks, across steps


def test_clocks_survive_steps_and_each_has_its_own_pace(fourth: Trials) -> None:
    case = fourth.open("two_clocks")
    assert limit_on(case, "service") == date(2027, 1, 11)
    fourth.judge(fourth.hand_in(case, "passport"), accept=True)
    after = fourth.fresh(case)
    assert (after.step, after.result) == ("second", "True None")
    entered = fourth.last(case, "step.entered")
    assert set(entered.data["clocks"]) == {"term", "service"}

    # The step was left; the term still warns and passes, the service level does not
    fourth.engine.until(local(2027, 3, 2))
    assert fourth.count(case, "clock.warned") == 1
    assert [e.data["name"] for e in fourth.events(case) if e.type == "clock.limit_passed"] == [
        "term"
    ]
    assert clock_of(case).is_late and not clock_of(case, "service").is_late
    fourth.send(case, "second")
    assert clock_of(case).state == "stopped"  # closing the case stops what still ran
    assert as_it_stood(fourth.fresh(case), 2).clocks == {}
    stood = as_it_stood(fourth.fresh(case), 3).clocks["term"]
    assert stood.limit_at == datetime(2027, 3, 1, 22, 59, 59, tzinfo=UTC)


def test_target_and_warning_are_told_to_the_owner_and_the_supervisors(
    fourth: Trials, people: Any
) -> None:
    from processes.acts.cases import open_case
    from tests.processes.conftest import SERVICE

    case = open_case(
        kind="trial", facts={"script": "term"}, title="t", actor=SERVICE, owner=people.sanne
    )
    fourth.engine.until(local(2027, 2, 23))
    texts = set(Notice.objects.filter(person=people.sanne).values_list("text", flat=True))
    assert texts == {
        f"Legal term of {case.reference} has passed its target.",
        f"Legal term of {case.reference} ends on 1 Mar 2027, 7 days from now.",
    }
    supervisors = Notice.objects.filter(role="supervisor")
    assert set(supervisors.values_list("text", flat=True)) == texts


# -- extension


def test_an_extension_moves_the_limit_once(fourth: Trials) -> None:
    case = fourth.open("extends")
    assert limit_on(case) == date(2027, 4, 12)  # 56 + 42 days
    fourth.send(case, "again")
    assert fourth.fresh(case).result.startswith("1 2027-04-12")


def test_more_extensions_than_the_terms_allow_stop_the_case_and_say_so(fourth: Trials) -> None:
    case = fourth.open("extends")
    fourth.send(case, "again", too_often=True)
    came = Incident.objects.get(case=case).came
    assert "was extended 1 times, and its terms allow 1" in came
    assert limit_on(case) == date(2027, 4, 12)


# -- what cannot be, and what is no error


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("unheard_of", "has no clock “nothing”. It has: answer, service, term"),
        ("not_started", "start_clock('term') comes first"),
    ],
)
def test_a_clock_that_is_not_there_stops_the_case_and_says_so(
    fourth: Trials, script: str, says: str
) -> None:
    case = fourth.open(script)
    assert says in Incident.objects.get(case=case).came


def test_a_block_that_begins_when_the_time_is_up_ends_at_once(fourth: Trials) -> None:
    case = fourth.open("passed_before")
    fourth.engine.until(local(2027, 3, 2))
    fourth.send(case, "begin")
    assert fourth.fresh(case).result == "True True"


def test_pausing_what_is_paused_changes_nothing(fourth: Trials) -> None:
    case = fourth.open("pauses_twice")
    assert fourth.fresh(case).result == "1 True"


def test_what_waits_within_a_clock_shows_its_limit_as_it_moves(fourth: Trials) -> None:
    case = fourth.open("term")
    assert fourth.fresh(case).waiting_until == clock_of(case).limit_at
    fourth.engine.until(local(2027, 1, 14))
    fourth.send(case, "begin")
    fourth.engine.until(local(2027, 1, 23))
    fourth.send(case, "papers")
    assert fourth.fresh(case).waiting_until == clock_of(case).limit_at


def test_cases_without_clocks_read_and_write_nothing_of_them(fourth: Trials) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as seen:
        fourth.open("patience")
    assert not [q for q in seen.captured_queries if "timers_clock" in q["sql"]]


# -- rows equal history, whatever breaks


def test_verify_finds_a_row_or_a_timer_that_history_does_not_tell(fourth: Trials) -> None:
    case = fourth.open("term")
    assert not list(differences_of(fourth.fresh(case)))
    row = clock_of(case)
    Clock.objects.filter(pk=row.pk).update(limit_at=local(2027, 6, 1))
    assert [d.words.split(":")[0] for d in differences_of(fourth.fresh(case))] == ["clocks"]
    Clock.objects.filter(pk=row.pk).update(limit_at=row.limit_at)
    Timer.objects.filter(purpose="clock:limit:term").delete()
    assert [d.words.split(":")[0] for d in differences_of(fourth.fresh(case))] == ["timers"]
    fourth.is_checked = False


def test_code_that_fails_after_it_moved_a_clock_moves_none(fourth: Trials) -> None:
    case = fourth.open("pauses_and_breaks")
    fourth.send(case, "go")
    assert "ZeroDivisionError" in Incident.objects.get(case=case).came
    assert clock_of(case).state == "running"
    assert fourth.count(case, "clock.paused") == 0


def test_the_limit_of_a_stopped_case_passes_and_ends_its_block_when_it_is_mended(
    fourth: Trials, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Given a case whose code failed within a block that its clock limits
    case = fourth.open("breaks_in_its_term")
    fourth.send(case, "go")
    assert Incident.objects.filter(case=case, closed_at=None).exists()

    # When the term passes, and the fault is mended afterwards
    fourth.engine.until(local(2027, 3, 3))
    monkeypatch.setattr(terms, "faulty", lambda: None)

    assert clock_of(case).is_late and fourth.fresh(case).is_open
    retry_incident(incident_id=Incident.objects.get(case=case).pk, actor=SERVICE)
    fourth.settle()

    # Then the block has ended, once
    assert fourth.fresh(case).result == "late True"
    assert fourth.count(case, "timer.fired") == 1


def test_two_services_fire_a_limit_once(fourth: Trials) -> None:
    cases = [fourth.open("term") for _ in range(6)]
    fourth.engine.turned.set(local(2027, 3, 2))
    for _ in range(6):
        at_once([lambda: firing.fire(5)] * 3)
    fourth.settle()
    assert [fourth.count(case, "clock.limit_passed") for case in cases] == [1] * 6
    assert [fourth.fresh(case).step for case in cases] == ["failed"] * 6


def test_a_pause_and_the_limit_at_once_take_one_path(fourth: Trials) -> None:
    cases = [fourth.open("term") for _ in range(8)]
    fourth.engine.turned.set(local(2027, 3, 2))
    refused: list[str] = []

    def pause() -> None:
        for case in cases:
            try:
                caseclocks.pause_clock(
                    case_id=case.pk, name="term", reason="x", since=date(2027, 2, 26), actor=SERVICE
                )
            except Refused as refusal:
                refused.append(str(refusal))

    at_once([pause, lambda: [firing.fire(1) for _ in range(30)]])
    fourth.settle()
    for case in cases:
        passed, paused = (
            fourth.count(case, "clock.limit_passed"),
            fourth.count(case, "clock.paused"),
        )
        after = fourth.fresh(case)
        assert (passed, after.step) == ((1, "failed") if after.closed_at else (0, "trying"))
        assert passed + paused >= 1
