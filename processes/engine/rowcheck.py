"""Do the rows of cases still equal the fold of their events? processes/engine/verify.py asks.

Rows are read of many cases at a time, one statement a table; each case is then compared by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.db import connection

from audit import keys, masters
from audit.read import events_since
from audit.record import Recorded
from audit.sealing import BoxBroken
from cases.models import (
    Case,
    CustomerPage,
    Document,
    Hold,
    Letter,
    Note,
    Relation,
    Reminder,
    Task,
)
from cases.models.letter import fingerprint_of
from cases.sentences import is_letter
from processes.engine import findable, reminders, rowfields
from processes.engine.replay import fold_case
from processes.engine.standing import Open, fold
from processes.erasing import erase
from processes.erasing.facts import is_gone, is_placeholder
from processes.kinds import kind_of
from processes.models import Activity, Incident
from timers import clockrows
from timers.clocks import ClockState, due_times
from timers.models import Clock, Timer


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is wrong with a case, or with an anchor, in a sentence."""

    reference: str
    number: int  # of the event; 0 where it is about none
    words: str

    def __str__(self) -> str:
        event = f", event {self.number}" if self.number else ""
        return f"{self.reference}{event}: {self.words}"


CASES_AT_ONCE = 200
# What a value raises that somebody put where another sort belongs.
NONSENSE = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
EVENTS_AT_ONCE = 20_000  # of all cases of a batch; one case may have more


def differences_of(case: Case) -> Iterator[Difference]:
    """Where the rows of one case differ from the fold of its events."""
    return differences_in([case])


def differences_in(cases: Iterable[Case]) -> Iterator[Difference]:
    """Where the rows of each of these cases differ from the fold of its events, in their order."""
    for batch in _batches(cases):
        yield from _of_batch(batch)


def _of_batch(batch: list[Case]) -> Iterator[Difference]:
    try:
        beside = _Beside(batch)
    except NONSENSE as error:
        if len(batch) == 1:
            yield _nonsense(batch[0], error)
            return
        for case in batch:
            yield from _of_batch([case])
        return
    for case in batch:
        try:
            yield from _differences_of(case, beside)
        except (BoxBroken, keys.NoKey, masters.NoMasterKey) as error:
            yield Difference(case.reference, 0, str(error))
        except NONSENSE as error:
            yield _nonsense(case, error)


def _nonsense(case: Case, error: Exception) -> Difference:
    words = f"its rows or events hold what nobody wrote so, and cannot be read ({error!r:.200})"
    return Difference(case.reference, 0, words)


def _batches(cases: Iterable[Case]) -> Iterator[list[Case]]:
    batch, events = list[Case](), 0
    for case in cases:
        if batch and (len(batch) >= CASES_AT_ONCE or events + case.head_number > EVENTS_AT_ONCE):
            yield batch
            batch, events = [], 0
        batch.append(case)
        events += case.head_number
    if batch:
        yield batch


