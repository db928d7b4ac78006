"""Carry out each form once: the same key gives the first answer again.

The answer is kept in the transaction of the act itself, so that a double click, a second send
after a lost connection, and two servers at the same moment all end in one act. A refused act
keeps nothing: its form may be sent again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

from django.db import IntegrityError, transaction

from cases.models.once import Once
from cases.models.person import Person
from timers import clock

KEPT = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Answer:
    """What an act leads to: the page that follows, and what is said on it."""

    address: str
    said: str = ""
    results: list[list[str]] = field(default_factory=list)
    is_repeated: bool = False
    undo: str = ""  # where the act is undone, while that can be


class OtherContent(Exception):
    """This form was carried out before, with another content. `answer` is the first one."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.answer = answer


class SomebodyElses(Exception):
    """Another person has carried out a form of this key."""


def digest_of(sent: Iterable[tuple[str, list[str]]]) -> str:
    """The fingerprint of what a form sent, whatever order its fields came in."""
    return hashlib.sha256(repr(sorted(sent)).encode()).hexdigest()


def once(
    *, key: UUID, person: Person, digest: str, act: Callable[[], Answer], apart: bool = False
) -> Answer:
    """Run `act` unless this key was carried out before; then give its first answer.

    `apart` is for an act on many cases, which commits each by itself. Raises OtherContent when
    the first time had another content, and whatever `act` raises.
    """
    new = Once(key=key, person=person, digest=digest, at=clock.now())
    try:
        return _apart(new, act) if apart else _together(new, act)
    except IntegrityError:
        first = Once.objects.filter(key=key).first()
        if first is None:
            raise
        if first.person_id != person.pk:
            raise SomebodyElses from None
    answer = Answer(first.answer, first.said, first.results, is_repeated=True, undo=first.undo)
    if first.digest != digest:
        raise OtherContent(answer)
    return answer


@transaction.atomic
def _together(new: Once, act: Callable[[], Answer]) -> Answer:
    # A second send waits here until the first has committed, or has been rolled back.
    new.save(force_insert=True)
    return _answered(new, act())


def _apart(new: Once, act: Callable[[], Answer]) -> Answer:
    new.save(force_insert=True)
    try:
        answer = act()
    except BaseException:
        new.delete()
        raise
    return _answered(new, answer)


def _answered(row: Once, answer: Answer) -> Answer:
    row.answer, row.said, row.results = answer.address, answer.said, answer.results
    row.undo = answer.undo
    row.save(update_fields=["answer", "said", "results", "undo"])
    return answer


def forget_old() -> int:
    """Drop answers that nobody can ask for again. Run by the timer service, or by hand."""
    dropped, _ = Once.objects.filter(at__lt=clock.now() - KEPT).delete()
    return dropped
