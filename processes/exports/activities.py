"""The names that process miners see: each event as an activity with a lifecycle.

Events that are moments of one piece of work share its name: a task that is offered, taken and
completed is `task underwriting` three times, with the lifecycle schedule, assign and complete. Any
other event is named by its type and what it is about, such as `document.received payslip`.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any, NamedTuple

from audit.record import Recorded

# By the type of the event: what is worked on, and where in its life it stands (XES: the standard
# model of the lifecycle extension).
LIFECYCLES = {
    "task.opened": ("task", "schedule"),
    "task.claimed": ("task", "assign"),
    "task.handed_over": ("task", "reassign"),
    "task.released": ("task", "schedule"),
    "task.completed": ("task", "complete"),
    "advice.asked": ("advice", "schedule"),
    "advice.given": ("advice", "complete"),
    "advice.withdrawn": ("advice", "withdraw"),
    "activity.scheduled": ("activity", "schedule"),
    "activity.completed": ("activity", "complete"),
    "activity.done": ("activity", "complete"),
    "activity.failed": ("activity", "ate_abort"),
    "message.awaited": ("message", "schedule"),
    "message.received": ("message", "complete"),
    "message.matched": ("message", "complete"),
    "party.asked": ("party", "schedule"),
    "party.answered": ("party", "complete"),
    "timer.set": ("timer", "schedule"),
    "timer.fired": ("timer", "complete"),
    "subcase.opened": ("subcase", "schedule"),
    "subcase.closed": ("subcase", "complete"),
    "clock.started": ("clock", "start"),
    "clock.paused": ("clock", "suspend"),
    "clock.resumed": ("clock", "resume"),
    "clock.stopped": ("clock", "complete"),
    "step.entered": ("step", "complete"),
}
_ASKS = frozenset(
    {"task.opened", "activity.scheduled", "message.awaited", "party.asked", "timer.set"}
    | {"subcase.opened", "activity.done", "advice.asked"}
)


class Activity(NamedTuple):
    """What an event is called, where in its life it stands, and which one of that name."""

    name: str
    lifecycle: str
    instance: str  # visit and command, such as 3.2; "" where there is none


class Namer:
    """Names the events of one case, given in their order."""

    def __init__(self) -> None:
        self.visit = 0
        self._open: dict[int, str] = {}  # by command of this visit: what was asked

    def name(self, event: Recorded) -> Activity:
        """The activity of the next event."""
        data = event.data
        if event.type == "step.entered":
            self.visit = _whole(data.get("visit"))
            self._open.clear()
        command = data.get("command", data.get("task"))
        family, lifecycle = LIFECYCLES.get(event.type, (event.type, "complete"))
        about = self._about(event.type, data, command)
        if event.type in _ASKS and isinstance(command, int):
            self._open[command] = about
        instance = ""
        if isinstance(command, int):
            instance = f"{data.get('visit', self.visit)}.{command}"
        return Activity(f"{family} {about}".strip(), lifecycle, instance)

    def _about(self, type: str, data: dict[str, Any], command: Any) -> str:
        if type == "step.entered":
            return str(data.get("step", ""))
        if name := data.get("name"):
            return str(name).rpartition(".")[2]
        return self._open.get(command, "") if isinstance(command, int) else ""


def _whole(value: Any) -> int:
    return value if isinstance(value, int) else 0


def variant_of(names: list[str]) -> str:
    """One way through: equal for cases with the same activities in the same order."""
    return sha256("\n".join(names).encode()).hexdigest()[:20]
