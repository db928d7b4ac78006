"""Who may do what, in words: read from the rules of `cases/access.py`, so that it cannot differ."""

from __future__ import annotations

import re
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from cases import access
from cases.words import capitalised

# The words of each rule that others are made of.
LEAVES: dict[str, Any] = {
    "sees_case": gettext_lazy("whoever sees the case"),
    "sees_its_case": gettext_lazy("whoever sees the case"),
    "works_on_case": gettext_lazy(
        "caseworkers and supervisors, in cases of their teams or their own"
    ),
    "works_on_its_case": gettext_lazy(
        "caseworkers and supervisors, in cases of their teams or their own"
    ),
    "holds_task": gettext_lazy("who has the task"),
    "may_take_task": gettext_lazy("people of the task's role, where four eyes allow it"),
    "decided_task": gettext_lazy("who decided it"),
    "supervises_task": gettext_lazy("supervisors of the case's team"),
    "supervises": gettext_lazy("supervisors of that person's team"),
    "supervises_team": gettext_lazy("supervisors of the team"),
    "is_oneself": gettext_lazy("the person concerned"),
    "is_superuser": gettext_lazy("technical administrators"),
}
_LEAF = re.compile(r"has_role:[^()&|~]+|\w+")


def acts_in_words() -> list[tuple[str, str]]:
    """Each act, and who may do it."""
    return [(capitalised(name), in_words(rule.name)) for name, rule in access.ACTS.items()]


def acts_of(role: str) -> list[str]:
    """The acts whose rule names this role, or what belongs to it."""
    belongs = {f"has_role:{role}"}
    if role in access.TEAM_ROLES:
        belongs |= {"works_on_case", "works_on_its_case"}
    if role == access.SUPERVISOR:
        belongs |= {"supervises_task", "supervises", "supervises_team"}
    return [
        capitalised(name)
        for name, rule in access.ACTS.items()
        if belongs & {leaf.strip() for leaf in _LEAF.findall(rule.name)}
        and f"~has_role:{role}" not in rule.name
    ]


def in_words(rule: str) -> str:
    """A rule's name, such as "(has_role:caseworker | holds_task)", as people say it."""
    said = ""
    for part in re.split(r"( \| | & |~|[()])", rule):
        said += _part(part)
    return said.removeprefix("(").removesuffix(")") if said.count("(") == 1 else said


def _part(part: str) -> str:
    match part:
        case " | ":
            return " " + _("or") + " "
        case " & ":
            return " " + _("and") + " "
        case "~":
            return _("not") + " "
        case "(" | ")" | "":
            return part
    return part.removeprefix("has_role:") if ":" in part else str(LEAVES.get(part, part))
