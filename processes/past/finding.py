"""Finding events of one case: by sort, person, day, step and words, a page at a time.

Each page is read by the numbers of its events (a key, no offset), so an address of a page holds
for ever and the last page costs what the first one does. What only the words of a sentence can
tell is looked for in at most LOOKED_AT events; the page then says how far it looked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db import connection
from django.utils.translation import gettext_lazy as _

from audit import moments
from audit.models import Event
from audit.record import COLUMNS, Recorded
from cases import queries, timeline
from cases.models import Case
from cases.sentences import say
from cases.snapshots import midnight
from cases.words import Words

PAGE = 100
LOOKED_AT = 2_000  # events for one page, where their words decide
BATCH = 250
MOST_VISITS = 5_000  # of steps, in which events of one step are looked for
ASKED_WITHIN = 1_000  # events between an activity and its result, to name it by

# What one may look for: label, and how the types of its events begin.
SORTS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "moves": (_("Moves"), ("step.", "case.opened")),
    "reviews": (_("Tasks and reviews"), ("task.", "advice.")),
    "documents": (_("Documents"), ("document.", "documents.")),
    "facts": (_("Facts"), ("facts.",)),
    "notes": (_("Notes"), ("note.",)),
    "letters": (_("Letters"), ("letter.",)),
    "messages": (_("Messages and answers"), ("message.", "party.", "page.")),
    "people": (
        _("Who has the case"),
        ("case.assigned", "case.access_opened", "reminder.", "case.related", "case.parted"),
    ),
    "time": (_("Clocks and timers"), ("clock.", "due.", "timer.")),
    "work": (_("Outside work and rules"), ("activity.", "table.", "subcase.")),
    "faults": (_("Faults and repairs"), ("incident.", "activity.stopped", "code.")),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """What of a history somebody wants to see. Empty means all."""

    everything: bool = False  # else the story
    sort: str = ""
    who: str = ""  # an actor
    since: date | None = None
    until: date | None = None
    step: str = ""
    text: str = ""

    @property
    def is_narrowed(self) -> bool:
        return bool(self.sort or self.who or self.since or self.until or self.step or self.text)


@dataclass(slots=True)
class Found:
    """One page of events, in their order, and the numbers between which they were looked for."""

    events: list[Recorded]
    oldest: int
    newest: int
    has_earlier: bool
    has_later: bool
    cut_short: bool = False  # there may be more of it further on


def find(
    case: Case,
    choice: Choice,
    words: Words,
    *,
    upto: int | None = None,
    after: int | None = None,
    most: int = PAGE,
    look_at: int = LOOKED_AT,
    tell_ends: bool = True,
) -> Found:
    """The newest events up to `upto`, or the oldest above `after`, that were chosen. Whether there
    are more on either side is not looked for unless `tell_ends`."""
    query = _Query(case, choice)
    forward = after is not None
    place = (after or 0) + 1 if forward else min(upto or case.head_number, case.head_number)
    first, looked, events = place, 0, list[Recorded]()
    size = min(BATCH, 4 * most) if query.by_words else most + 1
    is_exhausted = False
    while len(events) < most and looked < look_at and not is_exhausted:
        batch = query.batch(place, forward=forward, most=size)
        is_exhausted = len(batch) < size
        learn(case, batch, words)
        for event in batch:
            looked += 1
            place = event.number + 1 if forward else event.number - 1
            if is_chosen(event, choice, words):
                events.append(event)
                if len(events) == most:
                    is_exhausted = False
                    break
    if is_exhausted:
        place = case.head_number + 1 if forward else 0
    low, high = (first, place - 1) if forward else (place + 1, first)
    events.sort(key=lambda event: event.number)
    return Found(
        events=events,
        oldest=low,
        newest=high,
        has_earlier=tell_ends and low > 1 and query.has_more(low - 1, forward=False),
        has_later=tell_ends and high < case.head_number and query.has_more(high + 1, forward=True),
        cut_short=looked >= look_at and len(events) < most,
    )


def is_chosen(event: Recorded, choice: Choice, words: Words) -> bool:
    """What the database could not tell: whether the story has it, and whether its words fit."""
    if not choice.everything and not timeline.is_told(event, words):
        return False
    if not choice.text:
        return True
    said = [*say(event, words), words.actor(event.actor, event.on_behalf)]
    return choice.text.casefold() in " ".join(map(str, said)).casefold()


class _Query:
    """The conditions of a choice, for the database."""

    def __init__(self, case: Case, choice: Choice) -> None:
        self.by_words = bool(choice.text) or not choice.everything
        self.conditions, self.values = ["case_id = %s"], list[Any]([case.pk])
        if not choice.everything:
            self._add("type <> ALL(%s)", sorted(timeline.NOISE))
        if choice.sort in SORTS:
            begins = SORTS[choice.sort][1]
            self._add("type LIKE ANY(%s)", [f"{one}%" for one in begins])
        if choice.who:
            self._add("(actor = %s OR on_behalf = %s)", choice.who, choice.who)
        if choice.since:
            self._add("happened_at >= %s", midnight(choice.since))
        if choice.until:
            self._add("happened_at < %s", midnight(choice.until + timedelta(days=1)))
        if choice.step:
            self._add("number <@ %s::int4multirange", _ranges(case, choice.step))

    def _add(self, condition: str, *values: Any) -> None:
        self.conditions.append(condition)
        self.values += values

    def batch(self, place: int, *, forward: bool, most: int) -> list[Recorded]:
        """The next events from this number on, in the direction of reading."""
        rows = self._rows(COLUMNS, place, forward=forward, most=most)
        return [Recorded(*row) for row in rows]

    def has_more(self, place: int, *, forward: bool) -> bool:
        return bool(self._rows("1", place, forward=forward, most=1))

    def _rows(self, columns: str, place: int, *, forward: bool, most: int) -> list[Any]:
        bound = "number >= %s ORDER BY number" if forward else "number <= %s ORDER BY number DESC"
        sql = f"SELECT {columns} FROM audit_event WHERE {' AND '.join(self.conditions)} AND {bound}"
        with connection.cursor() as cursor:
            moments.read_fast(cursor)
            cursor.execute(f"{sql} LIMIT %s", [*self.values, place, most])
            return cursor.fetchall()


# -- visits of steps


@dataclass(frozen=True, slots=True)
class Entered:
    """One entry of a step, as far as a list of steps needs it."""

    number: int
    step: str
    at: datetime
    until: datetime | None
    outcome: str


def entries_upto(case: Case, number: int, *, most: int) -> list[Entered]:
    """The last entries of steps up to this event, in order."""
    with connection.cursor() as cursor:
        moments.read_fast(cursor)
        cursor.execute(_ENTRIES, [case.pk, number, most])
        return [Entered(*row) for row in cursor.fetchall()]


_ENTRIES = """
    SELECT number, data->>'step', happened_at, lead(happened_at) OVER (ORDER BY number),
           coalesce(data->>'outcome', '')
      FROM (SELECT number, happened_at, data::jsonb AS data FROM audit_event
             WHERE case_id = %s AND number <= %s AND type = 'step.entered'
             ORDER BY number DESC LIMIT %s) AS entered
     ORDER BY number
