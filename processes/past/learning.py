"""What was learnt of a moment after it: facts put right, what had happened and was recorded later,
acts that were undone, notes that were struck.

The state as recorded says what people could know then. Read with what was learnt since it says how
the case stood by all that is known today. Nothing is recomputed: a step, a wait, a decision stay
what they were, since they did happen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from audit import moments
from audit.record import COLUMNS, Recorded
from cases.models import Case
from processes.engine.folding import Stood
from processes.engine.standing import document_state

MOST = 500  # later events that are looked into for one moment


@dataclass(frozen=True, slots=True)
class Put:
    """A value as it was recorded then and as it is known now."""

    recorded: Any
    known: Any
    by: Recorded  # the later event that says so


@dataclass(slots=True)
class Learnt:
    """What later events say of an earlier moment."""

    facts: dict[str, Put] = field(default_factory=dict)
    documents: dict[str, Put] = field(default_factory=dict)
    late: list[Recorded] = field(default_factory=list)  # had happened, and was recorded afterwards
    undone: list[Recorded] = field(default_factory=list)  # take back what was done by then
    struck: list[Recorded] = field(default_factory=list)  # correct a note of then
    others: list[Recorded] = field(default_factory=list)  # put facts or clocks right
    is_cut: bool = False  # there are more than MOST

    @property
    def events(self) -> list[Recorded]:
        """The later events, each once, in their order."""
        found = [*self.late, *self.undone, *self.struck, *self.others]
        return sorted({one.number: one for one in found}.values(), key=lambda one: one.number)

    def as_known(self, stood: Stood) -> dict[str, Any]:
        """The facts of then, with what is known now."""
        return {**stood.facts, **{name: put.known for name, put in self.facts.items()}}


def learnt_since(case: Case, stood: Stood) -> Learnt:
    """What was recorded after this moment about it or what came before it."""
    found = Learnt()
    later = _later(case, stood)
    found.is_cut = len(later) > MOST
    standing = dict(stood.facts)  # as corrections one by one found them
    replaced: set[str] = set()  # facts that the case itself has changed since
    for event in later[:MOST]:
        is_late = event.happened_at < event.recorded_at and event.happened_at <= stood.at
        if is_late:
            found.late.append(event)
        if event.type == "facts.changed":
            if _correct(found, event, standing, replaced, stood, is_late=is_late) and not is_late:
                found.others.append(event)
        elif event.type.startswith("document."):
            _document(found, event, stood, is_late=is_late)
        elif event.data.get("strikes", stood.number + 1) <= stood.number:
            found.struck.append(event)
        elif event.type == "clock.corrected":
            if event.data["name"] in stood.clocks:
                found.others.append(event)
        elif _takes_back(event, stood):
            found.undone.append(event)
    found.facts = {name: put for name, put in found.facts.items() if put.known != put.recorded}
    return found


def _correct(
    found: Learnt,
    event: Recorded,
    standing: dict[str, Any],
    replaced: set[str],
    stood: Stood,
    *,
    is_late: bool,
) -> bool:
    """Apply a change of facts to those of then, where it puts the very value right that stood
    then; whether it did."""
    changes = event.data["changes"]
    applied = False
    for name, (before, after) in _pairs(changes):
        if not is_late and (name in replaced or standing.get(name) != before):
            replaced.add(name)  # the case had gone on with another value
            continue
        standing[name] = after
        found.facts[name] = Put(stood.facts.get(name), after, event)
        applied = True
    if _undone_by(event) <= stood.number and applied:
        found.undone.append(event)
        return False
    return applied


def _pairs(changes: Any) -> list[tuple[str, tuple[Any, Any]]]:
    """Before and after by fact; none where they are erased."""
    if not hasattr(changes, "items"):
        return []
    return [(name, (pair[0], pair[1])) for name, pair in changes.items() if len(pair) == 2]


def _document(found: Learnt, event: Recorded, stood: Stood, *, is_late: bool) -> None:
    name = event.data.get("name", "")
    is_undone = _undone_by(event) <= stood.number
    if is_undone:
        found.undone.append(event)
    if is_late or is_undone:
        put = Put(stood.documents.get(name, ""), document_state(event.type), event)
        found.documents[name] = put


def _undone_by(event: Recorded) -> int:
    """The event that this one undoes; a number beyond all where it undoes none."""
    return int(event.data.get("undoes", 1 << 62))


def _takes_back(event: Recorded, stood: Stood) -> bool:
    if event.type != "task.taken_back":
        return _undone_by(event) <= stood.number
    key = event.data["visit"], event.data["task"]
    decided = (task for task in stood.tasks if (task["visit"], task["command"]) == key)
    was_open = any(task["state"] == "open" for task in decided)
    return key[0] < stood.visit or (key[0] == stood.visit and not was_open)


def _later(case: Case, stood: Stood) -> list[Recorded]:
    """Later events that may tell of this moment, one more than are looked into."""
    if stood.number >= case.head_number:
        return []
    with connection.cursor() as cursor:
        moments.read_fast(cursor)
        cursor.execute(_LATER, [case.pk, stood.number, stood.at, MOST + 1])
        return [Recorded(*row) for row in cursor.fetchall()]


# Names of data stand in the text as they are, also where what they hold is sealed.
_LATER = f"""
    SELECT {COLUMNS} FROM audit_event
     WHERE case_id = %s AND number > %s
       AND (type IN ('facts.changed', 'task.taken_back', 'clock.corrected', 'document.reconsidered')
            OR happened_at < recorded_at AND happened_at <= %s
            OR type IN ('task.claimed', 'task.released', 'task.handed_over', 'case.assigned')
               AND data LIKE '%%"undoes":%%'
            OR type = 'note.added' AND data LIKE '%%"strikes":%%')
     ORDER BY number LIMIT %s
"""
