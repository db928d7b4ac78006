"""The history of a case in pages: the story or all, narrowed, each event with its address."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit.read import events_of
from cases.actors import Actor
from cases.models import Case
from processes.acts.notes import add_note
from processes.past import finding, moments
from processes.past.finding import Choice
from timers import clock

pytestmark = pytest.mark.django_db(transaction=True)


def shown(page: Any) -> list[int]:
    """The numbers of the events on the page, as they stand."""
    return [int(one) for one in re.findall(r'id="event-(\d+)"', page.html)]


@pytest.fixture
def noted(desk: Any) -> Case:
    """A case with 230 notes after it was opened."""
    case = desk.open("patience")
    for number in range(230):
        add_note(case_id=case.pk, text=f"Note number {number}", actor=Actor.of(desk.people.sanne))
    return desk.fresh(case)


def test_all_events_come_in_pages_of_a_hundred_with_addresses(
    desk: Any, visit: Any, noted: Case
) -> None:
    ada, here = visit(desk.people.ada), f"{noted.get_absolute_url()}history/"
    found: list[int] = []
    address = f"{here}?show=all"
    while address:
        page = ada.open(address)
        found += shown(page)
        assert len(shown(page)) <= 100
        links = re.findall(r'href="(\?[^"]+)">Earlier events', page.html)
        address = here + links[0].replace("&amp;", "&") if links else ""
    # Each event is on one page, none is left out
    assert found == list(range(noted.head_number, 0, -1))
    # The way back leads through the same events
    page = ada.open(f"{here}?show=all&upto=30")
    (later,) = set(re.findall(r'href="(\?[^"]+)">Later events', page.html))
    assert shown(ada.open(here + later.replace("&amp;", "&"))) == list(range(130, 30, -1))


def test_an_address_of_a_page_holds_while_the_history_grows(
    desk: Any, visit: Any, noted: Case
) -> None:
    address = f"{noted.get_absolute_url()}history/?show=all&upto=120"
    before = shown(visit(desk.people.ada).open(address))
    add_note(case_id=noted.pk, text="One more", actor=Actor.of(desk.people.sanne))
    assert shown(visit(desk.people.ada).open(address)) == before == list(range(120, 20, -1))


def test_events_are_found_by_sort_person_day_step_and_words(desk: Any, visit: Any) -> None:
    people = desk.people
    case = desk.open("review")
    desk.engine.advance(days=3)
    desk.claim(case, people.milan)
    desk.engine.advance(days=3)
    add_note(case_id=case.pk, text="Called them twice.", actor=Actor.of(people.sanne))
    events = events_of(case.pk)
    claimed = next(one.number for one in events if one.type == "task.claimed")
    noted = next(one.number for one in events if one.type == "note.added")
    here = f"{case.get_absolute_url()}history/?show=all"
    day = (clock.now() - timedelta(days=3)).date().isoformat()
    visitor = visit(people.ada)

    def found(asked: str) -> list[int]:
        page = visitor.open(f"{here}&{asked}")
        assert page.status == 200
        return shown(page)

    assert found("what=notes") == [noted]
    assert found(f"who=person:{people.milan.pk}") == [claimed]
    assert found(f"since={day}&until={day}") == [claimed]
    assert found("text=TWICE") == [noted]
    assert found("text=milan+kova") == [claimed]
    assert found("step=trying")[-1] == 2 and 1 not in found("step=trying")
    assert found("step=nowhere") == []
    # A filter that is set is told, and taken away by its chip
    page = visitor.open(f"{here}&what=notes&text=twice")
    assert "Words: twice" in page and 'href="?show=all&amp;what=notes"' in page.html
    # Nonsense narrows nothing, and breaks nothing
    everything = found("")
    assert found("what=%00&since=yesterday&upto=many&after=-1&until=9999-99-99") == everything
    assert found("upto=0") == everything
    assert found("who=nobody") == []


def test_the_story_leaves_out_what_only_moves_the_machinery(desk: Any, visit: Any) -> None:
    case = desk.open("review")
    desk.claim(case, desk.people.milan)
    here = f"{case.get_absolute_url()}history/"
    visitor = visit(desk.people.ada)
    types = {one.number: one.type for one in events_of(case.pk)}
    told = [types[number] for number in shown(visitor.open(here))]
    everything = [types[number] for number in shown(visitor.open(f"{here}?show=all"))]
    assert "task.claimed" in everything and "task.claimed" not in told
    assert "Task" not in told and "case.opened" in told


def test_what_an_activity_was_asked_is_known_on_a_later_page(desk: Any) -> None:
    """A result names its command alone; what was asked may stand on an earlier page."""
    case = desk.open("local")
    events = events_of(case.pk)
    result = next(one for one in events if one.type.startswith("activity."))
    words = moments.words_for(case, upto=case.head_number)
    found = finding.find(case, Choice(everything=True), words, after=result.number - 1, most=1)
    assert [one.number for one in found.events] == [result.number]


def test_a_long_silence_is_one_line_and_not_told_where_events_are_left_out(
    desk: Any, visit: Any
) -> None:
    case = desk.open("patience")
    desk.engine.advance(days=6)
    desk.engine.advance(days=14)
    add_note(case_id=case.pk, text="After a while.", actor=Actor.of(desk.people.sanne))
    visitor, here = visit(desk.people.ada), f"{case.get_absolute_url()}history/"
    whole = visitor.open(f"{here}?show=all").html
    if "days without events" in whole:
        assert "days without events" not in visitor.open(f"{here}?show=all&what=notes").html


def test_going_to_a_day_leads_to_its_last_event(desk: Any, visit: Any) -> None:
    case = desk.open("review")
    opened = case.head_number
    desk.engine.advance(days=3)
    desk.claim(case, desk.people.milan)
    here, visitor = f"{case.get_absolute_url()}history/", visit(desk.people.ada)
    day = (clock.now() - timedelta(days=2)).date().isoformat()
    assert visitor.open(f"{here}at/?date={day}").response["Location"] == f"{here}{opened}/"
    early = visitor.open(f"{here}at/?date=2001-01-01&as=corrected").response["Location"]
    assert early == f"{here}1/?as=corrected"
    head = desk.fresh(case).head_number
    assert visitor.open(f"{here}at/?date=2201-01-01").response["Location"] == f"{here}{head}/"
    assert visitor.open(f"{here}at/?date=soon").response["Location"] == f"{here}{head}/"


def test_a_print_has_what_was_chosen_and_who_printed_it(desk: Any, visit: Any, noted: Case) -> None:
    here = f"{noted.get_absolute_url()}history/print/"
    page = visit(desk.people.ada).open(f"{here}?show=all&why=The+yearly+audit")
    assert page.html.count('<li value="') == noted.head_number
    assert "by Ada Brandt." in page and "Reason: The yearly audit" in page
    assert page.html.index('<li value="1"') < page.html.index('<li value="2"')
    page = visit(desk.people.ada).open(f"{here}?show=all&text=number+7")
    assert page.html.count("<li value=") == 11 and "Words: number 7" in page


def test_a_page_takes_as_many_queries_whatever_the_history_holds(
    desk: Any, visit: Any, noted: Case, monkeypatch: Any
) -> None:
    monkeypatch.setattr(clock, "STALE_SECONDS", float("inf"))
    visitor = visit(desk.people.ada)
    counts = []
    for case in (noted, desk.open("patience")):
        for asked in ("", "?show=all", "?show=all&upto=100&what=notes&step=trying"):
            visitor.open(f"{case.get_absolute_url()}history/{asked}")
            with CaptureQueriesContext(connection) as queries:
                visitor.open(f"{case.get_absolute_url()}history/{asked}")
            counts.append(len(queries))
    assert max(counts) <= 22, counts
