"""Pure decisions of the permit process, as docs/permit.md says them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

TERM_DAYS = 56  # from receipt to the decision
EXTENSION_DAYS = 42  # once
DATA_DAYS = 42  # for the applicant to send what is missing
FEW_DATA_DAYS = 28  # when it is little
OBJECTION_DAYS = 42
APPEAL_DAYS = 42
TREAT_OBJECTION_DAYS = 84
ADVICE_DAYS = 28  # for a party outside

# What may be asked for; an expert reviews the content of each.
PARTS = {
    "build": "Build",
    "demolish": "Demolish",
    "fell": "Fell trees",
    "use": "Use against the zoning plan",
    "groundwork": "Works on the ground",
    "environment": "Environment",
    "monument": "Change a monument",
    "sign": "Put up a sign",
    "driveway": "Make a driveway",
    "fire_safety": "Use with a fire risk",
    "nature": "Work in a protected area",
}
# Aspects on which colleagues advise.
ASPECTS = {
    "planning": "Zoning plan",
    "appearance": "Appearance",
    "construction": "Construction",
    "heritage": "Heritage",
    "roads": "Roads and trees",
}
# Parties outside who advise.
PARTIES = {
    "fire_service": "the fire service",
    "water_board": "the water board",
    "environment_agency": "the environment agency",
    "heritage_committee": "the heritage committee",
}
PAPERS = {
    "drawings": "Drawings",
    "site_plan": "Site plan",
    "calculations": "Calculations of the construction",
    "photographs": "Photographs",
    "soil_report": "Soil report",
    "description": "Description of the works",
}
# What people may correct. What the process found is not theirs to write.
SAID_BY_APPLICANT = (
    "applicant_name",
    "email",
    "address",
    "site",
    "description",
    "parts",
    "channel",
    "costs",
)


def parts_of(words: str) -> list[str]:
    """The parts of an application, in the order of PARTS, each once."""
    asked = set(words.split())
    return [part for part in PARTS if part in asked]


def asked_for(parts: str) -> str:
    """The parts of an application for people: Build, Fell trees."""
    return ", ".join(words_for(parts_of(parts), PARTS))


def unfit(facts: Mapping[str, Any]) -> dict[str, str]:
    """What is wrong with facts that each fit by themselves: field → sentence."""
    asked = str(facts.get("parts") or "").split()
    unknown = [word for word in asked if word not in PARTS]
    if unknown or not asked:
        return {
            "parts": _("Name at least one part; known are: %(known)s. Not known: %(unknown)s.")
            % {"known": ", ".join(PARTS), "unknown": ", ".join(unknown) or "–"}
        }
    return {}


def ticked(result: Mapping[str, Any], names: Mapping[str, str], *, prefix: str = "") -> list[str]:
    """Which of these names a person ticked on a form."""
    return [name for name in names if result.get(prefix + name)]


def words_for(names: Sequence[str], known: Mapping[str, str]) -> list[str]:
    """Names as people read them."""
    return [known.get(name, name.replace("_", " ").capitalize()) for name in names]


def conditions_of(reviews: Sequence[Mapping[str, Any]]) -> str:
    """The conditions that the content reviews ask for, one a line."""
    lines = [f"{r['title']}: {r['reason']}" for r in reviews if r["outcome"] == "conditions"]
    return "\n".join(lines)


def grounds_of(reviews: Sequence[Mapping[str, Any]]) -> str:
    """Why the content reviews speak against it, one a line; empty when none does."""
    return "\n".join(f"{r['title']}: {r['reason']}" for r in reviews if r["outcome"] == "against")


def addressees(lines: str) -> list[dict[str, str]]:
    """Who stands in lines of the form “Name <address>”."""
    found = []
    for line in lines.splitlines():
        name, _bracket, address = line.rpartition(" <")
        found.append({"by": name, "email": address.rstrip(">")})
    return found


# Facts that are kept as codes, as people read them. "" leaves one out that says nothing; None tells
# it as it is.
FACT_WORDS: dict[str, Callable[[Any], str | None]] = {
    "parts": asked_for,
    "missing_data": lambda names: ", ".join(words_for(names.split(), PAPERS)),
    "round": lambda number: None if number > 1 else "",
    "data_days": lambda number: None if number != DATA_DAYS else "",
    "decided_by": lambda by: _("the law") if by == "law" else None,
}
