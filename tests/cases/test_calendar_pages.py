"""Calendars on pages: everyone reads them, administrators change them with a reason."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group

from cases.models import Person, Task
from processes.work import recompute
from timers import calendars
from timers.models import CalendarChange, CalendarDay, CalendarRow

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def anna(people: Any) -> Person:
    """An administrator."""
    person = Person.objects.create_user("anna", first_name="Anna", last_name="Beheer")
    person.groups.add(Group.objects.get_or_create(name="administrator")[0])
    return person


def test_an_administrator_makes_a_calendar_and_names_a_free_day(
    desk: Any, visit: Any, anna: Person, organisation: Any
) -> None:
    case = desk.open("review")
    page = visit(anna).open("/calendars/")
    page = page.send(
        "/calendars/",
        name="desk",
        title="Permit desk",
        country="nl",
        region="",
        opens="08:00",
        closes="16:00",
        kind="trial",
        team="",
        base="organisation",
        why="it opens earlier",
    )
    assert "The calendar is there." in page and "Permit desk" in page
    assert CalendarRow.objects.get(name="desk").country == "NL"
    here = "/calendars/organisation/"
    page = visit(anna).open(here)
    page = page.send(here, day="2026-12-03", what="free", title="Works outing", why="agreed")
    assert "Open cases that count on it are counted again." in page
    assert "2026-12-03 is free (Works outing)" in page and "Anna Beheer" in page
    assert not calendars.named("desk").is_working(date(2026, 12, 3))

    # What was opened on Monday 30 November with five working days moves by one, and says why
    recompute.follow_calendars(settled_after=timedelta(0))
    task = Task.objects.get(case=case)
    page = visit(desk.people.milan).open(task.get_absolute_url())
    assert "Due 8 Dec: 5 working days from 30 Nov, and 3 Dec is a free day (Works outing)." in page
    history = visit(desk.people.sanne).open(f"{case.get_absolute_url()}history/")
    assert "First is due on 8 Dec 2026 now" in history


def test_a_day_goes_back_to_the_law(visit: Any, anna: Person, organisation: Any) -> None:
    here = "/calendars/organisation/"
    page = visit(anna).open(here)
    page.send(here, day="2026-12-03", what="free", title="Outing", why="agreed")
    page = visit(anna).open(here)
    page.send(here, day="2026-12-03", what="law", title="", why="no outing")
    assert not CalendarDay.objects.exists()
    assert [one.what for one in CalendarChange.objects.all()] == ["created", "free", "cleared"]


def test_everyone_reads_and_only_administrators_change(
    desk: Any, visit: Any, organisation: Any
) -> None:
    page = visit(desk.people.petra).open("/calendars/organisation/")
    assert page.status == 200 and "Christmas" in page or "Kerst" in page
    assert "Change a day" not in page
    answer = page.client.post(
        "/calendars/organisation/", {"day": "2026-12-03", "what": "free", "title": "x", "why": "y"}
    )
    assert answer.status_code == 403
    assert page.client.post("/calendars/", {"name": "x"}).status_code == 403
    assert CalendarChange.objects.count() == 1


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        ({"day": "2026-12-03", "what": "free", "title": "", "why": "y"}, "Name the free day"),
        ({"day": "2026-12-03", "what": "law", "title": "", "why": "y"}, "is no local day"),
        ({"day": "2026-12-03", "what": "free", "title": "x", "why": ""}, "required"),
    ],
)
def test_what_cannot_be_is_said_on_the_form(
    visit: Any, anna: Person, organisation: Any, sent: dict[str, str], says: str
) -> None:
    here = "/calendars/organisation/"
    page = visit(anna).open(here).send(here, **sent)
    assert page.status == 422 and says in page


def test_a_calendar_that_is_not_there_is_not_found(visit: Any, anna: Person) -> None:
    assert visit(anna).open("/calendars/nowhere/").status == 404
    assert "The calendar in the settings counts" in visit(anna).open("/calendars/")
