"""What a step's code can ask of the engine. Each command is recorded as one event.

A command is made by a word of `words.py`, gets its number within the visit when it is issued, and
is settled by a later event. Here are only its data; `turn.py` makes the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar

from processes.engine.errors import Cancelled, DeadlinePassed, StepBroken
from processes.engine.phrases import phrase
from timers.clocks import COMMANDED

if TYPE_CHECKING:
    from audit.record import Recorded
    from processes.decisions.tables import DecisionTable
    from processes.engine.runner import Runner
    from processes.engine.words import deadline

_MISSING = object()


class Waitable:
    """Something that settles once, with a value or an error."""

    __slots__ = ("settled", "value", "error", "heard", "_listeners")

    def __init__(self) -> None:
        self.settled = False
        self.heard = False  # somebody waited for it when it settled
        self.value: Any = None
        self.error: BaseException | None = None
        self._listeners: list[Callable[[], None]] = []

    def settle(self, value: Any = None, error: BaseException | None = None) -> None:
        if self.settled:
            return
        self.settled, self.value, self.error = True, value, error
        listeners, self._listeners = self._listeners, []
        self.heard = bool(listeners)
        for listener in listeners:
            listener()

    def on_settle(self, listener: Callable[[], None]) -> None:
        if self.settled:
            listener()
        else:
            self._listeners.append(listener)

    def take(self) -> Any:
        """The value; raises the error if there is one."""
        self.heard = True
        if self.error is not None:
            raise self.error
        return self.value

    def cancel(self) -> None:
        """Nobody waits for this any more."""

    def __await__(self) -> Generator[Waitable, None, Any]:
        if not self.settled:
            try:
                yield self
            except (Cancelled, DeadlinePassed):
                self.cancel()
                raise
        self.heard = True
        if self.error is not None:
            raise self.error
        return self.value


class Command(Waitable):
    """One thing that a step's code asked for."""

    __slots__ = (
        "runner",
        "number",
        "recorded_at",
        "deadline",
        "met",
        "otherwise",
        "on",
        "until",
        "is_cancelled",
        "place",
    )

    event: ClassVar[str]
    waits_as: ClassVar[str] = ""  # the kind of wait it makes; empty: none of its own
    opens: ClassVar[bool] = True  # it stays open until a later event settles it

    def __init__(self, *, on: str = "", met: str = "", otherwise: str = "") -> None:
        # As Waitable.__init__, without a call: step code makes many of these, and each call that it
        # leads to is watched.
        self.settled = self.heard = False
        self.value = self.error = None
        self._listeners = []
        self.runner: Runner | None = None
        self.number = 0
        self.recorded_at: datetime | None = None
        self.deadline: deadline | None = None
        self.met = met
        self.otherwise = otherwise
        self.on = on
        self.until: datetime | None = None
        self.is_cancelled = False
        self.place = ""

    def data(self) -> dict[str, Any]:
        """What its event holds besides the number."""
        return {}

    def same(self, data: dict[str, Any]) -> bool:
        """Whether a recorded event is this command. Only what identifies it is compared: a changed
        text or due time is no other question."""
        return data.get("name") == getattr(self, "name", None)

    def recorded(self, data: dict[str, Any], at: datetime) -> None:
        """Its event stands in the history."""
        self.recorded_at = at
        self.until = data.get("due_at", self.until)

    def words(self) -> str:
        """What is asked, for a person who reads a mismatch."""
        return phrase(self.event, self.data())

    def cancel(self) -> None:
        if self.runner is not None and not self.settled and not self.is_cancelled:
            self.is_cancelled = True
            self.runner.cancelled(self)

    def __await__(self) -> Generator[Waitable, None, Any]:
        # As Waitable.__await__, without a call. The strand issues what it is given to wait for, out
        # of the sight of the guard: what step code calls is watched, and that costs.
        if not self.settled:
            if self.is_cancelled:
                self.require_wanted()
            try:
                yield self
            except (Cancelled, DeadlinePassed):
                self.cancel()
                raise
        self.heard = True
        if self.error is not None:
            raise self.error
        return self.value

    def require_wanted(self) -> None:
        """Raise StepBroken for what was given up before: it would never settle."""
        if self.is_cancelled and not self.settled:
            raise StepBroken(
                f"The code waits for {self.words()}, which it gave up before: the losers of "
                "first_of() and what a passed deadline held are cancelled."
            )