"""


def _ranges(case: Case, step: str) -> str:
    """The numbers of the events of each visit of a step, as a multirange."""
    entries = entries_upto(case, case.head_number, most=MOST_VISITS)
    ends = [str(one.number) for one in entries[1:]] + [""]
    spans = [
        f"[{one.number},{end})" for one, end in zip(entries, ends, strict=True) if one.step == step
    ]
    return "{" + ",".join(spans) + "}"


# -- who, when, and by which names


def actors_of(case: Case) -> list[str]:
    """Everybody who did something in the case, and on whose behalf."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT actor, on_behalf FROM audit_event WHERE case_id = %s", [case.pk]
        )
        return sorted({code for pair in cursor.fetchall() for code in pair if code})


def event_at(case: Case, at: datetime) -> int | None:
    """The last event that was recorded by this moment; None when the case was not yet open."""
    recorded = Event.objects.filter(case_id=case.pk, recorded_at__lte=at).order_by("-number")
    return recorded.values_list("number", flat=True).first()


def learn(case: Case, events: Sequence[Recorded], words: Words) -> None:
    """Let these words know the people that events name, and what was asked where a result came."""
    if not events:
        return
    known = queries.people_named(queries.named_in(events), words.people)
    words.people = {**words.people, **known}
    results = [
        (event.number, event.data["command"])
        for event in events
        if event.type in ("activity.completed", "activity.failed")
        and event.number not in words.asked
    ]
    if not results:
        return
    wanted = ",".join(f"({number:d},{command:d})" for number, command in results)
    with connection.cursor() as cursor:
        moments.read_fast(cursor)
        cursor.execute(_ASKED.format(wanted=wanted, within=ASKED_WITHIN), [case.pk])
        for number, *row in cursor.fetchall():
            words.asked[number] = Recorded(*row).data


_ASKED = f"""
    SELECT wanted.number, asked.*
      FROM (VALUES {{wanted}}) AS wanted (number, command)
     CROSS JOIN LATERAL (
           SELECT {COLUMNS} FROM audit_event
            WHERE case_id = %s AND number < wanted.number AND number > wanted.number - {{within}}
              AND type = 'activity.scheduled'
              AND (data::jsonb ->> 'command')::int = wanted.command
            ORDER BY number DESC LIMIT 1
     ) AS asked
"""
