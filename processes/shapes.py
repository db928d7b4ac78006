"""Shapes of messages: what may come from outside, checked field by field.

    messages={"payment": shape(amount=money, remark=optional(text))}

Each check takes a value and gives it back as the case keeps it, or raises ValueError with what the
field must be. A shape raises Invalid naming every field that is wrong, missing or not known.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any

from cases.errors import Invalid

MOST = Decimal("9999999999.99")
TEXT_CHARACTERS = 2000

Check = Callable[[Any], Any]


class _Optional:
    """A field that may be left out."""

    def __init__(self, check: Check, default: Any) -> None:
        self.check = check
        self.default = default


def shaped(data: Any, **fields: Check | _Optional) -> dict[str, Any]:
    """The data of a message, with exactly these fields. Raises Invalid."""
    if not isinstance(data, dict):
        raise Invalid(f"The message must be an object with {', '.join(fields) or 'no fields'}.")
    wrong = {str(name)[:40]: "not known here" for name in data if name not in fields}
    clean: dict[str, Any] = {}
    for name, check in fields.items():
        if isinstance(check, _Optional):
            if data.get(name) in (None, ""):
                clean[name] = check.default
                continue
            check = check.check
        elif name not in data:
            wrong[name] = "needed"
            continue
        try:
            clean[name] = check(data[name])
        except ValueError as error:
            wrong[name] = str(error)
    if wrong:
        named = "; ".join(f"“{name}” is {sentence}" for name, sentence in wrong.items())
        raise Invalid(f"The message was not taken: {named}.", wrong)
    return clean


def shape(**fields: Check | _Optional) -> Callable[[Any], dict[str, Any]]:
    """The check of a message with exactly these fields."""

    def check(data: Any) -> dict[str, Any]:
        return shaped(data, **fields)

    return check


def optional(check: Check, default: Any = "") -> Any:
    """A field that may be missing or empty; then it has the default."""
    return _Optional(check, default)


def text(value: Any) -> str:
    """A field of text, of bounded length."""
    if not isinstance(value, str) or len(value) > TEXT_CHARACTERS or "\0" in value:
        raise ValueError(f"text of at most {TEXT_CHARACTERS} characters")
    return value.strip()


def yes_or_no(value: Any) -> bool:
    """A field that is true or false."""
    if value in ("true", "false", "on"):  # as a form spells it
        return bool(value != "false")
    if not isinstance(value, bool):
        raise ValueError("true or false")
    return value


def one_of(*known: str) -> Check:
    """A field that has one of these words."""

    def check(value: Any) -> str:
        if value not in known:
            raise ValueError(f"one of: {', '.join(known)}")
        return value

    return check


def money(value: Any) -> Decimal:
    """An amount in euro above 0: a plain decimal as text, or a whole number; no float, which is
    not exact."""
    sentence = "an amount above 0 such as “36.00”, with at most two decimals"
    if isinstance(value, bool) or not isinstance(value, (str, int, Decimal)):
        raise ValueError(sentence)
    spelled = str(value).strip()
    try:
        amount = Decimal(spelled)
    except InvalidOperation:
        raise ValueError(sentence) from None
    exponent = amount.as_tuple().exponent
    plain = set(spelled) <= set("0123456789.")
    if not plain or not isinstance(exponent, int) or exponent < -2 or not 0 < amount <= MOST:
        raise ValueError(sentence)
    return amount.quantize(Decimal("0.01"))
