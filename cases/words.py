"""Names for people: of steps, transitions, documents, and of whoever acts or is waited for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from cases import fsm
from cases.models import Case, Person, Task

# Parties and roles that every installation meets; kinds may name more.
KNOWN = {
    "applicant": gettext_noop("the applicant"),
    "customer": gettext_noop("the customer"),
    "caseworker": gettext_noop("the caseworker"),
    "supervisor": gettext_noop("the supervisor"),
    "operator": gettext_noop("the operators"),
}


class KindWords(Protocol):
    """What is read of a kind of cases: see processes.kinds."""

    model: type[Case]
    title: Any
    document_titles: dict[str, Any]
    clocks: dict[str, Any]
    message_titles: dict[str, Any]
    may_come: frozenset[str]
    fact_words: dict[str, Any]

    def step_label(self, step: str) -> str: ...


_CODE = re.compile(r"[a-z]+(_[a-z0-9]+)+")  # a name that code gave


@dataclass(slots=True)
class Words:
    """The names that the pages of one case use."""

    kind: KindWords
    people: Mapping[int, Person] = field(default_factory=dict)
    tasks: Sequence[Task] = ()  # of the case, in the order of their opening
    titles: Mapping[str, str] = field(default_factory=dict)  # of documents asked for by staff
    asked: dict[int, Mapping[str, Any]] = field(default_factory=dict)  # see learn()
    _edges: dict[str, fsm.Edge] | None = None

    def learn(self, events: Iterable[Any]) -> None:
        """Remember, for each result of an activity, what had been asked: its event says only
        the command's number, which begins anew with each visit of a step."""
        open_: dict[int, Mapping[str, Any]] = {}
        for event in events:
            if event.type == "step.entered":
                open_.clear()
            elif event.type == "activity.scheduled":
                open_[event.data["command"]] = event.data
            elif event.type in ("activity.completed", "activity.failed"):
                asked = open_.get(event.data.get("command"))
                if asked is not None or event.number not in self.asked:
                    self.asked[event.number] = asked or {}
            elif event.type == "activity.done":
                self.asked[event.number] = event.data

    def step(self, step: str) -> str:
        return self.kind.step_label(step)

    def edge(self, name: str) -> fsm.Edge | None:
        if self._edges is None:
            self._edges = {edge.name: edge for edge in fsm.edges(self.kind.model)}
        return self._edges.get(name)

    def transition(self, name: str) -> str:
        edge = self.edge(name)
        return str(edge.label) if edge else plain(name)

    def document(self, name: str) -> str:
        return str(self.titles.get(name) or self.kind.document_titles.get(name) or plain(name))

    def message(self, name: str) -> str:
        return str(self.kind.message_titles.get(name) or plain(name))

    def found(self, result: Any) -> Any:
        """What an activity gave, with the names that code knows in words."""
        if isinstance(result, Mapping):
            return {key: self.found(one) for key, one in result.items()}
        if isinstance(result, (list, tuple)):
            return [self.found(one) for one in result]
        if isinstance(result, str) and result in self.kind.document_titles:
            return self.document(result)
        if isinstance(result, str) and _CODE.fullmatch(result):
            return result.replace("_", " ")
        return result

    def clock(self, name: str) -> str:
        terms = self.kind.clocks.get(name)
        return str(terms.title) if terms else plain(name)

    def fact(self, name: str) -> str:
        field = self.fact_field(name)
        return capitalised(str(field.verbose_name)) if field else plain(name)

    def fact_field(self, name: str) -> Any:
        """The field of a fact, by either of its names; None when the kind has it no more."""
        fields = self.kind.model.fact_fields()
        return next((one for one in fields if name in (one.name, one.attname)), None)

    def actor(self, code: str, on_behalf: str = "") -> str:
        """Who did it: "Sanne de Wit for Petra Smit", "Longcase", "the applicant"."""
        who = self._one(code)
        if on_behalf and on_behalf != code:
            return _("%(who)s for %(other)s") % {"who": who, "other": self._one(on_behalf)}
        return who

    def person(self, who: object) -> str:
        """A person named by id or by actor."""
        return self._one(who if isinstance(who, str) else f"person:{who}")

    def task(self, data: Mapping[str, Any], at: datetime) -> Task | None:
        """The task that an event is about."""
        command = data.get("command", data.get("task"))
        found = [
            task
            for task in self.tasks
            if task.command == command
            and data.get("visit", task.visit) == task.visit
            # Numbers begin anew with each visit, so without one the last opened is meant.
            and task.opened_at <= at
        ]
        return found[-1] if found else None

    def task_title(self, data: Mapping[str, Any], at: datetime) -> str:
        task = self.task(data, at)
        return of_steps(task.title) if task else plain(data.get("name", "")) or _("Task")

    def outcome(self, data: Mapping[str, Any], at: datetime) -> str:
        task = self.task(data, at)
        outcome = str(data.get("outcome", ""))
        return outcome_label(task, outcome) if task else plain(outcome)

    def _one(self, code: str) -> str:
        sort, _colon, rest = code.partition(":")
        if sort == "person":
            person = self.people.get(int(rest)) if rest.isdigit() else None
            return str(person) if person else _("someone who is no longer known")
        if sort == "engine":
            return "Longcase"
        if sort == "party":
            return party(rest)
        return plain(rest or sort)


def outcome_label(task: Task, outcome: str) -> str:
    """The words of an outcome, as they stood on the form."""
    known = (of_steps(str(one[1])) for one in task.outcomes if one[0] == outcome)
    return next(known, plain(outcome))


def of_steps(text: str) -> str:
    """Words of a step's code, for who reads them now. History keeps them as the code has them, so
    that replay knows no language; what is not in the catalogue is shown as it was recorded."""
    return _(text) if text else ""


def plain(name: str) -> str:
    """A name of the code as words: "begin_underwriting" is "Begin underwriting"."""
    return capitalised(name.rpartition(".")[2].replace("_", " ").replace("-", " ").strip())


def capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def party(name: str) -> str:
    """Someone a case can wait for, as the sentence needs it: "the applicant"."""
    if name in KNOWN:
        return _(KNOWN[name])
    if not name or name.startswith(("the ", "those ", "whoever ")) or name[:1].isupper():
        return of_steps(name)
    return _("the %(role)s") % {"role": name.replace("_", " ")}


def person_ids(codes: Iterable[str]) -> set[int]:
    """The people among these actors."""
    found = (code.removeprefix("person:") for code in codes if code.startswith("person:"))
    return {int(number) for number in found if number.isdigit()}
