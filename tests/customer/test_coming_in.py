"""An address alone shows nothing; a code opens the page, in one browser, for a while."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.urls import reverse

from audit.read import events_of
from cases.actors import Actor
from cases.errors import Invalid, NotAllowed
from cases.models import CustomerPage, Letter, PageEntry, Person
from processes.acts import customer_pages
from processes.customer import addresses, codes
from processes.engine.verify import verify

HEADERS = {
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "X-Robots-Tag": "noindex, nofollow",
}


def test_the_first_letter_names_the_page_and_later_ones_name_the_same(
    engine: Any, office: Any, world: Any
) -> None:
    case = office.open()
    engine.settle()
    page = CustomerPage.objects.get(case_id=case.pk)
    letters = Letter.objects.filter(case_id=case.pk).order_by("pk")
    assert [addresses.address_of(page) in one.text for one in letters] == [True, True]
    results = [e.data["result"] for e in events_of(case.pk) if e.type == "activity.completed"]
    assert [one["page"] for one in results if "page" in one] == [page.pk]


def test_a_code_opens_the_page_and_an_address_alone_tells_nothing(
    engine: Any, office: Any, world: Any, customer: Any
) -> None:
    case = office.open()
    engine.settle()
    zoe = customer(case)
    before = zoe.look()
    assert before.status_code == 200
    for secret in (case.reference, "Zoë", "loan", "zoe@"):
        assert secret not in before.content.decode()
    assert {name: before[name] for name in HEADERS} == HEADERS
    assert zoe.look("paper/").status_code == 401
    zoe.come_in()
    inside = zoe.look()
    assert case.reference in inside.content.decode()
    assert {name: inside[name] for name in HEADERS} == HEADERS
    # The code says nothing of the case, and is nowhere in the database.
    said = mail.outbox[-1]
    assert case.reference not in said.subject + said.body
    entry = PageEntry.objects.get()
    assert zoe.code() not in str(vars(entry))
    cookie = zoe.browser.cookies["longcase_page"]
    assert cookie["httponly"] and cookie["path"] == zoe.address
    assert cookie.value not in str(vars(entry))


def test_a_code_opens_once_and_only_the_browser_that_asked(
    engine: Any, office: Any, world: Any, customer: Any
) -> None:
    case = office.open()
    engine.settle()
    zoe, thief = customer(case), customer(case)
    zoe.ask()
    code = zoe.code()
    assert thief.browser.post(f"{thief.address}code/", {"code": code}).status_code == 403
    thief.ask()
    assert thief.type(code).status_code == 422
    zoe.browser.post(f"{zoe.address}code/", {"code": code})  # without its form's proof: nothing
    laid = zoe.browser.cookies["longcase_page"].value
    assert zoe.type(code).status_code == 303
    # Used up: not for another, not with the secret that was there before it
    thief.browser.cookies["longcase_page"] = laid
    assert thief.look("paper/").status_code == 401
    replayed = thief.browser.post(
        f"{thief.address}code/", {"code": code, "proof": codes.proof(laid)}
    )
    assert replayed.status_code == 422
    # The same form twice at its own browser shows the page
    again = zoe.browser.post(f"{zoe.address}code/", {"code": code})
    assert (again.status_code, again["Location"]) == (303, zoe.address)


def test_guessing_leads_nowhere(
    engine: Any, office: Any, world: Any, customer: Any, clock: Any
) -> None:
    case = office.open()
    engine.settle()
    thief = customer(case)
    for _hour in range(3):
        for _code in range(codes.AN_HOUR):
            if thief.ask().status_code == 429:
                break
            wrong = f"{(int(thief.code()) + 1) % 10**6:06}"
            answers = [thief.type(wrong).status_code for _try in range(codes.TRIES)]
            assert answers == [422] * codes.TRIES
            right = thief.browser.post(
                f"{thief.address}code/",
                {
                    "code": thief.code(),
                    "proof": codes.proof(thief.browser.cookies["longcase_page"].value),
                },
            )
            assert right.status_code == 422  # tried too often
        engine.advance(minutes=61)
    assert PageEntry.objects.count() == codes.A_DAY
    assert thief.ask().status_code == 429
    assert thief.look("paper/").status_code == 401


def test_codes_and_visits_end_by_themselves(
    engine: Any, office: Any, world: Any, customer: Any
) -> None:
    case = office.open()
    engine.settle()
    zoe = customer(case)
    zoe.ask()
    engine.advance(minutes=11)
    assert zoe.type(zoe.code()).status_code == 422
    zoe.come_in()
    engine.advance(minutes=25)
    assert case.reference in zoe.text()
    engine.advance(minutes=31)
    assert case.reference not in zoe.text()
    zoe.come_in()
    assert zoe.send("leave/").status_code == 303
    assert case.reference not in zoe.text()


def test_an_address_of_ours_that_is_over_says_what_would_work(
    engine: Any, office: Any, world: Any, customer: Any, settings: Any
) -> None:
    case = office.to_offer(engine)
    zoe = customer(case).come_in()
    for altered in (zoe.address[:-4] + "xxx/", "/page/never.made/", "/page/%00.x/"):
        assert zoe.browser.get(altered).status_code == 404
    CustomerPage.objects.update(
        expires_at=zoe.given.given_at, given_at=zoe.given.given_at - timedelta(days=1)
    )
    for path in ("", "paper/", "code/"):
        gone = zoe.look(path)
        assert gone.status_code == 410
        assert case.reference not in gone.content.decode()
    # Asked for, a new one goes to the mail that is known, once in half an hour
    for _again in range(2):
        answer = zoe.browser.post(f"{zoe.address}renew/")
        assert answer.status_code == 200
    engine.settle()
    new = CustomerPage.objects.get(case_id=case.pk, revoked_at=None)
    assert new.pk != zoe.given.pk
    assert addresses.address_of(new) in mail.outbox[-1].body
    assert mail.outbox[-1].to == ["zoe@applicant.example"]
    given = [e for e in events_of(case.pk) if e.type == "page.given"]
    assert [e.actor for e in given] == ["party:applicant"]
    assert zoe.look().status_code == 410


def test_whoever_asks_for_an_address_never_learns_whom_we_know(
    engine: Any, office: Any, world: Any, customer: Any, client: Any
) -> None:
    case = office.to_offer(engine)
    CustomerPage.objects.update(given_at=case.opened_at - timedelta(days=1))
    mails = len(mail.outbox)
    answers = set()
    for reference, email in (
        ("LN-2026-999999", "zoe@applicant.example"),
        (case.reference, "else@applicant.example"),
        (case.reference.lower(), "Zoe@applicant.example"),
    ):
        said = client.post(reverse("customer-lost"), {"reference": reference, "email": email})
        answers.add((said.status_code, said.content))
    assert len(answers) == 1
    assert len(mail.outbox) == mails  # the letter leaves by a worker, not within the answer
    engine.settle()
    assert len(mail.outbox) == mails + 1


def test_staff_send_and_revoke_the_page_and_outsiders_do_not(
    engine: Any, office: Any, world: Any, customer: Any
) -> None:
    case = office.to_offer(engine)
    zoe = customer(case).come_in()
    outsider = Person.objects.create_user("eve")
    for act in (
        lambda who: customer_pages.give_page(case_id=case.pk, actor=Actor.of(who)),
        lambda who: customer_pages.revoke_page(case_id=case.pk, reason="x", actor=Actor.of(who)),
    ):
        with pytest.raises(NotAllowed):
            act(outsider)
    sanne = Actor.of(office.caseworker)
    customer_pages.give_page(case_id=case.pk, actor=sanne)
    engine.settle()
    # One for each party: the newer one holds; from the older one a new one is sent to the same mail
    gone = zoe.look()
    assert gone.status_code == 410 and f"{zoe.address}renew/" in gone.content.decode()
    CustomerPage.objects.update(given_at=case.opened_at - timedelta(days=1))
    mails = len(mail.outbox)
    zoe.browser.post(f"{zoe.address}renew/")
    engine.settle()
    assert len(mail.outbox) == mails + 1
    newest = CustomerPage.objects.get(case_id=case.pk, revoked_at=None)
    assert addresses.address_of(newest) in mail.outbox[-1].body
    zoe = customer(case).come_in()
    customer_pages.revoke_page(case_id=case.pk, reason="Lost her telephone.", actor=sanne)
    customer_pages.revoke_page(case_id=case.pk, reason="Twice.", actor=sanne)
    gone = zoe.look()
    assert gone.status_code == 410 and "renew/" not in gone.content.decode()  # promises nothing
    zoe.browser.post(f"{zoe.address}renew/")  # what people closed, people open
    assert not CustomerPage.objects.filter(revoked_at=None).exists()
    told = [e.type for e in events_of(case.pk) if e.type.startswith("page.")]
    assert told == ["page.given", "page.given", "page.revoked"]
    assert not list(verify(references=[case.reference]))


def test_without_a_mail_address_a_telephone_serves_and_without_both_nothing_does(
    engine: Any, office: Any, world: Any, customer: Any, settings: Any
) -> None:
    case = office.open(email="")
    engine.settle()
    sanne = Actor.of(office.caseworker)
    assert not CustomerPage.objects.exists()
    for phone in ("", "+31 6 12345678"):
        with pytest.raises(Invalid):
            customer_pages.give_page(case_id=case.pk, actor=sanne, phone=phone)
    settings.LONGCASE_TELEPHONE = "processes.customer.channels.Outbox"
    customer_pages.give_page(case_id=case.pk, actor=sanne, phone="+31 6 12345678")
    engine.settle()
    customer(case).come_in()
    assert mail.outbox[-1].to == ["31612345678@telephone.invalid"]