class CallActivity(Command):
    """Run an activity outside and wait for its one result."""

    __slots__ = ("name", "arguments", "definition", "done_as")
    event = "activity.scheduled"
    waits_as = "activity"

    def __init__(self, definition: Any, arguments: dict[str, Any]) -> None:
        super().__init__(on=definition.on)
        self.name: str = definition.name
        self.arguments = arguments
        self.definition = definition
        self.done_as = ""  # the key under which the outside knows it, where that is another

    def data(self) -> dict[str, Any]:
        return {"name": self.name, "args": self.arguments}


class DoInside(CallActivity):
    """Run an activity on our own database, in the very transaction that records it."""

    __slots__ = ()
    event = "activity.done"
    waits_as = ""
    opens = False


class SetTimer(Command):
    """Sleep, or watch a deadline. `watches` is true for a deadline: it makes no wait of its own."""

    __slots__ = ("span", "at", "watches", "name", "clock")
    event = "timer.set"
    waits_as = "timer"

    def __init__(
        self, *, span: Any = None, at: datetime | None = None, name: str = "", clock: str = ""
    ) -> None:
        super().__init__(on="time")
        self.span = span
        self.at = at
        self.watches = False
        self.name = name
        self.clock = clock  # it ends with the limit of this business clock, wherever that moves

    def data(self) -> dict[str, Any]:
        data = {"name": self.name, "words": self.span.words() if self.span else ""}
        if self.clock:
            data["until_clock"] = self.clock
        return data

    def words(self) -> str:
        return phrase(self.event, {"name": self.name, "watch": self.watches})


class AskTask(Command):
    """A task or review for a person of a role."""

    __slots__ = ("name", "title", "is_review", "role", "due", "show", "unlike", "outcomes", "asks")
    event = "task.opened"
    waits_as = "task"

    def __init__(
        self,
        name: str,
        *,
        title: str,
        is_review: bool,
        role: str,
        due: Any,
        show: dict[str, Any],
        unlike: list[str],
        outcomes: list[list[Any]],
        asks: list[list[str]],
        met: str,
        otherwise: str,
    ) -> None:
        super().__init__(on=role, met=met, otherwise=otherwise)
        self.name, self.title, self.is_review, self.role, self.due = (
            name,
            title,
            is_review,
            role,
            due,
        )
        self.show, self.unlike, self.outcomes, self.asks = show, unlike, outcomes, asks

    def data(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "title": self.title,
            "review": self.is_review,
            "role": self.role,
            "show": self.show,
            "unlike": self.unlike,
            "outcomes": self.outcomes,
            "asks": self.asks,
        }


class AskDocuments(Command):
    """Documents of a party; settled when each is accepted (or received, where that is enough)."""

    __slots__ = ("names", "enough", "reason", "afresh")
    event = "documents.requested"
    waits_as = "documents"

    def __init__(
        self,
        names: tuple[str, ...],
        *,
        of: str,
        enough: str,
        met: str,
        otherwise: str,
        reason: str,
        afresh: bool,
    ) -> None:
        super().__init__(on=of, met=met, otherwise=otherwise)
        self.names = names
        self.enough = enough
        self.reason = reason
        self.afresh = afresh

    def data(self) -> dict[str, Any]:
        return {
            "names": list(self.names),
            "of": self.on,
            "enough": self.enough,
            "reason": self.reason,
            **({"afresh": True} if self.afresh else {}),
        }

    def same(self, data: dict[str, Any]) -> bool:
        return data["names"] == list(self.names)

    def is_met(self, documents: dict[str, str]) -> bool:
        good = ("accepted",) if self.enough == "accepted" else ("accepted", "received")
        return all(documents.get(name) in good for name in self.names)


