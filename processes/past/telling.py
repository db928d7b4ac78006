"""A moment of a case in words: what an event changed, and what stood open then."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from cases import dates, explain
from cases.explain import ClockView
from cases.models import Case
from cases.sentences import said_fact, value
from cases.words import Words, capitalised, of_steps, party, plain
from processes.engine.folding import Stood
from processes.past.finding import Entered
from processes.past.learning import Learnt, Put


@dataclass(frozen=True, slots=True)
class Change:
    """One field of a case: what it said before and after. Empty: nothing."""

    what: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact as it stood; `put` is what was learnt of it since."""

    label: str
    said: str
    put: Put | None = None
    other: str = ""  # the value of the other reading, where they differ


@dataclass(frozen=True, slots=True)
class Wait:
    what: str
    whom: str
    since: datetime
    until: datetime | None


@dataclass(frozen=True, slots=True)
class Work:
    """A task as it stood."""

    what: str
    who: str
    due_at: datetime | None


# -- values


def fact_words(words: Words, name: str, thing: Any) -> str:
    """A fact for people, also where the kind cannot word it, as when it is erased."""
    if thing in (None, "", [], {}):
        return ""
    try:
        said = said_fact(words, name, thing)
    except Exception:
        said = value(thing)
    return capitalised(said) if isinstance(thing, bool) else said


def document_words(state: str) -> str:
    return {
        "asked": _("asked for"),
        "received": _("came in, to be judged"),
        "accepted": _("accepted"),
        "rejected": _("rejected"),
    }.get(state, plain(state).lower())


def wait_of(wait: Mapping[str, Any], stood: Stood, words: Words) -> Wait:
    kind, name = wait["kind"], wait.get("name", "")
    whom = capitalised(party(wait["on"])) if wait["on"] not in ("Longcase", "time") else "Longcase"
    if kind == "documents":
        missing = wait.get("missing", ()) or ()
        what = ", ".join(words.document(one) for one in missing) or _("Documents to be judged")
    elif kind == "task":
        titles = (t["title"] for t in stood.tasks if is_of(t, stood, wait["command"]))
        what = of_steps(next(titles, "")) or plain(name)
    elif kind == "message":
        what = words.message(name)
    elif kind == "timer":
        what, whom = plain(name) or _("A time to come"), _("Time alone")
    elif kind == "subcase":
        what = _("The end of another case")
    else:
        what = plain(name)
    return Wait(what, whom, wait["since"], wait["until"])


def is_of(task: Mapping[str, Any], stood: Stood, command: int) -> bool:
    return bool(task["visit"] == stood.visit and task["command"] == command)


def waits_then(stood: Stood, words: Words) -> list[Wait]:
    return [wait_of(one, stood, words) for one in stood.waits]


def tasks_then(stood: Stood, words: Words) -> list[Work]:
    """Who had what to do, or could have taken it."""
    return [_work(one, words) for one in stood.tasks if one["state"] == "open"]


def _work(task: Mapping[str, Any], words: Words) -> Work:
    who = words.person(task["holder"]) if task["holder"] else ""
    if not who and task["role"]:
        who = _("%(role)s; nobody had it") % {"role": capitalised(party(task["role"]))}
    return Work(of_steps(task["title"]) or plain(task["name"]), who, task["due_at"])


def clocks_then(stood: Stood, words: Words) -> list[ClockView]:
    """The clocks as they stood, told from that moment."""
    terms = words.kind.clocks
    return [
        explain.view_of(state, title=words.clock(name), now=stood.at, terms=terms.get(name))
        for name, state in stood.clocks.items()
    ]


def documents_then(
    stood: Stood, words: Words, learnt: Learnt | None
) -> list[tuple[str, str, Put | None, str]]:
    """Each document with its state; in the corrected reading with what was learnt since."""
    found = []
    known = learnt.documents if learnt else {}
    for name in [*stood.documents, *(one for one in known if one not in stood.documents)]:
        recorded, put = stood.documents.get(name, ""), known.get(name)
        shown = put.known if put else recorded
        other = (document_words(recorded) or _("not known")) if put else ""
        found.append((words.document(name), document_words(shown), put, other))
    return found


def facts_then(stood: Stood, words: Words, learnt: Learnt | None) -> list[Fact]:
    """The facts that had a value, or have one by what is known now."""
    known = learnt.as_known(stood) if learnt else stood.facts
    found = []
    for name in known:
        put = learnt.facts.get(name) if learnt else None
        said = fact_words(words, name, known[name])
        other = fact_words(words, name, put.recorded) or _("nothing") if put else ""
        if said or put:
            found.append(Fact(words.fact(name), said or _("nothing"), put, other))
    return found


# -- changes


