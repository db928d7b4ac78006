"""Before a case is opened by hand: is it there already, and what else is there of this person?

Only cases that the one who asks may see are told. What others have is found by whoever may see it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any, Protocol

from django.db.models import Q

from cases import access, search
from cases.errors import Refused
from cases.models import Case, Person
from cases.spelling import distance, errors_forgiven, folded

RECENT = timedelta(days=90)  # in which a second case of one kind and name may be the same matter
TOLD_MOST = 10
LOOKED_AT_MOST = 200
SAME_NAME = "name"  # a reason, beside the names of facts


class MayBeTheSame(Refused):
    """Others of the same person were found; somebody has to look at them first."""

    status = 409


class AKind(Protocol):
    """What is read of a kind of cases: see processes.kinds."""

    @property
    def name(self) -> str: ...
    @property
    def found_by(self) -> Sequence[str] | None: ...
    @property
    def identified_by(self) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class Alike:
    """A case that may be the same, or of the same person, and why."""

    case: Case
    reasons: tuple[str, ...]  # facts that are the same, or SAME_NAME
    may_be_same: bool  # of the same kind, and open or recent


def cases_alike(
    person: Person, kind: AKind, *, facts: Mapping[str, Any], title: str, now: datetime
) -> list[Alike]:
    """Visible cases that share what identifies a person, of any kind; and those of this kind that
    were opened lately under the same name or one spelt nearly so. The likeliest come first."""
    keys = {name: line for name in kind.identified_by if (line := folded(str(facts.get(name, ""))))}
    called = folded(str(facts.get((kind.found_by or ("",))[0]) or title))
    wanted = [Q(search__text__contains=f" {line} ") for line in keys.values()]
    if called:
        words = search.read(called)
        spellings = search.spelt_alike(words.words)
        named = search.fitting(search.Asked(words.words, spellings=spellings))
        wanted.append(named & Q(kind=kind.name, opened_at__gte=now - RECENT))
    if not wanted:
        return []
    any_of_them = reduce(or_, wanted)
    found = {case.pk: case for case in _looked_at(person, any_of_them)}
    told = [
        Alike(
            case,
            reasons,
            case.kind == kind.name and (case.is_open or case.opened_at >= now - RECENT),
        )
        for case in found.values()
        if (reasons := _reasons(case, keys, called))
    ]
    told.sort(key=lambda one: (not one.may_be_same, -len(one.reasons), -one.case.pk))
    return told[:TOLD_MOST]


def _looked_at(person: Person, fits: Q) -> list[Case]:
    parts = [
        part.filter(fits).order_by().values_list("pk", flat=True)[:LOOKED_AT_MOST]
        for part in access.visible_parts(person)
    ]
    pks = parts[0] if len(parts) == 1 else parts[0].union(*parts[1:])
    cases = Case.objects.select_related("search", "owner").filter(pk__in=list(pks))
    return list(cases.order_by("-pk")[:LOOKED_AT_MOST])


def _reasons(case: Case, keys: Mapping[str, str], called: str) -> tuple[str, ...]:
    told = [(what, folded(value)) for what, value in case.search.told]  # type: ignore[attr-defined]
    facts = [value for what, value in told if what.startswith("fact.")]
    reasons = [name for name, line in keys.items() if line in facts]
    names = [value for what, value in told if what == "title"] + facts[:1]
    if called and any(_is_same_name(called, one) for one in names):
        reasons.append(SAME_NAME)
    return tuple(reasons)


def _is_same_name(one: str, other: str) -> bool:
    """Whether two folded names have the same words, in whatever order, or ones spelt nearly so."""
    left, right = sorted(one.split()), sorted(other.split())
    return len(left) == len(right) and all(
        a == b or (min(len(a), len(b)) >= 4 and distance(a, b) <= errors_forgiven(a))
        for a, b in zip(left, right, strict=True)
    )
