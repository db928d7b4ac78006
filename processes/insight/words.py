"""Names of a kind in words, for the pages and lists of insight."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from django.utils.dateformat import format as date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from cases.words import Words, capitalised, party, plain
from processes.insight.judging import Move
from processes.kinds import Kind

SORTS = {
    "people": gettext_lazy("Our people"),
    "party": gettext_lazy("Customers and others"),
    "service": gettext_lazy("Outside services"),
    "clock": gettext_lazy("A time that must pass"),
    "case": gettext_lazy("Other cases"),
    "stopped": gettext_lazy("Stopped by a fault"),
}
ENDINGS = {
    "met": gettext_lazy("in time"),
    "late": gettext_lazy("late"),
    "judged": gettext_lazy("in time and late"),
    "open": gettext_lazy("no due moment"),
    "cancelled": gettext_lazy("cancelled"),
    "extended": gettext_lazy("extended"),
    "paused": gettext_lazy("paused"),
}
ARROW = " → "


class Names:
    """The words of one kind."""

    def __init__(self, kind: Kind) -> None:
        self._kind, self._words = kind, Words(kind)

    def step(self, step: str) -> str:
        return self._kind.step_label(step)

    def transition(self, name: str) -> str:
        if name == "open":
            return _("Opened")
        return self._words.transition(name)

    def move(self, move: Move) -> str:
        """ "Decision → Offer"."""
        if not move.source:
            return self.step(move.target)
        return self.step(move.source) + ARROW + self.step(move.target)

    def path(self, steps: Sequence[str]) -> str:
        return ARROW.join(self.step(step) for step in steps)

    def paper(self, name: str) -> str:
        """A paper that the kind declares; of others no name is kept."""
        return self._words.document(name) if name else _("Another paper")

    def task(self, name: str) -> str:
        return plain(name)

    def term(self, sort: str, name: str) -> str:
        if sort == "clock" and name in self._kind.clocks:
            return str(self._kind.clocks[name].title)
        return plain(name)

    def waited(self, sort: str, name: str) -> str:
        """For whom: the role, the party, the service."""
        if sort == "service":
            return plain(name)
        if sort in ("people", "party"):
            return capitalised(party(name))
        return str(SORTS[sort])

    def ending(self, ending: str) -> str:
        return str(ENDINGS[ending])

    def month(self, month: date) -> str:
        return date_format(month, "F Y")