class AwaitMessage(Command):
    """A message of this name, sent to the case by whoever may."""

    __slots__ = ("name",)
    event = "message.awaited"
    waits_as = "message"

    def __init__(self, name: str, *, of: str, met: str, otherwise: str) -> None:
        super().__init__(on=of, met=met, otherwise=otherwise)
        self.name = name

    def data(self) -> dict[str, Any]:
        return {"name": self.name, "on": self.on}


class AskParty(Command):
    """An answer of a third party to a signed, expiring address."""

    __slots__ = ("name", "open_for")
    event = "party.asked"
    waits_as = "party"

    def __init__(self, name: str, *, on: str, open_for: Any, met: str, otherwise: str) -> None:
        super().__init__(on=on, met=met, otherwise=otherwise)
        self.name = name
        self.open_for = open_for

    def data(self) -> dict[str, Any]:
        return {"name": self.name, "on": self.on}

    @property
    def key(self) -> str:
        """Names this question to an activity, which turns it into an address."""
        if self.runner is None:
            from processes.engine.runner import current

            current().issue(self)
        assert self.runner is not None
        return f"{self.runner.case.case_id}.{self.runner.visit}.{self.number}"


class OpenSubcase(Command):
    """A case of its own whose end this one waits for."""

    __slots__ = ("name", "title", "facts")
    event = "subcase.opened"
    waits_as = "subcase"

    def __init__(self, kind: str, *, title: str, facts: dict[str, Any], met: str) -> None:
        super().__init__(on=kind, met=met)
        self.name = kind
        self.title = title
        self.facts = facts

    def data(self) -> dict[str, Any]:
        return {"name": self.name, "title": self.title}


class DecideByTable(Command):
    """Ask a decision table. Its answer is recorded at once, and a later table changes nothing."""

    __slots__ = ("name", "table", "facts")
    event = "table.decided"
    opens = False

    def __init__(self, table: DecisionTable, facts: dict[str, Any]) -> None:
        super().__init__()
        self.name = table.name
        self.table = table
        self.facts = facts

    def data(self) -> dict[str, Any]:
        return {"name": self.name}


class CancelWaits(Command):
    """Waits that the code gave up by itself: losers of a race, deadlines that were kept."""

    __slots__ = ("commands",)
    event = "wait.cancelled"
    opens = False

    def __init__(self) -> None:
        super().__init__()
        self.commands: list[int] = []

    def data(self) -> dict[str, Any]:
        return {"commands": self.commands}

    def same(self, data: dict[str, Any]) -> bool:
        return data["commands"] == self.commands


class MoveClock(Command):
    """Something is done to a business clock of the case. It is done at once and waits for nothing.

    `doing` is the event, such as clock.paused; `asks` is what its words in step code were given.
    """

    __slots__ = ("doing", "name", "asks")
    opens = False

    def __init__(self, doing: str, name: str, **asks: Any) -> None:
        super().__init__()
        self.doing, self.name, self.asks = doing, name, asks

    @property
    def event(self) -> str:  # type: ignore[override]
        return self.doing

    def data(self) -> dict[str, Any]:
        return {"name": self.name}


def is_command(event: Recorded) -> bool:
    """Whether an event records a command of the step's code; staff pause clocks too."""
    return event.type in ISSUING and event.data.get("command", -1) >= 0


ISSUING = COMMANDED | frozenset(
    command.event
    for command in (
        CallActivity,
        DoInside,
        SetTimer,
        AskTask,
        AskDocuments,
        AwaitMessage,
        AskParty,
        OpenSubcase,
        DecideByTable,
        CancelWaits,
    )
)
