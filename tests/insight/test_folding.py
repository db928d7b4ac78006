"""The rows of a case, counted by hand from a small history."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from audit import codec
from audit.record import Recorded
from processes.insight.folding import Rows, folded
from timers.spans import days as in_days

BEGAN = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
DAY = 86_400


class History:
    """Events of a case, each so many days after the first."""

    def __init__(self) -> None:
        self.events: list[Recorded] = []

    def add(self, day: float, type: str, **data: Any) -> None:
        at = BEGAN + timedelta(days=day)
        number = len(self.events) + 1
        self.events.append(Recorded(7, number, type, codec.encode(data), "engine", "", at, at, b""))

    def enter(self, day: float, step: str, visit: int, came: str, by: str, **more: Any) -> None:
        data = {"step": step, "visit": visit, "from": came, "transition": by, "facts": {}}
        self.add(day, "step.entered", **data, **more)

    def rows(self) -> Rows:
        found = folded(
            7, "trial", self.events, staff_steps={"staff": "caseworker"}, papers=["payslip"]
        )
        assert found is not None
        return found


def a_history() -> History:
    """Trying twice, as a decision was taken back; then staff end it."""
    one = History()
    one.add(0, "case.opened", facts={})
    one.enter(0, "trying", 1, "", "open")
    limit = BEGAN + timedelta(days=6)
    one.add(
        0,
        "clock.started",
        name="term",
        calendar="",
        start=BEGAN,
        limit=in_days(6).encode(),
        dates={"limit_at": limit},
    )
    one.add(0, "message.awaited", command=1, name="answer", of="customer")
    one.add(0, "timer.set", command=2, name="", due_at=BEGAN + timedelta(days=30))
    one.add(2, "message.received", command=1)
    due = BEGAN + timedelta(days=4)
    one.add(2, "task.opened", command=3, name="first", title="", role="underwriter", due_at=due)
    one.add(5, "task.completed", task=3, command=3, outcome="approve")
    one.enter(5, "second", 2, "trying", "go_second")
    one.add(5, "activity.scheduled", command=1, name="call", arguments={})
    one.add(6, "activity.completed", command=1)
    one.add(
        6, "documents.requested", command=2, names=["payslip"], on="applicant", enough="accepted"
    )
    one.add(6.5, "document.received", name="payslip")
    one.add(6.5, "document.rejected", name="payslip")
    one.add(7, "task.taken_back", task=3, visit=1, name="first", outcome="approve")
    one.enter(7, "trying", 3, "second", "go_back")
    one.add(8, "incident.opened", kind="code")
    one.add(9, "incident.closed")
    one.enter(9, "trying", 4, "trying", "restart")
    one.add(9, "task.opened", command=1, name="first", title="", role="underwriter", due_at=None)
    one.enter(10, "staff", 5, "trying", "ask_staff")
    one.enter(13, "done", 6, "staff", "finish", closed=True)
    return one


def test_each_visit_tells_where_it_came_from_and_how_long_it_took() -> None:
    rows = a_history().rows()
    assert [(v.number, v.step, v.came_from, v.went_to, v.days, v.before) for v in rows.visits] == [
        (1, "trying", "", "second", 5, 0),
        (2, "second", "trying", "trying", 2, 0),
        (3, "trying", "second", "staff", 3, 1),  # the restart of its code is no new visit
        (5, "staff", "trying", "done", 3, 0),
        (6, "done", "staff", "", 0, 0),
    ]
    assert [v.seconds for v in rows.visits] == [5 * DAY, 2 * DAY, 3 * DAY, 3 * DAY, 0]
    assert rows.visits[-1].is_end and rows.visits[-1].left_at is None
    assert rows.path.steps == "trying>second>trying>staff>done" and rows.path.visits == 5


def test_waiting_is_counted_for_whom_and_a_timer_only_when_nothing_else_is() -> None:
    rows = a_history().rows()
    assert [(w.number, w.sort, w.party, w.seconds / DAY) for w in rows.waits] == [
        (1, "party", "customer", 2),
        (1, "people", "underwriter", 3),
        (2, "party", "applicant", 1),
        (2, "service", "call", 1),
        (3, "people", "underwriter", 1),
        (3, "stopped", "", 1),
        (5, "people", "caseworker", 3),
    ]


def test_terms_say_when_they_were_due_and_done() -> None:
    rows = a_history().rows()
    told = [(t.sort, t.name, t.state, t.due_at, t.ended_at, t.taken_back_at) for t in rows.terms]

    def at(day: float) -> datetime:
        return BEGAN + timedelta(days=day)

    assert told == [
        ("clock", "term", "done", at(6), at(13), None),  # it stopped with the case, 7 days late
        ("task", "first", "done", at(4), at(5), at(7)),
        ("task", "first", "cancelled", None, at(10), None),
    ]
    assert [(p.name, p.step, p.at) for p in rows.papers] == [("payslip", "second", at(6.5))]


def test_reopening_goes_on_from_the_end_and_counts_no_time_there() -> None:
    one = a_history()
    one.enter(20, "trying", 7, "done", "reopen", reopened=True)
    rows = one.rows()
    assert rows.visits[-2].left_at is not None and rows.visits[-1].reopened
    assert rows.visits[-1].before == 2
    assert not [wait for wait in rows.waits if wait.number == 6]


def test_a_case_without_a_step_has_no_rows() -> None:
    assert folded(7, "trial", [], staff_steps={}, papers=()) is None


def test_the_name_that_staff_gave_a_paper_is_not_kept() -> None:
    one = a_history()
    one.add(14, "document.rejected", name="certificate_of_zoe_example")
    assert [paper.name for paper in one.rows().papers] == ["payslip", ""]
