"""What pages do under someone's hands: focus, errors, double clicks, lost connections, keys."""

from __future__ import annotations

from typing import Any

import pytest

from audit.read import events_of
from cases.actors import Actor
from cases.models import Note
from tests.fixtures.desk import PASSWORD

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def case(desk: Any) -> Any:
    return desk.open("patience", title="Hartog Bakery")


def notes_of(case: Any) -> str:
    return f"{case.get_absolute_url()}notes/"


def write(one: Any, case: Any, text: str) -> None:
    one.go(notes_of(case))
    one.page.fill("#id_text", text)


def test_after_an_act_the_focus_is_on_what_it_did(desk: Any, window: Any, case: Any) -> None:
    one = window(desk.people.sanne)
    write(one, case, "Called Mr Hartog.")
    one.page.click("text=Keep the note")
    one.page.wait_for_selector(".notice")
    assert one.focused().startswith("notice")
    one.page.click("text=Dismiss")
    assert one.page.locator(".notice").count() == 0
    assert one.focused() == "main"


def test_a_double_click_is_one_event(desk: Any, window: Any, case: Any) -> None:
    one = window(desk.people.sanne)
    write(one, case, "Once.")
    one.page.dblclick("text=Keep the note")
    one.page.wait_for_selector(".notice")
    assert Note.objects.count() == 1


def test_it_all_works_without_script(desk: Any, window: Any, case: Any) -> None:
    one = window(desk.people.sanne, java_script_enabled=False)
    write(one, case, "Without script.")
    one.page.dblclick("text=Keep the note")
    one.page.wait_for_selector(".notice")
    assert Note.objects.count() == 1
    one.go("/cases/?find=hartog")
    assert one.page.locator("text=1 case").count() == 1


def test_an_error_keeps_the_text_and_leads_to_its_field(desk: Any, window: Any) -> None:
    case = desk.open("review")
    task = desk.claim(case, desk.people.milan)
    one = window(desk.people.milan)
    one.go(task.get_absolute_url())
    one.page.check("text=Decline")
    one.page.fill("#id_reason", " ")
    one.page.click("text=Record the outcome")
    one.page.wait_for_selector("#errors")
    assert one.focused() == "errors"
    assert one.page.title().startswith("Error:")
    one.page.click("#errors a")
    assert one.focused() == "id_reason"
    assert one.page.is_checked("[value=decline]")


def test_after_a_decision_the_address_is_that_of_the_case(desk: Any, window: Any) -> None:
    case = desk.open("review")
    desk.claim(case, desk.people.milan)
    task = desk.task_of(case)
    one = window(desk.people.milan)
    one.go(task.get_absolute_url())
    one.page.check("text=Approve")
    one.page.click("text=Record the outcome")
    one.page.wait_for_selector(".notice")
    assert one.page.url.endswith(case.get_absolute_url())
    one.page.go_back()
    one.page.wait_for_selector("text=Outcome")
    assert one.page.locator("header.top").count() == 1
    assert one.page.locator("#main").count() == 1


def test_overtaken_text_is_kept_and_sent_on_top(desk: Any, window: Any) -> None:
    from processes.acts.cases import change_facts

    case = desk.open("review", amount=100)
    task = desk.claim(case, desk.people.milan)
    one = window(desk.people.milan)
    one.go(task.get_absolute_url())
    change_facts(
        case_id=case.pk,
        changes={"amount": 5},
        reason="A typing error.",
        actor=Actor.of(desk.people.sanne),
    )
    one.page.check("text=Approve")
    one.page.fill("#id_reason", "Long considered.")
    one.page.click("text=Record the outcome")
    one.page.wait_for_selector("text=What changed since you opened it")
    assert one.page.input_value("#id_reason") == "Long considered."
    one.page.click("text=Record the outcome")
    one.page.wait_for_selector(".notice")
    assert [e.data["reason"] for e in events_of(case.pk) if e.type == "task.completed"] == [
        "Long considered."
    ]


def test_signed_out_in_between_the_text_is_kept(desk: Any, window: Any, case: Any) -> None:
    one = window(desk.people.sanne)
    write(one, case, "Typed before the session ended.")
    one.context.clear_cookies(name="sessionid")
    one.page.click("text=Keep the note")
    one.page.wait_for_selector("#signed-out[open]")

    with one.context.expect_page() as opened:
        one.page.click("#signed-out a")
    second = opened.value
    second.fill("#id_username", "sanne")
    second.fill("#id_password", PASSWORD)
    second.click("button.main")
    second.wait_for_selector("text=You are signed in again")

    one.page.wait_for_selector("#signed-out:not([open])", state="attached")
    assert one.page.input_value("#id_text") == "Typed before the session ended."
    one.page.click("text=Keep the note")
    one.page.wait_for_selector(".notice")
    assert Note.objects.get().text == "Typed before the session ended."


