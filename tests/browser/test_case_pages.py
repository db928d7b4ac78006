"""The case page and task form in a browser: drafts, news, undo, signing out, every screen."""

from __future__ import annotations

from typing import Any

import pytest

from audit.read import events_of
from cases.actors import Actor
from cases.models import Draft, Presence, Task
from processes.acts.advice import ask_advice
from processes.acts.cases import change_facts
from tests.browser.test_accessible import check

pytestmark = pytest.mark.django_db(transaction=True)


def test_every_new_screen_is_accessible(desk: Any, window: Any) -> None:
    people = desk.people
    case = desk.open("review", title="Hartog Bakery and Sons, Confectioners B.V.")
    task = desk.claim(case, people.milan)
    here = task.get_absolute_url()
    milan = window(people.milan)
    found = check(milan, f"{here}advice/")
    ask_advice(task_id=task.pk, of=people.ayse, question="Sound?", actor=Actor.of(people.milan))
    Draft.objects.create(
        person=people.milan, address=here, data={"reason": "Half"}, saved_at=case.opened_at
    )
    Presence.objects.create(
        person=people.ayse, address=here, since=case.opened_at, seen_at=case.opened_at
    )
    found += check(milan, here)
    closed = desk.open("patience")
    desk.engine.advance(days=31)
    sanne = window(people.sanne)
    for path in ("related/new/", "print", "steps/", "facts/"):
        found += check(sanne, f"{case.get_absolute_url()}{path}")
    found += check(sanne, f"{closed.get_absolute_url()}reopen/reopen/")
    found += check(sanne, closed.get_absolute_url())
    assert found == []


def test_what_is_typed_is_kept_and_survives_a_colleagues_change(desk: Any, window: Any) -> None:
    # Given half a reason, and an outcome that is chosen
    case = desk.open("review", amount=100)
    task = desk.claim(case, desk.people.milan)
    one = window(desk.people.milan)
    one.page.clock.install()
    one.go(task.get_absolute_url())
    one.page.check("text=Decline")
    text = "The figures of the third year do not follow from those of the second. " * 4
    one.page.fill("#id_reason", text)
    with one.page.expect_response("**/drafts/"):
        one.page.clock.run_for(2000)
    one.page.wait_for_selector("[data-draft-said]:has-text('Draft kept')")

    # When a colleague changes the case, and the page asks for news three times
    one.page.evaluate("document.querySelector('#id_reason').setSelectionRange(7, 9)")
    change_facts(
        case_id=case.pk, changes={"amount": 5}, reason="A slip.", actor=Actor.of(desk.people.sanne)
    )
    for _ in range(3):
        one.page.clock.run_for(21_000)
    one.page.wait_for_selector("[data-pulse] .banner")

    # Then it is said, and nothing under the hands has moved; another machine has the draft
    assert one.page.input_value("#id_reason") == text
    assert one.page.is_checked("[value=decline]")
    assert one.page.evaluate("document.querySelector('#id_reason').selectionStart") == 7
    other = window(desk.people.milan)
    other.go(task.get_absolute_url())
    assert other.page.input_value("#id_reason").strip() == text.strip()


def test_undo_is_one_click_and_the_focus_follows(desk: Any, window: Any) -> None:
    case = desk.open("review")
    task = desk.task_of(case)
    one = window(desk.people.milan)
    one.go(task.get_absolute_url())
    one.page.click("button:has-text('Take this task')")
    one.page.wait_for_selector(".notice")
    one.page.dblclick(".notice button:has-text('Undo')")
    one.page.wait_for_selector(".notice:has-text('That is undone.')")
    assert one.focused().startswith("notice")
    assert Task.objects.get(pk=task.pk).holder is None
    assert [e.type for e in events_of(case.pk)].count("task.released") == 1


def test_signed_out_there_is_no_case_left_to_see(desk: Any, window: Any) -> None:
    # Given three cases opened in a row
    one = window(desk.people.sanne)
    names = ["Hartog Bakery", "De Loper", "Registry Farm"]
    for name in names:
        one.go(desk.open("patience", title=name).get_absolute_url())

    # When the reader signs out and goes back, thrice
    one.page.click("header.top .menu summary")
    one.page.click("button:has-text('Sign out')")
    one.page.wait_for_selector("#id_username")
    for _ in names:
        one.page.go_back()
        one.page.wait_for_load_state("load")
        assert not [name for name in names if name in one.page.content()]
    assert one.page.evaluate("localStorage.length + sessionStorage.length") == 0


def test_when_the_session_ends_the_pulse_stops_and_a_link_leads_back(
    desk: Any, window: Any
) -> None:
    case = desk.open("patience")
    one = window(desk.people.sanne)
    one.page.clock.install()
    one.go(case.get_absolute_url())
    one.context.clear_cookies(name="sessionid")
    asked: list[str] = []
    one.page.on("request", lambda r: asked.append(r.url) if "/pulse" in r.url else None)
    for _ in range(4):
        one.page.clock.run_for(21_000)
        one.page.wait_for_timeout(150)
    assert len(asked) == 1
    one.page.click("nav.tabs a:has-text('History')")
    one.page.wait_for_selector("#id_username")
    assert one.page.locator("header.top").count() == 0
    assert f"next={case.get_absolute_url()}history/" in one.page.url.replace("%2F", "/")
