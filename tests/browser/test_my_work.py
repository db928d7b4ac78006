"""My work in a real browser: accessible, narrow, by keyboard, many rows at once, no script."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group

from cases import dates
from cases.actors import Actor
from cases.models import BulkAct, Case, Person, SavedList
from processes.acts.notes import add_note
from processes.acts.reminders import set_reminder
from tests.browser.test_accessible import check
from timers import clock

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def jan(people: Any) -> Person:
    jan = Person.objects.create_user("jan", first_name="Jan", team=people.sanne.team)
    jan.groups.add(Group.objects.get(name="caseworker"))
    return jan


def test_many_rows_at_once_by_keyboard_and_without_script(
    desk: Any, window: Any, jan: Person
) -> None:
    cases = [desk.open("patience", title=f"Bakkerij {name}") for name in ("Aarde", "Water", "Vuur")]
    day = dates.local_date(clock.now()) + timedelta(days=3)
    set_reminder(case_id=cases[0].pk, day=day, actor=Actor.of(desk.people.sanne))
    SavedList.objects.create(
        owner=desk.people.sanne,
        name="Bakers",
        page="work",
        query="show=waiting",
        saved_at=clock.now(),
    )
    one = window(desk.people.sanne)

    # By keyboard alone: two rows are chosen, and the count says so
    one.go("/work/?show=waiting&due=later&sort=case")
    one.page.keyboard.press("j")
    one.page.keyboard.press("x")
    one.page.keyboard.press("j")
    one.page.keyboard.press("x")
    assert one.page.inner_text("[data-count]") == "Ticked: 2"
    assert one.page.locator("input[name=row]:checked").count() == 2
    one.page.keyboard.press("x")
    one.page.keyboard.press("x")
    one.page.focus("text=Hand over")
    one.page.keyboard.press("Enter")
    one.page.wait_for_selector("#looked")
    add_note(case_id=cases[2].pk, text="Called.", actor=Actor.of(desk.people.petra))
    here = BulkAct.objects.get().get_absolute_url()
    wrong = check(one, here)
    one.page.select_option("#id_to", str(jan.pk))
    one.page.fill("#id_reason", "I am away.")
    one.page.click("text=See what would happen")
    one.page.wait_for_selector("text=Petra Smit changed it")
    assert one.page.input_value("#id_reason") == "I am away."
    one.page.dblclick("text=Hand them over")
    one.page.wait_for_selector("text=1 of 2 done")
    assert Case.objects.filter(owner=jan).count() == 1
    wrong += check(one, here)

    # Back on the list its filters and its order are as they were
    one.page.click("text=Back to the list")
    assert one.page.url.endswith("/work/?show=waiting&due=later&sort=case")
    one.page.click(".chips a >> nth=0")
    assert "due=" not in one.page.url and "sort=case" in one.page.url
    for address in ("/work/?show=waiting&due=later", "/work/?show=queue&kind=none", "/lists/"):
        wrong += check(one, address)
    for address in (
        "/work/next/",
        "/cases/?waiting=applicant",
        "/lists/new/?list=work",
        "/chosen/",
    ):
        wrong += check(one, address)
    assert wrong == []

    # Without script the same list is narrowed, chosen from and acted on
    bare = window(desk.people.sanne, java_script_enabled=False)
    bare.go("/work/?show=waiting")
    bare.page.select_option("[name=due]", "later")
    bare.page.click("#filters button")
    bare.page.select_option("[name=scope]", "page")
    bare.page.click("text=Remind me")
    bare.page.fill("#id_day", day.isoformat())
    bare.page.click("text=Remind me of them")
    bare.page.wait_for_selector("text=2 of 2 done")
