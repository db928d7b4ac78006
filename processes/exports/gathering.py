"""Reading cases for an export: each with its whole history, a few at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _

from audit import keys
from audit.read import events_of
from audit.record import Recorded
from cases.models import Case, ExportCase, Person
from cases.words import Words, party, person_ids
from processes.exports.activities import Activity, Namer, variant_of
from processes.kinds import Kind, kind_of

CODES, NAMES = PEOPLE = ("codes", "names")


class Staff(Mapping[int, Any]):
    """Who acted, by name or by code alone. Codes say which acts are one person's, and not whose."""

    def __init__(self, mode: str) -> None:
        self.mode = mode
        self._known: dict[int, str] = {}

    def __getitem__(self, pk: int) -> str:
        if self.mode == CODES:
            return f"person:{pk}"
        if pk not in self._known:
            found = Person.objects.filter(pk=pk).first()
            self._known[pk] = str(found) if found else f"person:{pk}"
        return self._known[pk]

    def __iter__(self) -> Iterator[int]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def resource(self, code: str) -> str:
        """Who acted, as one word or name: a person, a service, a party, or Longcase."""
        sort, _colon, rest = code.partition(":")
        if sort == "person" and rest.isdigit():
            return self[int(rest)]
        if sort == "engine":
            return "Longcase"
        return code


@dataclass
class Gathered:
    """One case with its history, as it stood at one moment."""

    case: Any  # as its kind
    kind: Kind
    events: list[Recorded]
    staff: Staff
    together: frozenset[int] = field(default_factory=frozenset)  # cases of this export, as asked

    @cached_property
    def activities(self) -> list[Activity]:
        namer = Namer()
        return [namer.name(event) for event in self.events]

    @property
    def variant(self) -> str:
        return variant_of([one.name for one in self.activities])

    @cached_property
    def words(self) -> Words:
        """The words of the case, for sentences about it."""
        requirements = self.case.requirements.values_list("name", "title")
        tasks = list(self.case.tasks.order_by("opened_at", "pk"))
        words = Words(self.kind, people=self.staff, tasks=tasks, titles=dict(requirements))
        words.learn(self.events)
        return words

    @cached_property
    def caseworker(self) -> str:
        return self.staff[self.case.owner_id] if self.case.owner_id else ""

    def facts(self) -> dict[str, Any]:
        """Each fact as it stands, by its name."""
        return {f.attname: getattr(self.case, f.attname) for f in self.kind.model.fact_fields()}


def gathered(ids: Sequence[int], *, staff: Staff) -> Iterator[Gathered]:
    """These cases in this order, one at a time in memory with its history. Histories end where the
    rows say, so a case that goes on meanwhile is told as it stood."""
    rows: dict[int, Any] = {}
    for name in set(Case.objects.filter(pk__in=ids).values_list("kind", flat=True)):
        model = kind_of(name).model
        found = model._default_manager.select_related("owner", "team").filter(pk__in=ids)
        rows |= {one.pk: one for one in found}
    keys.fetch(ids)
    for pk in ids:
        case = rows.pop(pk, None)
        if case is not None:
            events = events_of(pk, upto=case.head_number)
            yield Gathered(case, kind_of(case.kind), events, staff)


def ids_of(export_id: int, *, after: int, most: int) -> list[tuple[int, int]]:
    """The next cases of an export: (place, case)."""
    rows = ExportCase.objects.filter(export=export_id, place__gt=after).order_by("place")
    return list(rows.values_list("place", "case_id")[:most])


def actors_of(events: Sequence[Recorded]) -> set[int]:
    """The people who acted."""
    return person_ids(code for one in events for code in (one.actor, one.on_behalf) if code)


def party_name(code: str) -> str:
    """A party for people; "the applicant"."""
    sort, _colon, rest = code.partition(":")
    return party(rest) if sort == "party" else _("Longcase") if sort == "engine" else code
