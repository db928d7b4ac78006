"""What a customer does on their page: each an act of theirs, done once, and only on their case."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.test import Client

from audit.read import events_of
from cases import dates
from cases.models import Case, Document, Letter, Message
from processes.acts.cases import get_case


def acts_of(case: Case, party: str = "party:applicant") -> list[str]:
    """What this party did, but for the papers with which its office brought the case on."""
    done = [e for e in events_of(case.pk) if e.actor == party]
    brought = ("identity", "bank_statement", "payslip") if case.kind == "loan" else ()
    return [e.type for e in done if e.data.get("name") not in brought]


def test_the_page_says_how_it_stands_what_is_needed_and_what_comes_next(
    engine: Any, office: Any, world: Any, customer: Any
) -> None:
    case = office.open()
    engine.settle()
    zoe = customer(case).come_in()
    (case_wait,) = [one for one in get_case(case.pk).waits if one["kind"] == "documents"]
    page = zoe.text()
    for words in (
        "We need papers from you before we can go on.",
        f"You have until {dates.day(case_wait['until'])}",
        "Send “Payslip”",
        "If they do not come in time, your application lapses.",
        "We received your application",
        "Documents needed",
    ):
        assert words in page, words
    # A paper that comes and is rejected is asked for again, with the reason
    assert zoe.send_paper("payslip").status_code == 303
    assert "We have it, and look at it" in zoe.text()
    office.judge(Document.objects.get(), accept=False, reason="It shows no name.")
    page = zoe.text()
    assert "We could not use it: send it again" in page
    assert page.count("It shows no name.") == 2  # where it is needed, and in what happened
    letter = Letter.objects.filter(case_id=case.pk).earliest("pk")
    assert letter.text.splitlines()[0] in zoe.text(f"letters/{letter.pk}/")


def test_papers_are_sent_once_and_only_those_that_may_come(
    engine: Any, office: Any, world: Any, customer: Any, settings: Any
) -> None:
    case = office.open()
    engine.settle()
    zoe = customer(case).come_in()
    for _twice in range(2):
        assert zoe.send_paper("payslip").status_code == 303
    document = Document.objects.get()
    assert (document.name, document.received_from) == ("payslip", "party:applicant")
    assert len(events_of(case.pk, types=["document.received"])) == 1
    # Not a paper that nobody asked for, nor one that is too large, nor nothing at all
    assert zoe.send("paper/", name="score", file="x").status_code == 422
    settings.LONGCASE_UPLOAD_BYTES = 1024
    too_large = zoe.send_paper("identity", b"x" * 2000)
    assert too_large.status_code == 422
    assert "at most 1.0" in too_large.content.decode()
    assert zoe.send("paper/identity/", name="identity").status_code == 422
    assert zoe.send_paper("other", b"one more").status_code == 303
    assert Document.objects.count() == 2
    # All of them accepted, the case goes on by itself
    office.judge(document, accept=True)
    office.accept(case, "identity", "bank_statement")
    engine.settle()
    assert "We look at your application" in zoe.text()


def test_an_offer_is_answered_once_whatever_is_pressed_and_in_however_many_tabs(
    engine: Any, office: Any, world: Any, customer: Any
) -> None:
    case = office.to_offer(engine)
    zoe = customer(case).come_in()
    page = zoe.text()
    assert "You pay each month, in euro" in page
    assert "650" not in page.replace("LN-2026", "")  # the score
    address = zoe.address + "answer/offer_answer/"
    form = zoe.text("answer/offer_answer/")
    assert "I accept the offer" in form
    # First what follows is shown, and nothing is sent
    sure = zoe.send("answer/offer_answer/", answer="accept", reason="")
    assert sure.status_code == 200
    assert "You take the loan on these terms" in sure.content.decode()
    assert acts_of(case) == []
    fields = _fields(sure.content.decode()) | {"sure": "1"}
    first = zoe.browser.post(address, fields)
    again = zoe.browser.post(address, fields)
    assert first["Location"].endswith("?done=answer")
    assert again["Location"].endswith("?done=again")
    # Another tab, with a form of its own
    other = zoe.browser.post(address, {**fields, "key": "0" * 32, "answer": "decline"})
    assert other["Location"].endswith("?done=not_now")
    engine.settle()
    assert get_case(case.pk).step == "paid_out"
    assert acts_of(case) == ["message.received"]
    closed = zoe.text()
    assert "Your loan has been paid out." in closed
    assert "Finished on" in closed
    assert "Take my application back" not in closed
    assert Message.objects.filter(source="customer page").count() == 1


def test_an_application_is_taken_back_with_a_reason_after_a_look_at_what_follows(
    engine: Any, office: Any, world: Any, customer: Any
) -> None:
    case = office.to_underwriting(engine)
    zoe = customer(case).come_in()
    assert zoe.send("withdraw/", reason=" ").status_code == 422
    sure = zoe.send("withdraw/", reason="I found another lender.")
    assert "This cannot be undone" in sure.content.decode()
    fields = _fields(sure.content.decode())
    assert zoe.browser.post(f"{zoe.address}withdraw/", {**fields, "back": "1"}).status_code == 200
    for _twice in range(2):
        done = zoe.browser.post(f"{zoe.address}withdraw/", {**fields, "sure": "1"})
        assert done.status_code == 303
    engine.settle()
    entered = [e for e in events_of(case.pk) if e.data.get("transition") == "withdraw"]
    assert [e.actor for e in entered] == ["party:applicant"]
    assert get_case(case.pk).outcome == "withdrawn"
    assert "Your application has ended." in zoe.text()


def test_a_form_acts_only_for_the_browser_it_was_made_for(
    engine: Any, office: Any, world: Any, customer: Any
) -> None:
    case = office.to_offer(engine)
    zoe = customer(case).come_in()
    forged = {"answer": "accept", "sure": "1", "proof": "0" * 32}
    address = zoe.address + "answer/offer_answer/"
    assert zoe.browser.post(address, forged).status_code == 403
    assert Client().post(address, forged).status_code == 401
    assert acts_of(case) == []


def test_no_page_reaches_another_case_by_number(
    engine: Any, office: Any, world: Any, customer: Any
) -> None:
    hers, his = office.to_offer(engine), office.open(applicant_name="Otto", email="o@a.example")
    engine.settle()
    zoe, otto = customer(hers).come_in(), customer(his).come_in()
    theirs = Letter.objects.filter(case_id=his.pk).earliest("pk")
    assert zoe.look(f"letters/{theirs.pk}/").status_code == 404
    assert zoe.text(f"letters/{theirs.pk}/") == zoe.text("letters/999999/")
    # Her cookie opens nothing at his address, and his nothing at hers
    zoe.browser.cookies["longcase_page"]["path"] = "/"
    assert zoe.browser.get(otto.address).status_code == 200
    assert his.reference not in zoe.browser.get(otto.address).content.decode()
    assert zoe.browser.get(f"{otto.address}paper/").status_code == 401
    # A paper of his case does not come into it from her page, and staff pages stay shut
    assert zoe.browser.get(f"/cases/{hers.reference}/").status_code == 302
    assert zoe.browser.get(f"/api/v1/cases/{hers.reference}").status_code in (401, 403, 404)


def test_whatever_is_typed_is_kept_as_it_is_and_shown_unharmed(
    engine: Any, office: Any, world: Any, customer: Any, recorded_data: Path
) -> None:
    strings = json.loads((recorded_data / "text" / "naughty-strings.json").read_text())
    naughty = [s for s in strings if s.strip() and "\0" not in s][::12]
    case = office.open(applicant_name="<script>alert(1)</script>")
    engine.settle()
    zoe = customer(case).come_in()
    assert "<script>" not in zoe.text()
    for words in naughty:
        answer = zoe.send("withdraw/", reason=words)
        assert answer.status_code in (200, 422), words
        assert "<script" not in answer.content.decode().lower()
    for path in ("answer/%00/", "answer/none/", "letters/99999999999999999999/", "paper/%00/"):
        assert zoe.browser.get(zoe.address + path).status_code in (200, 303, 404)
    for name in ("code", "proof", "key", "answer"):
        assert zoe.browser.post(f"{zoe.address}code/", {name: "\0"}).status_code < 500
    lost = zoe.browser.post("/page/", {"reference": "\0", "email": "a\0@b.example"})
    assert lost.status_code in (200, 422)
    # The last one, a chain of marks and bidi signs, is what history keeps
    words = "\u202eevil\u202c Zo\u0308e 😀"
    sure = zoe.send("withdraw/", reason=words)
    zoe.browser.post(f"{zoe.address}withdraw/", {**_fields(sure.content.decode()), "sure": "1"})
    assert get_case(case.pk).outcome_reason == words


def test_permits_are_objected_to_and_the_legal_day_is_explained(
    engine: Any, permit_desk: Any, customer: Any
) -> None:
    case = permit_desk.to("completeness")
    zoe = customer(case).come_in()
    page = zoe.text()
    assert "By law we have to decide by this day: 56 days" in page
    assert "It is 25 Jan 2027." in page
    permit_desk.bring(case, "awaiting_data")
    sure = zoe.send("answer/nothing_comes/", reason="I have no drawing.")
    zoe.browser.post(
        f"{zoe.address}answer/nothing_comes/", {**_fields(sure.content.decode()), "sure": "1"}
    )
    engine.settle()
    assert "message.received" in acts_of(case)


def test_a_returned_claim_is_sent_in_again_and_a_fraud_look_reads_like_any_check(
    engine: Any, claims: Any, customer: Any
) -> None:
    case = claims.claim()
    engine.settle()
    zoe = customer(case).come_in()
    assert "fraud" not in zoe.text().lower()
    claims.judge(case, "send_back", "The receipt is missing.")
    engine.settle()
    page = zoe.text()
    assert "You have your claim back" in page
    sure = zoe.send("answer/resubmitted/", amount="1.200,50", description="")
    assert sure.status_code == 200
    zoe.browser.post(
        f"{zoe.address}answer/resubmitted/", {**_fields(sure.content.decode()), "sure": "1"}
    )
    engine.settle()
    assert str(get_case(case.pk).amount) == "1200.50"  # type: ignore[attr-defined]


def test_a_business_sends_papers_and_tells_of_a_change(
    relations: Any,
    customer: Any,
) -> None:
    case = relations.open()
    office = customer(case).come_in()
    assert "We need papers from your business" in office.text()
    assert office.send_paper("extract").status_code == 303
    assert acts_of(case, "party:business") == ["document.received"]
    other = relations.to_active(registration_number="87654321")
    office = customer(other).come_in()
    sure = office.send("answer/change_reported/", what="We moved to Utrecht.")
    office.browser.post(
        f"{office.address}answer/change_reported/", {**_fields(sure.content.decode()), "sure": "1"}
    )
    relations.engine.settle()
    assert relations.step(other) == "review"


def test_a_fine_is_appealed_on_the_page(fines: Any, customer: Any) -> None:
    case = fines.notified()
    from cases.actors import Actor
    from processes.acts.customer_pages import give_page

    fines.engine.settle()
    give_page(case_id=case.pk, actor=Actor.of(fines.clerk))
    fines.engine.settle()
    dario = customer(case).come_in()
    assert "The fine, in euro" in dario.text()
    sure = dario.send("answer/appeal_to_prefect/")
    dario.browser.post(
        f"{dario.address}answer/appeal_to_prefect/",
        {**_fields(sure.content.decode()), "sure": "1"},
    )
    fines.engine.settle()
    assert "You appealed to the prefect" in dario.text()
    assert "Appeal to the prefect" not in dario.text()


def _fields(page: str) -> dict[str, str]:
    """The hidden fields of the form on a page of confirmation."""
    import html
    import re

    found: dict[str, str] = {}
    for tag in re.findall(r"<input[^>]*type=\"hidden\"[^>]*>|<textarea[^>]*hidden[^>]*>", page):
        name = re.search(r'name="([^"]*)"', tag)
        value = re.search(r'value="([^"]*)"', tag)
        if name:
            found.setdefault(name[1], html.unescape(value[1]) if value else "")
    return found