class _Beside:
    """The events of some cases, and their rows in each table: by the number of the case."""

    def __init__(self, cases: Sequence[Case]) -> None:
        ids = [case.pk for case in cases]
        with connection.cursor() as cursor:
            self.events = events_since(cursor, [(pk, 1) for pk in ids])
        with suppress(masters.NoMasterKey, keys.NoKey):  # said of each case that needs it
            keys.fetch(ids)  # so that no event asks for the key of its case by itself
        self.whole: dict[int, Case] = {}
        self.stale: set[str] = set()
        by_kind: dict[str, list[int]] = {}
        for case in cases:
            by_kind.setdefault(case.kind, []).append(case.pk)
        for name, some in by_kind.items():
            with suppress(LookupError):  # no such kind: it is told of the case
                found = kind_of(name).model.objects.in_bulk(some)
                self.whole.update(found)
                self.stale.update(one.reference for one in findable.stale(list(found.values())))
        self.tasks = _by_case(
            Task,
            ids,
            "visit",
            "command",
            "state",
            "outcome",
            "holder_id",
            "reason",
            "closed_by",
            "result",
            "name",
            "role",
            "due_at",
        )
        self.documents = _by_case(
            Document.objects.order_by("version"),
            ids,
            "name",
            "version",
            "state",
            "filename",
            "digest",
            "size",
            "received_from",
            "media_type",
            "judged_by",
            "reason",
        )
        self.letters = _by_case(Letter, ids, "key", "subject", "text", "to_name")
        self.sent = _by_case(Letter, ids, "pk", "subject", "text", "to_name")
        self.holds = _by_case(Hold, ids, "number", "of_person", "lifted_at")
        self.notes = _by_case(Note, ids, "number", "text")
        self.pages = _by_case(CustomerPage, ids, "pk", "party", "name", "expires_at")
        self.timers = _by_case(Timer, ids, "visit", "command", "purpose", "due_at")
        self.reminders = _by_case(Reminder, ids, "number", "person_id", "due_at")
        self.activities = _by_case(Activity, ids, "visit", "command", "name")
        self.related = _by_case(Relation, ids, "other_id")
        self.incidents = _by_case(Incident.objects.filter(closed_at=None), ids, "pk")
        self.clocks: dict[int, list[Clock]] = {}
        for row in Clock.objects.filter(case_id__in=ids):
            self.clocks.setdefault(row.case_id, []).append(row)


def _by_case(rows: Any, ids: list[int], *columns: str) -> dict[int, list[tuple[Any, ...]]]:
    """What these columns hold in the rows of each of these cases."""
    found: dict[int, list[tuple[Any, ...]]] = {pk: [] for pk in ids}
    chosen = getattr(rows, "objects", rows).filter(case_id__in=ids)
    for case_id, *row in chosen.values_list("case_id", *columns):
        found[case_id].append(tuple(row))
    return found


def _differences_of(case: Case, beside: _Beside) -> Iterator[Difference]:
    events = beside.events[case.pk]
    if not events:
        yield Difference(case.reference, 0, "it has no history")
        return
    stood = fold_case(case, events)
    last = events[-1].number

    def differs(what: str, row: Any, history: Any) -> Iterator[Difference]:
        if row != history:
            yield Difference(
                case.reference, last, f"{what}: the row says {row!r}, the history {history!r}"
            )

    for number, words in rowfields.holds_differ(beside.holds[case.pk], events):
        yield Difference(case.reference, number, words)
    for number, words in rowfields.case_differs(case, events, stood):
        yield Difference(case.reference, number, words)
        if case.kind != events[0].data["kind"]:
            return  # its facts cannot be read
    yield from differs("step", case.step, stood.step)
    yield from differs("visit", case.visit, stood.visit)
    yield from differs("closed", case.closed_at is not None, stood.closed)
    kind = kind_of(case.kind)
    whole = beside.whole.get(case.pk)
    if case.erased_at is not None:
        yield from _erased_differ(whole, events, stood, beside)
        return
    if any(event.type == "case.erased" for event in events):
        yield Difference(case.reference, last, "its history says that it was erased, its row not")
    facts = {name: getattr(whole, name) for name in kind.fact_names} if whole is not None else {}
    if case.reference in beside.stale:
        words = "it is not found by what its row, facts and documents say (manage.py rebuildsearch)"
        yield Difference(case.reference, last, words)
    wrong = [name for name in kind.fact_names if facts.get(name) != stood.facts.get(name)]
    if wrong:  # named, not shown: facts are people's data
        words = f"facts: the row and the history differ in {', '.join(wrong)}"
        yield Difference(case.reference, last, words)
    open_, documents = fold(events)
    yield from differs("waits", _waits(case.waits), _waits(stood.waits))
    wanted = reminders.expected(events)
    due = sorted(
        _expected_timers(open_, stood.visit, events)
        + _expected_of_clocks(stood.clocks)
        + reminders.timers_of(wanted)
    )
    yield from differs("timers", sorted(beside.timers[case.pk]), due)
    kept = {number: (who, at) for number, who, at in beside.reminders[case.pk]}
    yield from differs("reminders", kept, wanted)
    clocks = {row.name: row.told() for row in beside.clocks.get(case.pk, ())}
    told = {name: clockrows.told(state) for name, state in stood.clocks.items()}
    yield from differs("clocks", clocks, told)
    scheduled = _expected_activities(open_, stood.visit)
    yield from differs("activities", sorted(beside.activities[case.pk]), scheduled)
    yield from differs("tasks", _tasks(case, beside), _expected_tasks(stood))
    related = sorted(other for (other,) in beside.related[case.pk])
    yield from differs("related cases", related, _related_in(events))
    yield from _words_differ(case, events, beside)
    asked = {name for name, state in documents.items() if state == "asked"}  # again, perhaps
    last_of_each = {name: state for name, _version, state, *_ in beside.documents[case.pk]}
    kept_documents = {name: last_of_each[name] for name in last_of_each if name not in asked}
    judged = {name: state for name, state in documents.items() if name not in asked}
    yield from differs("documents", kept_documents, judged)
    yield from differs("incident", bool(beside.incidents[case.pk]), _has_incident(events))
    if case.closed_at is None and not case.waits:
        yield Difference(case.reference, last, "it is open and waits for nobody")


