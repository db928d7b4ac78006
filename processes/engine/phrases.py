"""What a step can ask for, in words for people who read that code and history differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_NOUNS = {
    "activity.scheduled": "an activity",
    "activity.done": "an activity of our own database",
    "timer.set": "a timer",
    "message.awaited": "a message",
    "party.asked": "an answer of a third party",
    "subcase.opened": "a sub-case",
    "table.decided": "a decision by the table",
    "clock.started": "the start of the clock",
    "clock.paused": "a pause of the clock",
    "clock.resumed": "the end of a pause of the clock",
    "clock.extended": "an extension of the clock",
    "clock.stopped": "the stop of the clock",
}


def phrase(type: str, data: Mapping[str, Any]) -> str:
    """A command, by the type and data of its event: “a review “underwriting””."""
    if type == "wait.cancelled":
        return f"the end of what was asked as {_listed(data['commands'])} in this step"
    if type == "documents.requested":
        return f"documents ({_listed(data['names'])})"
    if type == "task.opened":
        noun = "a review" if data.get("review") else "a task"
    elif type == "timer.set" and data.get("watch"):
        return "a deadline"
    else:
        noun = _NOUNS.get(type) or type.replace(".", " ")
    return f"{noun} “{data['name']}”" if data.get("name") else noun


def _listed(things: Any) -> str:
    return ", ".join(str(thing) for thing in things)
