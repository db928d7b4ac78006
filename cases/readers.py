"""What the read log tells: who read a case, what somebody read, who saw the data of one person,
whether a word was looked for. See docs/readlog.md; the words of rows are in cases/readwords.py."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import reduce
from operator import or_
from statistics import median
from typing import Any

from django.db import connection
from django.db.models import Q, QuerySet
from django.utils import timezone

from audit import reads
from audit.models import Read
from cases import access, dates, readlog
from cases.alike import AKind
from cases.models import Case, Person
from cases.spelling import folded

PAGE_ROWS = 100
DAYS = 30  # looked back for what is unusual
TIMES = 3  # the median of one's own days is unusual
LEAST = 20  # cases more than that median, so that a quiet person's busy day is not one
CASES_MOST = 500  # of one person
CSV_MOST = 100_000  # rows


def of_case(case_id: int, *, only: str = "") -> QuerySet[Read]:
    """Whatever showed this case, or was tried at it, newest first; of one actor where named."""
    return _narrowed(Q(case_id=case_id) | Q(case_ids__contains=[case_id]), only)


def of_cases(case_ids: Sequence[int]) -> QuerySet[Read]:
    """Whatever showed one of these cases, oldest first."""
    shown = Q(case_id__in=case_ids) | Q(case_ids__overlap=list(case_ids))
    return Read.objects.filter(shown, outcome="shown").order_by("pk")


def of_actor(actor: str, *, day: date | None = None) -> QuerySet[Read]:
    """What this actor was shown, or tried, newest first; also what was for them by others."""
    found = _narrowed(Q(actor=actor), "")
    if day is not None:
        begin, end = _midnight(day), _midnight(day + timedelta(days=1))
        found = found.filter(at__gte=begin, at__lt=end)
    return found


def of_words(text: str) -> QuerySet[Read]:
    """The searches for all of these words together, newest first; none for no word."""
    marks = reads.marks_of(readlog.words_of(text))
    return _narrowed(Q(marks__contains=marks), "") if marks else Read.objects.none()


def _midnight(day: date) -> datetime:
    """When this day begins where the organisation works."""
    zone = timezone.get_default_timezone()
    return datetime(day.year, day.month, day.day, tzinfo=zone)


def _narrowed(wanted: Q, only: str) -> QuerySet[Read]:
    found = Read.objects.filter(wanted).order_by("-pk")
    return found.filter(actor=only) if only else found


def actors_of_case(case_id: int) -> list[dict[str, Any]]:
    """Who read this case: each actor with how often, first and last; the latest first."""
    with connection.cursor() as cursor:
        cursor.execute(_ACTORS, {"case": case_id})
        names = ("actor", "shown", "tried", "first_at", "last_at")
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


_ACTORS = """
    SELECT actor, count(*) FILTER (WHERE outcome = 'shown'),
           count(*) FILTER (WHERE outcome <> 'shown'), min(at), max(at)
      FROM (SELECT actor, outcome, at FROM audit_read WHERE case_id = %(case)s
            UNION ALL
            SELECT actor, outcome, at FROM audit_read
             WHERE case_ids @> ARRAY[%(case)s]::bigint[] AND case_ids IS NOT NULL
               AND case_id IS DISTINCT FROM %(case)s) AS found
     GROUP BY actor ORDER BY max(at) DESC LIMIT 500