def _fits(case: Case, field: Any, facts: dict[str, Any]) -> bool:
    """Whether a fact of an erased case says what history does, or nothing where that is gone."""
    row, told = getattr(case, field.attname), facts.get(field.attname)
    return is_placeholder(field, row) if is_gone(told) else row == told


def _tasks(case: Case, beside: _Beside) -> dict[Any, Any]:
    return {
        (visit, command): (state, outcome, holder, name, role, due_at if role else None)
        for visit, command, state, outcome, holder, _, _, _, name, role, due_at in (
            beside.tasks[case.pk]
        )
    }


def _expected_tasks(stood: Any) -> dict[Any, Any]:
    names = ("state", "outcome", "holder", "name", "role", "due_at")  # advice: of no role, no due
    return {(t["visit"], t["command"]): tuple(t[name] for name in names) for t in stood.tasks}


def _erased_differ(
    case: Case | None, events: list[Recorded], stood: Any, beside: _Beside
) -> Iterator[Difference]:
    """What is left of an erased case equals its history, and shows nobody."""
    if case is None:
        return
    last = events[-1].number
    if not any(event.type == "case.erased" for event in events):
        yield Difference(case.reference, last, "its row says that it was erased, its history not")
    for remains in erase.remains_of(case):
        yield Difference(case.reference, last, f"it was erased, and something is left: {remains}")
    wrong = [one.name for one in case.fact_fields() if not _fits(case, one, stood.facts)]
    if wrong:
        words = f"facts: the row and the history differ in {', '.join(wrong)}"
        yield Difference(case.reference, last, words)
    if _tasks(case, beside) != _expected_tasks(stood):
        yield Difference(case.reference, last, "the rows of its tasks differ from its history")
    if case.reference in beside.stale:
        yield Difference(case.reference, last, "it is not found by what is left of it")


def _related_in(events: list[Recorded]) -> list[int]:
    found: set[int] = set()
    for event in events:
        if event.type == "case.related":
            found.add(event.data["other"])
        elif event.type == "case.parted":
            found.discard(event.data["other"])
    return sorted(found)


