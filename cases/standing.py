"""Where a case stands: which step, waiting for whom since when, until when, what happens next.

Pure functions over rows that were read already. The sentences of what happens next come from the
waits themselves; without them, from the transitions that may follow.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from cases import access, dates, fsm
from cases.models import Case, Person, Requirement, Task
from cases.outstanding import child_of, is_near
from cases.retries import Retry
from cases.tags import case_tag, first_wait, task_of
from cases.words import Words, of_steps, party, plain

# -- the rail: the main line of the kind


@dataclass(frozen=True, slots=True)
class RailEntry:
    """One stage of the main line. `state` is done, now, again, left, passed or empty."""

    label: str
    state: str
    words: str


def rail(
    case: Case,
    *,
    main_line: Sequence[tuple[Any, Sequence[str]]],
    entries: Sequence[Any],
    now: datetime,
) -> list[RailEntry]:
    """The stages with their days; `entries` are the case's entries of steps, in their order.

    A case that left the main line (withdrawn, declined, lapsed) ended in the stage that it was in
    last: that one is not done, nor are those after it.
    """
    spans: dict[str, list[tuple[datetime, datetime | None]]] = {}
    ends = [*(one.happened_at for one in entries[1:]), case.closed_at][: len(entries)]
    for entry, end in zip(entries, ends, strict=True):
        spans.setdefault(entry.data["step"], []).append((entry.happened_at, end))
    place_of = {step: place for place, (_label, steps) in enumerate(main_line) for step in steps}
    is_left = case.step not in place_of
    last_on_line = [one.data["step"] for one in entries if one.data["step"] in place_of][-1:]
    here = place_of.get(case.step, place_of[last_on_line[0]] if last_on_line else -1)
    found = []
    for place, (label, steps) in enumerate(main_line):
        visits = [one for step in steps for one in spans.get(step, ())]
        state, words = "", ""
        if case.is_open and case.step in steps and visits:
            state = "now"
            words = _("now, since %(day)s") % {"day": dates.day(visits[-1][0], now)}
        elif visits:
            first = min(begin for begin, _end in visits)
            last = max((end or begin) for begin, end in visits)
            words = dates.from_to(first, last, now)
            state = "done" if place <= here else "again"
            if is_left and place == here:
                state, words = "left", _("%(days)s, ended here") % {"days": words}
            elif state == "again" and (is_left or not case.is_open):
                words = _("%(days)s, not finished") % {"days": words}
            elif state == "again":
                words = _("%(days)s, comes again") % {"days": words}
        elif place < here:
            state, words = "passed", _("not needed")
        found.append(RailEntry(str(label), state, words))
    return found


@dataclass(frozen=True, slots=True)
class Visit:
    """One stay in a step."""

    number: int  # of the event that entered it
    step: str
    since: datetime
    until: datetime | None
    how: str
    reason: str
    version: int


def visits(case: Case, *, entries: Sequence[Any], words: Words) -> list[Visit]:
    """All stays of a case, newest first."""
    ends = [*(one.happened_at for one in entries[1:]), case.closed_at][: len(entries)]
    return [
        Visit(
            number=entry.number,
            step=words.step(entry.data["step"]),
            since=entry.happened_at,
            until=end,
            how=words.transition(entry.data["transition"]) if entry.data.get("from") else "",
            reason=entry.data.get("reason") or "",
            version=entry.data.get("version") or 1,
        )
        for entry, end in zip(entries, ends, strict=True)
    ][::-1]


def leads_from(edge: fsm.Edge, step: str) -> bool:
    """Whether this transition may be taken from this step."""
    return step in edge.sources or "*" in edge.sources


# -- now: the four answers


@dataclass(slots=True)
class Now:
    """The four answers, each ready to be shown."""

    level: str
    step: str
    waiting: str
    due: dates.Due | None
    due_day: str
    next: list[str] = field(default_factory=list)


def standing(
    case: Case,
    *,
    words: Words,
    requirements: Sequence[Requirement],
    tasks: Sequence[Task],
    children: Sequence[Case] = (),
    person: Person,
    now: datetime,
    retries: Mapping[int, Retry] | None = None,
) -> Now:
    """What a case that is open stands at."""
    first = first_wait(case, words.kind.may_come)
    until = first["until"] if first and "until" in first else case.waiting_until
    due = dates.due(until, now) if until else None
    tag = case_tag(case, person, may_come=words.kind.may_come)
    level = "bad" if tag.level == "bad" or (due and due.level == "late") else tag.level
    return Now(
        level="" if level == "info" else level,
        step=words.step(case.step),
        waiting=_waiting(
            first,
            requirements=requirements,
            tasks=tasks,
            children=children,
            person=person,
            now=now,
            retries=retries or {},
        ),
        due=due,
        due_day=dates.weekday(until) if until else "",
        next=_next(case, tasks=tasks, words=words, now=now),
    )


def _waiting(
    first: dict[str, Any] | None,
    *,
    requirements: Sequence[Requirement],
    tasks: Sequence[Task],
    children: Sequence[Case],
    person: Person,
    now: datetime,
    retries: Mapping[int, Retry],
) -> str:
    if first is None:
        return _("Nothing is waited for; the operators see this case.")
    since = {
        "day": dates.day(first["since"], now),
        "span": dates.span(first["since"], now),
    }
    kind = first["kind"]
    if kind == "incident":
        said = _("Stopped since %(day)s (%(span)s). Nothing is lost.") % since
        stops = [one.words(now) for one in retries.values() if one.is_stopped]
        return " ".join([said, *stops[:1]])
    if kind == "timer":
        return _("Waits for the time to come, since %(day)s (%(span)s).") % since
    if kind == "subcase":
        child = child_of(first, children)
        if child is not None:
            which = {"title": child.title, "reference": child.reference, **since}
            return _("For “%(title)s” (%(reference)s) since %(day)s (%(span)s).") % which
        return _("For another case since %(day)s (%(span)s).") % since
    if kind == "activity":
        what = {"what": plain(first.get("name", "")).lower(), **since}
        said = _("Longcase does “%(what)s” since %(day)s (%(span)s).") % what
        retry = retries.get(first.get("command", 0))
        return f"{said} {retry.words(now)}" if retry else said
    if kind == "task":
        task = task_of(first, tasks)
        if task and task.holder_id == person.pk:
            return _("With you since %(day)s (%(span)s).") % since
        if task and task.holder:
            who = {"who": task.holder, **since}
            return _("With %(who)s since %(day)s (%(span)s).") % who
        said = _("For %(who)s since %(day)s (%(span)s).") % {"who": party(first["on"]), **since}
        nobody = _("Nobody has it.")
        if task and task.unlike and not access.can_be_taken(task):
            nobody = _(
                "Nobody may take it: it is for another person than before, and nobody else has "
                "this role here. An administrator can give it to somebody."
            )
        return f"{said} {nobody}"
    said = _("For %(who)s since %(day)s (%(span)s).") % {"who": party(first["on"]), **since}
    if kind == "documents":
        needed = [one for one in requirements if one.is_open or one.state == "accepted"]
        came = sum(one.state in ("received", "accepted") for one in needed)
        told = {"came": came, "all": len(needed)}
        said += " " + _("%(came)s of %(all)s came in.") % told
    return said


def _next(case: Case, *, tasks: Sequence[Task], words: Words, now: datetime) -> list[str]:
    said: list[str] = []
    awaited = _told(case.waits, words.kind.may_come)
    several = sum(one["kind"] == "task" for one in awaited) > 1
    for wait in awaited[:_MOST_SAID]:
        if wait.get("met"):
            task = task_of(wait, tasks) if several else None
            said.append(f"{_when(wait, task=task, words=words)} {of_steps(wait['met'])}")
        if wait.get("otherwise") and wait.get("until"):
            told = {"day": dates.day(wait["until"], now), "then": of_steps(wait["otherwise"])}
            passed = _("Overdue since %(day)s: %(then)s")
            said.append((passed if wait["until"] < now else _("Not by %(day)s: %(then)s")) % told)
    said += _by_themselves(case.waits, now)
    said = list(dict.fromkeys(said))
    if said:
        return said
    targets = dict.fromkeys(
        words.step(edge.target)
        for edge in fsm.edges(words.kind.model)
        if leads_from(edge, case.step) and not edge.staff and not edge.takes_back
    )
    if targets:
        return [_("It may go on to: %(steps)s.") % {"steps": ", ".join(targets)}]
    return [_("Staff decide how it goes on.")]


_MOST_SAID = 3  # waits of which it is said what comes next


def _told(waits: Sequence[dict[str, Any]], may_come: Collection[str]) -> list[dict[str, Any]]:
    """The waits as people are told of them: what only may come last, and an answer that may come
    at our address or by post once."""
    parties = {one["name"] for one in waits if one["kind"] == "party"}
    once = [one for one in waits if one["kind"] != "message" or one["name"] not in parties]
    return sorted(once, key=lambda one: one["kind"] == "message" and one["name"] in may_come)


def _by_themselves(waits: Sequence[dict[str, Any]], now: datetime) -> list[str]:
    """What time brings, the nearest first."""
    found = sorted(
        (one["until"], plain(one["name"]))
        for one in waits
        if one["kind"] == "timer" and one.get("name") and is_near(one, now)
    )
    return [
        _("On %(day)s, by itself: %(what)s")
        % {"day": dates.day(until, now), "what": what[:1].lower() + what[1:]}
        for until, what in found
    ]


def _when(wait: dict[str, Any], *, task: Task | None, words: Words) -> str:
    match wait["kind"]:
        case "documents":
            return _("When all are accepted:")
        case "task" if task is not None:
            return _("When “%(task)s” is done:") % {"task": of_steps(task.title)}
        case "task" | "activity" | "subcase" | "staff":
            return _("When that is done:")
        case "message":
            return _("When “%(message)s” comes:") % {"message": words.message(wait["name"])}
        case "timer":
            return _("Then:")
        case "incident":
            return _("Once it is mended:")
    return _("When the answer comes:")
