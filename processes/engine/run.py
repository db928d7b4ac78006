"""One case in a turn: its locked row, its code as far as it got, and what will be written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import DEFAULT_DB_ALIAS
from django.db.models.base import ModelState

from audit import keys
from audit.keys import Destroyed, Key, Made
from audit.record import Recorded
from audit.sealing import Sealer
from processes.engine.rows import ActivityRow
from processes.engine.runner import Runner
from processes.engine.standing import Open, track
from processes.kinds import Kind
from timers import clocks
from timers.clocks import ClockState
from timers.due import TimerKey, TimerRow

_OF_CLOCKS = clocks.EVENTS | {"step.entered"}


@dataclass(slots=True)
class Writes:
    """What a run adds to the turn's statements, in order."""

    events: list[Recorded] = field(default_factory=list)
    activities: list[ActivityRow] = field(default_factory=list)
    dropped_activities: list[tuple[int, int, int]] = field(default_factory=list)
    timers: list[TimerRow] = field(default_factory=list)
    dropped_timers: list[TimerKey] = field(default_factory=list)
    messages: list[tuple[int, str, int | None, str, datetime]] = field(default_factory=list)
    later: list[Any] = field(default_factory=list)  # rarer rows, as calls made at the flush

    def lengths(self) -> tuple[int, ...]:
        return tuple(len(getattr(self, name)) for name in self.__slots__)

    def cut(self, lengths: tuple[int, ...]) -> None:
        for name, length in zip(self.__slots__, lengths, strict=True):
            del getattr(self, name)[length:]


@dataclass(slots=True)
class Mark:
    """A point to which a run can be taken back when its code fails."""

    row: dict[str, Any]
    lengths: tuple[int, ...]
    open: Open
    documents: dict[str, str]
    clocks: dict[str, ClockState]
    facts: dict[str, Any]
    incident: str
    entered: Recorded | None
    events: list[Recorded]
    event_count: int
    kept: list[dict[str, Any]]


class Run:
    """One case in a turn. It is the head of the case's chain while the row is locked."""

    def __init__(self, *, row: dict[str, Any], kind: Kind, is_new: bool = False) -> None:
        self.row = row
        self.locked = dict(row)  # as the database has it
        self.kind = kind
        self.is_new = is_new
        self.is_opened = is_new  # in this turn, whether or not its rows are written yet
        self._case: Any = None
        self.entered: Recorded | None = None
        self.events: list[Recorded] = []  # of this visit, after its entry
        self.runner: Runner | None = None
        self.open: Open = {}
        self.documents: dict[str, str] = {}
        self.clocks: dict[str, ClockState] = {}
        self.stored_clocks: dict[str, ClockState] = {}  # as the database has them
        self.writes = Writes()
        self.cause = ""  # the actor for whom the engine acts in this turn
        self.stand_in = ("", "")  # an actor who acts for another here, and that other
        self.incident = ""  # the kind of its open incident
        self.savepoint: Any = None
        self.facts_changed = False
        self.stored_facts: dict[str, Any] = {}  # as the database has them
        self.kept: list[dict[str, Any]] = []  # results of before a restart, not asked for yet
        self.given: dict[str, Any] | None = None  # the one that the last command asked for
        self.sealer: Sealer | None = None  # seals what is personal in its events
        self.made_key: Made | None = None  # one that no row has yet
        self.marked_by: list[Any] = []  # the facts that identify its person, as the key has them

    # the Head protocol of audit.record

    @property
    def case_id(self) -> int:
        return self.row["id"]

    @property
    def head_number(self) -> int:
        return self.row["head_number"]

    @head_number.setter
    def head_number(self, number: int) -> None:
        self.row["head_number"] = number

    @property
    def head_hash(self) -> bytes:
        return self.row["head_hash"]

    @head_hash.setter
    def head_hash(self, sealed: bytes) -> None:
        self.row["head_hash"] = sealed

    def seal_with(
        self, key: Key | Destroyed | None, *, facts: Mapping[str, Any], now: datetime
    ) -> None:
        """Use the key of a case that has these facts; make one for a case that has none."""
        self.marked_by = [facts.get(name) for name in self.kind.identified_by]
        if key is None:
            marks = {self.case_id: self.kind.marks(facts)}
            [self.made_key] = keys.make(marks, made_at=now)
            key = self.made_key.key
        self.sealer = Sealer(self.kind.rules, key)

    # shorthand

    @property
    def case(self) -> Any:
        """The case in memory; made when first looked at, unless the step's code has one."""
        if self._case is None:
            self.build(self.stored_facts)
        return self._case

    @property
    def visit(self) -> int:
        return self.row["visit"]

    @property
    def last_at(self) -> datetime | None:
        """When the newest event that is known here was recorded."""
        newest = self.events[-1] if self.events else self.entered
        return newest.recorded_at if newest is not None else None

    @property
    def is_closed(self) -> bool:
        return self.row["closed_at"] is not None

    @property
    def reference(self) -> str:
        return self.row["reference"]

    @property
    def facts(self) -> dict[str, Any]:
        """The facts as they stand in memory, by column name."""
        return {name: getattr(self.case, name) for name in self.kind.fact_names}

    @property
    def is_parked(self) -> bool:
        """Its code cannot run until the incident is over; events are still recorded."""
        return self.incident in ("code", "mismatch")

    def note(self, event: Recorded) -> None:
        """Keep what this event changes of the run's own state."""
        track(self.open, self.documents, event)
        if (self.clocks and event.type in _OF_CLOCKS) or event.type == "clock.started":
            clocks.track(self.clocks, event.type, event.data, event.recorded_at)
        if event.type == "incident.opened":
            self.incident = event.data["kind"]
        elif event.type == "incident.closed":
            self.incident = ""

    def mark(self) -> Mark:
        return Mark(
            row=dict(self.row),
            lengths=self.writes.lengths(),
            open=dict(self.open),
            documents=dict(self.documents),
            clocks=dict(self.clocks),
            facts=self.facts,
            incident=self.incident,
            entered=self.entered,
            events=self.events,
            event_count=len(self.events),
            kept=list(self.kept),
        )

    def back_to(self, mark: Mark) -> None:
        """Forget what happened since the mark."""
        self.row = dict(mark.row)
        self.writes.cut(mark.lengths)
        self.open = dict(mark.open)
        self.documents = dict(mark.documents)
        self.clocks = dict(mark.clocks)
        self.incident = mark.incident
        self.entered, self.events = mark.entered, mark.events
        del self.events[mark.event_count :]
        self.kept, self.given = list(mark.kept), None
        self.build(mark.facts)

    def build_as_entered(self) -> Any:
        """Make the case in memory anew, as it stood at the checkpoint."""
        assert self.entered is not None
        self.build(self.entered.data["facts"])
        return self._case

    def build(self, facts: dict[str, Any]) -> None:
        """Make the case in memory anew, with these facts."""
        model: Any = self.kind.model
        values = dict(self.row)
        values["waits"] = []  # a projection, which step code has no business with
        values.update(facts)
        values[model._meta.pk.attname] = self.row["id"]
        # As Model.from_db would, without asking each of forty fields: what is in memory already
        # needs no conversion, and this runs at every replay.
        case = model.__new__(model)
        case._state = ModelState()
        case._state.adding, case._state.db = False, DEFAULT_DB_ALIAS
        case.__dict__.update(values)
        self._case = case
