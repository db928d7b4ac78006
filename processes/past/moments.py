"""One event of a case and the case as it stood then, with all that its page shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from audit.chain import GENESIS, link
from audit.models import Event
from audit.record import Recorded
from cases import fsm, queries, timeline
from cases.models import Case
from cases.standing import leads_from
from cases.timeline import Entry
from cases.words import Words
from processes.drawing.svg import Marks, drawn
from processes.engine.folding import Stood
from processes.engine.replay import Moment, look_at_code, moment_of
from processes.handbook import book
from processes.kinds import kind_of
from processes.past import coding, finding, telling
from processes.past.coding import Code
from processes.past.finding import Choice, Entered
from processes.past.learning import Learnt, learnt_since

NEAR = 10  # events shown before and after this one
VISITS = 200  # of steps, of which the list and the drawing tell
TASKS = 300  # of the case that words may name, the last opened ones


@dataclass(slots=True)
class Neighbour:
    """An event in the list beside the page."""

    entry: Entry
    silence: str  # before it
    is_this: bool
    is_far: bool  # left out where there is little room


@dataclass(slots=True)
class Seen:
    """What the page of one event shows."""

    moment: Moment
    entry: Entry
    words: Words
    sort: str
    matches: bool  # the fingerprint is that of the event and of all before it
    neighbours: list[Neighbour]
    previous: int | None
    next: int | None
    changes: list[telling.Change]
    with_values: bool
    is_story: bool
    is_corrected: bool
    learnt: Learnt
    learnt_told: list[tuple[Recorded, Entry]]
    facts: list[telling.Fact]
    documents: list[Any]
    waits: list[telling.Wait]
    tasks: list[telling.Work]
    clocks: list[Any]
    caseworker: str
    staff: str  # who was to move it on, of a step without code
    steps: list[telling.StepThen]
    steps_left_out: int
    drawing: SafeString | None
    code: Code

    @property
    def stood(self) -> Stood:
        return self.moment.after

    @property
    def event(self) -> Recorded:
        return self.moment.event

    @property
    def fingerprint(self) -> str:
        return bytes(self.event.hash).hex()

    @property
    def last_near(self) -> int:
        """The number of the last event in the list beside the page."""
        return self.neighbours[-1].entry.number

    @property
    def is_late(self) -> bool:
        """It was recorded after it had happened."""
        return self.event.happened_at < self.event.recorded_at


def seen(
    case: Case,
    number: int,
    *,
    everything: bool,
    corrected: bool,
    drawn: bool,
    with_values: bool,
) -> Seen:
    """Everything about one event. Raises NoSuchEvent."""
    moment = moment_of(case, number)
    look_at_code(case, moment)
    stood, event = moment.after, moment.event
    words = words_for(case, upto=number)
    before, after = around(case, number, words, everything=everything)
    learnt = learnt_since(case, stood)
    finding.learn(case, [event, *learnt.events], words)
    learn_people([stood, *([moment.before] if moment.before else [])], words)
    entries = finding.entries_upto(case, number, most=VISITS)
    entry = timeline.tell(event, words)
    if not with_values:
        entry.lines = []
    shown = learnt if corrected else None
    steps, left_out = telling.steps_then(case, stood, entries, words, ways_from(case, stood, words))
    kind = kind_of(case.kind)
    return Seen(
        moment=moment,
        entry=entry,
        words=words,
        sort=next(
            (
                str(label)
                for label, begins in finding.SORTS.values()
                if event.type.startswith(begins)
            ),
            "",
        ),
        matches=fits(moment),
        neighbours=_neighbours([*before.events, event, *after.events], event, words),
        previous=before.events[-1].number if before.events else None,
        next=after.events[0].number if after.events else None,
        changes=[*_of_owner(event, words)]
        + telling.changes(moment.before, stood, words, with_facts=with_values),
        with_values=with_values,
        is_story=not everything,
        is_corrected=corrected,
        learnt=learnt,
        learnt_told=[(one, timeline.tell(one, words)) for one in learnt.events],
        facts=telling.facts_then(stood, words, shown) if with_values else [],
        documents=telling.documents_then(stood, words, shown),
        waits=telling.waits_then(stood, words),
        tasks=telling.tasks_then(stood, words),
        clocks=telling.clocks_then(stood, words),
        caseworker=_caseworker(case, number, words),
        staff=kind.staff_steps[stood.step].role if stood.step in kind.staff_steps else "",
        steps=steps,
        steps_left_out=left_out,
        drawing=drawing_then(case, stood, entries) if drawn else None,
        code=coding.code_at(case, moment),
    )


def around(
    case: Case, number: int, words: Words, *, everything: bool
) -> tuple[finding.Found, finding.Found]:
    """The events before this one and after it."""
    choice = Choice(everything=everything)
    before = finding.Found([], number, number, has_earlier=False, has_later=False)
    if number > 1:
        before = finding.find(case, choice, words, upto=number - 1, most=NEAR, tell_ends=False)
    return before, finding.find(case, choice, words, after=number, most=NEAR, tell_ends=False)


def words_for(case: Case, *, upto: int) -> Words:
    """The names that were in use up to an event."""
    tasks = case.tasks.filter(opened_number__lte=upto).order_by("-opened_number", "-pk")[:TASKS]
    titles = case.requirements.values_list("name", "title")[:TASKS]
    return Words(kind_of(case.kind), tasks=list(tasks)[::-1], titles=dict(titles))


def learn_people(states: Iterable[Stood], words: Words) -> None:
    """Let the words know whoever these states name."""
    codes = {f"person:{one['holder']}" for stood in states for one in stood.tasks if one["holder"]}
    codes |= {
        code
        for stood in states
        for value in stood.facts.values()
        if isinstance(value, str) and value.startswith("person:")
        for code in value.split()
    }
    words.people = {**words.people, **queries.people_named(codes, words.people)}


def fits(moment: Moment) -> bool:
    """Whether the event is what was recorded after the one before it."""
    event, previous = moment.event, moment.previous
    if event.number > 1 and (previous is None or previous.number != event.number - 1):
        return False
    sealed = link(
        bytes(previous.hash) if previous is not None else GENESIS,
        event.case_id,
        event.number,
        event.type,
        event.data_text,
        event.actor,
        event.on_behalf,
        event.happened_at,
        event.recorded_at,
    )
    return sealed == bytes(event.hash)


def ways_from(case: Case, stood: Stood, words: Words) -> list[str]:
    """Where the case could go on to from its step, then."""
    if stood.closed or not stood.step:
        return []
    edges = [one for one in fsm.edges(type(case)) if leads_from(one, stood.step)]
    return list(dict.fromkeys(words.step(one.target) for one in edges))


def drawing_then(case: Case, stood: Stood, entries: list[Entered]) -> SafeString:
    """The steps drawn, with where the case had been and stood."""
    layout = book.drawing_of(kind_of(case.kind), around=stood.step)
    visited = frozenset(one.step for one in entries)
    marks = Marks(current=stood.step, visited=visited, now=_("then"))
    return mark_safe(drawn(layout, marks))  # made by us; labels are escaped there


def _neighbours(events: list[Recorded], this: Recorded, words: Words) -> list[Neighbour]:
    found: list[Neighbour] = []
    for place, event in enumerate(events):
        entry = timeline.tell(event, words)
        gap = timeline.silence(found[-1].entry.at, entry.at) if found else ""
        far = abs(place - events.index(this)) > 2
        found.append(Neighbour(entry, gap, event is this, far))
    return found


def _of_owner(event: Recorded, words: Words) -> list[telling.Change]:
    """Who had the case before an event that gave it to somebody, and after."""
    data = event.data
    if event.type == "case.opened":
        before, after = None, data.get("owner")
    elif event.type == "case.assigned":
        before, after = data.get("before"), data.get("owner")
    else:
        return []
    said = [words.person(one) if one else "" for one in (before, after)]
    return [telling.Change(_("Caseworker"), *said)] if said[0] != said[1] else []


def _caseworker(case: Case, number: int, words: Words) -> str:
    """Who had the case then."""
    given = Event.objects.filter(
        case_id=case.pk, number__lte=number, type__in=["case.opened", "case.assigned"]
    )
    last = given.order_by("-number").first()
    owner: Any = last.data.get("owner") if last is not None else None
    if not owner:
        return ""
    words.people = {**words.people, **queries.people_named([f"person:{owner}"], words.people)}
    return words.person(owner)
