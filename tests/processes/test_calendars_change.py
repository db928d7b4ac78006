"""A calendar changes: what lies ahead of open cases is counted again, once, with an event each."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core.management import CommandError, call_command

from cases.models import Case, Task, Team
from processes.acts.cases import open_case
from processes.work import recompute
from tests.processes.conftest import SERVICE, Trials
from timers import calendarbook, calendars, clock
from timers.calendarbook import CalendarRefused
from timers.models import CalendarChange, CalendarRow, Clock, Timer

pytestmark = pytest.mark.django_db(transaction=True)

AMSTERDAM = ZoneInfo("Europe/Amsterdam")


def local(year: int, month: int, day: int, hour: int = 9) -> datetime:
    return datetime(year, month, day, hour, tzinfo=AMSTERDAM).astimezone(UTC)


@pytest.fixture
def monday(trials: Trials, organisation: Any) -> Trials:
    """Monday 4 January 2027, nine o'clock in Amsterdam."""
    trials.engine.turned.set(local(2027, 1, 4))
    assert recompute.follow_calendars(settled_after=timedelta(0)) == 0  # no case yet
    return trials


def follow() -> int:
    """What the timer service does a few seconds after a change."""
    return recompute.follow_calendars(settled_after=timedelta(0))


def free(day: date, title: str = "Works outing", name: str = "organisation") -> None:
    calendarbook.set_day(name, day, works=False, title=title, by="person:1", why="agreed")


def service_limit(case: Case) -> date | None:
    found: date | None = Clock.objects.get(case_id=case.pk, name="service").stood.dates.limit_on
    return found


def test_a_new_free_day_moves_clocks_and_tasks_with_one_event_each(monday: Trials) -> None:
    clocks, tasks = monday.open("two_clocks"), monday.open("review")
    other = monday.open("patience")  # thirty calendar days: nothing to count
    assert service_limit(clocks) == date(2027, 1, 11)
    assert Task.objects.get(case=tasks).due_at == local(2027, 1, 11, 17)

    free(date(2027, 1, 6))
    assert follow() == 2

    assert service_limit(clocks) == date(2027, 1, 12)
    moved = monday.last(clocks, "clock.recomputed")
    assert (moved.actor, moved.data["was"]) == ("engine", local(2027, 1, 11, 17))
    assert moved.data["why"] == "2027-01-06 is free (Works outing) (agreed)"
    assert moved.data["dates"]["holidays"] == [[date(2027, 1, 6), "Works outing"]]
    assert Task.objects.get(case=tasks).due_at == local(2027, 1, 12, 17)
    assert Timer.objects.get(case_id=tasks.pk).due_at == local(2027, 1, 12, 17)
    assert monday.count(tasks, "due.moved") == 1
    assert [t for t in monday.types(other) if t in ("due.moved", "clock.recomputed")] == []

    # Counting again moves nothing, and the row of the calendar says that all is done
    assert follow() == 0
    row = CalendarRow.objects.get()
    assert row.swept_version == row.version
    assert monday.count(clocks, "clock.recomputed") == 1

    # The day is taken back, and so are the dates
    calendarbook.clear_day("organisation", date(2027, 1, 6), by="person:1", why="no outing")
    assert follow() == 2
    assert service_limit(clocks) == date(2027, 1, 11)
    assert Task.objects.get(case=tasks).due_at == local(2027, 1, 11, 17)


def test_what_is_over_or_past_stays(monday: Trials) -> None:
    done = monday.open("two_clocks")
    monday.judge(monday.hand_in(done, "passport"), accept=True)  # stops the service clock
    late = monday.open("two_clocks")
    overdue = monday.open("review")
    monday.engine.until(local(2027, 1, 12))
    free(date(2027, 1, 6))
    assert follow() == 0
    assert service_limit(done) == service_limit(late) == date(2027, 1, 11)
    assert Task.objects.get(case=overdue).due_at == local(2027, 1, 11, 17)


def test_a_moved_date_is_the_one_that_fires(monday: Trials) -> None:
    case = monday.open("review")
    free(date(2027, 1, 6))
    follow()
    monday.engine.until(local(2027, 1, 11, 18))
    assert monday.count(case, "task.overdue") == 0
    monday.engine.until(local(2027, 1, 12, 17))
    assert monday.count(case, "task.overdue") == 1


def test_a_block_in_working_days_and_what_it_holds_move_together(monday: Trials) -> None:
    case = monday.open("working_block")
    assert monday.fresh(case).waiting_until == local(2027, 1, 7, 17)
    free(date(2027, 1, 6))
    assert follow() == 1
    assert monday.fresh(case).waiting_until == local(2027, 1, 8, 17)
    monday.send(case, "go")  # what is asked within the block afterwards has the new date too
    assert monday.fresh(case).waiting_until == local(2027, 1, 8, 17)
    monday.engine.until(local(2027, 1, 8, 17))
    assert monday.fresh(case).result == "late"


