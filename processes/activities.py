"""Activities: outside work that is safe to try twice.

    @activity(timeout=seconds(30), attempts=5, on="the bank")
    def pay_out(attempt: Attempt, *, account: str, amount: Decimal) -> dict[str, str]:
        # The bank drops a second order with the same key.
        return bank.transfer(account, amount, idempotency_key=attempt.key)

In a step's code the same name asks for it: `receipt = await pay_out(account=…, amount=…)`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from processes.engine.commands import CallActivity, DoInside
from timers.spans import Seconds, Span, seconds

SHORT = "short"  # drained in batches by a worker that is awake
LONG = "long"  # a message, a process and a time limit of its own
SHORT_SECONDS = 20  # what may take longer than this belongs into the long lane


class Refused(Exception):
    """The outside said no for good: trying again would not help."""


class AttemptCancelled(Exception):
    """Nobody waits for this activity any more, or another worker has it. Stop."""


@dataclass(slots=True)
class Attempt:
    """One run of an activity."""

    key: str  # idempotency key: the same for every attempt of this activity
    number: int
    case_id: int
    on_behalf: str
    undoes: str = ""  # for a compensation: the key of the activity that it undoes
    _report: Callable[[dict[str, Any] | None], None] | None = None

    def heartbeat(self, **progress: Any) -> None:
        """Say that it still runs, and how far it is. Raises AttemptCancelled when nobody waits."""
        if self._report is not None:
            self._report(progress or None)

    def address_of(self, key: str) -> str:
        """The signed, expiring address at which a third party answers the question of this key."""
        from processes.callbacks import address_of

        return address_of(key)


class Definition:
    """An activity as declared. Calling it in a step's code asks for it."""

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str,
        timeout: Span,
        attempts: int,
        lane: str,
        inside: bool,
        repeatable: bool,
        on: str,
        compensate: Definition | None,
        first_retry_seconds: float,
        longest_retry_seconds: float,
    ) -> None:
        self.function = function
        self.name = name
        self.timeout_seconds = float(timeout.amount)
        self.attempts = attempts
        self.lane = lane
        self.inside = inside
        self.repeatable = repeatable
        self.on = on
        self.compensate = compensate
        self.first_retry_seconds = first_retry_seconds
        self.longest_retry_seconds = longest_retry_seconds
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self.__module__ = function.__module__

    def __call__(self, **arguments: Any) -> CallActivity:
        return (DoInside if self.inside else CallActivity)(self, arguments)

    def run(self, attempt: Attempt, arguments: dict[str, Any]) -> Any:
        """Do it, now, in this process."""
        arguments = dict(arguments)
        attempt.undoes = arguments.pop("undoes", "")
        return self.function(attempt, **arguments)

    def retry_seconds(self, failures: int) -> float:
        """How long to wait after so many failures: doubling, with jitter, bounded."""
        base = self.first_retry_seconds * 2 ** (failures - 1)
        return min(base, self.longest_retry_seconds) * random.uniform(0.75, 1.25)

    @property
    def lease_seconds(self) -> float:
        """How long a long activity's claim lasts without a sign of life."""
        return min(max(15.0, self.timeout_seconds), settings.LONGCASE_LONG_LEASE_SECONDS)


_definitions: dict[str, Definition] = {}


def activity(
    *,
    timeout: Seconds | Span = seconds(15),
    attempts: int = 5,
    lane: str = "",
    inside: bool = False,
    repeatable: bool = False,
    on: str = "Longcase",
    name: str = "",
    compensate: Definition | None = None,
    first_retry_seconds: float = 2.0,
    longest_retry_seconds: float = 3600.0,
) -> Callable[[Callable[..., Any]], Definition]:
    """Declare a function as an activity. Its first argument is the Attempt, the others named.

    `inside` runs it in the very transaction that records it: for work on our own database alone,
    which then happens exactly once. `repeatable` says that a second attempt does no harm although
    nothing is done with `attempt.key`: it only asks, or sets the same thing again. Raise Refused
    for a final no; any other error is tried again, `attempts` times in all. `lane` is chosen by the
    timeout unless given.

    `compensate` undoes it: it gets the same arguments and the `result`, which is None when the
    case went on while an attempt was under way. Then nobody knows whether it took effect, and the
    outside is told to undo, or never to do, what has the key `attempt.undoes`.
    """

    def declare(function: Callable[..., Any]) -> Definition:
        limit = float(timeout.amount)
        definition = Definition(
            function,
            name=name or f"{function.__module__.split('.')[-2]}.{function.__name__}",
            timeout=timeout,
            attempts=attempts,
            lane=lane or (SHORT if limit <= SHORT_SECONDS else LONG),
            inside=inside,
            repeatable=repeatable,
            on=on,
            compensate=compensate,
            first_retry_seconds=first_retry_seconds,
            longest_retry_seconds=longest_retry_seconds,
        )
        if definition.name in _definitions:
            other = _definitions[definition.name].function
            if other.__qualname__ != function.__qualname__:
                raise ValueError(f"Two activities are called {definition.name}; rename one.")
        _definitions[definition.name] = definition
        return definition

    return declare


def undoing(key: str, arguments: dict[str, Any], result: Any) -> dict[str, Any]:
    """The arguments of the compensation of an activity with this key."""
    return {"result": result, "undoes": key, **arguments}


def definitions() -> list[Definition]:
    """All activities, in the order of their names."""
    return [_definitions[name] for name in sorted(_definitions)]


class UnknownActivity(LookupError):
    """The history asks for an activity that the code no longer has."""


def definition_of(name: str) -> Definition:
    """The activity of this name. Raises UnknownActivity, naming the ones there are."""
    try:
        return _definitions[name]
    except KeyError:
        raise UnknownActivity(
            f"There is no activity “{name}”. If it was renamed, give the new one "
            f"name={name!r}. Known: {', '.join(sorted(_definitions))}."
        ) from None
