"""The feed as one reader may see it: the events of some cases, from a place on, in order."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from audit import feed, keys
from audit.feed import Place
from audit.record import Recorded
from audit.sealing import case_of
from cases import queries
from cases.errors import Refused
from cases.models import Case
from cases.words import Words
from processes import plain
from processes.kinds import kind_of

ROWS_AT_ONCE = 500  # of the feed, whoever may see them
ROWS_A_PAGE = 5000  # that one call looks through; then it answers, with more to come
_CURSOR = re.compile(r"([0-9]{1,18})\.([0-9]{1,9})\.([0-9a-f]{0,8})\Z")


class CursorUnknown(Refused):
    """The feed has no such place any more: the installation was set back to an older copy."""

    status = 410


class Seen(NamedTuple):
    """An event, with the case that it is of."""

    case: Case
    event: Recorded
    position: int

    @property
    def place(self) -> Place:
        return Place(self.position, self.event.number)

    @property
    def id(self) -> str:
        """What names this event, in the feed and in webhooks, for ever."""
        return f"evt_{self.case.pk}_{self.event.number}"

    @property
    def cursor(self) -> str:
        return _spell(self.place, feed.mark_of(self.event.hash))


class Read(NamedTuple):
    """What was found, the place up to which was looked, and whether more may follow at once."""

    events: list[Seen]
    place: Place
    more: bool


def read(*, cases: QuerySet[Case], after: Place, limit: int, types: Sequence[str] = ()) -> Read:
    """Up to `limit` events of these cases behind a place. Looks through a bounded part of the
    feed, so that a reader who may see little does not hold up the database."""
    found: list[Seen] = []
    place, looked = after, 0
    while looked < ROWS_A_PAGE:
        rows = feed.rows_after(place, ROWS_AT_ONCE)
        if not rows:
            return Read(found, place, False)
        ids = {row.case_id for row in rows}
        seen = {case.pk: case for case in cases.filter(pk__in=ids).order_by()}
        wanted = [row for row in rows if row.case_id in seen]
        left = limit - len(found)
        events = feed.events_in(wanted, left + 1, types=types)
        found += [Seen(seen[e.event.case_id], e.event, e.position) for e in events[:left]]
        if len(events) > left:
            return Read(found, found[-1].place, True)
        place = Place(rows[-1].position, rows[-1].last)
        looked += len(rows)
        if len(rows) < ROWS_AT_ONCE:
            return Read(found, place, False)
        if len(found) == limit:
            break
    return Read(found, place, True)


def told(found: Sequence[Seen]) -> list[dict[str, Any]]:
    """Events as they are told outside, with their cases and the names of who acted."""
    keys.fetch({case_id for one in found if (case_id := case_of(one.event.data_text))})
    people = queries.people_named(queries.named_in([one.event for one in found]))
    words = {one.case.kind: Words(kind_of(one.case.kind), people=people) for one in found}
    return [
        {
            "id": one.id,
            "case": {
                "id": one.case.pk,
                "reference": one.case.reference,
                "kind": one.case.kind,
                "title": one.case.title,
                "external": {"source": one.case.source, "reference": one.case.source_key}
                if one.case.source_key
                else None,
            },
            **plain.event(one.event, words[one.case.kind]),
            "cursor": one.cursor,
        }
        for one in found
    ]


def cursor_of(place: Place) -> str:
    """A place as readers keep it."""
    return _spell(place, feed.mark_at(place) or "")


def place_of(cursor: str) -> Place:
    """The place of a cursor. Raises ValueError for what is none, and CursorUnknown."""
    try:
        text = base64.urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4)).decode()
    except UnicodeError as error:
        raise ValueError(cursor) from error
    found = _CURSOR.match(text)
    if found is None:
        raise ValueError(cursor)
    place = Place(int(found[1]), int(found[2]))
    if feed.mark_at(place) != found[3]:
        raise CursorUnknown(
            _(
                "The feed does not know this place: it is not of this installation, or the "
                "installation was set back to an older copy after you read it. Go on from an "
                "earlier cursor, or from the beginning; what you have had comes again."
            )
        )
    return place


def _spell(place: Place, mark: str) -> str:
    text = f"{place.position}.{place.number}.{mark}"
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")
