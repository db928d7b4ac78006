"""Where a case stands: which step, waiting for whom since when, until when, what happens next.

Pure functions over rows that were read already. The sentences of what happens next come from the
waits themselves; without them, from the transitions that may follow.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from cases import dates, fsm
from cases.models import Case, Document, Person, Requirement, Task
from cases.tags import Tag, case_tag, requirement_tag, task_of, task_tag
from cases.words import Words, capitalised, party, plain

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


# -- outside work that failed


@dataclass(frozen=True, slots=True)
class Retry:
    """Outside work of which an attempt has failed."""

    failed: int
    most: int
    next_at: datetime | None  # None: being tried right now, or not any more by itself
    is_stopped: bool
    error: str

    @property
    def cause(self) -> str:
        """What came, without the name that the error has in code."""
        if not self.error:
            return _("the worker that did it was lost")
        name, colon, words = self.error.partition(": ")
        return (words if colon and name.isidentifier() else self.error)[:300].rstrip(".")

    def words(self, now: datetime) -> str:
        """In a sentence: how often, what came, and when it is tried next."""
        if self.is_stopped:
            if self.failed >= self.most:
                said = _("Attempt %(n)s of %(most)s failed, the last one: %(cause)s.")
            else:
                said = _("Refused for good at attempt %(n)s: %(cause)s. Not tried again by itself.")
            return said % {"n": self.failed, "most": self.most, "cause": self.cause}
        said = _("Attempt %(n)s of %(most)s failed: %(cause)s.") % {
            "n": self.failed,
            "most": self.most,
            "cause": self.cause,
        }
        if self.next_at is None or self.next_at <= now:
            return f"{said} {_('It is being tried again.')}"
        return f"{said} {_('Next try: %(at)s.') % {'at': dates.moment(self.next_at)}}"


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
    person: Person,
    now: datetime,
    retries: Mapping[int, Retry] | None = None,
) -> Now:
    """What a case that is open stands at."""
    until = case.waiting_until
    due = dates.due(until, now) if until else None
    tag = case_tag(case, person)
    level = "bad" if tag.level == "bad" or (due and due.level == "late") else tag.level
    return Now(
        level="" if level == "info" else level,
        step=words.step(case.step),
        waiting=_waiting(
            case,
            requirements=requirements,
            tasks=tasks,
            person=person,
            now=now,
            retries=retries or {},
        ),
        due=due,
        due_day=dates.weekday(until) if until else "",
        next=_next(case, words=words, now=now),
    )


def _waiting(
    case: Case,
    *,
    requirements: Sequence[Requirement],
    tasks: Sequence[Task],
    person: Person,
    now: datetime,
    retries: Mapping[int, Retry],
) -> str:
    first = case.waits[0] if case.waits else None
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
        return f"{said} {_('Nobody has it.')}"
    said = _("For %(who)s since %(day)s (%(span)s).") % {"who": party(first["on"]), **since}
    if kind == "documents":
        needed = [one for one in requirements if one.is_open or one.state == "accepted"]
        came = sum(one.state in ("received", "accepted") for one in needed)
        told = {"came": came, "all": len(needed)}
        said += " " + _("%(came)s of %(all)s came in.") % told
    return said


def _next(case: Case, *, words: Words, now: datetime) -> list[str]:
    said: list[str] = []
    for wait in case.waits[:3]:
        if wait.get("met"):
            said.append(f"{_when(wait)} {wait['met']}")
        if wait.get("otherwise") and wait.get("until"):
            day = dates.day(wait["until"], now)
            said.append(_("Not by %(day)s: %(then)s") % {"day": day, "then": wait["otherwise"]})
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


def _when(wait: dict[str, Any]) -> str:
    match wait["kind"]:
        case "documents":
            return _("When all are accepted:")
        case "task":
            return _("When it is done:")
        case "timer":
            return _("Then:")
        case "activity" | "subcase":
            return _("When that is done:")
        case "staff":
            return _("When that is done:")
        case "incident":
            return _("Once it is mended:")
    return _("When the answer comes:")


# -- outstanding: what the case waits for, line by line


@dataclass(frozen=True, slots=True)
class Outstanding:
    """One thing a case waits for. `act` is the word of its link, to `url`."""

    what: str
    whom: str
    since: datetime
    due: dates.Due | None
    tag: Tag
    act: str = ""
    url: str = ""
    note: str = ""  # what went wrong with it so far


def outstanding(
    case: Case,
    *,
    requirements: Sequence[Requirement],
    documents: Sequence[Document],
    tasks: Sequence[Task],
    children: Sequence[Case],
    person: Person,
    now: datetime,
    recordable: Collection[str] = (),
    retries: Mapping[int, Retry] | None = None,
) -> list[Outstanding]:
    """All that is waited for. What comes by itself is told too, without an act. `recordable` names
    the messages that staff may record for the one who gave them."""
    found: list[Outstanding] = []
    asked = False
    for wait in case.waits:
        due = dates.due(wait["until"], now) if wait.get("until") else None
        if wait["kind"] == "documents":
            if not asked:
                found += _papers(requirements, documents, due)
            asked = True
        elif wait["kind"] == "task" and (task := task_of(wait, tasks)):
            found.append(_work(task, person, now))
        else:
            line = _wait(wait, due, children, is_stopped=case.stopped_at is not None)
            if wait["kind"] == "message" and wait["name"] in recordable:
                line = replace(line, act="answer", url=wait["name"])
            if wait["kind"] == "activity" and (retry := (retries or {}).get(wait["command"])):
                line = _retried(line, retry, now)
            found.append(line)
    if not asked and case.is_open:  # came in, or was rejected, after the step that asked was over
        late = [one for one in requirements if one.state in ("received", "rejected")]
        found += _papers(late, documents, None)
    return found


def _retried(line: Outstanding, retry: Retry, now: datetime) -> Outstanding:
    if retry.is_stopped:
        return replace(line, note=retry.words(now), tag=Tag(_("Stopped"), "bad", "stopped"))
    tried = {"n": retry.failed, "most": retry.most}
    tag = Tag(_("Tried %(n)s of %(most)s times") % tried, "wait", "clock")
    return replace(line, note=retry.words(now), tag=tag)


def _papers(
    requirements: Iterable[Requirement], documents: Sequence[Document], due: dates.Due | None
) -> list[Outstanding]:
    newest: dict[str, Document] = {}
    for one in documents:  # newest first
        newest.setdefault(one.name, one)
    found = []
    for one in requirements:
        if not one.is_open or one.state == "accepted":
            continue
        document = newest.get(one.name) if one.state == "received" else None
        found.append(
            Outstanding(
                what=one.title,
                whom=capitalised(party(one.asked_of)),
                since=one.asked_at,
                due=due,
                tag=requirement_tag(one),
                act="judge" if document else "record",
                url=document.get_absolute_url() if document else one.name,
            )
        )
    return found


def _work(task: Task, person: Person, now: datetime) -> Outstanding:
    return Outstanding(
        what=task.title,
        whom=str(task.holder) if task.holder else capitalised(party(task.role)),
        since=task.opened_at,
        due=dates.due(task.due_at, now) if task.due_at else None,
        tag=task_tag(task, person),
        act="open",
        url=task.get_absolute_url(),
    )


def _wait(
    wait: dict[str, Any], due: dates.Due | None, children: Sequence[Case], *, is_stopped: bool
) -> Outstanding:
    kind = wait["kind"]
    name = plain(wait.get("name", "")) or _("The next step")
    if kind == "incident":
        name = _("The fault to be mended")
    child = next((one for one in children if one.parent_command == wait.get("command")), None)
    late = due is not None and due.level == "late"
    tag = {
        "activity": Tag(_("Stopped"), "bad", "stopped")
        if is_stopped
        else Tag(_("Longcase works on it"), "", "clock"),
        "timer": Tag(_("Comes by itself"), "", "clock"),
        "subcase": Tag(_("Under way"), "info", "review"),
        "incident": Tag(_("Stopped by a fault"), "bad", "stopped"),
        "staff": Tag(_("Staff decide"), "info", "person"),
    }.get(kind) or Tag(_("No answer yet"), "bad" if late else "wait", "wait")
    return Outstanding(
        what=child.title if child else name,
        whom="Longcase" if kind == "timer" else capitalised(party(wait.get("on", ""))),
        since=wait["since"],
        due=due,
        tag=tag,
        act="case" if child else "",
        url=child.get_absolute_url() if child else "",
    )
