"""What can go wrong in a step's code, in words that name the place and the remedy."""

from __future__ import annotations


class ActivityFailed(Exception):
    """An activity has used up its attempts, or was refused for good.

    A step's code may catch it and take another way; uncaught it stops the case with an incident.
    """

    def __init__(self, name: str, error: str, *, final: bool) -> None:
        super().__init__(f"{name}: {error}")
        self.name = name
        self.error = error
        self.final = final


class ReplayMismatch(Exception):
    """The code asks for something else than the history has recorded."""

    def __init__(self, *, number: int, expected: str, came: str, place: str) -> None:
        super().__init__(
            f"Differs at event {number}: expected {expected}, the code asks for {came} ({place})."
        )
        self.number = number
        self.expected = expected
        self.came = came
        self.place = place


class NotDeterministic(Exception):
    """A step's code reached for the world: replay could not give the same answer again."""


class StepBroken(Exception):
    """A step's code ended in a way that the engine cannot act on."""


class Cancelled(BaseException):
    """Thrown into a strand of a step's code that lost a race. Not to be caught."""


class DeadlinePassed(BaseException):
    """Thrown into the block of a deadline when its time is up; the deadline takes it."""
