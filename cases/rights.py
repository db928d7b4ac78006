"""Who may do what, in words: read from the rules of `cases/access`, so that it cannot differ."""

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
    "takes_case_away": gettext_lazy(
        "whoever sees the case for their work, auditors, and exporters where it is not restricted"
    ),
    "works_on_case": gettext_lazy(
        "caseworkers and supervisors of the case's team, or whose own it is"
    ),
    "works_on_its_case": gettext_lazy(
        "caseworkers and supervisors of the case's team, or whose own it is"
    ),
    "holds_task": gettext_lazy("who has the task"),
    "may_take_task": gettext_lazy("people of the task's role, where four eyes allow it"),
    "decided_task": gettext_lazy("who decided it"),
    "supervises_task": gettext_lazy("supervisors of the case's team"),
    "leads_repair": gettext_lazy("supervisors of the case's team"),
    "supervises": gettext_lazy("supervisors of that person's team"),
    "supervises_team": gettext_lazy("supervisors of the team"),
    "is_of_list": gettext_lazy("whose list it is, and supervisors of the team it is shared with"),
    "opens_restricted": gettext_lazy(
        "caseworkers and supervisors of the case's team, and those who see all cases"
    ),
    "sees_retention": gettext_lazy(
        "records managers, auditors and supervisors, of the cases that they see"
    ),
    "is_oneself": gettext_lazy("the person concerned"),
    "is_more_than_operator": gettext_lazy("has another role than operator"),
    "is_superuser": gettext_lazy("technical administrators"),
}
_ALSO = re.compile(r"& has_role:([^()&|~]+)")  # what a rule asks for besides
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
        belongs |= {"supervises_task", "supervises", "supervises_team", "leads_repair"}
    return [
        capitalised(name)
        for name, rule in access.ACTS.items()
        if belongs & {leaf.strip() for leaf in _LEAF.findall(rule.name)}
        and f"~has_role:{role}" not in rule.name
        and not (set(_ALSO.findall(rule.name)) - {role})
    ]


def in_words(rule: str) -> str:
    """A rule's name, such as "(has_role:caseworker | holds_task)", as people say it."""
    if "&" not in rule:
        rule = rule.replace("(", "").replace(")", "")
    if rule.startswith("(") and _closes_last(rule):
        rule = rule[1:-1]
    return "".join(_part(part) for part in _PARTS.split(rule))


_PARTS = re.compile(r"( \| | & ~has_role:| & has_role:| & |~|[()])")


def _closes_last(rule: str) -> bool:
    """Whether the bracket that opens first closes last, around the whole."""
    depth = 0
    for place, sign in enumerate(rule):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return place == len(rule) - 1
    return False


def _part(part: str) -> str:
    match part:
        case " | ":
            return " " + _("or") + " "
        case " & ":
            return " " + _("and") + " "
        case " & has_role:":
            return " " + _("with the role") + " "
        case " & ~has_role:":
            return " " + _("without the role") + " "
        case "~":
            return _("not") + " "
        case "(" | ")" | "":
            return part
    return part.removeprefix("has_role:") if ":" in part else str(LEAVES.get(part, part))
