"""Expected refusals. Each says what, which one, why, and what would work.

Faces show the sentence as it is; `status` is the HTTP answer that fits it.
"""

from __future__ import annotations

import re


class Refused(Exception):
    """An act that cannot be done now. Nothing was changed."""

    status = 409


def names_of(error: Refused | type[Refused]) -> list[str]:
    """What a refusal may be called, its own class first: those above it are ever more general."""
    kind = error if isinstance(error, type) else type(error)
    return [
        getattr(one, "slug", "") or re.sub(r"(?<!^)(?=[A-Z])", "-", one.__name__).lower()
        for one in kind.__mro__
        if issubclass(one, Refused)
    ]


class NotAllowed(Refused):
    """This actor may not do this."""

    status = 403


class Invalid(Refused):
    """What was given does not fit. `fields` names each field with its sentence."""

    status = 422

    def __init__(self, sentence: str, fields: dict[str, str] | None = None) -> None:
        super().__init__(sentence)
        self.fields = fields or {}


class NoSuchCase(Refused):
    """There is no such case, or it is not to be seen by this actor."""

    status = 404


class PurposeNeeded(NotAllowed):
    """The case is restricted: this reader says for what before it is shown."""

    def __init__(self, sentence: str, *, reference: str) -> None:
        super().__init__(sentence)
        self.reference = reference


class CaseClosed(Refused):
    """The case is closed and takes nothing more."""


class CaseErased(Refused):
    """The people of the case were erased; it is kept for its figures and takes nothing more."""


class CaseBusy(Refused):
    """Another act holds the case; trying again in a moment works."""

    status = 503


class CaseHeld(Refused):
    """Somebody else has the case."""


class NotNow(Refused):
    """The case does not wait for this, or no longer."""


class TransitionRefused(Refused):
    """The case's graph has no such edge from where it stands."""


class ClockNotMoved(Refused):
    """The terms of a clock, or how it stands, do not allow this."""


class TaskNotOpen(Refused):
    """The task was done or cancelled meanwhile."""


class TaskHeld(Refused):
    """Somebody else holds the task."""


class CaseChanged(Refused):
    """What the person decided on was changed after they opened it."""


class PaperNotJudged(Refused):
    """A newer version of a paper came in after one was accepted, and nobody has accepted it."""


class SameKeyOtherContent(Refused):
    """The idempotency key was used before, with other content."""


class StillRunning(Refused):
    """The same call is being carried out right now; asking again in a moment gives its answer."""


class PreconditionMissing(Refused):
    """This change must say which state of the case it was made on (If-Match)."""

    status = 428


class MovedOn(Refused):
    """The case is no longer in the state that the caller had read. `news` says what changed."""

    status = 412

    def __init__(self, sentence: str, news: list[dict[str, object]]) -> None:
        super().__init__(sentence)
        self.news = news
