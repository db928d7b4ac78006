"""Do the rows of a case still equal the fold of its events? processes/engine/verify.py asks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db import connection

from audit import keys
from audit.read import events_of
from audit.record import Recorded
from audit.sealing import BoxBroken
from cases.models import Case, Document, Letter, Note, Relation, Reminder, Task
from processes.engine import findable, reminders
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


def differences_of(case: Case) -> Iterator[Difference]:
    """Where the rows of one case differ from the fold of its events."""
    try:
        yield from _differences_of(case)
    except (BoxBroken, keys.NoKey) as error:
        yield Difference(case.reference, 0, str(error))


def _differences_of(case: Case) -> Iterator[Difference]:
    events = events_of(case.pk)
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

    yield from differs("step", case.step, stood.step)
    yield from differs("visit", case.visit, stood.visit)
    yield from differs("closed", case.closed_at is not None, stood.closed)
    kind = kind_of(case.kind)
    whole = kind.model.objects.filter(pk=case.pk).first()
    if case.erased_at is not None:
        yield from _erased_differ(whole, events, stood)
        return
    if any(event.type == "case.erased" for event in events):
        yield Difference(case.reference, last, "its history says that it was erased, its row not")
    facts = {name: getattr(whole, name) for name in kind.fact_names} if whole is not None else {}
    for _stale in findable.stale([whole] if whole is not None else []):
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
        _expected_timers(open_, stood.visit)
        + _expected_of_clocks(stood.clocks)
        + reminders.timers_of(wanted)
    )
    yield from differs("timers", _timers(case.pk), due)
    kept = Reminder.objects.filter(case_id=case.pk).values_list("number", "person_id", "due_at")
    yield from differs("reminders", {n: (who, at) for n, who, at in kept}, wanted)
    clocks = {row.name: row.told() for row in Clock.objects.filter(case_id=case.pk)}
    told = {name: clockrows.told(state) for name, state in stood.clocks.items()}
    yield from differs("clocks", clocks, told)
    yield from differs("activities", _activities(case.pk), _expected_activities(open_, stood.visit))
    tasks = {
        (t.visit, t.command): (t.state, t.outcome, t.holder_id)
        for t in Task.objects.filter(case_id=case.pk)
    }
    expected = {
        (t["visit"], t["command"]): (t["state"], t["outcome"], t["holder"]) for t in stood.tasks
    }
    yield from differs("tasks", tasks, expected)
    yield from differs("related cases", _related(case.pk), _related_in(events))
    yield from _words_differ(case, events)
    asked = {name for name, state in documents.items() if state == "asked"}  # again, perhaps
    rows = Document.objects.filter(case_id=case.pk).exclude(name__in=asked).order_by("version")
    judged = {name: state for name, state in documents.items() if name not in asked}
    yield from differs("documents", {d.name: d.state for d in rows}, judged)
    incident = Incident.objects.filter(case_id=case.pk, closed_at=None).exists()
    yield from differs("incident", incident, _has_incident(events))
    if case.closed_at is None and not case.waits:
        yield Difference(case.reference, last, "it is open and waits for nobody")


def _fits(case: Case, field: Any, facts: dict[str, Any]) -> bool:
    """Whether a fact of an erased case says what history does, or nothing where that is gone."""
    row, told = getattr(case, field.attname), facts.get(field.attname)
    return is_placeholder(field, row) if is_gone(told) else row == told


def _erased_differ(case: Case | None, events: list[Recorded], stood: Any) -> Iterator[Difference]:
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
    tasks = {
        (t.visit, t.command): (t.state, t.outcome, t.holder_id)
        for t in Task.objects.filter(case_id=case.pk)
    }
    expected = {
        (t["visit"], t["command"]): (t["state"], t["outcome"], t["holder"]) for t in stood.tasks
    }
    if tasks != expected:
        yield Difference(case.reference, last, "the rows of its tasks differ from its history")
    for _stale in findable.stale([case]):
        yield Difference(case.reference, last, "it is not found by what is left of it")


def _related(case_id: int) -> list[int]:
    return sorted(Relation.objects.filter(case_id=case_id).values_list("other_id", flat=True))


def _related_in(events: list[Recorded]) -> list[int]:
    found: set[int] = set()
    for event in events:
        if event.type == "case.related":
            found.add(event.data["other"])
        elif event.type == "case.parted":
            found.discard(event.data["other"])
    return sorted(found)


def _words_differ(case: Case, events: list[Recorded]) -> Iterator[Difference]:
    """What people read of decisions, documents and notes, against the events that told it."""
    decided = {
        (t.visit, t.command): [t.reason, t.closed_by, t.result]
        for t in Task.objects.filter(case_id=case.pk, state__in=["done", "taken_back"])
    }
    files = {
        (d.name, d.version): [d.filename, d.digest, d.size, d.received_from]
        for d in Document.objects.filter(case_id=case.pk)
    }
    letters = {
        one.key: [one.subject, one.text, one.to_name]
        for one in Letter.objects.filter(case_id=case.pk)
    }
    notes = {n.number: n.text for n in Note.objects.filter(case_id=case.pk)}
    pages = {p.pk: (p.party, p.name, p.expires_at) for p in case.customer_pages.all()}
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
            what = f"version {data['version']} of the document “{data['name']}”"
        elif event.type == "note.added":
            row, told, what = notes.get(event.number), data["text"], "the note"
        elif event.type == "letter.written" and "key" in data:
            row, told = letters.get(data["key"]), [data["subject"], data["text"], data["to"]]
            what = "the letter"
        elif event.type == "page.given":
            row, told = pages.get(data["page"]), (data["party"], data["to"], data["until"])
            what = "the customer's page"
        else:
            continue
        if row != told:
            words = f"the row of {what} does not say what this event recorded"
            yield Difference(case.reference, event.number, words)


def _waits(waits: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """What matters of waits: staff and operators have none in history."""
    return [
        (w["kind"], w["name"], w["on"], w["since"], w["until"], w["command"])
        for w in waits
        if w["kind"] not in ("staff", "incident")
    ]


def _timers(case_id: int) -> list[tuple[Any, ...]]:
    rows = Timer.objects.filter(case_id=case_id)
    return sorted((t.visit, t.command, t.purpose, t.due_at) for t in rows)


def _expected_timers(open_: Open, visit: int) -> list[tuple[Any, ...]]:
    found = []
    for number, asked in open_.items():
        due_at = asked.data.get("due_at")
        if asked.type == "timer.set" and due_at is not None:
            found.append((visit, number, "command", due_at))
        elif asked.type == "task.opened" and due_at is not None and not _told(asked, open_):
            found.append((visit, number, "overdue", due_at))
    return found


def _expected_of_clocks(clocks: dict[str, ClockState]) -> list[tuple[Any, ...]]:
    return [
        (0, 0, clockrows.purpose(mark, name), due_at)
        for name, state in clocks.items()
        for mark, due_at in due_times(state).items()
    ]


def _told(asked: Recorded, open_: Open) -> bool:
    """Whether the overdue timer of a task has fired."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM audit_event WHERE case_id = %s AND number > %s "
            "AND type = 'task.overdue' AND (data::jsonb ->> 'task')::int = %s LIMIT 1",
            [asked.case_id, asked.number, asked.data["command"]],
        )
        return cursor.fetchone() is not None


def _activities(case_id: int) -> list[tuple[int, int, str]]:
    rows = Activity.objects.filter(case_id=case_id)
    return sorted((a.visit, a.command, a.name) for a in rows)


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
