"""What pages read in a row besides the work itself: how a case ended, whose it is, who may see it,
by when a task was due, who judged a document, what was held. Each is told by an event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from audit.record import Recorded
from cases.models import Case
from processes.engine.folding import Stood


class Wrong(NamedTuple):
    """A row that does not say what this event recorded, and what of it."""

    number: int
    words: str


def case_differs(case: Case, events: Sequence[Recorded], stood: Stood) -> Iterator[Wrong]:
    """Where the columns of a case's row say another thing than its events."""
    last, opened = events[-1].number, events[0]
    told: dict[str, Any] = {"opened_at": opened.recorded_at, "outcome": stood.outcome}
    for name in ("reference", "kind"):
        told[name] = opened.data[name]
    told["source"], told["source_key"] = opened.data.get("source", ""), opened.data.get("key", "")
    told["parent_id"] = opened.data.get("parent")
    told["restricted"] = opened.data.get("restricted", False)
    told["owner_id"], told["team_id"] = opened.data.get("owner"), opened.data.get("team")
    for event in events:
        data = event.data
        if event.type == "case.assigned":
            told["owner_id"], told["team_id"] = data["owner"], data.get("team", told["team_id"])
        elif event.type == "step.entered":
            told["entered_number"], told["entered_at"] = event.number, event.recorded_at
            told["step_version"] = data["version"]
            told["closed_at"] = event.recorded_at if data.get("closed") else None
        elif event.type == "code.moved":
            told["step_version"] = data["to"]
    told["code_digest"] = stood.code_digest
    if case.erased_at is not None:
        del told["source_key"]
    wrong = sorted(name for name, value in told.items() if getattr(case, name) != value)
    if wrong:  # named, not shown
        yield Wrong(last, f"the row and the history differ in {', '.join(wrong)}")


def holds_differ(
    rows: Sequence[tuple[int, bool, Any]], events: Sequence[Recorded]
) -> Iterator[Wrong]:
    """Holds, (number of the event, of the person, lifted), against the events that told them."""
    told: dict[int, tuple[bool, bool]] = {}
    for event in events:
        if event.type == "hold.placed":
            told[event.number] = bool(event.data["of_person"]), False
        elif event.type == "hold.lifted":
            of_person, _ = told.get(event.data["placed"], (False, False))
            told[event.data["placed"]] = of_person, True
    kept = {number: (of_person, lifted is not None) for number, of_person, lifted in rows}
    for number in sorted(set(told) | set(kept)):
        if told.get(number) != kept.get(number):
            yield Wrong(number, "the row of the hold does not say what history recorded")


def judged(events: Sequence[Recorded]) -> dict[tuple[str, int], tuple[int, str, str]]:
    """The verdict on each version of a document that was not taken back: (event, by, reason)."""
    found: dict[tuple[str, int], tuple[int, str, str]] = {}
    for event in events:
        if event.type in ("document.accepted", "document.rejected"):
            key = event.data["name"], event.data["version"]
            found[key] = event.number, event.actor, event.data.get("reason", "")
        elif event.type == "document.reconsidered":
            found.pop((event.data["name"], event.data["version"]), None)
    return found
