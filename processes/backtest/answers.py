"""What a case's history can answer when its code asks once more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _

from audit import codec
from audit.record import Recorded
from cases.fsm import edges
from cases.words import plain
from processes.engine.commands import is_command
from processes.kinds import Kind
from timers import clocks

SETTLING = frozenset(
    (
        "activity.completed",
        "activity.failed",
        "task.completed",
        "message.received",
        "message.matched",
        "party.answered",
        "subcase.closed",
    )
)
_ASKING = frozenset(
    (
        "activity.scheduled",
        "activity.done",
        "task.opened",
        "message.awaited",
        "party.asked",
        "subcase.opened",
    )
)


class NoData(Exception):
    """The code asks for what the history of the case does not hold. The text says for what."""


@dataclass(slots=True)
class Given:
    """One question of the recorded run, and what settled it, each with the time that took."""

    asked: Recorded
    arguments: str = ""
    answers: list[tuple[timedelta, Recorded]] = field(default_factory=list)


class Answers:
    """The questions of a case's history, by what was asked, each to be used once."""

    def __init__(self, kind: Kind, events: Sequence[Recorded]) -> None:
        self._given: dict[tuple[str, str], list[Given]] = defaultdict(list)
        self._papers: dict[str, list[list[tuple[timedelta, Recorded]]]] = defaultdict(list)
        # What people did unasked, at its time: facts corrected, clocks moved, transitions by hand.
        self.unasked: list[Recorded] = []
        by_hand = {edge.name for edge in edges(kind.model) if edge.staff}
        open_: dict[int, Given] = {}
        asked_at: dict[str, datetime] = {}
        for event in events:
            data = event.data
            if event.type == "step.entered":
                open_ = {}
                if data["transition"] in by_hand and event.actor != "engine":
                    self.unasked.append(event)
            elif event.type in _ASKING and is_command(event):
                given = Given(event, codec.encode(data["args"]) if "args" in data else "")
                self._given[event.type, data["name"]].append(given)
                open_[data["command"]] = given
            elif event.type in SETTLING and data.get("command") in open_:
                given = open_[data["command"]]
                given.answers.append((event.recorded_at - given.asked.recorded_at, event))
            elif event.type == "documents.requested":
                for name in data["names"]:
                    asked_at[name] = event.recorded_at
                    self._papers[name].append([])
            elif event.type.startswith("document.") and data.get("name") in asked_at:
                took = event.recorded_at - asked_at[data["name"]]
                self._papers[data["name"]][-1].append((took, event))
            elif event.type == "facts.changed" or (
                event.type in clocks.COMMANDED and not is_command(event)
            ):
                self.unasked.append(event)

    def of(self, type: str, name: str, arguments: dict[str, Any] | None = None) -> Given:
        """The next recorded question of this sort that nobody used. Raises NoData."""
        given = self._given.get((type, name), [])
        if not given:
            raise NoData(_("“%(name)s” was never asked for in this case") % {"name": plain(name)})
        if arguments is None:
            return given.pop(0)
        wanted = codec.encode(arguments)
        for place, one in enumerate(given):
            if one.arguments == wanted:
                return given.pop(place)
        if all(_gave_nothing(one) for one in given):  # whatever it was told, nothing came back
            return given.pop(0)
        words = _("“%(name)s” was never run with these arguments in this case")
        raise NoData(words % {"name": plain(name)})

    def papers(self, name: str) -> list[tuple[timedelta, Recorded]]:
        """What became of a document after it was asked for; of one that is asked for more often
        than it was, what became of it last. Raises NoData."""
        known = self._papers.get(name, [])
        if not known:
            words = _("the document “%(name)s” was never asked for in this case")
            raise NoData(words % {"name": plain(name)})
        return known.pop(0) if len(known) > 1 else known[0]


def _gave_nothing(given: Given) -> bool:
    if given.asked.type == "activity.done":
        return given.asked.data.get("result") is None and "error" not in given.asked.data
    return all(
        event.type == "activity.completed" and event.data.get("result") is None
        for _took, event in given.answers
    )
