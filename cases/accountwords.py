"""Changes of accounts in words, for whoever reads the record of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from cases import dates
from cases.models import AccountChange, Person, Team
from cases.words import person_ids, plain

WHAT: dict[str, Any] = {
    "person.made": gettext_lazy("account made"),
    "person.changed": gettext_lazy("account changed"),
    "person.left": gettext_lazy("left; may no longer sign in"),
    "person.back": gettext_lazy("may sign in again"),
    "sign_in.reset": gettext_lazy("a link for a new password was made"),
    "sign_in.set": gettext_lazy("a new password was chosen by the link"),
    "team.made": gettext_lazy("team made"),
    "team.renamed": gettext_lazy("team renamed"),
    "absence.entered": gettext_lazy("absence entered"),
    "absence.ended": gettext_lazy("absence ended"),
    "retention.changed": gettext_lazy("how long cases are kept changed"),
    "retention.restored": gettext_lazy("the kind's own rule on how long cases are kept restored"),
}
FIELDS: dict[str, Any] = {
    "first_name": gettext_lazy("given name"),
    "last_name": gettext_lazy("family name"),
    "email": gettext_lazy("mail address"),
    "team": gettext_lazy("team"),
    "capacity": gettext_lazy("capacity"),
    "roles": gettext_lazy("roles"),
    "leads": gettext_lazy("leads"),
    "name": gettext_lazy("name"),
    "months": gettext_lazy("months"),
    "since": gettext_lazy("counted from"),
    "basis": gettext_lazy("law or policy"),
}


@dataclass(frozen=True, slots=True)
class ChangeWords:
    """The names that some changes need."""

    people: Mapping[int, Person]
    teams: Mapping[int, Team]

    @classmethod
    def of(cls, rows: Sequence[AccountChange]) -> ChangeWords:
        ids = person_ids(row.by for row in rows)
        ids |= {row.data["substitute"] for row in rows if row.data.get("substitute")}
        return cls(Person.objects.in_bulk(ids), Team.objects.in_bulk())

    def actor(self, code: str) -> str:
        sort, _colon, rest = code.partition(":")
        if sort == "person" and rest.isdecimal():
            return str(self.people.get(int(rest)) or _("someone who is no longer known"))
        return "Longcase" if sort == "engine" else plain(rest or sort)

    def about(self, change: AccountChange) -> str:
        if change.what.startswith("retention."):
            return " ".join(filter(None, (change.data["kind"], plain(change.data["ending"]))))
        return str(change.person or change.team or "")

    def what(self, change: AccountChange) -> str:
        """ "account changed: roles caseworker → caseworker, auditor"."""
        said = str(WHAT.get(change.what, plain(change.what)))
        more = [
            f"{FIELDS.get(name, name)} {self._value(name, before)} → {self._value(name, after)}"
            for name, (before, after) in change.data.get("changes", {}).items()
        ]
        if change.what.startswith("absence."):
            more.append(self._absence(change.data))
        return f"{said}: {'; '.join(more)}" if more else said

    def _absence(self, data: Mapping[str, Any]) -> str:
        who = self.people.get(data.get("substitute") or 0)
        days = {"first": dates.day(data["from_date"]), "last": dates.day(data["until_date"])}
        if who is None:
            return _("%(first)s to %(last)s") % days
        return _("%(first)s to %(last)s, %(who)s stands in") % {**days, "who": who}

    def _value(self, name: str, value: Any) -> str:
        if name == "team":
            return str(self.teams.get(value) or "–")
        if name == "leads":
            return ", ".join(str(self.teams.get(one) or one) for one in value) or "–"
        if isinstance(value, list):
            return ", ".join(str(one) for one in value) or "–"
        return str(value) if value not in (None, "") else "–"
