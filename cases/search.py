"""Find cases by what people remember of them: a reference or part of it, a name, a fact, a file.

Everything here answers from `access` alone: what a person may not see is neither found, nor
counted, nor offered as another spelling.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import and_, itemgetter, or_
from typing import Any

from django.db import connection
from django.db.models import Q, QuerySet, Value
from django.db.models.functions import StrIndex

from cases import access
from cases.models import Case, Person, SearchEntry
from cases.spelling import distance, errors_forgiven, folded, is_correctable

FOUND_MOST = 1000  # past this a page says "more than", and asks for another word
WORDS_MOST = 8
TEXT_MOST = 120  # characters looked at of what was typed
SPELLINGS_MOST = 20  # of one word
_ALIKE = 0.2  # pg_trgm's: what is worth comparing letter by letter
_REFERENCE = re.compile(r"\s*([A-Za-z]{1,6})[\s-]*(\d{4})[\s-]*(\d{1,9})\s*\Z")
_NUMBER = re.compile(r"\s*(\d{1,12})\s*\Z")
_BEGINS_REFERENCE = re.compile(r"[A-Z]{1,6}(-\d{0,4}(-\d{0,9})?)?\Z")
_SIGNS = re.compile(r"[%_\\]")  # that others take for something else than themselves


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody looks for, folded."""

    words: tuple[str, ...]
    reference: str = ""  # when it has the form of a whole one
    number: int | None = None  # when it may be the number in one
    spellings: dict[str, tuple[str, ...]] = field(default_factory=dict)  # other words for a word

    @property
    def is_empty(self) -> bool:
        return sum(map(len, self.words)) < 2

    def hits(self, line: str) -> bool:
        """Whether a folded line is one of those for which a case was found."""
        if len(self.words) > 1 and _in_one_piece(self.words) in line:
            return True
        return any(
            (f" {word}" if len(word) < 3 else word) in line
            or any(f" {other} " in line for other in self.spellings.get(word, ()))
            for word in self.words
        )


@dataclass(frozen=True, slots=True)
class Hit:
    """One case that was found, before its page is read."""

    case_id: int
    is_open: bool
    place: int  # lower is better


@dataclass(frozen=True, slots=True)
class Found:
    """All that a search found, best first: the open ones, then the closed ones."""

    asked: Asked
    hits: Sequence[Hit] = ()
    is_more: bool = False
    is_alike: bool = False  # found by other spellings

    @property
    def open_count(self) -> int:
        return sum(hit.is_open for hit in self.hits)

    @property
    def closed_count(self) -> int:
        return len(self.hits) - self.open_count


def read(text: str) -> Asked:
    """What was typed, as it is looked for."""
    text = text.replace("\0", " ")[:TEXT_MOST]
    words = tuple(dict.fromkeys(folded(text).split()))[:WORDS_MOST]
    found = _REFERENCE.match(text)
    reference = f"{found[1].upper()}-{found[2]}-{int(found[3]):06d}" if found else ""
    number = _NUMBER.match(text)
    return Asked(words, reference, int(number[1]) if number else None)


def case_of_reference(person: Person, text: str) -> Case | None:
    """The case whose whole reference this is, if the person may see it."""
    reference = read(text).reference
    if not reference:
        return None
    return access.visible_cases(person).filter(reference=reference).first()


def find(person: Person, text: str, *, alike: bool = False) -> Found:
    """The cases that fit, among those this person may see.

    When none has the words as they stand, or when asked for, words spelt nearly so count too.
    """
    asked = read(text)
    if asked.is_empty:
        return Found(asked)
    found = _find(person, asked)
    if found.hits and not alike:
        return found
    spellings = spelt_alike(asked.words)
    if not spellings:
        return found
    return replace(_find(person, replace(asked, spellings=spellings)), is_alike=True)


def among(cases: QuerySet[Case], text: str, *, alike: bool = False) -> tuple[QuerySet[Case], bool]:
    """Those of these cases that fit, for lists with an order and pages of their own, and whether
    they fit by other spellings: when none has the words as they stand, or when asked for.

    A text with %, _ or \\ in it stands so in the title, or at the beginning of the reference.
    """
    asked = read(text)
    if asked.is_empty or _SIGNS.search(text):
        literally = Q(reference__istartswith=text) | Q(title__icontains=text)
        return cases.filter(literally), False
    found = cases.filter(pk__in=_fitting_ids(asked, text))
    if not alike and found.exists():
        return found, False
    spellings = spelt_alike(asked.words)
    if not spellings:
        return found, False
    asked = replace(asked, spellings=spellings)
    return cases.filter(pk__in=_fitting_ids(asked, text)), True


