"""Rows of the read log in words: who it was, what they saw, through what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from audit.models import Read
from cases import dates, queries
from cases.models import Person
from cases.purposes import PURPOSES
from cases.words import party, plain

# What an address shows, by its name; one without words here is told by its name.
SHOWN: dict[str, Any] = {
    "case": gettext_lazy("Overview of the case"),
    "case-documents": gettext_lazy("Documents of the case"),
    "case-reviews": gettext_lazy("Reviews of the case"),
    "case-notes": gettext_lazy("Notes of the case"),
    "case-steps": gettext_lazy("Steps of the case"),
    "case-history": gettext_lazy("History of the case"),
    "case-event": gettext_lazy("The case as it stood at an event"),
    "case-history-at": gettext_lazy("The case as it stood on a day"),
    "compare-moments": gettext_lazy("The case at two moments"),
    "print-history": gettext_lazy("History on paper"),
    "print-case": gettext_lazy("Print of the case"),
    "case-pulse": gettext_lazy("What was new in the case"),
    "open-restricted": gettext_lazy("Form to open a restricted case"),
    "case-readers": gettext_lazy("Who read the case"),
    "reads-about": gettext_lazy("Who saw the data of a person"),
    "reads-of-person": gettext_lazy("What somebody read"),
    "read-log": gettext_lazy("The read log"),
    "change-facts": gettext_lazy("Form to change facts"),
    "document": gettext_lazy("A document and its form"),
    "document-file": gettext_lazy("File of a document"),
    "document-page": gettext_lazy("Picture of a page of a document"),
    "task": gettext_lazy("A task and its form"),
    "letter": gettext_lazy("A letter"),
    "post-room": gettext_lazy("List of letters"),
    "write-letter": gettext_lazy("Form for a letter"),
    "my-work": gettext_lazy("My work"),
    "cases": gettext_lazy("List of cases"),
    "find": gettext_lazy("Search"),
    "notices": gettext_lazy("Notices"),
    "team": gettext_lazy("Page of a team"),
    "team-cases": gettext_lazy("Cases of a team"),
    "insight-cases": gettext_lazy("Cases under a figure"),
    "incidents": gettext_lazy("Incidents"),
    "incident": gettext_lazy("An incident"),
    "customer-page": gettext_lazy("The customer's own page"),
    "webhook": gettext_lazy("Sent to a webhook"),
    "replay": gettext_lazy("Replay on the command line"),
    "api:Cases": gettext_lazy("List of cases (API)"),
    "api:OneCase": gettext_lazy("The case (API)"),
    "api:Stood": gettext_lazy("The case as it stood (API)"),
    "api:History": gettext_lazy("History of the case (API)"),
    "api:Events": gettext_lazy("The feed (API)"),
    "api:DocumentFile": gettext_lazy("File of a document (API)"),
}
THROUGH: dict[str, Any] = {
    "page": gettext_lazy("page"),
    "api": gettext_lazy("API"),
    "customer": gettext_lazy("customer's page"),
    "webhook": gettext_lazy("webhook"),
    "command": gettext_lazy("command"),
}
OUTCOMES: dict[str, Any] = {
    "shown": gettext_lazy("shown"),
    "refused": gettext_lazy("refused"),
    "not_found": gettext_lazy("tried, nothing shown"),
}


def what(name: str) -> str:
    if name in SHOWN:
        return str(SHOWN[name])
    is_api = name.startswith("api:")
    said = plain(name.removeprefix("api:").replace("-", "_"))
    return _("%(what)s (API)") % {"what": said} if is_api else said[:1].upper() + said[1:]


@dataclass(slots=True)
class Names:
    """Who the actors of some rows are; with `roles`, staff go by their role alone."""

    people: Mapping[int, Person] = field(default_factory=dict)
    roles: bool = False

    @classmethod
    def of(cls, codes: Iterable[str], *, roles: bool = False) -> Names:
        return cls(queries.people_named(codes), roles)

    def of_actor(self, code: str) -> str:
        sort, _colon, name = code.partition(":")
        match sort:
            case "person":
                person = self.people.get(int(name)) if name.isdecimal() else None
                if person is None:
                    return _("somebody, number %(n)s") % {"n": name}
                if self.roles:
                    return ", ".join(sorted(plain(one) for one in person.roles)) or _("staff")
                return str(person)
            case "service":
                return _("the program %(name)s") % {"name": name}
            case "party":
                return party(name)
            case "system":
                return _("%(user)s, on the command line") % {"user": name}
        return _("somebody who did not sign in")


@dataclass(frozen=True, slots=True)
class Line:
    """A row of the log, told."""

    row: Read
    who: str
    for_whom: str
    what: str
    through: str
    outcome: str
    reference: str
    among: str  # "in a list of 50 cases", where it was one of several
    purpose: str


def lines(
    rows: Iterable[Read], *, references: Mapping[int, str], about: int | None = None
) -> list[Line]:
    """Rows in words; `about` is the case whose readers are told."""
    rows = list(rows)
    names = Names.of({code for one in rows for code in (one.actor, one.on_behalf)})
    return [_line(one, names, references, about) for one in rows]


def _line(row: Read, names: Names, references: Mapping[int, str], about: int | None) -> Line:
    count = len(row.case_ids or ())
    among = ""
    if count and row.case_id is None:
        among = ngettext("a list of %(n)s case", "a list of %(n)s cases", count) % {"n": count}
    elif about is not None and row.case_id != about:
        among = _("named beside %(case)s") % {"case": references.get(row.case_id or 0, "")}
    return Line(
        row=row,
        who=names.of_actor(row.actor),
        for_whom=names.of_actor(row.on_behalf) if row.on_behalf else "",
        what=what(row.what),
        through=str(THROUGH.get(row.through, row.through)),
        outcome="" if row.outcome == "shown" else str(OUTCOMES.get(row.outcome, row.outcome)),
        reference=references.get(row.case_id or 0, ""),
        among=among,
        purpose=purpose(row.purpose),
    )


def purpose(code: str) -> str:
    return str(PURPOSES.get(code, code))


def in_columns(row: Read, names: Names, references: Mapping[int, str]) -> list[str]:
    """A row for a file: each column as it is kept, and who it was."""
    return [
        str(row.pk),
        row.at.isoformat(),
        row.actor,
        names.of_actor(row.actor),
        row.on_behalf,
        row.through,
        row.what,
        row.item,
        row.outcome,
        references.get(row.case_id or 0, "") or str(row.case_id or ""),
        str(row.case_number or ""),
        " ".join(map(str, row.case_ids or ())),
        row.purpose,
        bytes(row.digest).hex() if row.digest else "",
    ]


COLUMNS = (
    *("number", "at", "actor", "name", "on_behalf", "through", "what", "item", "outcome"),
    *("case", "event", "other_cases", "purpose", "sha256"),
)


def moment(row: Read) -> str:
    return dates.moment(row.at)
