"""Amounts as people and programs write them: what can be read in one way only is taken.

read("1.250,50")  # Decimal("1250.50"), and so are "1250.5", "1,250.50" and "1 250,50"
read("1.250")     # Unreadable: a thousand, or a fraction?
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

_GROUPING = ".,'’ "
# Blanks that word processors put between groups of digits.
_BLANKS = str.maketrans(dict.fromkeys("\u00a0\u2009\u202f", " "))
_SIGNED = re.compile(r"([+-]?)([0-9][0-9.,'’ ]*)\Z")
_MOST = 60  # characters, of which at most some twenty mean something


class Unreadable(ValueError):
    """Not an amount, or one that can be read in two ways. Says what would be read."""


def read(given: Any, *, places: int = 2) -> Decimal:
    """An amount with at most `places` decimals, exactly as written. Raises Unreadable.

    Numbers of programs are taken if they are that exact; true and false are no amounts.
    """
    if isinstance(given, Decimal):
        return given
    if isinstance(given, bool) or not isinstance(given, (str, int, float)):
        raise Unreadable(_not_an_amount(given))
    text = str(given).translate(_BLANKS).strip()
    found = _SIGNED.match(text) if len(text) <= _MOST else None
    if found is None:
        raise Unreadable(_not_an_amount(given))
    sign, digits = found.groups()
    if isinstance(given, float) and digits.endswith(".0"):
        digits = digits[:-2]  # how programs write a whole number
    whole, fraction = _split(digits, given=text, places=places)
    amount = Decimal(f"{sign}{whole}.{fraction}" if fraction else f"{sign}{whole}")
    return amount if amount else abs(amount)


def _split(digits: str, *, given: str, places: int) -> tuple[str, str]:
    """The whole part and the decimals of unsigned digits with their separators."""
    used = [letter for letter in digits if letter in _GROUPING]
    if not used:
        return digits, ""
    last = used[-1]
    head, _at, tail = digits.rpartition(last)
    if last in ".," and used.count(last) == 1:
        others = set(used[:-1])
        if len(others) > 1 or (others and not _is_grouped(head, others.pop())):
            raise Unreadable(_not_an_amount(given))
        whole = re.sub(r"[^0-9]", "", head)
        may_group = len(used) == 1 and len(tail) == 3 and re.match(r"[1-9][0-9]{0,2}\Z", whole)
        if may_group:
            raise Unreadable(
                _(
                    "“%(given)s” can be read as thousands or as decimals. Write it without "
                    "the separator, or with at most %(places)s decimals."
                )
                % {"given": given, "places": places}
            )
        if not tail:
            raise Unreadable(_not_an_amount(given))
        if len(tail) > places:
            raise Unreadable(
                _("“%(given)s” has more than %(places)s decimals.")
                % {"given": given, "places": places}
            )
        return whole, tail
    if len(set(used)) > 1 or not _is_grouped(digits, last):
        raise Unreadable(_not_an_amount(given))
    return re.sub(r"[^0-9]", "", digits), ""


def _is_grouped(digits: str, by: str) -> bool:
    """Whether these digits stand in groups of three."""
    return bool(re.match(rf"[0-9]{{1,3}}(?:{re.escape(by)}[0-9]{{3}})+\Z", digits))


def _not_an_amount(given: Any) -> str:
    shown = str(given) if len(str(given)) <= _MOST else f"{str(given)[:_MOST]}…"
    return _("“%(given)s” is not an amount. Write digits, such as 1250 or 1250.50.") % {
        "given": shown
    }
