"""Papers and decisions: which versions a decision rested on, and what came in after it.

Pure functions over rows that were read already.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cases.models import Document, Requirement, Task


@dataclass(frozen=True, slots=True)
class Rested:
    """A paper that a decision rested on. `newer` came in after the decision."""

    document: Document
    newer: Document | None


def unjudged(requirements: Sequence[Requirement], documents: Sequence[Document]) -> list[Document]:
    """The newest versions of papers of which an earlier version was accepted, and which are not:
    to be judged, or rejected. No approval rests on the old version while there are any."""
    asked = {one.name for one in requirements}
    newest: dict[str, Document] = {}
    once_accepted = set()
    for one in sorted(documents, key=lambda document: document.version):
        newest[one.name] = one
        if one.state == "accepted":
            once_accepted.add(one.name)
    return [
        one
        for name, one in sorted(newest.items())
        if name in asked and name in once_accepted and one.state != "accepted"
    ]


def rested_on(task: Task, documents: Sequence[Document]) -> list[Rested]:
    """The versions that were accepted when this task was decided."""
    if task.closed_at is None or task.state not in ("done", "taken_back"):
        return []
    stood: dict[str, Document] = {}
    newest: dict[str, Document] = {}
    for one in sorted(documents, key=lambda document: document.version):
        newest[one.name] = one
        is_accepted = one.state == "accepted" and one.judged_at is not None
        if is_accepted and one.judged_at <= task.closed_at:
            stood[one.name] = one
    return [
        Rested(one, newer if newer.pk != one.pk and newer.received_at >= task.closed_at else None)
        for one, newer in ((one, newest[name]) for name, one in stood.items())
    ]
