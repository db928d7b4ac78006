"""The authoring words: what a step's code can ask for and wait for.

    async def underwriting(case: LoanApplication):
        score = await score_credit(national_id=case.national_id)
        review = await ask_review("underwriting", role="underwriter", due=working_days(5))
        if review.outcome == "decline":
            return case.decline(reason=review.reason)
        return case.order_appraisal()

Each word returns something to await. Nothing here touches the world: the engine records what was
asked, and a later event brings the answer, perhaps weeks later and on another machine.
"""

from __future__ import annotations

import inspect
import random as chances
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from types import TracebackType
from typing import Any
from uuid import UUID

from processes.activities import undoing
from processes.decisions.tables import DecisionTable
from processes.engine.clockwords import (
    ClockLimit,
    clock_limit,
    clock_state,
    extend_clock,
    pause_clock,
    resume_clock,
    start_clock,
    stop_clock,
)
from processes.engine.commands import (
    AskDocuments,
    AskParty,
    AskTask,
    AwaitMessage,
    Command,
    DecideByTable,
    OpenSubcase,
    SetTimer,
    Waitable,
)
from processes.engine.errors import DeadlinePassed
from processes.engine.runner import current
from timers.spans import Span

__all__ = [
    "clock_limit",
    "clock_state",
    "extend_clock",
    "pause_clock",
    "resume_clock",
    "start_clock",
    "stop_clock",
]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a task ended."""

    outcome: str
    reason: str
    by: str  # the actor, for `unlike=`
    at: datetime
    result: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a message or a third party's answer brought."""

    data: Any
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class SubcaseEnd:
    """How a sub-case ended."""

    reference: str
    outcome: str
    facts: dict[str, Any]


# -- people


def ask_review(
    name: str,
    *,
    role: str,
    due: Span | None = None,
    outcomes: Sequence[tuple[str, str] | tuple[str, str, bool]] = (
        ("approve", "Approve"),
        ("decline", "Decline", True),
    ),
    title: str = "",
    show: dict[str, Any] | None = None,
    unlike: str | Sequence[str] = (),
    asks: Sequence[tuple[str, str, str]] = (),
    met: str = "",
    otherwise: str = "",
) -> AskTask:
    """Ask a person of this role to judge. Gives an Outcome.

    `outcomes` are (value, words, whether a reason is required); `unlike` names actors who may not
    do it, such as `first.by` (four eyes); `asks` are further fields of the form as (name, label,
    kind: text, money, date, yes). When it is overdue, the supervisors are told.
    """
    return _task(
        name, True, role, due, outcomes, title, show, unlike, asks, met=met, otherwise=otherwise
    )


def ask_task(
    name: str,
    *,
    role: str,
    due: Span | None = None,
    outcomes: Sequence[tuple[str, str] | tuple[str, str, bool]] = (("done", "Done"),),
    title: str = "",
    show: dict[str, Any] | None = None,
    unlike: str | Sequence[str] = (),
    asks: Sequence[tuple[str, str, str]] = (),
    met: str = "",
    otherwise: str = "",
) -> AskTask:
    """Ask a person of this role to do something. Gives an Outcome."""
    return _task(
        name, False, role, due, outcomes, title, show, unlike, asks, met=met, otherwise=otherwise
    )


def _task(
    name: str,
    is_review: bool,
    role: str,
    due: Span | None,
    outcomes: Sequence[Sequence[Any]],
    title: str,
    show: dict[str, Any] | None,
    unlike: str | Sequence[str],
    asks: Sequence[Sequence[str]],
    *,
    met: str,
    otherwise: str,
) -> AskTask:
    words = name.replace("_", " ").capitalize()
    if not title:
        is_said = not is_review or words.lower().endswith("review")
        title = words if is_said else f"{words} review"
    for what, text, most in (("name", name, 80), ("role", role, 80), ("title", title, 200)):
        if len(text) > most:
            raise ValueError(f"A task's {what} has at most {most} characters: {text[:40]}…")
    return AskTask(
        name,
        title=title,
        is_review=is_review,
        role=role,
        due=due,
        show=show or {},
        unlike=[unlike] if isinstance(unlike, str) else list(unlike),
        outcomes=[[*one, False][:3] for one in outcomes],
        asks=[list(one) for one in asks],
        met=met,
        otherwise=otherwise or (due is not None and "the supervisors are told") or "",
    )


