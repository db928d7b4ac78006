"""What a customer reads of the history of their case: their kind's words, and nothing else.

An event is told only by one of the tellers below, from the fields that the teller names. Whatever
else an event holds (reasons of colleagues, results, names) cannot come through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from cases.models import CustomerPage, Requirement
from cases.words import plain
from processes.customer.page import Page

Said = tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that happened."""

    at: datetime
    title: str
    line: str = ""


@dataclass(frozen=True, slots=True)
class Tellings:
    """What the tellers may know: the declared words, and the papers asked of this party."""

    page: Page
    actor: str
    papers: Mapping[str, str]  # name → title, of those asked of this customer

    def titles(self, names: Iterable[str]) -> str:
        return ", ".join(self.papers[name] for name in names if name in self.papers)


def papers_of(
    page: Page, requirements: Sequence[Requirement], titles: Mapping[str, Any]
) -> dict[str, str]:
    """The papers that this party is asked for, with the names that they read."""
    return {
        one.name: one.title or str(titles.get(one.name) or plain(one.name))
        for one in requirements
        if one.asked_of in page.asked_of
    }


def lines(events: Iterable[Any], tellings: Tellings) -> list[Line]:
    """What happened, oldest first. Steps that read the same are told once."""
    found: list[Line] = []
    last_step = ""
    for event in events:
        said = _TELLERS[event.type](event, event.data, tellings)
        if said is None:
            continue
        if event.type == "step.entered":
            if said[0] == last_step:
                continue
            last_step = said[0]
        found.append(Line(event.happened_at, *said))
    return found


def actor_of(page: CustomerPage) -> str:
    return f"party:{page.party}"


Teller = Callable[[Any, Mapping[str, Any], Tellings], Said]


def _opened(event: Any, data: Mapping[str, Any], tellings: Tellings) -> Said:
    return str(tellings.page.opened), ""


def _entered(event: Any, data: Mapping[str, Any], tellings: Tellings) -> Said:
    return str(tellings.page.told(data["step"]).title), ""


def _requested(event: Any, data: Mapping[str, Any], tellings: Tellings) -> Said:
    if data.get("of", "applicant") not in tellings.page.asked_of:
        return None
    return _("We asked you for papers"), tellings.titles(data.get("names", ()))


def _asked(event: Any, data: Mapping[str, Any], tellings: Tellings) -> Said:
    title = tellings.papers.get(data["name"])
    return (_("We asked you for a paper"), title) if title else None


def _received(event: Any, data: Mapping[str, Any], tellings: Tellings) -> Said:
    if event.actor == tellings.actor:
        title = tellings.papers.get(data["name"], "")
        return _("You sent a paper"), title or str(data.get("filename", ""))
    title = tellings.papers.get(data["name"], "")
    return (_("We received a paper of yours"), title) if title else None


def _accepted(event: Any, data: Mapping[str, Any], tellings: Tellings) -> Said:
    title = tellings.papers.get(data["name"])
    return (_("We accepted a paper"), title) if title else None


def _rejected(event: Any, data: Mapping[str, Any], tellings: Tellings) -> Said:
    title = tellings.papers.get(data["name"])
    if not title:
        return None
    return _("We could not use a paper"), f"{title}: {data.get('reason', '')}"


def _answered(event: Any, data: Mapping[str, Any], tellings: Tellings) -> Said:
    answer = tellings.page.answer_of(data["name"])
    if answer is None or event.actor != tellings.actor:
        return None
    return str(answer.done), ""


_TELLERS: dict[str, Teller] = {
    "case.opened": _opened,
    "step.entered": _entered,
    "documents.requested": _requested,
    "document.asked": _asked,
    "document.received": _received,
    "document.accepted": _accepted,
    "document.rejected": _rejected,
    "message.received": _answered,
    "message.kept": _answered,
}
