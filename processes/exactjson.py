"""JSON that says one thing: decimals as they are written, each name of an object once."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _


class SaidTwice(ValueError):
    """A name stands twice in an object: which of the two is meant, nobody can say."""


def loads(text: str | bytes) -> Any:
    """Raises ValueError (SaidTwice among them) and RecursionError."""
    return json.loads(
        text, parse_float=Decimal, parse_constant=_refuse, object_pairs_hook=_each_once
    )


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _value in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        shown = twice[:60].encode(errors="replace").decode().replace("\0", "")
        raise SaidTwice(_("The name “%(name)s” stands twice in one object.") % {"name": shown})
    return found


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is no number")