def test_many_cases_go_in_batches_and_a_death_between_them_loses_nothing(
    monday: Trials, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recompute, "BATCH", 3)
    monkeypatch.setattr(recompute, "BATCHES_PER_SWEEP", 2)
    cases = [monday.open("review") for _ in range(8)]
    free(date(2027, 1, 6))
    assert follow() == 6  # and this process ends here
    assert CalendarRow.objects.get().swept_upto == cases[5].pk

    def die(*_: Any, **__: Any) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as dying:
        dying.setattr(recompute, "count_again", die)
        with pytest.raises(KeyboardInterrupt):
            follow()
    assert follow() == 2
    assert [monday.count(case, "due.moved") for case in cases] == [1] * 8


def test_a_case_that_is_held_is_come_back_to(monday: Trials) -> None:
    from processes.engine.turn import Turn
    from tests.processes.conftest import at_once

    first, second = monday.open("review"), monday.open("review")
    free(date(2027, 1, 6))
    with Turn() as turn:
        turn.lock([first.pk], wait=True)
        at_once([follow])
    assert follow() == 2
    assert [monday.count(case, "due.moved") for case in (first, second)] == [1, 1]


def test_the_calendar_of_the_team_and_the_kind_is_chosen(monday: Trials) -> None:
    south = Team.objects.create(name="South")
    calendarbook.create(
        "bavaria",
        title="Munich",
        country="DE",
        region="BY",
        team_id=south.pk,
        by="person:1",
        why="the new office",
    )
    # 6 January, Epiphany, is free in Bavaria and not in the Netherlands
    there = open_case(
        kind="trial", facts={"script": "two_clocks"}, title="t", actor=SERVICE, team=south
    )
    here = monday.open("two_clocks")
    assert service_limit(there) == date(2027, 1, 12) and service_limit(here) == date(2027, 1, 11)
    # A change there moves nothing here
    free(date(2027, 1, 7), name="bavaria")
    assert follow() == 1
    assert service_limit(there) == date(2027, 1, 13) and service_limit(here) == date(2027, 1, 11)


def test_local_days_of_the_calendar_it_builds_on_count_too(monday: Trials) -> None:
    calendarbook.create(
        "desk", title="Desk", country="NL", base="organisation", kind="trial", by="x", why="y"
    )
    case = monday.open("two_clocks")
    assert Clock.objects.get(case_id=case.pk, name="service").calendar == "desk"
    free(date(2027, 1, 6))
    assert follow() == 1
    calendarbook.set_day("desk", date(2027, 1, 6), works=True, title="", by="x", why="duty")
    assert follow() == 1
    assert service_limit(case) == date(2027, 1, 11)


def test_another_process_follows_a_change_within_a_second(monday: Trials) -> None:
    free(date(2027, 1, 6))
    calendars.keep({}, {}, version=0)  # as another process still has them
    assert calendars.default().is_working(date(2027, 1, 6))
    clock.refresh()
    assert not calendars.default().is_working(date(2027, 1, 6))


def test_changes_keep_who_when_and_why(monday: Trials) -> None:
    free(date(2027, 1, 6))
    call_command(
        "calendars", "organisation", "--working", "2027-03-29", "--why", "a market", verbosity=0
    )
    assert [(c.what, c.by.split(" ")[0], c.why) for c in CalendarChange.objects.all()] == [
        ("created", "person:1", "moved from settings"),
        ("free", "person:1", "agreed"),
        ("works", "service:command", "a market"),
    ]
    assert calendars.default().is_working(date(2027, 3, 29))  # Easter Monday


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            lambda: calendarbook.set_day(
                "x", date(2027, 1, 6), works=True, title="", by="a", why="b"
            ),
            "There is no calendar “x”. There are: organisation",
        ),
        (
            lambda: calendarbook.set_day(
                "organisation", date(2027, 1, 6), works=True, title="", by="a", why=" "
            ),
            "Say why",
        ),
        (
            lambda: calendarbook.set_day(
                "organisation", date(2027, 1, 6), works=False, title="", by="a", why="b"
            ),
            "Name the free day",
        ),
        (
            lambda: calendarbook.create("new", title="", country="XX", by="a", why="b"),
            "“XX” is no country",
        ),
        (
            lambda: calendarbook.create(
                "new", title="", country="DE", region="XX", by="a", why="b"
            ),
            "DE has no region “XX”. It has: BB",
        ),
        (
            lambda: calendarbook.clear_day("organisation", date(2027, 1, 6), by="a", why="b"),
            "is no local day",
        ),
    ],
)
def test_a_change_that_cannot_be_says_why(monday: Trials, change: Any, says: str) -> None:
    with pytest.raises(CalendarRefused, match=says):
        change()
    assert CalendarChange.objects.count() == 1


def test_the_command_says_what_it_cannot_read(organisation: Any) -> None:
    with pytest.raises(CommandError, match="write it as 2027-05-05"):
        call_command("calendars", "organisation", "--free", "5 May", "--why", "x")
