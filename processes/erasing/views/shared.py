"""What the pages share."""

from __future__ import annotations

from collections.abc import Callable

from cases.queries import people_named
from cases.words import Words

SECTION = {"section": "destructions"}


def actors(*codes: str) -> Callable[[str], str]:
    """What the people and services of these codes are called."""
    words = Words(kind=None, people=people_named(codes))  # type: ignore[arg-type]
    return lambda code: words.actor(code) if code else ""