def test_without_a_connection_the_text_stays_and_can_be_sent_again(
    desk: Any, window: Any, case: Any
) -> None:
    one = window(desk.people.sanne)
    write(one, case, "Typed in a tunnel.")
    one.context.set_offline(True)
    one.page.click("text=Keep the note")
    one.page.wait_for_selector("#trouble")
    assert one.focused() == "trouble"
    assert one.page.input_value("#id_text") == "Typed in a tunnel."
    one.context.set_offline(False)
    one.page.click("text=Keep the note")
    one.page.wait_for_selector(".notice")
    assert Note.objects.count() == 1
    one.complaints.clear()  # the browser complained of the lost connection itself


def test_a_fault_of_the_server_empties_nothing(
    desk: Any, window: Any, case: Any, monkeypatch: Any
) -> None:
    from processes.acts import notes

    one = window(desk.people.sanne)
    write(one, case, "Typed before the fault.")
    original = notes.add_note
    monkeypatch.setattr(notes, "add_note", lambda **_: 1 / 0)
    one.page.click("text=Keep the note")
    one.page.wait_for_selector("#trouble")
    assert one.page.input_value("#id_text") == "Typed before the fault."
    monkeypatch.setattr(notes, "add_note", original)
    one.page.click("text=Keep the note")
    one.page.wait_for_selector(".notice")
    assert Note.objects.count() == 1


def test_the_list_narrows_at_once_says_so_and_goes_back(desk: Any, window: Any, case: Any) -> None:
    desk.open("patience", title="De Loper")
    one = window(desk.people.sanne)
    one.go("/cases/")
    one.page.fill("#filters input[name=find]", "loper")
    one.page.select_option("select[name=waiting]", "applicant")
    one.page.wait_for_selector("#found b:has-text('1 case')")
    assert "find=loper" in one.page.url
    assert one.page.inner_text("#say") == "1 case found"
    one.page.go_back()
    one.page.wait_for_selector("#found b:has-text('2 cases')")
    assert one.page.locator("header.top").count() == 1


def test_news_come_as_a_banner_never_under_the_hands(desk: Any, window: Any, case: Any) -> None:
    one = window(desk.people.sanne)
    one.page.clock.install()
    write(one, case, "Half a sentence")
    desk.send_document(case, "passport")
    one.page.clock.run_for(21_000)
    one.page.wait_for_selector("[data-pulse] .banner")
    assert "Passport received" in one.page.inner_text("[data-pulse]")
    assert one.page.input_value("#id_text") == "Half a sentence"


def test_keys_move_and_open_and_can_be_switched_off(desk: Any, window: Any, case: Any) -> None:
    one = window(desk.people.sanne)
    one.go("/cases/")
    one.page.keyboard.press("j")
    one.page.keyboard.press("Enter")
    one.page.wait_for_url(f"**{case.get_absolute_url()}")
    one.page.keyboard.press("/")
    assert one.focused() == "find"
    one.page.keyboard.type("gw")
    assert one.page.input_value("#find") == "gw"
    one.page.locator("h1").click()
    one.page.keyboard.press("g")
    one.page.keyboard.press("w")
    one.page.wait_for_url("**/work/")
    desk.people.sanne.keys_off = True
    desk.people.sanne.save()
    one.go("/cases/")
    one.page.keyboard.press("/")
    assert one.focused() != "find"


def test_a_menu_closes_with_escape_and_gives_the_focus_back(
    desk: Any, window: Any, case: Any
) -> None:
    one = window(desk.people.sanne)
    one.go(case.get_absolute_url())
    one.page.click(".acts summary")
    one.page.focus("text=Change facts >> nth=0")
    one.page.keyboard.press("Escape")
    assert one.page.locator(".acts details[open]").count() == 0
    assert one.focused() == "button"


def test_tab_reaches_the_content_first_and_every_act(desk: Any, window: Any, case: Any) -> None:
    one = window(desk.people.sanne)
    one.go(case.get_absolute_url())
    one.page.keyboard.press("Tab")
    assert "Skip to the content" in one.page.evaluate("document.activeElement.textContent")
    one.page.keyboard.press("Enter")
    assert one.focused() == "main"
    reached = set()
    for _ in range(40):
        one.page.keyboard.press("Tab")
        reached.add(one.page.evaluate("document.activeElement.textContent.trim()"))
    assert {"Record documents received", "More", "Documents (0)"} <= reached


def test_before_a_session_ends_one_may_stay(desk: Any, window: Any, case: Any) -> None:
    one = window(desk.people.sanne)
    one.page.clock.install()
    one.go(case.get_absolute_url())
    one.page.clock.run_for((10 * 3600 - 299) * 1000)
    one.page.wait_for_selector("#ending[open]")
    with one.page.expect_response("**/login/stay/") as answer:
        one.page.click("text=Stay signed in")
    assert answer.value.status == 204


def test_a_document_goes_up_through_the_form(desk: Any, window: Any, case: Any) -> None:
    one = window(desk.people.sanne)
    one.go(f"{case.get_absolute_url()}documents/new/passport/")
    one.page.set_input_files(
        "#id_file", {"name": "pas.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.4 pas"}
    )
    one.page.click("text=Record the document")
    one.page.wait_for_selector(".notice")
    assert "pas.pdf is recorded." in one.page.inner_text(".notice")
    assert one.page.url.endswith(case.documents.get().get_absolute_url())
