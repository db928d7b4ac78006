"""What a kind gives to have recorded cases played: a module `playlog` with its drivers.

    driver = LoanDriver                             # for any folder, or
    drivers = {"permit-receipt": ReceiptDriver}     # by the name of the log's folder

A driver plays the people of the log. What became of a row is kept with the row, in the commit of
its effect, so a run that was killed goes on where it stood and a second run changes nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, ClassVar, Self

from django.db import connection, transaction

from audit.record import Recorded
from cases.errors import Refused
from cases.models import Case, Message
from processes.engine import inbox
from processes.playlog.recorded import RecordedCase, Row
from processes.work.inline import Inline
from timers import calendars, clock

AFTER_END = "after the end"
REFUSED = "refused: "


@dataclass(frozen=True, slots=True)
class Answer:
    """Which of our events answers a recorded row, and how near to it in time it must be."""

    type: str  # of the event, such as "step.entered"
    where: Mapping[str, Any] = field(default_factory=dict)  # what its data has
    actor: str = ""  # who must have done it, such as "person:7"; "" anybody
    within: timedelta = timedelta()
    same_date: bool = False  # instead of `within`: the same calendar day, here

    def fits(self, event: Recorded) -> bool:
        """Whether an event is of this sort."""
        return (
            event.type == self.type
            and (not self.actor or event.actor == self.actor)
            and all(event.data.get(name) == value for name, value in self.where.items())
        )

    def is_near(self, recorded_at: datetime, ours: datetime) -> bool:
        """Whether our moment is as near to the recorded one as this row asks for."""
        if self.same_date:
            local = calendars.default().local
            return local(ours).date() == local(recorded_at).date()
        return abs(ours - recorded_at) <= self.within

    def tolerance(self) -> str:
        """How near it must be, in words."""
        if self.same_date:
            return "on the recorded date"
        hours = self.within.total_seconds() / 3600
        return "within a day" if hours == 24 else f"within {hours:g} h"


@dataclass(kw_only=True)
class Driver(ABC):
    """Plays the people of a log through one kind."""

    source: ClassVar[str]  # of the cases it opens; their key is the recorded id
    outcomes: ClassVar[dict[str, str]]  # our step → the outcome that the log names; else “open”
    parents_source: ClassVar[str] = ""  # of the cases opened from the log of parents
    parents_outcomes: ClassVar[dict[str, str]] = {}

    installation: Inline
    cases: dict[str, RecordedCase]
    parents: dict[str, RecordedCase] = field(default_factory=dict)
    ids: dict[tuple[str, str], int] = field(default_factory=dict)  # (source, recorded id) → ours
    played: set[tuple[str, str]] = field(default_factory=set)  # (source, row.key)

    def __enter__(self) -> Self:
        self.installation.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self.installation.__exit__(*error)

    # -- what a kind says

    @property
    def time_after(self) -> timedelta:
        """How long time passes after the last row: for timers that it has set."""
        return timedelta(hours=1)

    @classmethod
    def installation_on(cls, turned: clock.Turned) -> Inline:
        """The engine its cases run on; a kind may answer for the services outside."""
        return Inline(turned)

    @classmethod
    def parent_of(cls, case: RecordedCase) -> str:
        """The recorded id of a case's parent, in the log of parents; "" for none."""
        return ""

    @abstractmethod
    def prepare(self) -> None:
        """Get ready: teams and people. At a restart they are there already."""

    def look_ahead(self, rows: list[Row]) -> None:
        """See all rows before any is played: for what stands in the log later than it was known."""
        return None

    @abstractmethod
    def is_played(self, row: Row) -> bool:
        """Whether somebody's act stands behind this row; other rows are passed over."""

    @abstractmethod
    def opens(self, row: Row) -> bool:
        """Whether this row opens its case."""

    @abstractmethod
    def act(self, row: Row) -> None:
        """Do what this row tells, at its moment. A Refused becomes a misfit with its reason."""

    def is_timer(self, row: Row) -> bool:
        """Whether a timer caused this row: it is not played, the engine must bring it about."""
        return False

    def answer(self, row: Row) -> Answer | None:
        """Which of our events answers this row. Needed for rows that a timer caused; for the
        others it names what must stand among the events that the row brought about."""
        return None

    def timer_answers(self) -> dict[str, Answer]:
        """Recorded activities that timers cause, with the answer to one: to count those of ours
        that the log does not have."""
        return {}

    def actor_code(self, row: Row) -> str:
        """Who must stand behind one of the events of this row; "" where the log does not say."""
        return ""

    def takes_after_end(self, row: Row) -> bool:
        """Whether a closed case still takes this row."""
        return False

    def recorded_outcome(self, case: RecordedCase) -> str:
        """How a recorded case ended; where the log has no word for it, told from its rows."""
        return case.outcome

    def outcome_of(self, case: Case) -> str:
        """How one of its cases ended, in the words of the log."""
        known = self.parents_outcomes if case.source == self.parents_source else self.outcomes
        return known.get(case.step, "open")

    def why(self, case: Case) -> str:
        """What there is to say of a case that did not end as recorded."""
        return ""

    # -- what playing is

    @classmethod
    def at(
        cls,
        turned: clock.Turned,
        cases: dict[str, RecordedCase],
        parents: dict[str, RecordedCase] | None = None,
    ) -> Self:
        """A driver for these cases, on this clock."""
        return cls(installation=cls.installation_on(turned), cases=cases, parents=parents or {})

    def begin(self) -> None:
        """Get ready, and find what an earlier run has opened and played."""
        self.prepare()
        sources = [source for source in (self.source, self.parents_source) if source]
        known = Case.objects.filter(source__in=sources).exclude(source_key="")
        self.ids = {(s, key): pk for s, key, pk in known.values_list("source", "source_key", "pk")}
        self.played = set(
            Message.objects.filter(source__in=sources, state="used").values_list("source", "key")
        )

    def source_of(self, row: Row) -> str:
        return self.parents_source if row.is_parents else self.source

    def was_played(self, row: Row) -> bool:
        return (self.source_of(row), row.key) in self.played

    def play(self, row: Row) -> bool:
        """One recorded row, at its recorded moment, once. Whether it was played now."""
        if self.was_played(row) or self.is_timer(row) or not self.is_played(row):
            return False
        source = self.source_of(row)
        with transaction.atomic():
            before, is_over = self._standing(row)
            note = AFTER_END if is_over and not self.takes_after_end(row) else self._act(row)
            after, _ = self._standing(row)
            if not note and after > before:
                note = f"{before + 1}-{after}"
            inbox.store(
                source=source,
                key=row.key,
                name=row.activity,
                to=row.case_id,
                data={"lifecycle": row.lifecycle, "resource": row.resource},
                actor="service:playlog",
                state="used",
                why=note,
            )
        self.played.add((source, row.key))
        return True

    def _act(self, row: Row) -> str:
        note = ""
        try:
            if not self.opens(row):
                self.id_of(row)
            self.act(row)
        except Refused as refusal:
            note = f"{REFUSED}{refusal}"
        self.installation.settle()
        return note

    def _standing(self, row: Row) -> tuple[int, bool]:
        """The number of the last event of the row's case, and whether the case is closed."""
        case_id = self.known_id(row)
        if case_id is None:
            return 0, False
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT head_number, closed_at IS NOT NULL FROM cases_case WHERE id = %s",
                [case_id],
            )
            return cursor.fetchone()

    def known_id(self, row: Row) -> int | None:
        """Our case of a row, or None before it was opened."""
        return self.ids.get((self.source_of(row), row.case_id))

    def id_of(self, row: Row) -> int:
        """Our case of a row. Raises Refused before it was opened."""
        case_id = self.known_id(row)
        if case_id is None:
            raise Refused("The case was never opened.")
        return case_id

    def was_opened(self, row: Row, case: Case) -> None:
        """Remember the case that a row has opened."""
        self.ids[self.source_of(row), row.case_id] = case.pk

    def step_of(self, row: Row) -> str | None:
        """The step of a row's case as it stands now."""
        case_id = self.known_id(row)
        if case_id is None:
            return None
        return Case.objects.values_list("step", flat=True).get(pk=case_id)
