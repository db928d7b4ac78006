"""Papers: asked for, reminded of, sent back for, and missed."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from cases.models import Case, Letter, Requirement, Task
from processes.acts.cases import get_case


def states(case: Case) -> dict[str, str]:
    return dict(Requirement.objects.filter(case_id=case.pk).values_list("name", "state"))


def test_silence_after_the_reminders_lapses_the_application(
    engine: Any, office: Any, world: Any, letters: Callable[[Case], list[str]]
) -> None:
    # Given an applicant who never answers
    case = office.open()

    # When thirty days pass
    engine.advance(days=30)

    # Then reminders went out weekly, and the case lapsed by itself
    assert letters(case) == [
        "We have received your application",
        "Documents needed",
        *["Reminder"] * 4,
        "Your application has lapsed",
    ]
    after = get_case(case.pk)
    assert (after.step, after.outcome) == ("lapsed", "lapsed")
    assert after.outcome_reason == (
        "Not received within 30 days: Proof of identity, Payslip, Bank statement."
    )
    assert Requirement.objects.filter(case_id=case.pk, reminders=4).count() == 3


def test_a_reminder_names_only_what_the_customer_has_not_sent(
    engine: Any, office: Any, world: Any
) -> None:
    case = office.open()
    engine.settle()
    office.send(case, "identity", "payslip")
    engine.advance(days=7)
    reminder = Letter.objects.filter(case_id=case.pk).latest("pk")
    assert "- Bank statement" in reminder.text
    assert "Payslip" not in reminder.text


def test_papers_that_lie_with_us_unjudged_let_nothing_lapse(
    engine: Any, office: Any, world: Any, letters: Callable[[Case], list[str]]
) -> None:
    # Given all papers in, and nobody who looks at them
    case = office.open()
    engine.settle()
    documents = office.send(case, "identity", "payslip", "bank_statement")

    # When thirty days pass
    engine.advance(days=31)

    # Then the customer was neither reminded nor refused, and the papers still count
    assert get_case(case.pk).step == "awaiting_documents"
    assert letters(case)[2:] == []
    for document in documents:
        office.judge(document, accept=True)
    assert get_case(case.pk).step == "underwriting"


def test_a_rejected_paper_is_waited_for_again(engine: Any, office: Any, world: Any) -> None:
    case = office.open()
    engine.settle()
    office.accept(case, "identity", "payslip")
    (statement,) = office.send(case, "bank_statement")
    office.judge(statement, accept=False, reason="The first page is missing.")
    assert get_case(case.pk).waits[0]["missing"] == ["bank_statement"]
    (better,) = office.send(case, "bank_statement", text=b"whole ")
    office.judge(better, accept=True)
    assert get_case(case.pk).step == "underwriting"


@pytest.mark.parametrize(
    ("amount", "income", "papers"),
    [
        ("2000", "3000", {"identity", "payslip"}),
        ("2500.01", "3000", {"identity", "payslip", "bank_statement"}),
        ("2000", "0", {"identity", "payslip", "bank_statement"}),
    ],
)
def test_larger_loans_and_heavier_burdens_need_a_bank_statement(
    engine: Any, office: Any, world: Any, amount: str, income: str, papers: set[str]
) -> None:
    case = office.open(amount=Decimal(amount), income=Decimal(income), term_months=12)
    engine.settle()
    assert set(states(case)) == papers


def test_an_underwriter_sends_the_file_back_any_number_of_times(
    engine: Any, office: Any, world: Any, letters: Callable[[Case], list[str]]
) -> None:
    # Given a complete file
    case = office.to_underwriting(engine)

    for turn in range(3):
        # When the underwriter misses a paper that was accepted before
        office.do(case, "send_back", reason="It is three months old.", payslip=True)
        engine.settle()

        # Then exactly that one is asked for again, with the reason
        after = get_case(case.pk)
        assert after.step == "awaiting_documents"
        assert after.waits[0]["missing"] == ["payslip"]
        assert states(case)["payslip"] == "asked"
        assert states(case)["identity"] == "accepted"
        assert "three months old" in Letter.objects.filter(case_id=case.pk).latest("pk").text

        (document,) = office.send(case, "payslip", text=b"new %d" % turn)
        office.judge(document, accept=True)
        engine.settle()
        assert get_case(case.pk).step == "underwriting"

    assert letters(case).count("Documents missing") == 3
    assert Task.objects.filter(case_id=case.pk, outcome="send_back").count() == 3


def test_a_file_sent_back_has_reminders_and_an_end_too(
    engine: Any, office: Any, world: Any, letters: Callable[[Case], list[str]]
) -> None:
    case = office.to_underwriting(engine)
    office.do(case, "send_back", reason="It is unreadable.", bank_statement=True)
    engine.advance(days=30)
    assert get_case(case.pk).step == "lapsed"
    assert letters(case)[-5:] == ["Reminder"] * 4 + ["Your application has lapsed"]


def test_sending_back_without_naming_a_paper_asks_for_all(
    engine: Any, office: Any, world: Any
) -> None:
    case = office.to_underwriting(engine)
    office.do(case, "send_back", reason="Nothing fits together.")
    engine.settle()
    assert set(get_case(case.pk).waits[0]["missing"]) == {"identity", "payslip", "bank_statement"}
