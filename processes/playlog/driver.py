"""What a kind gives to have recorded cases played: a module `playlog` that names its `driver`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from processes.playlog.recorded import RecordedCase, Row
from processes.work.inline import Inline
from timers import clock


@dataclass(frozen=True, slots=True)
class Misfit:
    """A recorded row that the case did not take, with the reason."""

    case_id: str
    seq: int
    activity: str
    why: str


@dataclass(kw_only=True)
class Driver(ABC):
    """Plays the people of a log through one kind."""

    source: ClassVar[str]  # of the cases it opens; their key is the recorded id
    outcomes: ClassVar[dict[str, str]]  # our closing step → the outcome that the log names
    misfits: list[Misfit] = field(default_factory=list)
    acts: int = 0
    after_end: int = 0  # rows of cases that had ended: the log has them, a closed case takes none

    def __enter__(self) -> Self:
        self.installation.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self.installation.__exit__(*error)

    @classmethod
    @abstractmethod
    def at(cls, turned: clock.Turned, cases: dict[str, RecordedCase]) -> Driver:
        """A driver for these cases, on this clock."""

    @property
    @abstractmethod
    def installation(self) -> Inline:
        """The engine that its cases run on."""

    @property
    @abstractmethod
    def recorded_cases(self) -> dict[str, RecordedCase]:
        """The cases it plays, by their recorded id."""

    @abstractmethod
    def begin(self) -> None:
        """Get ready: people, teams, and what an earlier run has opened."""

    @abstractmethod
    def play(self, row: Row) -> None:
        """One recorded row, at its recorded moment. A second time it changes nothing."""

    @abstractmethod
    def is_timer(self, row: Row) -> bool:
        """Whether a timer caused this row: it is not played, the engine must bring it about."""
