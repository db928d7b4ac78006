"""Clocks on the case page: why a date is what it is, and what people may do about it."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from audit.read import events_of
from cases import explain
from cases.actors import Actor
from cases.errors import ClockNotMoved, Invalid, NotAllowed
from cases.models import Case
from processes.acts import caseclocks
from processes.queries import clock_views
from timers import clock
from timers.models import Clock
from timers.spans import days

pytestmark = pytest.mark.django_db(transaction=True)

# The desk opens at 30 November 2026, nine o'clock in UTC: 56 days end on 25 January 2027.


def limit_of(case: Case, name: str = "term") -> date | None:
    found: date | None = Clock.objects.get(case_id=case.pk, name=name).stood.dates.limit_on
    return found


def types(case: Case) -> list[str]:
    return [event.type for event in events_of(case.pk) if event.type.startswith("clock.")]


def test_the_page_says_why_the_limit_is_what_it_is(desk: Any, visit: Any) -> None:
    case = desk.open("term")
    page = visit(desk.people.sanne).open(case.get_absolute_url())
    assert "Legal term" in page
    assert "Limit 25 Jan 2027: 8 weeks from 30 Nov." in page
    desk.engine.advance(days=10)
    caseclocks.pause_clock(
        case_id=case.pk,
        name="term",
        reason="we wait for your drawings",
        since=date(2026, 12, 10),
        at_most=days(14),
        actor=Actor.of(desk.people.sanne),
    )
    page = visit(desk.people.sanne).open(case.get_absolute_url())
    assert (
        "Limit 8 Feb 2027 if the pause takes as long as it may: 8 weeks from 30 Nov, "
        "plus 14 days in which it stood still (we wait for your drawings)." in page
    )
    history = visit(desk.people.sanne).open(f"{case.get_absolute_url()}history/")
    assert "Legal term paused" in history
    assert "We wait for your drawings. Limit 8 Feb 2027, 14 days later." in history


def test_a_caseworker_pauses_and_lets_go_on(desk: Any, visit: Any) -> None:
    case = desk.open("term")
    desk.engine.advance(days=20)
    here = f"{case.get_absolute_url()}clocks/term/"
    page = visit(desk.people.sanne).open(f"{here}pause/")
    assert "at most 6 weeks at a time" in page
    page = page.send(f"{here}pause/", since="2026-12-14", at_most="21", reason="drawings")
    assert "Done. The limit is now 15 Feb 2027." in page
    page = page.__class__(page.client, page.client.get(f"{here}resume/"))
    page = page.send(f"{here}resume/", until="2026-12-18", reason="")
    assert "Done. The limit is now 29 Jan 2027." in page
    assert types(case) == ["clock.started", "clock.paused", "clock.resumed"]
    paused = events_of(case.pk)[-2]
    assert paused.actor == f"person:{desk.people.sanne.pk}"


def test_the_same_pause_sent_twice_is_one(desk: Any, visit: Any) -> None:
    case = desk.open("term")
    here = f"{case.get_absolute_url()}clocks/term/pause/"
    page = visit(desk.people.sanne).open(here)
    for _ in range(2):
        page.send(here, since="2026-11-30", at_most="", reason="drawings")
    assert types(case) == ["clock.started", "clock.paused"]


def test_a_supervisor_corrects_a_pause_and_the_limit_follows(desk: Any, visit: Any) -> None:
    case = desk.open("term")
    desk.engine.advance(days=20)
    act = {"case_id": case.pk, "name": "term", "actor": Actor.of(desk.people.sanne)}
    caseclocks.pause_clock(**act, reason="drawings", since=date(2026, 12, 10))
    caseclocks.resume_clock(**act, until=date(2026, 12, 17))
    assert limit_of(case) == date(2027, 2, 1)
    here = f"{case.get_absolute_url()}clocks/term/pauses/0/"
    assert "Correct" not in visit(desk.people.sanne).open(case.get_absolute_url())
    assert visit(desk.people.sanne).open(here).status == 403
    page = visit(desk.people.petra).open(here)
    page = page.send(here, since="2026-12-10", until="2026-12-15", reason="they came on the 15th")
    assert "Done. The limit is now 30 Jan 2027." in page
    corrected = events_of(case.pk)[-1]
    assert (corrected.type, corrected.data["reason"]) == (
        "clock.corrected",
        "they came on the 15th",
    )
    # And a pause that never was leaves no day behind
    caseclocks.correct_pause(
        case_id=case.pk,
        name="term",
        pause=0,
        since=None,
        until=None,
        reason="entered for another case",
        actor=Actor.of(desk.people.petra),
    )
    assert limit_of(case) == date(2027, 1, 25)


def test_an_extension_is_offered_until_it_is_used_up(desk: Any, visit: Any) -> None:
    case = desk.open("term")
    here = f"{case.get_absolute_url()}clocks/term/extend/"
    page = visit(desk.people.sanne).open(case.get_absolute_url())
    assert ">Extend<" in page.html
    page = visit(desk.people.sanne).open(here)
    assert "It is extended by 6 weeks." in page
    page = page.send(here, reason="outside advice")
    assert "Done. The limit is now 8 Mar 2027." in page
    assert ">Extend<" not in page.html
    again = visit(desk.people.sanne).open(here)
    again = again.send(here, reason="more")
    assert again.status == 409
    assert "was extended 1 times, and its terms allow 1" in again


@pytest.mark.parametrize(
    ("act", "sentence"),
    [
        (lambda act: caseclocks.resume_clock(**act), "is not paused"),
        (
            lambda act: caseclocks.pause_clock(**act, reason="x", at_most=days(43)),
            "at most 42 days at a time; 43 days are more",
        ),
        (
            lambda act: caseclocks.pause_clock(**act, reason="x", since=date(2027, 1, 1)),
            "cannot begin in the future",
        ),
        (
            lambda act: caseclocks.pause_clock(**act, reason="x", since=date(2026, 11, 1)),
            "cannot begin before the clock did",
        ),
        (
            lambda act: caseclocks.pause_clock(**{**act, "name": "other"}, reason="x"),
            "It has: term",
        ),
    ],
)
def test_what_cannot_be_is_refused_and_says_why(desk: Any, act: Any, sentence: str) -> None:
    case = desk.open("term")
    before = types(case)
    with pytest.raises(ClockNotMoved, match=sentence):
        act({"case_id": case.pk, "name": "term", "actor": Actor.of(desk.people.sanne)})
    assert types(case) == before


def test_an_outsider_and_an_auditor_move_nothing(desk: Any, visit: Any) -> None:
    case = desk.open("term")
    here = f"{case.get_absolute_url()}clocks/term/pause/"
    assert visit(desk.people.eve).open(here).status == 404
    assert visit(desk.people.ada).open(here).status == 403
    for person in (desk.people.eve, desk.people.ada):
        with pytest.raises(NotAllowed):
            caseclocks.pause_clock(case_id=case.pk, name="term", reason="x", actor=Actor.of(person))
    with pytest.raises(Invalid):
        caseclocks.pause_clock(
            case_id=case.pk, name="term", reason=" ", actor=Actor.of(desk.people.sanne)
        )
    assert types(case) == ["clock.started"]


def test_figures_say_how_long_ours_and_theirs_and_whether_it_was_kept(desk: Any) -> None:
    case = desk.open("two_clocks")
    desk.engine.advance(days=10)
    caseclocks.pause_clock(
        case_id=case.pk,
        name="term",
        reason="drawings",
        since=date(2026, 12, 8),
        actor=Actor.of(desk.people.sanne),
    )
    desk.engine.advance(days=4)
    views = {one.name: one for one in clock_views(desk.fresh(case), now=clock.now())}
    assert (views["term"].ours, views["term"].theirs) == ("8 days", "6 days")
    assert views["term"].kept is None
    told = explain.as_data(views["term"])
    assert told["pauses"] == [{"since": date(2026, 12, 8), "until": None, "reason": "drawings"}]
    # The service level of five working days was missed a week ago, and goes on being late
    service = views["service"]
    assert service.stood.has_passed and service.level == "late"
    assert service.stood.limit_at is not None
    assert service.stood.limit_at < clock.now() - timedelta(days=6)
    document = desk.send_document(case, "passport")
    from processes.acts.documents import judge_document

    judge_document(
        document_id=document.pk, accept=True, reason="", actor=Actor.of(desk.people.sanne)
    )
    views = {one.name: one for one in clock_views(desk.fresh(case), now=clock.now())}
    assert (views["service"].kept, views["service"].words) == (False, "missed")
    assert views["service"].ours == "10 working days"


def test_a_limit_is_its_day_and_late_only_when_that_day_is_over(desk: Any, visit: Any) -> None:
    """25 January where the office is; the hours before midnight there are still in time."""
    case = desk.open("two_clocks")

    def view_at(day: int, hour: int) -> Any:
        moment = datetime(2027, 1, day, hour, tzinfo=ZoneInfo("Europe/Amsterdam"))
        return {one.name: one for one in clock_views(case, now=moment)}["term"]

    assert {view_at(day, 12).limit for day in (24, 25, 26)} == {"25 Jan"}
    assert view_at(24, 23).words == "tomorrow"
    assert view_at(25, 0).words == view_at(25, 23).words == "today at 23:59"
    assert view_at(25, 23).level == "near"
    assert (view_at(26, 0).level, view_at(26, 0).words) == ("late", "overdue 1 day")
    page = visit(desk.people.sanne).open(case.get_absolute_url())
    assert "Legal term: 25 Jan 2027 · target 11 Jan 2027" in page