def _fitting_ids(asked: Asked, text: str) -> QuerySet[Any, Any]:
    """By indexes alone, whatever the cases are narrowed to."""
    parts = [SearchEntry.objects.filter(fitting(asked, prefix="")).values("case_id")]
    if named := _named(asked):
        parts.append(Case.objects.filter(named).order_by().values("pk"))
    begins = text.strip().upper()
    if _BEGINS_REFERENCE.match(begins):
        parts.append(Case.objects.filter(reference__startswith=begins).order_by().values("pk"))
    return parts[0] if len(parts) == 1 else parts[0].union(*parts[1:], all=True)


def fitting(asked: Asked, *, prefix: str = "search__") -> Q:
    """The condition on a case: each word stands somewhere in what it is found by."""
    text = f"{prefix}text__contains"

    def one(word: str) -> Q:
        # A short word is the beginning of one: that has an index, two letters anywhere have none.
        fits = Q(**{text: f" {word}" if len(word) < 3 else word})
        return reduce(
            or_, (Q(**{text: f" {other} "}) for other in asked.spellings.get(word, ())), fits
        )

    all_of_them = reduce(and_, map(one, asked.words))
    whole = _in_one_piece(asked.words)
    if len(asked.words) > 1 and any(letter.isdigit() for letter in whole):
        return all_of_them | Q(**{text: whole})  # NL91 ABNA 0417…, which is kept without spaces
    return all_of_them


def _in_one_piece(words: Sequence[str]) -> str:
    return "".join(words)


def _find(person: Person, asked: Asked) -> Found:
    hits: dict[int, Hit] = {}
    for case_id, closed_at in _by_reference(person, asked):
        hits[case_id] = Hit(case_id, closed_at is None, -1)
    parts = [_part(part, person, asked) for part in access.visible_parts(person)]
    rows = parts[0] if len(parts) == 1 else parts[0].union(*parts[1:], all=True)
    for case_id, closed_at, place in rows:
        hits.setdefault(case_id, Hit(case_id, closed_at is None, place))
    best = sorted(hits.values(), key=lambda hit: (not hit.is_open, hit.place, -hit.case_id))
    return Found(asked, best[:FOUND_MOST], len(best) > FOUND_MOST)


def _part(part: QuerySet[Case], person: Person, asked: Asked) -> QuerySet[Any, Any]:
    """Up to one more than are told, of one part of what a person sees."""
    place = StrIndex("search__text", Value(asked.words[0]))  # what a title says comes first
    fits = part.filter(fitting(asked)).annotate(place=place).order_by()
    return fits.values_list("pk", "closed_at", "place")[: FOUND_MOST + 1]


def _by_reference(person: Person, asked: Asked) -> list[tuple[int, Any]]:
    """Of every kind, also of those that are found by nothing else."""
    named = _named(asked)
    if not named:
        return []
    return list(access.visible_cases(person).filter(named).values_list("pk", "closed_at"))


def _named(asked: Asked) -> Q:
    named = Q()
    if asked.reference:
        named |= Q(reference=asked.reference)
    if asked.number is not None:
        named |= Q(pk=asked.number)
    return named


def spelt_alike(words: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """For each of these words those that some case is found by and that differ by few letters, the
    nearest first. Never shown by themselves: they may come from cases that one may not see."""
    asked = [word for word in words if is_correctable(word)]
    if not asked:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_SPELT_ALIKE, {"words": asked})  # together, so in one transaction
        cursor.nextset()
        rows = cursor.fetchall()
    near: dict[str, list[tuple[int, str]]] = {}
    for word, other in rows:
        errors = distance(word, other)
        if 0 < errors <= errors_forgiven(word):
            near.setdefault(word, []).append((errors, other))
    return {
        word: tuple(other for _errors, other in sorted(found, key=itemgetter(0))[:SPELLINGS_MOST])
        for word, found in near.items()
    }


_SPELT_ALIKE = f"""
    SET LOCAL pg_trgm.similarity_threshold = {_ALIKE};
    SELECT asked.word, alike.word
      FROM unnest(%(words)s::text[]) AS asked (word) CROSS JOIN LATERAL (
           SELECT DISTINCT known.word, similarity(known.word, asked.word) AS likeness
             FROM cases_searchword AS known
            WHERE known.word %% asked.word
              AND char_length(known.word) BETWEEN char_length(asked.word) - 2
                                              AND char_length(asked.word) + 2
            ORDER BY likeness DESC LIMIT 400
           ) AS alike
     ORDER BY alike.likeness DESC
"""


def cases_found(found: Found, first: int, last: int) -> list[Case]:
    """The cases of one page of it, with what they are found by."""
    wanted = [hit.case_id for hit in found.hits[first:last]]
    cases = Case.objects.select_related("owner", "team", "search").in_bulk(wanted)
    return [cases[case_id] for case_id in wanted if case_id in cases]
