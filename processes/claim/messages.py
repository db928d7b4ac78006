"""What may come from outside for claims and permits. Each raises Invalid naming fields."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import Any

from django.utils.translation import gettext_lazy as _

from cases.errors import Invalid
from processes.claim import rules
from processes.shapes import money, one_of, optional, shape, shaped, text

BUDGETS = ("own", "project", "shared")


def submitted(data: Any) -> dict[str, Any]:
    """A claim is submitted, or again: whatever the applicant changed, such as
    {"amount": "120.50", "account": "NL91ABNA0417164300"}; {} when nothing was."""
    return _changes(
        data,
        amount=money,
        description=short(1000),
        account=account,
        unit=short(120),
        budget=one_of(*BUDGETS),
        incurred_date=day,
    )


def permit_resubmitted(data: Any) -> dict[str, Any]:
    """A travel permit is submitted again, with whatever the applicant changed."""
    found = _changes(
        data,
        amount=money,
        unit=short(120),
        budget=one_of(*BUDGETS),
        purpose=short(1000),
        trip_start=day,
        trip_end=day,
    )
    if ("trip_start" in found) != ("trip_end" in found):
        raise Invalid(
            "When a trip changes, give both of its days: trip_start and trip_end.",
            {"trip_start": "both days", "trip_end": "both days"},
        )
    for name, sentence in rules.unfit_permit(found).items():
        raise Invalid(sentence, {name: sentence})
    return found


def reason(data: Any) -> dict[str, Any]:
    """A refusal: {"reason": "…"}; the applicant reads it."""
    given = shaped(data, reason=text)
    if not given["reason"]:
        raise Invalid("Say why it is refused: the applicant reads it.", {"reason": "Needed."})
    return given


# A message that says all by its name.
nothing = shape(remarks=optional(text))
# A further part of a claim that was paid in part.
further_costs = shape(amount=money, description=optional(text))
# Money of a recovery came in.
money_back = shape(amount=money, remarks=optional(text))
# What became of a claim, for its permit or policy: {"claim": "CL-…", "what": "paid"}.
claim_news = shape(claim=text, what=text)


def _changes(data: Any, **checks: Callable[[Any], Any]) -> dict[str, Any]:
    """The fields that are given and not empty; whatever is left out stays as it is."""
    optionals = {name: optional(check, None) for name, check in checks.items()}
    found = shaped(data, **optionals)
    return {name: value for name, value in found.items() if value is not None}


def short(most: int) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        words = text(value)
        if len(words) > most:
            raise ValueError(f"text of at most {most} characters")
        return words

    return check


def account(value: Any) -> str:
    number = short(34)(value)
    if not rules.is_iban(number):
        raise ValueError("an IBAN; the check digits of this one do not fit")
    return number


def day(value: Any) -> date:
    """A day, as 2027-03-28 or as a date."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    try:
        return date.fromisoformat(value if isinstance(value, str) else "")
    except ValueError:
        raise ValueError("a day such as 2027-03-28") from None


# What each is called on the pages of a case.
TITLES: dict[str, Any] = {
    "submitted": _("Claim submitted"),
    "resubmitted": _("Submitted again"),
    "taken_back": _("Taken back to be changed"),
    "payment_requested": _("Request of the payment"),
    "payment_rejected": _("Refusal by the bookkeeper"),
    "further_costs": _("Further costs"),
    "permit_rejected": _("Refusal by the bookkeeper"),
    "claim_news": _("News of a claim"),
    "money_back": _("Money came back"),
}
