"""Pure decisions of the loan process, as docs/loan.md says them. Amounts are in euro."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from processes.accounts import is_iban
from processes.decisions.library import tables_beside

TABLES = tables_beside(__file__)
PAPERS_NEEDED = TABLES["papers"]
WHO_JUDGES = TABLES["who_judges"]

# As they were before there were tables: cases finish the step on the code under which they entered.
SECOND_PERSON_FROM = Decimal(50_000)  # above it two different people judge
STATEMENT_FROM = Decimal(2_500)  # above it we ask for a bank statement
BURDEN_LIMIT = Decimal("0.25")  # of the income; with more, also

LOWEST_SCORE = 450
LEND_AT_MOST = Decimal("0.80")  # of the appraised value

PAPERS = {
    "identity": "Proof of identity",
    "payslip": "Payslip",
    "bank_statement": "Bank statement",
}
# What people may correct. Score, value, terms and bookings are found by the process.
SAID_BY_APPLICANT = (
    "applicant_name",
    "email",
    "national_id",
    "address",
    "amount",
    "term_months",
    "purpose",
    "income",
    "secured",
    "security",
    "account",
)
_CENT = Decimal("0.01")
# The lowest score of each band, and its interest a year.
_RATES = (
    (720, Decimal("4.90")),
    (640, Decimal("6.40")),
    (540, Decimal("8.20")),
    (0, Decimal("9.90")),
)
_LESS_WHEN_SECURED = Decimal("1.50")


class Terms(NamedTuple):
    """What an offer offers."""

    interest_rate: Decimal  # percent a year
    monthly_payment: Decimal


def papers_by_code(case: Any) -> list[str]:
    """The papers an application needs, as it was before there was a table."""
    papers = ["identity", "payslip"]
    share = burden(case.amount, case.income, case.term_months)
    if case.amount > STATEMENT_FROM or share > BURDEN_LIMIT:
        papers.append("bank_statement")
    return papers


def papers_for(*, amount: Decimal, income: Decimal, term_months: int) -> list[str]:
    """The papers an application needs, by the newest table."""
    share = burden(amount, income, term_months)
    return list(PAPERS_NEEDED.decide(amount=amount, burden=share)["paper"])


def burden(amount: Decimal, income: Decimal, term_months: int) -> Decimal:
    """The part of the income that paying back takes, before interest; 1 without income."""
    return min(amount / term_months / income, Decimal(1)) if income else Decimal(1)


def needs_second_person(amount: Decimal) -> bool:
    """Whether two different people judge, by the newest table."""
    return bool(WHO_JUDGES.decide(amount=amount)["second_person"])


def clear_no(score: int) -> str:
    """Why a score ends the application at once; empty when it does not."""
    if score >= LOWEST_SCORE:
        return ""
    return f"The credit score is {score}; we lend from {LOWEST_SCORE}."


def terms(*, amount: Decimal, term_months: int, score: int, secured: bool) -> Terms:
    """Interest by the score, and the equal monthly payments that pay the loan back."""
    rate = next(rate for lowest, rate in _RATES if score >= lowest)
    if secured:
        rate -= _LESS_WHEN_SECURED
    monthly = rate / 1200
    payment = amount * monthly / (1 - (1 + monthly) ** -term_months)
    return Terms(rate, payment.quantize(_CENT, ROUND_HALF_UP))


def papers_named(result: Mapping[str, Any]) -> list[str]:
    """The papers that a reviewer ticked on the form."""
    return [name for name in PAPERS if result.get(name)]


def unfit(facts: Mapping[str, Any]) -> dict[str, str]:
    """What is wrong with facts that each fit by themselves: field → sentence."""
    wrong = {}
    if facts.get("account") and not is_iban(facts["account"]):
        wrong["account"] = _("This is no valid IBAN: its check digits do not fit.")
    if facts.get("secured") and not facts.get("security"):
        wrong["security"] = _("Say what the security is; an appraiser will value it.")
    return wrong


def words_for(papers: list[str]) -> list[str]:
    """Papers as the customer reads them."""
    return [PAPERS.get(name, name.replace("_", " ").capitalize()) for name in papers]


def share_in_words(share: Decimal) -> str:
    return f"{share * 100:.0f} %"


def security_in_words(amount: Decimal, value: Decimal | None) -> dict[str, Any]:
    """What the decider reads of the security."""
    if value is None:
        return {}
    share = amount / value
    warning = "" if share <= LEND_AT_MOST else f", more than {share_in_words(LEND_AT_MOST)}"
    return {"appraised_value": value, "loan_to_value": share_in_words(share) + warning}
