"""A paper that was accepted is replaced: what rested on it does not silently stand."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from cases.errors import PaperNotJudged
from cases.models import Case, Document, Letter, Requirement, Task
from processes.acts.cases import get_case
from tests.cases.conftest import Visitor


def replace(case: Case, office: Any) -> Document:
    (newer,) = office.send(case, "payslip", text=b"another ")
    return newer


def test_a_newer_version_is_to_be_judged_and_the_older_stays(
    engine: Any, office: Any, world: Any
) -> None:
    case = office.to_underwriting(engine)
    newer = replace(case, office)
    older = Document.objects.get(case_id=case.pk, name="payslip", version=1)
    assert (newer.version, newer.state, older.state) == (2, "received", "accepted")
    assert older.digest != newer.digest
    assert Requirement.objects.get(case_id=case.pk, name="payslip").state == "received"


@pytest.mark.parametrize("step", ["underwriting", "decision"])
def test_no_approval_on_a_paper_that_was_replaced(
    engine: Any, office: Any, world: Any, step: str
) -> None:
    case = office.to_underwriting(engine)
    if step == "decision":
        office.do(case, "approve")
    newer = replace(case, office)
    with pytest.raises(PaperNotJudged, match="version 2 of “payslip.pdf” is to be judged"):
        office.do(case, "approve")
    office.judge(newer, accept=False, reason="Not readable.")
    task = Task.objects.get(case_id=case.pk, state="open")
    page = Visitor(office.underwriter).open(task.get_absolute_url())
    assert "A newer version of an accepted paper came in" in page
    sent = page.send(task.get_absolute_url(), outcome="approve")
    assert sent.status == 409 and "was rejected" in sent
    assert get_case(case.pk).step == step


@pytest.mark.parametrize("outcome", ["decline", "send_back"])
def test_a_no_needs_no_new_paper(engine: Any, office: Any, world: Any, outcome: str) -> None:
    case = office.to_underwriting(engine)
    replace(case, office)
    office.do(case, outcome, reason="Whatever the new one says.")
    engine.settle()
    assert get_case(case.pk).step in ("declined", "awaiting_documents")


def test_an_approval_of_this_step_is_asked_again(engine: Any, office: Any, world: Any) -> None:
    case = office.to_underwriting(engine, amount=Decimal("60000"))
    office.do(case, "approve")
    office.judge(replace(case, office), accept=True)
    office.do(case, "approve", by=office.second)
    task = Task.objects.get(case_id=case.pk, state="open")
    assert (get_case(case.pk).step, task.name) == ("underwriting", "underwriting")


@pytest.mark.parametrize("step", ["decision", "offer"])
def test_an_approval_of_an_earlier_step_is_asked_again(
    engine: Any, office: Any, world: Any, step: str
) -> None:
    case = office.to_underwriting(engine)
    office.do(case, "approve")
    if step == "offer":
        office.do(case, "approve")
        engine.settle()
        replace(case, office)
        office.answer(case, "accept")
    else:
        office.judge(replace(case, office), accept=True)
        office.do(case, "approve")
    engine.settle()
    assert get_case(case.pk).step == "underwriting"
    if step == "offer":  # and there too, not before somebody looked at it
        with pytest.raises(PaperNotJudged):
            office.do(case, "approve")


def test_the_pages_tell_what_a_decision_rested_on(engine: Any, office: Any, world: Any) -> None:
    case = office.to_underwriting(engine)
    done = office.do(case, "approve")
    newer = replace(case, office)
    reviews = Visitor(office.caseworker).open(f"/cases/{case.reference}/reviews/")
    assert "Payslip, version 1; version 2 came in later" in reviews
    older = Document.objects.get(case_id=case.pk, name="payslip", version=1)
    assert older.get_absolute_url() in reviews
    assert "Payslip, version 1" in Visitor(office.caseworker).open(done.get_absolute_url())
    overview = Visitor(office.caseworker).open(f"/cases/{case.reference}/")
    assert newer.get_absolute_url() in overview and "Came in, to be judged" in overview


def test_a_rejected_paper_is_asked_for_at_once(
    engine: Any, office: Any, world: Any, letters: Callable[[Case], list[str]], mailoutbox: Any
) -> None:
    # Given a paper that came in
    case = office.open()
    engine.settle()
    (paper,) = office.send(case, "payslip")

    # When it is rejected
    office.judge(paper, accept=False, reason="The second page is missing.")
    engine.settle()

    # Then the customer reads why the same minute, once, and the reminders go on as they were
    assert letters(case)[-1] == "Please send once more: Payslip"
    letter = Letter.objects.filter(case_id=case.pk).latest("written_at", "pk")
    assert "The second page is missing." in letter.text and letter.sent_at is not None
    assert [mail.subject for mail in mailoutbox].count(letter.subject) == 1
    engine.advance(days=7)
    assert letters(case)[-1] == "Reminder"


def test_the_letter_of_a_rejection_goes_out_though_the_step_was_left(
    engine: Any, office: Any, world: Any, letters: Callable[[Case], list[str]]
) -> None:
    case = office.open()
    engine.settle()
    (paper,) = office.send(case, "payslip")
    office.judge(paper, accept=False, reason="The second page is missing.")
    (newer,) = office.send(case, "payslip", text=b"whole ")
    office.judge(newer, accept=True)
    office.accept(case, "identity", "bank_statement")
    engine.settle()
    assert get_case(case.pk).step == "underwriting"
    assert letters(case).count("Please send once more: Payslip") == 1
