"""The history and its moments in a browser: by keys, without script, narrow and dark."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import pytest

from cases.actors import Actor
from processes.acts.cases import change_facts
from processes.acts.notes import add_note
from tests.browser.test_accessible import check

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def corrected(desk: Any) -> Any:
    """A case with a fact put right, a note, and a silence of two weeks."""
    case = desk.open("review", title="Hartog Bakery and Sons, Confectioners B.V.", amount=100)
    sanne = Actor.of(desk.people.sanne)
    add_note(case_id=case.pk, text="A_very_long_word_without_any_space_" * 4, actor=sanne)
    desk.engine.advance(days=14)
    change_facts(case_id=case.pk, changes={"amount": Decimal(70)}, reason="Misread.", actor=sanne)
    return desk.fresh(case)


def test_the_pages_of_an_auditor(desk: Any, window: Any, corrected: Any) -> None:
    here = f"{corrected.get_absolute_url()}history/"
    stopped = desk.stop()
    addresses = [here, f"{here}?show=all&what=notes&text=nothing", f"{here}1/"]
    addresses += [f"{here}4/?as=corrected&steps=drawing", f"{here}{corrected.head_number}/"]
    addresses += [f"{here}compare/?a=2&b={corrected.head_number}"]
    addresses += [f"{stopped.get_absolute_url()}history/{stopped.head_number}/?show=all"]
    one = window(desk.people.ada)
    assert [wrong for address in addresses for wrong in check(one, address)] == []


def test_one_steps_from_event_to_event_by_keys_and_stays_where_one_was(
    desk: Any, window: Any, corrected: Any
) -> None:
    here, one = f"{corrected.get_absolute_url()}history/", window(desk.people.ada)
    from playwright.sync_api import expect  # where there is a browser, it is there too

    page = one.page
    one.go(f"{here}1/?show=all")
    page.focus("#next")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**/history/2/?show=all")
    expect(page).to_have_title(re.compile("^Event 2:"))  # the address comes first
    assert page.title().startswith("Event 2:") and one.focused() == "next"
    assert page.locator("#say").inner_text().startswith("Event 2:")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**/history/3/?show=all")
    expect(page).to_have_title(re.compile("^Event 3:"))
    page.keyboard.press("ArrowLeft")
    page.wait_for_url("**/history/2/?show=all")
    # Back in the browser gives whole pages
    page.go_back()
    page.wait_for_url("**/history/3/?show=all")
    page.wait_for_selector("header.top")
    # At the end the focus stays on what was pressed
    one.go(f"{here}{corrected.head_number - 1}/?show=all")
    page.focus("#next")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/history/{corrected.head_number}/?show=all")
    expect(page).to_have_title(re.compile(f"^Event {corrected.head_number}:"))
    assert one.focused() == "next"
    # Nothing is pressed while one writes
    page.focus("#find")
    page.keyboard.press("ArrowLeft")
    assert f"/history/{corrected.head_number}/" in page.url


def test_it_all_works_without_script(desk: Any, window: Any, corrected: Any) -> None:
    here = f"{corrected.get_absolute_url()}history/"
    one = window(desk.people.ada, java_script_enabled=False)
    one.go(f"{here}2/")
    one.page.click("text=With later corrections")
    assert "as=corrected" in one.page.url
    one.page.click("#next")
    assert "as=corrected" in one.page.url and "/history/2/" not in one.page.url
    one.page.click("#all-events")
    one.page.click("noscript button, .stepping form:last-of-type button")
    assert "show=all" in one.page.url and "as=corrected" in one.page.url
    one.page.fill("#date", "2001-01-01")
    one.page.click('form[action$="/at/"] button')
    one.page.wait_for_url("**/history/1/**")
    one.go(here)
    one.page.select_option("[name=what]", "notes")
    one.page.click("#filters button")
    assert "what=notes" in one.page.url and one.page.locator(".timeline li").count() == 1