def changes(before: Stood | None, after: Stood, words: Words, *, with_facts: bool) -> list[Change]:
    """What differs between two states of a case."""
    if before is None:
        before = _nothing(after)
    found = [
        Change(_("Step"), words.step(before.step) if before.step else "", words.step(after.step))
        if before.step != after.step
        else None,
        _changed(_("Outcome"), plain(before.outcome), plain(after.outcome)),
        _changed(_("Waited for"), _whom(before), _whom(after)),
        _changed(_("Step deadline"), _until(before), _until(after)),
        _changed(
            _("Stopped by a fault"),
            _("yes") if before.is_stopped else "",
            _("yes") if after.is_stopped else _("no") if before.is_stopped else "",
        ),
    ]
    found += _of_tasks(before, after, words)
    for name in _names(before.documents, after.documents):
        said = [
            document_words(one.documents[name]) if name in one.documents else ""
            for one in (before, after)
        ]
        found.append(_changed(words.document(name), *said))
    if with_facts:
        for name in _names(before.facts, after.facts):
            if before.facts.get(name) != after.facts.get(name):
                told = [fact_words(words, name, one.facts.get(name)) for one in (before, after)]
                found.append(_changed(words.fact(name), *told))
    found += _of_clocks(before, after, words)
    return [one for one in found if one is not None]


def _nothing(after: Stood) -> Stood:
    """The state of a case that was not there."""
    return Stood(
        reference=after.reference,
        number=0,
        at=after.at,
        step="",
        visit=0,
        facts={},
        documents={},
        waits=[],
        clocks={},
        tasks=[],
        closed=False,
        code_digest="",
    )


def _changed(what: str, before: str, after: str) -> Change | None:
    return Change(what, before, after) if before != after else None


def _names(*some: Mapping[str, Any]) -> list[str]:
    return list(dict.fromkeys(name for one in some for name in one))


def _whom(stood: Stood) -> str:
    whom = dict.fromkeys(one["on"] for one in stood.waits)
    told = {"time": _("a time to come"), "Longcase": "Longcase"}
    return capitalised(", ".join(told.get(one) or party(one) for one in whom))


def _until(stood: Stood) -> str:
    ends = [one["until"] for one in stood.waits if one["until"] is not None]
    return dates.moment(min(ends)) if ends else ""


def _of_tasks(before: Stood, after: Stood, words: Words) -> Iterable[Change | None]:
    known: list[dict[Any, Mapping[str, Any]]] = [
        {(one["visit"], one["command"]): one for one in stood.tasks} for stood in (before, after)
    ]
    for key in dict.fromkeys([*known[0], *known[1]]):
        was, is_ = known[0].get(key), known[1].get(key)
        one = is_ or was
        assert one is not None
        if was is not None and is_ is None:
            if was["state"] != "open":
                continue
            is_ = {**was, "state": "cancelled"}  # it ended with its step
        title = of_steps(one["title"]) or plain(one["name"])
        yield _changed(title, _state(was, words), _state(is_, words))


def _state(task: Mapping[str, Any] | None, words: Words) -> str:
    if task is None:
        return ""
    match task["state"]:
        case "open" if task["holder"]:
            return _("with %(who)s") % {"who": words.person(task["holder"])}
        case "open":
            return _("open, nobody had it")
        case "done":
            return _("done: %(outcome)s") % {"outcome": plain(task["outcome"]).lower()}
        case "taken_back":
            return _("taken back")
    return _("no longer needed")


def _of_clocks(before: Stood, after: Stood, words: Words) -> Iterable[Change | None]:
    states = {
        "running": _("runs"),
        "paused": _("stands still"),
        "stopped": _("is stopped"),
    }

    def said(stood: Stood, name: str) -> str:
        state = stood.clocks.get(name)
        if state is None:
            return ""
        limit = dates.moment(state.limit_at) if state.limit_at else _("open")
        word = states.get(state.word, state.word)
        return _("%(state)s, limit %(limit)s") % {"state": word, "limit": limit}

    for name in _names(before.clocks, after.clocks):
        yield _changed(words.clock(name), said(before, name), said(after, name))


# -- steps then


@dataclass(frozen=True, slots=True)
class StepThen:
    """One line of the list of steps: where the case had been, was, and might come."""

    label: str
    state: str  # done, here, ended, ahead
    days: str = ""
    number: int = 0  # of the event that entered it
    ways: tuple[str, ...] = ()


MOST_STEPS = 12


def steps_then(
    case: Case, stood: Stood, entries: Sequence[Entered], words: Words, ways: Sequence[str]
) -> tuple[list[StepThen], int]:
    """The steps up to then and those of the main line still ahead; and how many are left out."""
    found = []
    shown = entries[-MOST_STEPS:]
    for place, one in enumerate(shown):
        is_last = place == len(shown) - 1
        state = ("ended" if stood.closed else "here") if is_last else "done"
        days = dates.day(one.at) if is_last else dates.from_to(one.at, one.until, stood.at)
        onward = tuple(ways) if is_last else ()
        found.append(StepThen(words.step(one.step), state, days, one.number, onward))
    if not stood.closed:
        found += [
            StepThen(label, "ahead") for label in _ahead(words, [one.step for one in entries])
        ]
    return found, max(stood.visit - len(shown), 0)


def _ahead(words: Words, been: Sequence[str]) -> list[str]:
    """The stages of the main line after the furthest one that the case had come to."""
    line: Sequence[tuple[Any, Sequence[str]]] = getattr(words.kind, "main_line", ())
    last = max(
        (place for place, (_l, steps) in enumerate(line) if set(steps) & set(been)), default=-1
    )
    return [str(label) for label, _steps in line[last + 1 :]]
