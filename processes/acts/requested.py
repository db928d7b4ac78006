"""Cases that somebody outside asks to be opened: by a call of the API, or by a row of a file."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from cases import access
from cases.errors import Invalid, SameKeyOtherContent
from cases.models import Case, Team
from processes.acts import cases as acts
from processes.callers import Caller
from processes.kinds import Kind, kinds

# Where in a request the fields lie that a refusal names; all others are facts.
FIELDS_AT = {"*": "/facts", "kind": "", "title": "", "team": "", "external_reference": ""}


def open_requested(
    *, caller: Caller, request: dict[str, Any], job: int | None = None
) -> tuple[Case, bool]:
    """Open the case that a request asks for: its kind, title and facts, and where it says so its
    external_reference and team. Also says whether the case is new: the same external reference
    gives the case that it opened first. Raises Invalid naming each field, NotAllowed,
    SameKeyOtherContent."""
    kind = kinds().get(request["kind"])
    if kind is None:
        raise Invalid(
            _("There is no kind “%(kind)s”.") % {"kind": request["kind"]},
            {"kind": _("One of: %(kinds)s.") % {"kinds": ", ".join(sorted(kinds()))}},
        )
    caller.require_scope("open", kind.name)
    _require_facts(caller, kind, request["facts"])
    case, is_new = acts.open_once(
        kind=kind.name,
        facts=request["facts"],
        title=request["title"],
        actor=caller.actor,
        owner=caller.person,
        team=_team(caller, request.get("team")),
        source=caller.source if "external_reference" in request else "",
        source_key=request.get("external_reference", ""),
        job=job,
    )
    if not is_new and not access.visible_cases(caller.who).filter(pk=case.pk).exists():
        raise SameKeyOtherContent(
            _("This external reference opened a case that you may no longer see.")
        )
    return case, is_new


def _require_facts(caller: Caller, kind: Kind, facts: dict[str, Any]) -> None:
    """Only what people say; what the process finds is not for a caller to write. A parent is
    one that the caller sees."""
    names = {one.name for one in kind.model.fact_fields()}
    found = {
        name: _("The process finds this; it is not given.")
        for name in facts
        if name in names and name not in kind.correctable and name != kind.parent_fact
    }
    parent = facts.get(kind.parent_fact) if kind.parent_fact else None
    if parent and not caller.cases("read", "open").filter(reference=str(parent)).exists():
        found[kind.parent_fact] = _("There is no case %(reference)s among those you may see.") % {
            "reference": str(parent)[:60]
        }
    if found:
        said = "; ".join(f"{name}: {one}" for name, one in found.items())
        raise Invalid(_("The case was not opened. %(what)s") % {"what": said}, found)


def _team(caller: Caller, name: str | None) -> Team | None:
    """Whose case it will be. One of no team would be seen by no caseworker."""
    who = caller.who
    if who.team is not None and name in (None, who.team.name):
        return who.team
    for_all = caller.client is not None and who.team is None
    teams = list(Team.objects.order_by("name")[:50]) if for_all else []
    if name is None and (not for_all or len(teams) < 2):
        return teams[0] if teams else None
    team = Team.objects.filter(name=name).first() if for_all and name else None
    if team is None:
        known = ", ".join(one.name for one in teams) or str(who.team or _("none"))
        sentence = _("Name the team whose case it is: %(teams)s.") % {"teams": known}
        raise Invalid(sentence, {"team": sentence})
    return team
