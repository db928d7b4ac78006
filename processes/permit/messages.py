"""What may come from outside for a permit. Each raises Invalid naming the fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext_lazy as _

from cases.errors import Invalid
from processes.permit.rules import PARTIES

TEXT_CHARACTERS = 4000
NAME_CHARACTERS = 200
VIEWS = ("agrees", "agrees_with_conditions", "objects")
JUDGMENTS = ("upheld", "annulled")


def advice(data: Any) -> dict[str, Any]:
    """A party's advice: {"view": "agrees", "agrees_with_conditions" or "objects", "text": …}."""
    given = _mapping(data, ("view", "text"))
    view = _one_of(given, "view", VIEWS)
    return {"view": view, "text": _text(given, "text", needed=view != "agrees")}


def objection(data: Any) -> dict[str, Any]:
    """Somebody objects to the decision: {"by": "A. Neighbour", "email": …, "grounds": …}."""
    given = _mapping(data, ("by", "email", "grounds"))
    return {
        "by": _text(given, "by", needed=True, most=NAME_CHARACTERS),
        "email": _text(given, "email", most=NAME_CHARACTERS),
        "grounds": _text(given, "grounds", needed=True),
    }


def appeal(data: Any) -> dict[str, Any]:
    """Somebody appeals to the court: {"by": …, "email": …, "grounds": …}."""
    return objection(data)


def judgment(data: Any) -> dict[str, Any]:
    """What the court says: {"judgment": "upheld" or "annulled", "text": …}."""
    given = _mapping(data, ("judgment", "text"))
    said = _one_of(given, "judgment", JUDGMENTS)
    return {"judgment": said, "text": _text(given, "text", needed=said == "annulled")}


def extension(data: Any) -> dict[str, Any]:
    """The authority extends the legal term: {"reason": …}, which the applicant reads."""
    return {"reason": _text(_mapping(data, ("reason",)), "reason", needed=True)}


def nothing_comes(data: Any) -> dict[str, Any]:
    """The applicant sends no more data: {"reason": …}."""
    return {"reason": _text(_mapping(data, ("reason",)), "reason", needed=True)}


SHAPES: dict[str, Callable[[Any], Any]] = {
    **{f"advice_{party}": advice for party in PARTIES},
    "objection": objection,
    "appeal": appeal,
    "judgment": judgment,
    "extend_term": extension,
    "nothing_comes": nothing_comes,
}

TITLES: dict[str, Any] = {
    **{f"advice_{party}": f"Advice of {name}" for party, name in PARTIES.items()},
    "objection": _("Objection"),
    "appeal": _("Appeal"),
    "judgment": _("Judgment of the court"),
    "extend_term": _("Extension of the term"),
    "nothing_comes": _("Notice that nothing will come"),
}


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


def _one_of(given: dict[str, Any], name: str, known: tuple[str, ...]) -> str:
    value = given.get(name)
    if value not in known:
        raise Invalid(
            f"“{name}” is one of {', '.join(known)}, not {value!r:.50}.",
            {name: f"one of {', '.join(known)}"},
        )
    return str(value)


def _text(
    given: dict[str, Any], name: str, *, needed: bool = False, most: int = TEXT_CHARACTERS
) -> str:
    value = given.get(name, "")
    if not isinstance(value, str) or len(value) > most or "\0" in value:
        raise Invalid(
            f"“{name}” is text of at most {most} characters.",
            {name: f"text of at most {most} characters"},
        )
    if needed and not value.strip():
        raise Invalid(f"“{name}” is needed.", {name: "Needed."})
    return value.strip()