def _words_differ(case: Case, events: list[Recorded], beside: _Beside) -> Iterator[Difference]:
    """What people read of decisions, documents and notes, against the events that told it."""
    decided = {
        (visit, command): [reason, by, result]
        for visit, command, state, _, _, reason, by, result, *_ in beside.tasks[case.pk]
        if state in ("done", "taken_back")
    }
    files = {
        (name, version): [filename, digest, size, by, sort]
        for name, version, _, filename, digest, size, by, sort, *_ in beside.documents[case.pk]
    }
    sent = {pk: said for pk, *said in beside.sent[case.pk]}
    letters = {key: list(said) for key, *said in beside.letters[case.pk]}
    notes = dict(beside.notes[case.pk])
    pages = {pk: tuple(given) for pk, *given in beside.pages[case.pk]}
    for event in events:
        data = event.data
        row: Any
        told: Any
        if event.type in ("task.completed", "advice.given"):
            key = (data["visit"], data["command"])
            row = decided.get(key)
            told = [data["reason"], event.actor, data.get("result", {})]
            what = f"the decision on “{data['name']}”"
        elif event.type == "document.received":
            row = files.get((data["name"], data["version"]))
            told = [data["filename"], data["digest"], data["size"], event.actor]
            told.append(data["media_type"])
            what = f"version {data['version']} of the document “{data['name']}”"
        elif event.type == "note.added":
            row, told, what = notes.get(event.number), data["text"], "the note"
        elif event.type == "letter.written" and "key" in data:
            row, told = letters.get(data["key"]), [data["subject"], data["text"], data["to"]]
            what = "the letter"
        elif event.type == "activity.completed" and is_letter(data.get("result")):
            row, told, what = _letter_sent(sent.get(data["result"]["letter"]), data["result"])
        elif event.type == "page.given":
            row, told = pages.get(data["page"]), (data["party"], data["to"], data["until"])
            what = "the customer's page"
        else:
            continue
        if row != told:
            words = f"the row of {what} does not say what this event recorded"
            yield Difference(case.reference, event.number, words)

    said = rowfields.judged(events)
    for name, version, state, *_, by, reason in beside.documents[case.pk]:
        number, *told = said.get((name, version), (0, "", ""))
        if state in ("accepted", "rejected") and (not number or [by, reason] != told):
            words = f"the row of the verdict on “{name}” does not say what history recorded"
            yield Difference(case.reference, number, words)


def _letter_sent(row: list[Any] | None, result: dict[str, Any]) -> tuple[Any, Any, str]:
    """The row of a letter that the process wrote, and what its event recorded of it."""
    told = [result["subject"], result["to"], result.get("fingerprint")]
    if row is None:
        return None, told, "the letter"
    subject, text, to = row
    seal = fingerprint_of(subject, text) if "fingerprint" in result else None
    return [subject, to, seal], told, "the letter"


def _waits(waits: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """What matters of waits: staff and operators have none in history."""
    return [
        (w["kind"], w["name"], w["on"], w["since"], w["until"], w["command"])
        for w in waits
        if w["kind"] not in ("staff", "incident")
    ]


def _expected_timers(open_: Open, visit: int, events: list[Recorded]) -> list[tuple[Any, ...]]:
    found = []
    for number, asked in open_.items():
        due_at = asked.data.get("due_at")
        if asked.type == "timer.set" and due_at is not None:
            found.append((visit, number, "command", due_at))
        elif asked.type == "task.opened" and due_at is not None and not _told(asked, events):
            found.append((visit, number, "overdue", due_at))
    return found


def _expected_of_clocks(clocks: dict[str, ClockState]) -> list[tuple[Any, ...]]:
    return [
        (0, 0, clockrows.purpose(mark, name), due_at)
        for name, state in clocks.items()
        for mark, due_at in due_times(state).items()
    ]


def _told(asked: Recorded, events: list[Recorded]) -> bool:
    """Whether the overdue timer of a task has fired."""
    return any(
        event.type == "task.overdue" and event.data["task"] == asked.data["command"]
        for event in events[asked.number :]
    )


def _expected_activities(open_: Open, visit: int) -> list[tuple[int, int, str]]:
    return sorted(
        (asked.data.get("visit", visit), number, asked.data["name"])
        for number, asked in open_.items()
        if asked.type == "activity.scheduled"
    )


def _has_incident(events: list[Recorded]) -> bool:
    for event in reversed(events):
        if event.type == "incident.opened":
            return True
        if event.type == "incident.closed":
            return False
    return False
