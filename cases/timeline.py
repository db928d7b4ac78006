"""The history of a case as a timeline: the story of it, or everything.

`story` leaves out what only moves the machinery, puts together what happened together, and says
long silences in one line. `everything` hides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from cases import dates
from cases.sentences import EventLike, is_letter, say, tells_something
from cases.words import Words, capitalised

SILENCE_DAYS = 7  # from here on nothing happening is worth a line
LINE_CHARACTERS = 300
# Only the machinery moves: shown with "all events".
NOISE = frozenset(
    {
        "activity.attempt_failed",
        "activity.attempt_lost",
        "activity.scheduled",
        "code.changed",
        "letter.sent",
        "message.awaited",
        "message.matched",
        "reminder.came",
        "reminder.cancelled",
        "reminder.set",
        "task.claimed",
        "timer.fired",
        "timer.set",
        "wait.cancelled",
    }
)
# What a new step asks for at once is told with the entry of the step.
_WITH_STEP = {
    "documents.requested",
    "letter.written",
    "party.asked",
    "table.decided",
    "task.opened",
}
_PAPERS = {"document.received", "document.accepted"}
_BAD = {
    "activity.failed",
    "activity.stopped",
    "clock.limit_passed",
    "incident.opened",
    "task.overdue",
}


_BY_TIMER = {
    "timer.fired",
    "documents.reminded",
    "task.overdue",
    "clock.warned",
    "clock.target_passed",
    "clock.limit_passed",
    "clock.pause_passed",
}


@dataclass(slots=True)
class Entry:
    """One entry of a timeline. `shape` is person, engine, move or bad."""

    number: int
    type: str
    title: str
    by: str
    at: datetime
    shape: str
    lines: list[str] = field(default_factory=list)
    count: int = 1  # of the events put together here
    silence: str = ""  # said under this entry: how long nothing had happened before it
    papers: dict[str, list[str]] = field(default_factory=dict)  # by document: what was done


def tell(event: EventLike, words: Words) -> Entry:
    """One event as an entry of its own."""
    title, line = say(event, words)
    return Entry(
        number=event.number,
        type="letter.written" if is_letter(event.data.get("result")) else event.type,
        title=title,
        by=_by(event, words),
        at=event.happened_at,
        shape=_shape(event),
        lines=[shortened(line)] if line else [],
        papers=_papers(event, words),
    )


def story(events: Iterable[EventLike], words: Words) -> list[Entry]:
    """What a person would tell, newest first. `events` come in their order."""
    events = list(events)
    words.learn(events)
    entries: list[Entry] = []
    for event in events:
        if not is_told(event, words):
            continue
        entry = tell(event, words)
        if entries and _belong_together(entries[-1], entry):
            _join(entries[-1], entry)
        else:
            entries.append(entry)
    return _with_silences(entries[::-1])


def everything(events: Iterable[EventLike], words: Words) -> list[Entry]:
    """All events, newest first."""
    events = list(events)
    words.learn(events)
    return _with_silences([tell(event, words) for event in events][::-1])


def is_told(event: EventLike, words: Words) -> bool:
    """Whether the story tells this event."""
    if event.type in ("activity.completed", "activity.done"):
        return tells_something(event, words)
    if event.type == "step.entered":
        return bool(event.data.get("from"))  # the first one is told as the case being opened
    return event.type not in NOISE and "unchanged" not in event.data


def shortened(text: str) -> str:
    """At most two lines of a timeline; the whole stands where it belongs."""
    flat = " ".join(str(text).split())
    return flat if len(flat) <= LINE_CHARACTERS else flat[: LINE_CHARACTERS - 1].rstrip() + "…"


def _with_silences(entries: list[Entry]) -> list[Entry]:
    for entry, before in pairwise(entries):
        entry.silence = silence(before.at, entry.at)
    return entries


def silence(before: datetime, after: datetime) -> str:
    """How long nothing happened between two events, where that is worth a line; else empty."""
    days = dates.days_between(before, after)
    if days < SILENCE_DAYS:
        return ""
    said = ngettext("%(n)s day without events", "%(n)s days without events", days)
    return said % {"n": days}


def _by(event: EventLike, words: Words) -> str:
    who = capitalised(words.actor(event.actor, event.on_behalf))
    if event.actor != "engine":
        return who
    if event.type == "step.entered" and event.data.get("transition"):
        rule = words.transition(event.data["transition"])
        return _("Longcase, rule “%(rule)s”") % {"rule": rule[:1].lower() + rule[1:]}
    if event.type in _BY_TIMER or (event.type == "clock.resumed" and event.data.get("automatic")):
        return _("Longcase, by its timer")
    return who


def _shape(event: EventLike) -> str:
    if event.type in ("step.entered", "case.opened"):
        return "move"
    if event.type in _BAD:
        return "bad"
    return "engine" if event.actor == "engine" or event.actor.startswith("service:") else "person"


def _papers(event: EventLike, words: Words) -> dict[str, list[str]]:
    if event.type not in _PAPERS:
        return {}
    done = _("received") if event.type == "document.received" else _("accepted")
    return {words.document(event.data["name"]): [done]}


def _belong_together(first: Entry, second: Entry) -> bool:
    if first.type == "step.entered":
        return second.type in _WITH_STEP and second.at == first.at
    papers = first.type in _PAPERS and second.type in _PAPERS
    same_day = dates.local_date(first.at) == dates.local_date(second.at)
    return same_day and (papers or (first.type == second.type == "letter.written"))


def _join(entry: Entry, other: Entry) -> None:
    """Tell `other` within `entry`, which came just before it."""
    if entry.type == "step.entered":
        entry.lines.append(_in_one_line(other))
    elif entry.type in _PAPERS:
        _join_papers(entry, other)
    else:
        entry.lines = [*(entry.lines if entry.count > 1 else [entry.title]), other.title]
        entry.title = _("%(n)s letters written") % {"n": entry.count + 1}
    if entry.type != "step.entered":
        entry.number, entry.at = other.number, other.at
        if other.by not in entry.by.split(", "):
            entry.by = f"{entry.by}, {other.by}"
    entry.count += 1


def _in_one_line(entry: Entry) -> str:
    said = " ".join(entry.lines)
    if not said:
        return entry.title
    return f"{entry.title}. {said}" if said.endswith(".") else f"{entry.title}: {said}"


def _join_papers(entry: Entry, other: Entry) -> None:
    """One line a document: "Payslip: received, accepted"."""
    for paper, what in other.papers.items():
        entry.papers.setdefault(paper, []).extend(what)
    entry.lines = [f"{paper}: {', '.join(what)}" for paper, what in entry.papers.items()]
    entry.title = _("Documents came in") if len(entry.papers) > 1 else _("A document came in")
