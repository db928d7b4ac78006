"""What may come from outside for a loan, and in which shape. Each raises Invalid naming fields."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any

from cases.errors import Invalid

MOST = Decimal("9999999999.99")
REMARK_CHARACTERS = 2000
OFFER_ANSWERS = ("accept", "decline")


def offer_answer(data: Any) -> dict[str, Any]:
    """The customer's answer to the offer: {"answer": "accept" or "decline", "reason": …}."""
    given = _mapping(data, ("answer", "reason"))
    answer = given.get("answer")
    if answer not in OFFER_ANSWERS:
        raise Invalid(
            f"An answer to an offer is “accept” or “decline”, not {answer!r:.50}.",
            {"answer": "accept or decline"},
        )
    return {"answer": answer, "reason": _text(given, "reason")}


def appraisal(data: Any) -> dict[str, Any]:
    """The appraiser's answer: {"value": "250000.00", "remarks": …}."""
    given = _mapping(data, ("value", "remarks"))
    return {"value": _money(given, "value"), "remarks": _text(given, "remarks")}


def _mapping(data: Any, known: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise Invalid(f"The message must be an object with {', '.join(known)}.")
    extra = [str(name)[:40] for name in data if name not in known]
    if extra:
        raise Invalid(
            f"The message has {', '.join(known)}; it does not have {', '.join(extra)}.",
            dict.fromkeys(extra, "Not known here."),
        )
    return data


def _text(given: dict[str, Any], name: str) -> str:
    value = given.get(name, "")
    if not isinstance(value, str) or len(value) > REMARK_CHARACTERS or "\0" in value:
        raise Invalid(
            f"“{name}” is text of at most {REMARK_CHARACTERS} characters.",
            {name: f"text of at most {REMARK_CHARACTERS} characters"},
        )
    return value.strip()


def _money(given: dict[str, Any], name: str) -> Decimal:
    """An amount in euro: a plain decimal as text, or a whole number. No float: it is not exact."""
    value = given.get(name)
    sentence = f"“{name}” is an amount in euro such as “250000.00”."
    if isinstance(value, bool) or not isinstance(value, (str, int, Decimal)):
        raise Invalid(sentence, {name: "an amount as text"})
    text = str(value).strip()
    try:
        amount = Decimal(text)
    except InvalidOperation:
        raise Invalid(sentence, {name: "an amount as text"}) from None
    plain = set(text) <= set("0123456789.")
    exponent = amount.as_tuple().exponent
    if not plain or not isinstance(exponent, int) or exponent < -2 or not 0 < amount <= MOST:
        raise Invalid(sentence, {name: "more than 0, with at most two decimals"})
    return amount.quantize(Decimal("0.01"))
