"""Which cases are of the same person: by the facts that identify people, as their kinds name them.

A name alone tells nobody from another: cases that share no more are told, and left to people.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Q
from django.utils.translation import gettext as _

from cases.errors import Invalid
from cases.models import Case, SearchEntry
from cases.spelling import folded
from processes import retention
from processes.kinds import kind_of, kinds

MOST = 1000  # cases of one person
SHORTEST = 4  # characters of a value that may tell one person from another
COMMON_FROM = 20  # cases that have a word

Identity = tuple[str, str]  # fact, value folded


def identity_of(case: Case) -> set[Identity]:
    """What identifies the person of this case, loaded as its kind."""
    found = set()
    for name in kind_of(case.kind).identified_by:
        value = folded(str(getattr(case, name, "") or ""))
        if len(value) >= SHORTEST:
            found.add((name, value))
    return found


@dataclass(frozen=True, slots=True)
class Of:
    """A case that is, or may be, of the person."""

    case: Case
    reason: str
    is_sure: bool  # something identifies the person in it, or it belongs to a case where it does


def cases_of(case: Case) -> list[Of]:
    """The cases of the person of this one: itself, those that share what identifies the person,
    those that belong to any of them; and, not sure, those that share the name alone."""
    identity = identity_of(case)
    found = {case.pk: Of(case, _("the case itself"), True)}
    for one in _sharing({value for _name, value in identity}):
        if shared := identity_of(one) & identity:
            _add(found, one, _same(one, (name for name, _value in shared)), True)
    _add_families(found)
    for one in _called(case.title):
        _add(found, one, _("the same name"), False)
    return list(found.values())[:MOST]


def cases_identified_by(text: str) -> list[Of]:
    """The cases that have this among what identifies their person: a mail address, a number. Raises
    Invalid for too little."""
    value = folded(text)
    if len(value) < SHORTEST:
        raise Invalid(
            _("Give the whole of it: a mail address, a number."), {"text": _("Too short.")}
        )
    found: dict[int, Of] = {}
    for one in _sharing({value}):
        names = [name for name, known in identity_of(one) if known == value]
        if names:
            _add(found, one, _same(one, names), True)
    _add_families(found)
    for one in _called(text):
        _add(found, one, _("the same name"), False)
    return list(found.values())[:MOST]


def _add(found: dict[int, Of], case: Case, reason: str, is_sure: bool) -> None:
    if case.pk not in found and case.erased_at is None:
        found[case.pk] = Of(case, reason, is_sure)


def _same(case: Case, names: Iterable[str]) -> str:
    kind = kind_of(case.kind)
    facts = ", ".join(sorted(kind.fact_label(name) for name in names))
    return _("the same: %(facts)s") % {"facts": facts}


def _sharing(values: set[str]) -> list[Case]:
    """Cases in whose searchable side one of these stands."""
    if not values:
        return []
    wanted = Q()
    for value in values:
        wanted |= Q(search__text__contains=f" {value} ")
    cases = Case.objects.filter(wanted, erased_at=None).order_by("pk")[:MOST]
    return retention.as_their_kinds(cases)


def _called(title: str) -> list[Case]:
    """Cases with just this title, however it is written."""
    name = folded(title)
    if len(name) < SHORTEST:
        return []
    cases = Case.objects.filter(search__text__contains=f" {name} ", erased_at=None).order_by("pk")
    found = [one for one in cases[:MOST] if folded(one.title) == name]
    return retention.as_their_kinds(found)


def _add_families(found: dict[int, Of]) -> None:
    """Sub-cases, however far below, of those that were found."""
    family = retention.family_of(list(found))
    near = {pk for rows in family.values() for pk, _ref, _open in rows}
    below = Case.objects.filter(pk__in=near - found.keys()).select_related("parent")
    for one in retention.as_their_kinds(below.order_by("pk")):
        if one.parent_id in found:
            told = {"case": found[one.parent_id].case.reference}
            _add(found, one, _("belongs to %(case)s") % told, True)


def names_somebody(text: str, cases: Iterable[Case]) -> bool:
    """Whether a text says who one of these cases is about: it would stay when they are erased."""
    said = f" {folded(text)} "
    close = said.replace(" ", "")
    for case in cases:
        if _stands_in(folded(case.title), said):
            return True
        for _name, value in identity_of(case):
            if value.replace(" ", "") in close:
                return True
    return False


def _stands_in(name: str, said: str) -> bool:
    """Whether the whole name, or a word of it that few cases have, stands in a folded text."""
    if f" {name} " in said:
        return bool(name)
    words = [one for one in name.split() if len(one) >= SHORTEST and f" {one} " in said]
    return any(not _is_common(one) for one in words)


def _is_common(word: str) -> bool:
    """Whether so many cases have a word that it tells nobody: “bakery”, “loan”."""
    has = SearchEntry.objects.filter(text__contains=f" {word} ").order_by()
    return has[: COMMON_FROM + 1].count() > COMMON_FROM


def identifying_facts() -> list[str]:
    """The facts by which people are told apart here, for forms to say."""
    return sorted({k.fact_label(n) for k in kinds().values() for n in k.identified_by})