# -- parties and the outside


def documents(
    *names: str,
    of: str = "applicant",
    enough: str = "accepted",
    reason: str = "",
    afresh: bool = False,
    met: str = "",
    otherwise: str = "",
) -> AskDocuments:
    """Ask a party for documents. Settles when each is accepted, or received if `enough` says so.

    What came in before counts, unless they are asked for `afresh`. A rejected document is asked
    for again by itself.
    """
    if enough not in ("accepted", "received"):
        raise ValueError(f"enough={enough!r}: documents are enough when accepted or received.")
    if not names:
        raise ValueError("documents() needs the name of at least one document.")
    return AskDocuments(
        names, of=of, enough=enough, met=met, otherwise=otherwise, reason=reason, afresh=afresh
    )


def replaced_papers() -> tuple[tuple[str, int], ...]:
    """Papers that were accepted, and of which a newer version came in during this visit, as
    (name, version). What was judged before rests on the older one."""
    return tuple(sorted(current().replaced.items()))


def message(
    name: str, *, of: str = "applicant", met: str = "", otherwise: str = ""
) -> AwaitMessage:
    """Wait for a message of this name. Gives an Answer. One that came early counts."""
    return AwaitMessage(name, of=of, met=met, otherwise=otherwise)


def callback(
    name: str, *, on: str, open_for: Span | None = None, met: str = "", otherwise: str = ""
) -> AskParty:
    """Wait for a third party's answer. Gives an Answer.

    Its `.key` goes to the activity that writes to the party; `attempt.address_of(key)` makes the
    signed address from it, which expires after `open_for`.
    """
    return AskParty(name, on=on, open_for=open_for, met=met, otherwise=otherwise)


def subcase(kind: str, *, title: str = "", met: str = "", **facts: Any) -> OpenSubcase:
    """Open a case of another kind and wait until it is closed. Gives a SubcaseEnd."""
    return OpenSubcase(kind, title=title, facts=facts, met=met)


# -- rules


def decide(table: DecisionTable, **facts: Any) -> DecideByTable:
    """Ask a decision table. Gives a Decision: `decision["decider"]`, `decision.because`.

    The version that is valid on the day of the question answers. History keeps its name, version
    and digest, the facts, the rules that fitted and what they said. Facts for which the table has
    no answer stop the case with an incident that names them.
    """
    return DecideByTable(table, facts)


# -- time


def sleep(span: Span | ClockLimit, *, name: str = "") -> SetTimer:
    """Wait this long, or until a clock's time is up. Gives the moment at which it ended."""
    return _timer(span, name)


def _timer(span: Span | ClockLimit, name: str) -> SetTimer:
    if isinstance(span, ClockLimit):
        return SetTimer(clock=span.name, name=name)
    return SetTimer(span=span, name=name)


def sleep_until(moment: datetime, *, name: str = "") -> SetTimer:
    """Wait until this moment; not at all when it is past."""
    return SetTimer(at=moment, name=name)


class deadline:
    """A block that ends at the latest after this span. True afterwards when its time was up.

    deadline(clock_limit("term")) ends with a business clock, wherever its limit moves.

    `then` says what happens in that case, for the people who wait: "the application lapses".
    """

    def __init__(self, span: Span | ClockLimit, *, then: str = "") -> None:
        self.then = then
        self.timer = _timer(span, "deadline")
        self.timer.watches = True
        self.passed = False

    def __bool__(self) -> bool:
        return self.passed

    async def __aenter__(self) -> deadline:
        runner = current()
        strand = runner.strand
        assert strand is not None
        runner.issue(self.timer)
        self._inside = True
        strand.deadlines.append(self)

        def pass_by() -> None:
            if self._inside:
                strand.throw(DeadlinePassed(self))

        self.timer.on_settle(pass_by)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        self._inside = False
        if kind is GeneratorExit:
            return False  # the run is over; this is no part of the story
        strand = current().strand
        if strand is not None and self in strand.deadlines:
            strand.deadlines.remove(self)
        self.timer.cancel()
        if isinstance(error, DeadlinePassed) and error.args[0] is self:
            self.passed = True
            return True
        return False


