"""What a kind tells its customer: declared once beside its steps, in words for the public.

Nothing of a case reaches its customer's page that is not declared here or was written to them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Words = Any  # text, or text to be translated


@dataclass(frozen=True, slots=True)
class Told:
    """A step in public words: `title` for the list of what happened, `says` where the case stands,
    `next` what comes then, whichever way it goes. Steps that the customer must not tell apart have
    the same title."""

    title: Words
    says: Words
    next: Sequence[Words] = ()
    # Facts that this step shows: name → words. The facts of a case are not shown otherwise.
    facts: Mapping[str, Words] = field(default_factory=dict)
    is_good: bool = False  # an end that the customer hoped for


@dataclass(frozen=True, slots=True)
class Field:
    """One thing that an answer asks of the customer. Kinds: text, money, day."""

    name: str
    label: Words
    help: Words = ""
    kind: str = "text"
    required: bool = True


@dataclass(frozen=True, slots=True)
class Answer:
    """What the customer may tell the case: a message of the kind, when the case waits for it.

    `choices` are (value, label, what follows from it) of the field `choice`; without choices the
    `follows` says it. `fills` are fields that the page knows: name → (case, page) → value.
    """

    message: str
    label: Words
    about: Words
    done: Words  # in the list of what happened
    choice: str = ""
    choices: Sequence[tuple[str, Words, Words]] = ()
    follows: Words = ""
    fields: Sequence[Field] = ()
    fills: Mapping[str, Callable[[Any, Any], Any]] = field(default_factory=dict)
    steps: Sequence[Any] = ()  # only there, where given
    is_urgent: bool = False  # the case stands still until it comes


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """How a customer takes their request back."""

    transition: str
    label: Words
    follows: Words
    steps: Sequence[Any]


@dataclass(frozen=True, slots=True)
class Page:
    """The customer's page of a kind.

    `asked_of` are the names under which the steps' code asks this party for documents; `clocks`
    are the legal terms that the customer sees: name → the explanation in plain words; `tells`
    are the types of events that they see, of those in `EVENTS`.
    """

    title: Words
    opened: Words
    steps: Mapping[Any, Told]
    party: str = "applicant"
    asked_of: Sequence[str] = ("applicant",)
    answers: Sequence[Answer] = ()
    withdrawal: Withdrawal | None = None
    clocks: Mapping[str, Words] = field(default_factory=dict)
    tells: Sequence[str] = ()

    def told(self, step: str) -> Told:
        return {str(one): told for one, told in self.steps.items()}[step]

    def answer_of(self, message: str) -> Answer | None:
        return next((one for one in self.answers if one.message == message), None)


# Events that a customer may be told of, each by words of its own in `history.py`.
EVENTS = (
    "case.opened",
    "step.entered",
    "documents.requested",
    "document.asked",
    "document.received",
    "document.accepted",
    "document.rejected",
    "message.received",
    "message.kept",
)
