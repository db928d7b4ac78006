"""What an address of the history's pages says, and the addresses beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.http import QueryDict
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _

from cases import dates, queries
from cases.models import Case
from cases.words import Words, capitalised
from processes.past.finding import SORTS, Choice, actors_of

LONGEST = 80  # characters of what is asked for
NAMES = ("show", "what", "who", "since", "until", "step", "text")


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter that is set, and the address of the history without it."""

    label: str
    value: str
    address: str


def one_of(query: Mapping[str, Any], name: str) -> str:
    return str(query.get(name, "")).strip()[:LONGEST].replace("\0", "")


def number_of(query: Mapping[str, Any], name: str) -> int | None:
    """The number of an event; None for anything else."""
    said = one_of(query, name)
    return int(said) if said.isascii() and said.isdecimal() and len(said) < 10 else None


def day_of(query: Mapping[str, Any], name: str) -> date | None:
    try:
        found = parse_date(one_of(query, name))
    except ValueError:
        return None
    return found if found is not None and found.year > 1900 else None


def choice_of(query: Mapping[str, Any]) -> Choice:
    """Which events an address means; nonsense is left out."""
    what = one_of(query, "what")
    return Choice(
        everything=one_of(query, "show") == "all",
        sort=what if what in SORTS else "",
        who=one_of(query, "who"),
        since=day_of(query, "since"),
        until=day_of(query, "until"),
        step=one_of(query, "step"),
        text=one_of(query, "text"),
    )


def without(query: QueryDict, *names: str, **changed: object) -> str:
    """The address of this page with some of it left out or changed, and of no particular place."""
    other = query.copy()
    for name in ("upto", "after", *names):
        other.pop(name, None)
    for name, value in changed.items():
        other[name] = str(value)
    for name in [name for name in other if not other[name]]:
        other.pop(name)
    return f"?{other.urlencode()}"


def chips_of(query: QueryDict, choice: Choice, words: Words) -> list[Chip]:
    """The filters that are set."""
    said = {
        "what": (_("What"), str(SORTS[choice.sort][0]) if choice.sort else ""),
        "who": (_("Who"), capitalised(words.actor(choice.who)) if choice.who else ""),
        "since": (_("From"), dates.day(choice.since) if choice.since else ""),
        "until": (_("To"), dates.day(choice.until) if choice.until else ""),
        "step": (_("Step"), words.step(choice.step) if choice.step else ""),
        "text": (_("Words"), choice.text),
    }
    return [
        Chip(label, value, without(query, name)) for name, (label, value) in said.items() if value
    ]


def options_of(case: Case, words: Words) -> dict[str, list[tuple[str, str]]]:
    """What one may choose from; `words` come to know everybody who acted."""
    codes = actors_of(case)
    words.people = {**words.people, **queries.people_named(codes, words.people)}
    who = [(code, capitalised(words.actor(code))) for code in codes]
    steps = [(str(step), words.step(str(step))) for step, _label in _steps(words)]
    return {
        "what": [(name, str(label)) for name, (label, _types) in SORTS.items()],
        "who": sorted(who, key=lambda one: one[1].casefold()),
        "step": steps,
    }


def _steps(words: Words) -> list[tuple[Any, Any]]:
    return list(words.kind.model.Step.choices)  # type: ignore[attr-defined]