def changed(name: str) -> bool:
    """Whether to take the code as it was changed: the marker of a small change under open cases.

        if changed("letter before the review"):
            await letter("received")

    False for a visit that had passed this line when the change was deployed, True for all that
    come to it later; the first answer holds for the whole visit. A True is one event of the case.
    """
    if not name or len(name) > 80:
        raise ValueError(f"changed() needs a name of 1 to 80 characters: {name[:40]!r}")
    return current().has_changed(name)


def now() -> datetime:
    """The moment of the event that woke this code: the same in every replay."""
    moment = current().now
    assert moment is not None
    return moment


class Chance(chances.Random):
    """A source of chance whose seed comes from the history."""

    replays = True


def random() -> Chance:
    """A source of chance that replays the same. For secrets, use an activity."""
    return Chance(current().chance())


def uuid() -> UUID:
    """A unique id that replays the same."""
    return UUID(bytes=current().chance()[:16], version=4)


# -- several at once


class _All(Waitable):
    """Settles when every member has, or when the first one fails."""

    def __init__(self, members: list[Waitable]) -> None:
        super().__init__()
        self.members = members
        for member in members:
            member.on_settle(self._look)
        if not members:
            self.settle([])

    def _look(self) -> None:
        failed = next((m.error for m in self.members if m.settled and m.error), None)
        if failed is not None:
            self.settle(error=failed)
            self.cancel()
        elif all(m.settled for m in self.members):
            self.settle([m.value for m in self.members])

    def cancel(self) -> None:
        for member in self.members:
            if not member.settled:
                member.cancel()


class _First(Waitable):
    """Settles with the first member that does, and cancels the others."""

    def __init__(self, members: list[Waitable]) -> None:
        super().__init__()
        self.members = members
        for place, member in enumerate(members):
            member.on_settle(partial(self._won, place, member))

    def _won(self, place: int, member: Waitable) -> None:
        if self.settled:
            return
        if member.error is not None:
            self.settle(error=member.error)
        else:
            self.settle(First(place, member.value))
        self.cancel()

    def cancel(self) -> None:
        for member in self.members:
            if not member.settled:
                member.cancel()


@dataclass(frozen=True, slots=True)
class First:
    """Which of several came first: its place in the call, from 0, and its value."""

    place: int
    value: Any


def start(thing: Awaitable[Any]) -> Waitable:
    """Begin something without waiting for it yet: an activity, a wait, or an async function."""
    runner = current()
    if isinstance(thing, Command):
        if thing.runner is None:
            runner.issue(thing)
        thing.require_wanted()
        return thing
    if isinstance(thing, Waitable):
        return thing
    if inspect.iscoroutine(thing):
        return runner.spawn(thing)
    raise TypeError(f"{thing!r} is nothing that a step can wait for.")


async def all_of(*things: Awaitable[Any]) -> list[Any]:
    """Wait for all, side by side. The first failure cancels the rest and is raised."""
    return await _All([start(thing) for thing in things])


async def first_of(*things: Awaitable[Any]) -> First:
    """Wait for the first of several. The others are cancelled."""
    if not things:
        raise ValueError("first_of() needs something to wait for.")
    return await _First([start(thing) for thing in things])


async def compensate() -> None:
    """Undo what this visit's activities did, the last one first, by their `compensate=`."""
    runner = current()
    while runner.completed:
        command, result = done = runner.completed[-1]
        definition = command.definition  # type: ignore[attr-defined]
        key = command.done_as or f"{runner.case.case_id}.{runner.visit}.{command.number}"  # type: ignore[attr-defined]
        await definition.compensate(**undoing(key, command.arguments, result))  # type: ignore[attr-defined]
        runner.completed.remove(done)  # only now: the step may be left while it is being undone
