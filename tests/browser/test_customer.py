"""The customer's page in a real browser: without script, narrow, in the dark; the whole way in."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core import mail

from cases.models import CustomerPage, Document, Notice
from processes.customer import addresses
from tests.browser.test_accessible import check
from timers import clock

pytestmark = pytest.mark.django_db(transaction=True)


def path_of(page: CustomerPage) -> str:
    return addresses.address_of(page).partition("//")[2].partition("/")[2]


def test_a_customer_comes_in_sends_a_paper_and_answers_without_any_script(
    window: Callable[..., Any], engine: Any, office: Any, world: Any
) -> None:
    # Given an applicant with a telephone of 320 pixels and script switched off
    case = office.open()
    engine.settle()
    given = CustomerPage.objects.get(case_id=case.pk)
    phone = window(viewport={"width": 320, "height": 640}, java_script_enabled=False)
    phone.go(f"/{path_of(given)}")
    # When they ask for a code and type it
    phone.page.click("text=Send me a code")
    code = re.search(r"\b\d{6}\b", mail.outbox[-1].body)
    assert code
    phone.page.fill("input[name=code]", code[0])
    phone.page.click("text=Open my page")
    # Then they see how it stands, and send a paper
    assert phone.page.locator("h1").inner_text() == "Your loan application"
    phone.page.click("text=Send “Payslip”")
    file = {"name": "payslip.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.4 slip"}
    phone.page.set_input_files("input[type=file]", file)
    phone.page.click("text=Send this paper")
    assert "We have your paper" in phone.page.locator(".notice").inner_text()
    assert Document.objects.get().received_from == "party:applicant"
    # And take the application back, after a look at what follows
    phone.page.click("text=Take my application back")
    phone.page.fill("textarea", "I found another lender.")
    phone.page.click("text=Go on")
    phone.page.click("text=Yes, send this")
    assert "You took it back" in phone.page.locator(".notice").inner_text()
    phone.page.click("text=Close this page")
    assert phone.page.locator("h1").inner_text() == "Open your page"


def test_each_page_of_the_customer_is_accessible_and_fits(
    window: Callable[..., Any], engine: Any, office: Any, world: Any, customer: Any
) -> None:
    case = office.to_offer(engine)
    given = CustomerPage.objects.get(case_id=case.pk)
    path = f"/{path_of(given)}"
    one = window()
    wrong = [*check(one, path), *check(one, f"{path}code/"), *check(one, "/page/")]
    secret = customer(case).come_in().browser.cookies["longcase_page"].value
    one.context.add_cookies([{"name": "longcase_page", "value": secret, "url": one.address}])
    letter = case.letters.earliest("pk").pk
    for more in ("", "answer/offer_answer/", "paper/", "withdraw/", f"letters/{letter}/"):
        wrong += check(one, path + more)
    assert wrong == []


def test_the_list_of_notices_is_accessible(
    window: Callable[..., Any], desk: Any, engine: Any
) -> None:
    case = desk.open("patience")
    Notice.objects.create(case=case, role="supervisor", text="Overdue.", written_at=clock.now())
    one = window(desk.people.petra)
    wrong = [check(one, at) for at in ("/notices/", "/notices/?show=all", "/settings/notices/")]
    assert wrong == [[], [], []]
