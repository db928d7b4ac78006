"""What an address says of a list: how it is narrowed and ordered, and the addresses beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from cases import access, dates, queries, worklist
from cases.models import Person
from cases.queries import Choice
from cases.words import capitalised, party
from cases.worklist import WorkChoice
from processes.kinds import kinds
from timers import clock

LONGEST = 80  # characters of what is asked for
NAMES = {
    "work": ("show", "kind", "step", "waiting", "due", "owner", "sort"),
    "cases": ("find", "kind", "step", "waiting", "due", "owner", "team", "state", "sort"),
}
STATES = [
    ("open", _("Open")),
    ("stopped", _("Stopped by a fault")),
    ("closed", _("Closed")),
    ("all", _("Open and closed")),
]
DUES = [("late", _("Overdue")), ("near", _("Within 5 working days"))]
WORK_DUES = [*DUES, ("later", _("Later")), ("never", _("Without a final date"))]


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter that is set, and the address of the list without it."""

    label: str
    value: str
    address: str


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column by which a list can be put in order."""

    label: str
    address: str  # empty: it orders nothing
    order: str  # ascending, descending, or empty


def one_of(query: QueryDict, name: str, default: str = "") -> str:
    return query.get(name, default).strip()[:LONGEST].replace("\0", "")


def work_choice(query: QueryDict) -> tuple[str, WorkChoice]:
    """Which tab of my work an address means, and how it is narrowed; nonsense is left out."""
    tab = one_of(query, "show", "mine")
    tab = tab if tab in worklist.TABS else "mine"
    names = [name for name in NAMES["work"] if name not in ("show", "sort")]
    sort = _known_sort(query, worklist.SORTS)
    return tab, WorkChoice(**{name: one_of(query, name) for name in names}, sort=sort)


def case_choice(query: QueryDict) -> Choice:
    """How a list of cases is narrowed and ordered; nonsense is left out."""
    state = one_of(query, "state", "open")
    state = state if state in dict(STATES) else "open"
    names = [name for name in NAMES["cases"] if name not in ("state", "sort")]
    sort = _known_sort(query, queries.CASE_SORTS)
    return Choice(**{name: one_of(query, name) for name in names}, state=state, sort=sort)


def _known_sort(query: QueryDict, known: Iterable[str]) -> str:
    sort = one_of(query, "sort")
    return sort if sort.removeprefix("-") in known else ""


def kept(query: QueryDict, page: str) -> str:
    """What of an address is worth keeping: its filters and its order, in one spelling."""
    clean = QueryDict(mutable=True)
    for name in NAMES[page]:
        if value := one_of(query, name):
            clean[name] = value
    return clean.urlencode()


def without(query: QueryDict, *names: str, **changed: str) -> str:
    """The address of this list with some of it left out or changed, from its first page."""
    other = query.copy()
    for name in ("page", *names):
        other.pop(name, None)
    for name, value in changed.items():
        other[name] = value
    for name in [name for name in other if not other[name]]:
        other.pop(name)
    return f"?{other.urlencode()}"


def heads(
    query: QueryDict, columns: Sequence[tuple[str, Any]], *, sort: str, default: str = "due"
) -> list[Head]:
    """The heads of a table; a second click turns the order round."""
    found = []
    current = sort or default
    for name, label in columns:
        order, wanted = "", name
        if name and current.removeprefix("-") == name:
            is_down = current.startswith("-")
            order = "descending" if is_down else "ascending"
            wanted = name if is_down else f"-{name}"
        address = without(query, sort=wanted) if name else ""
        found.append(Head(str(label), address, order))
    return found


def options(person: Person, *, kind: str, waiting: str) -> dict[str, list[tuple[str, str]]]:
    """What can be chosen. Steps and parties come from the kinds, not from a look at every case."""
    known = kinds()
    shown = [known[kind]] if kind in known else list(known.values())
    steps = {value: label for one in shown for value, label in one.model.Step.choices}
    parties = ["applicant", "caseworker"]
    parties += sorted(person.roles - access.SEE_ALL - {access.CASEWORKER})
    if waiting and waiting not in parties:
        parties.append(waiting)
    return {
        "kind": [(name, str(one.title)) for name, one in known.items()],
        "step": [(value, str(label)) for value, label in steps.items()],
        "waiting": [(one, capitalised(party(one))) for one in dict.fromkeys(parties)],
    }


LABELS = {
    "find": _("Found by"),
    "kind": _("Kind"),
    "step": _("Step"),
    "waiting": _("Waiting for"),
    "due": _("Due"),
    "owner": _("Caseworker"),
    "team": _("Team"),
    "state": _("State"),
}


def chips(
    query: QueryDict, choice: Any, known: dict[str, list[tuple[Any, Any]]], *, names: Sequence[str]
) -> list[Chip]:
    """The filters that are set, each with the address that takes it away."""
    found = []
    for name in names:
        value = getattr(choice, name)
        if not value or (name == "state" and value == "open"):
            continue
        words = dict(known.get(name, ()))
        found.append(Chip(str(LABELS[name]), str(words.get(value, value)), without(query, name)))
    return found


def work_known(person: Person, choice: WorkChoice) -> dict[str, list[tuple[Any, Any]]]:
    """What my work can be narrowed by."""
    return {
        **options(person, kind=choice.kind, waiting=choice.waiting),
        "due": WORK_DUES,
        "owner": [("nobody", gettext("Nobody")), *_people(person, choice.owner)],
    }


def case_known(person: Person, choice: Choice) -> dict[str, list[tuple[Any, Any]]]:
    """What the list of cases can be narrowed by."""
    people = _people(person, choice.owner, team=choice.team, but=person)
    return {
        **options(person, kind=choice.kind, waiting=choice.waiting),
        "due": DUES,
        "state": STATES,
        "owner": [("me", gettext("Me")), ("nobody", gettext("Nobody")), *people],
        "team": [(str(one.pk), one.name) for one in queries.teams_of(person)],
    }


MOST_PEOPLE = 200  # in one list to choose from; of more, those of a team that was chosen first


def _people(
    person: Person, chosen: str, *, team: str = "", but: Person | None = None
) -> list[tuple[str, str]]:
    """The people by whom a list can be narrowed: colleagues, or all for those who see all teams,
    unless these are too many to choose from; always the one that is chosen."""
    people = queries.colleagues(person)
    if not person.team_id and queries.is_number(team):
        people = people.filter(team=int(team))
    found = [one for one in people[: MOST_PEOPLE + 1] if one != but]
    if len(found) > MOST_PEOPLE:
        found = list(people.filter(pk=int(chosen))) if queries.is_number(chosen) else []
    return [(str(one.pk), str(one)) for one in found]


def work_chips(person: Person, query: QueryDict) -> list[Chip]:
    _tab, choice = work_choice(query)
    return chips(query, choice, work_known(person, choice), names=worklist.FILTERS)


CASE_FILTERS = ("find", "kind", "step", "waiting", "due", "owner", "team", "state")


def case_chips(person: Person, query: QueryDict) -> list[Chip]:
    choice = case_choice(query)
    return chips(query, choice, case_known(person, choice), names=CASE_FILTERS)


def day(at: date) -> str:
    """ "8 Dec": a day that is near."""
    return dates.day(at, clock.now())