"""


# -- how much somebody reads


@dataclass(frozen=True, slots=True)
class Day:
    """How much one actor read on a day: cases opened, cases on lists, answers."""

    day: date
    opened: int
    answers: int
    is_unusual: bool


@dataclass(frozen=True, slots=True)
class Volume:
    """How much one actor reads, over the days looked at."""

    actor: str
    days: list[Day] = field(default_factory=list)
    usual: float = 0.0  # the median of cases opened on a day with any

    @property
    def unusual(self) -> list[Day]:
        return [one for one in self.days if one.is_unusual]

    @property
    def answers(self) -> int:
        return sum(one.answers for one in self.days)


def volumes(now: datetime, *, actor: str = "") -> list[Volume]:
    """How many cases each member of staff and each program opened by day, in the last 30 days; days
    far above their own median are marked."""
    since = _midnight(dates.local_date(now) - timedelta(days=DAYS))
    with connection.cursor() as cursor:
        cursor.execute(
            _DAYS, {"since": since, "actor": actor, "zone": timezone.get_default_timezone_name()}
        )
        rows = cursor.fetchall()
    by_actor: dict[str, list[tuple[date, int, int]]] = defaultdict(list)
    for name, day, opened, answers in rows:
        by_actor[name].append((day, opened, answers))
    found = [_volume(name, days) for name, days in by_actor.items()]
    return sorted(found, key=lambda one: (not one.unusual, -one.answers))


def _volume(actor: str, days: list[tuple[date, int, int]]) -> Volume:
    usual = median(opened for _day, opened, _answers in days)
    limit = max(TIMES * usual, usual + LEAST)
    return Volume(
        actor,
        [Day(day, opened, answers, opened > limit) for day, opened, answers in days],
        usual,
    )


_DAYS = """
    SELECT actor, (at AT TIME ZONE %(zone)s)::date AS day, count(DISTINCT case_id), count(*)
      FROM audit_read
     WHERE at >= %(since)s AND outcome = 'shown' AND actor NOT LIKE 'party:%%'
       AND actor <> 'anonymous' AND (%(actor)s = '' OR actor = %(actor)s)
     GROUP BY actor, day ORDER BY actor, day DESC
"""


# -- who saw the data of one person


def cases_of_same_person(person: Person, case: Case, kind: AKind) -> list[Case]:
    """This case and the others of the same person, among those that the reader may see: those that
    share a fact that tells one person from another."""
    keys = [folded(str(getattr(case, name, "") or "")) for name in kind.identified_by]
    wanted = [Q(search__text__contains=f" {line} ") for line in keys if line]
    if not wanted:
        return [case]
    found = access.visible_cases(person).filter(reduce(or_, wanted)).select_related("search")
    same = {
        one.pk: one
        for one in found.order_by("-pk")[:CASES_MOST]
        if any(_has(one, line) for line in keys if line)
    }
    return [case, *(one for pk, one in same.items() if pk != case.pk)]


def _has(case: Any, line: str) -> bool:
    return any(
        what.startswith("fact.") and folded(value) == line for what, value in case.search.told
    )


@dataclass(slots=True)
class Seen:
    """What one actor saw on one day of the data of a person."""

    day: date
    actor: str
    case_ids: set[int] = field(default_factory=set)
    what: Counter[str] = field(default_factory=Counter)
    purposes: set[str] = field(default_factory=set)


def seen_of(case_ids: Sequence[int]) -> list[Seen]:
    """By day and actor, newest first, what was shown of these cases."""
    wanted = set(case_ids)
    found: dict[tuple[date, str], Seen] = {}
    for row in of_cases(case_ids).iterator():
        key = (dates.local_date(row.at), row.actor)
        seen = found.setdefault(key, Seen(*key))
        seen.case_ids |= wanted & {row.case_id, *(row.case_ids or ())}
        seen.what[row.what] += 1
        seen.purposes |= {row.purpose} - {""}
    return sorted(found.values(), key=lambda one: (one.day, one.actor), reverse=True)


def references_of(rows: Iterable[Read]) -> dict[int, str]:
    """The references of the cases that these rows are about."""
    ids = {one.case_id for one in rows if one.case_id is not None}
    return dict(Case.objects.filter(pk__in=ids).values_list("pk", "reference"))


def in_pieces(rows: QuerySet[Read]) -> Iterator[list[Read]]:
    """All of these rows, up to as many as one file takes, a thousand at a time."""
    found: list[Read] = []
    for row in rows[:CSV_MOST].iterator(chunk_size=1000):
        found.append(row)
        if len(found) == 1000:
            yield found
            found = []
    if found:
        yield found
