"""A case as the objects and events of OCEL 2.0.

Objects are the case, its tasks and documents, whoever acted, and the rules that decided: the code
of a step and the version of a decision table. What changes of a case, a task or a document is an
attribute with the moments of its changes. Every event of the history is one event here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from audit.record import Recorded
from processes.exports.activities import Activity
from processes.exports.gathering import Gathered
from processes.exports.values import flat, single

STRING, TIME, INTEGER, FLOAT, BOOLEAN = "string", "time", "integer", "float", "boolean"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)  # the moment of what an object had from its beginning
_STAFF = {"person": "person", "service": "service", "party": "party", "engine": "engine"}


@dataclass(slots=True)
class Object:
    """One object: attributes as (name, moment of the change, value), relations as (id, how)."""

    id: str
    type: str
    born: int = 0  # the last event that tells what it had from its beginning
    attributes: list[tuple[str, datetime, Any]] = field(default_factory=list)
    relations: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class Happening:
    """One event with what it is related to."""

    id: str
    type: str
    at: datetime
    attributes: list[tuple[str, Any]]
    relations: list[tuple[str, str]]


class Told:
    """The objects and events of one case. `shared` are objects that other cases may have too."""

    def __init__(
        self, one: Gathered, *, members: Callable[[Iterable[int]], dict[int, str]]
    ) -> None:
        """`members` gives the references of those of some cases that are in the same export."""
        self.one = one
        self._members = members
        self.id = one.case.reference
        self.case = Object(self.id, one.case.kind, born=2)  # opened, and its first step entered
        self.own: dict[str, Object] = {self.id: self.case}
        self.shared: dict[str, Object] = {}
        self.events: list[Happening] = []
        self._facts: dict[str, Any] = {}
        self._state: dict[str, dict[str, Any]] = {}  # by object: attributes as they stand
        self._tasks: dict[tuple[int, Any], Object] = {}
        self._visit = 0
        for event, activity in zip(one.events, one.activities, strict=True):
            self._tell(event, activity)
        self._relate_family()

    # -- events

    def _tell(self, event: Recorded, activity: Activity) -> None:
        relations = [(self.id, "case")]
        relations.append((self._actor(event.actor, event), "actor"))
        if event.on_behalf:
            relations.append((self._actor(event.on_behalf, event), "on behalf of"))
        relations += self._changes(event)
        attributes: list[tuple[str, Any]] = [
            ("activity", activity.name),
            ("lifecycle", activity.lifecycle),
            ("number", event.number),
        ]
        if activity.instance:
            attributes.append(("instance", activity.instance))
        if event.happened_at != event.recorded_at:
            attributes.append(("happened_at", event.happened_at))
        taken = {name for name, _value in attributes}
        for name, value in flat(event).items():
            attributes.append((f"data_{name}" if name in taken else name, value))
        self.events.append(
            Happening(
                id=f"{self.id}/{event.number:06}",
                type=event.type,
                at=event.recorded_at,
                attributes=attributes,
                relations=list(dict.fromkeys(relations)),
            )
        )

    def _changes(self, event: Recorded) -> list[tuple[str, str]]:
        """What an event changed of the objects, and which ones it is related to beside the case."""
        data = event.data
        match event.type:
            case "case.opened":
                self._set(self.case, event, title=data.get("title"))
                self._set(self.case, event, **data.get("facts", {}))
            case "step.entered":
                self._visit = data.get("visit", self._visit)
                self._set(self.case, event, step=data.get("step"), outcome=data.get("outcome"))
                self._set(self.case, event, **data.get("facts", {}))
                return self._code(data)
            case "facts.changed":
                changes = data.get("changes", {})
                self._set(self.case, event, **{name: pair[-1] for name, pair in changes.items()})
            case "case.assigned":
                if owner := data.get("owner"):
                    self._set(self.case, event, caseworker=self.one.staff[owner])
                    return [(self._actor(f"person:{owner}", event), "assigned to")]
            case "table.decided":
                return self._table(data)
        if event.type.startswith(("task.", "advice.")):
            return self._task(event)
        if event.type.startswith("document."):
            return self._document(event)
        return []

    def _actor(self, code: str, event: Recorded) -> str:
        sort, _colon, _rest = code.partition(":")
        type_ = _STAFF.get(sort, "service")
        if type_ == "party":  # an applicant is another one in each case
            known = self.own.setdefault(f"{self.id}/{code}", Object(f"{self.id}/{code}", type_))
        else:
            known = self.shared.setdefault(code, Object(code, type_))
        if not known.attributes:
            known.attributes.append(("name", EPOCH, self.one.staff.resource(code)))
            if type_ == "party":
                self.case.relations.append((known.id, "party"))
        return known.id

    def _set(self, thing: Object, event: Recorded, **values: Any) -> None:
        """Note what changed of an object."""
        thing.born = thing.born or event.number
        at = EPOCH if event.number <= thing.born else event.recorded_at
        now = self._state.setdefault(thing.id, {})
        for name, value in values.items():
            value = None if value in (None, "", [], {}) else single(value)
            if value == now.get(name):
                continue
            now[name] = value
            if at == EPOCH:
                thing.attributes = [one for one in thing.attributes if one[0] != name]
            if at != EPOCH or value is not None:
                thing.attributes.append((name, at, value))

    def _task(self, event: Recorded) -> list[tuple[str, str]]:
        data = event.data
        command = data.get("command", data.get("task"))
        key = (data.get("visit", self._visit), command)
        task = self._tasks.get(key)
        if task is None:
            task = Object(f"{self.id}/task/{key[0]}.{key[1]}", "task")
            self._tasks[key] = self.own[task.id] = task
            self.case.relations.append((task.id, "task"))
        asked = {name: data[name] for name in ("name", "title", "role", "due_at") if name in data}
        self._set(task, event, **asked)
        state = _TASK_STATES.get(event.type)
        if state:
            self._set(task, event, state=state)
        if event.type == "task.completed":
            self._set(task, event, outcome=data.get("outcome"), reason=data.get("reason"))
        relations = [(task.id, event.type.partition(".")[2].replace("_", " "))]
        for name in ("person", "to"):
            if isinstance(data.get(name), int):
                relations.append((self._actor(f"person:{data[name]}", event), "given to"))
        return relations

    def _document(self, event: Recorded) -> list[tuple[str, str]]:
        data = event.data
        if "name" not in data or "version" not in data:
            return []
        id_ = f"{self.id}/document/{data['name']}/{data['version']}"
        document = self.own.get(id_)
        if document is None:
            document = self.own[id_] = Object(id_, "document")
            self.case.relations.append((id_, "document"))
        told = ("name", "version", "filename", "media_type", "size", "digest")
        self._set(document, event, **{name: data[name] for name in told if name in data})
        state = event.type.partition(".")[2]
        if state in ("received", "accepted", "rejected"):
            self._set(document, event, state=state)
        return [(id_, state.replace("_", " "))]

    def _code(self, data: dict[str, Any]) -> list[tuple[str, str]]:
        """The rule that a step follows: its code, by digest."""
        if not (digest := data.get("code")):
            return []
        id_ = f"step/{self.one.case.kind}/{data.get('step')}/{digest[:16]}"
        rule = self.shared.setdefault(id_, Object(id_, "rule"))
        if not rule.attributes:
            name = f"{self.one.case.kind} {data.get('step')}"
            for what, value in (("name", name), ("sort", "code of a step"), ("digest", digest)):
                rule.attributes.append((what, EPOCH, value))
        return [(id_, "by rule")]

    def _table(self, data: dict[str, Any]) -> list[tuple[str, str]]:
        version = data.get("digest") or data.get("version", "")
        id_ = f"table/{data.get('name')}/{str(version)[:16]}"
        rule = self.shared.setdefault(id_, Object(id_, "rule"))
        if not rule.attributes:
            told = {"name": data.get("name"), "sort": "decision table", "digest": str(version)}
            rule.attributes += [(name, EPOCH, single(value)) for name, value in told.items()]
        return [(id_, "by rule")]

    def _relate_family(self) -> None:
        """Relations to other cases, where these are in the same export."""
        if parent := self.one.case.parent_id:
            found = self._members([parent])
            self.case.relations += [(reference, "part of") for reference in found.values()]
        related = {
            event.data["other"]: event.type == "case.related"
            for event in self.one.events
            if event.type in ("case.related", "case.parted") and "other" in event.data
        }
        if still := [pk for pk, holds in related.items() if holds]:
            found = self._members(still)
            self.case.relations += [(reference, "related to") for reference in found.values()]

    def objects(self) -> Iterator[Object]:
        """The objects that no other case has."""
        return iter(self.own.values())


_TASK_STATES = {
    "task.opened": "open",
    "task.claimed": "taken",
    "task.handed_over": "taken",
    "task.released": "open",
    "task.completed": "done",
    "task.taken_back": "taken back",
    "advice.asked": "open",
    "advice.given": "done",
    "advice.withdrawn": "cancelled",
}


def type_of(value: Any) -> str:
    """The type that OCEL has for a value."""
    if isinstance(value, bool):
        return BOOLEAN
    if isinstance(value, int):
        return INTEGER if abs(value) < 2**63 else STRING
    if isinstance(value, Decimal | float):
        return FLOAT
    if isinstance(value, datetime | date):
        return TIME
    return STRING


def common_type(types: Iterable[str]) -> str:
    """One type for all values of an attribute: whole numbers are numbers, else it is text."""
    found = set(types)
    if len(found) == 1:
        return found.pop()
    return FLOAT if found == {INTEGER, FLOAT} else STRING
