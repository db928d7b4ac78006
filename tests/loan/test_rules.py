"""The pure decisions, and the shapes of what comes from outside."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from cases.errors import Invalid
from processes.loan import messages, rules
from processes.loan.forms import LoanForm


def test_equal_payments_pay_a_loan_back() -> None:
    for amount, months, score in (("5000", 48, 700), ("20000", 12, 460), ("200000", 360, 800)):
        terms = rules.terms(
            amount=Decimal(amount), term_months=months, score=score, secured=months > 100
        )
        left = Decimal(amount)
        for _ in range(months):
            left = left * (1 + terms.interest_rate / 1200) - terms.monthly_payment
        assert abs(left) < months, (left, terms)


def test_a_better_score_and_a_security_cost_less() -> None:
    def rate(score: int, secured: bool = False) -> Decimal:
        return rules.terms(
            amount=Decimal(1000), term_months=12, score=score, secured=secured
        ).interest_rate

    assert rate(800) < rate(650) < rate(560) < rate(450)
    assert rate(650, secured=True) == rate(650) - Decimal("1.50")


@pytest.mark.parametrize(("score", "is_no"), [(449, True), (450, False)])
def test_the_lowest_score_still_passes(score: int, is_no: bool) -> None:
    assert bool(rules.clear_no(score)) == is_no


def test_loans_near_the_value_of_the_security_are_marked() -> None:
    fine = rules.security_in_words(Decimal(80), Decimal(100))
    much = rules.security_in_words(Decimal(81), Decimal(100))
    assert fine["loan_to_value"] == "80 %"
    assert much["loan_to_value"] == "81 %, more than 80 %"


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("NL91 ABNA 0417 1643 00", True),
        ("nl91abna0417164300", True),
        ("NL91ABNA0417164301", False),
        ("", False),
        ("NL91", False),
        ("91NLABNA0417164300", False),
        ("NL91ABNÄ0417164300", False),
    ],
)
def test_an_iban_has_fitting_check_digits(text: str, fits: bool) -> None:
    assert rules.is_iban(text) == fits


@pytest.mark.parametrize(
    "value", ["0", "-0.00", "1e3", "1E3", "NaN", "Infinity", "1,000.00", "10.005", 10.5, None, True]
)
def test_odd_amounts_are_refused_by_name(value: Any) -> None:
    with pytest.raises(Invalid) as refusal:
        messages.appraisal({"value": value})
    assert list(refusal.value.fields) == ["value"]


@pytest.mark.parametrize(
    ("value", "amount"), [(" 10 ", "10.00"), ("10.5", "10.50"), (7, "7.00"), ("007", "7.00")]
)
def test_plain_amounts_are_kept_exactly(value: Any, amount: str) -> None:
    assert str(messages.appraisal({"value": value})["value"]) == amount


@pytest.mark.parametrize("data", [{}, {"answer": "maybe"}, {"answer": ["accept"]}, "accept", None])
def test_an_answer_to_an_offer_is_yes_or_no(data: Any) -> None:
    with pytest.raises(Invalid):
        messages.offer_answer(data)


FORM = {
    "applicant_name": "Zoë",
    "national_id": "999900001",
    "amount": "5000.00",
    "term_months": "12",
    "income": "2000",
}


@pytest.mark.django_db  # constraints are asked of the database
def test_a_form_with_what_is_needed_is_enough() -> None:
    form = LoanForm(FORM)
    assert form.is_valid(), form.errors
    assert form.cleaned_data["title"] == "Zoë"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"amount": "0"}, "amount"),
        ({"amount": "10.005"}, "amount"),
        ({"term_months": "0"}, "term_months"),
        ({"income": "-1"}, "income"),
        ({"secured": "on"}, "security"),
        ({"account": "NL00"}, "account"),
        ({"applicant_name": " "}, "applicant_name"),
    ],
)
def test_what_does_not_fit_is_named(wrong: dict[str, str], field: str) -> None:
    assert list(LoanForm({**FORM, **wrong}).errors) == [field]
