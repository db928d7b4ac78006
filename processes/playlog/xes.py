"""A log in XES, read as a recorded one: its traces are cases, its events rows.

A small mapping says which attributes are what; without one the standard extensions are meant. As
JSON, each part optional:

    {
      "log": "fine-traffic",                       whose driver plays it
      "case": {"id": "concept:name", "outcome": "outcome", "columns": {"amount": "AMOUNT_REQ"}},
      "event": {"activity": "concept:name", "lifecycle": "lifecycle:transition",
                "resource": "org:resource", "timestamp": "time:timestamp",
                "columns": {"paymentamount": "paymentAmount"}},
      "activities": {"Send fine": "Send Fine"}     by the name in the log: what the driver knows
    }

`columns` name what a driver reads by the attribute that has it; other attributes keep their names.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from defusedxml.ElementTree import iterparse

from processes.playlog.recorded import NoSuchLog, RecordedCase, Row, in_order

TYPES = {"string", "date", "int", "float", "boolean", "id"}
_CASE = {"id": "concept:name", "outcome": "outcome"}
_EVENT = {
    "activity": "concept:name",
    "lifecycle": "lifecycle:transition",
    "resource": "org:resource",
    "timestamp": "time:timestamp",
}


class NoXes(NoSuchLog):
    """The file is no log in XES, or lacks what a recorded log must have."""


@dataclass(frozen=True)
class Reading:
    """Which attributes of a log are what."""

    log: str = ""
    case: Mapping[str, str] = field(default_factory=lambda: dict(_CASE))
    event: Mapping[str, str] = field(default_factory=lambda: dict(_EVENT))
    case_columns: Mapping[str, str] = field(default_factory=dict)
    event_columns: Mapping[str, str] = field(default_factory=dict)
    activities: Mapping[str, str] = field(default_factory=dict)


def mapping_of(path: Path | None) -> Reading:
    """The mapping in a file; that of the standard extensions without one. Raises NoXes."""
    if path is None:
        return Reading()
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise NoXes(f"The mapping {path} cannot be read: {error}") from error
    unknown = set(told) - {"log", "case", "event", "activities"}
    for name, known in (("case", _CASE), ("event", _EVENT)):
        unknown |= set(told.get(name, {})) - known.keys() - {"columns"}
    if unknown:
        raise NoXes(f"The mapping {path} names what there is not: {', '.join(sorted(unknown))}.")
    case, event = dict(told.get("case", {})), dict(told.get("event", {}))
    return Reading(
        log=told.get("log", ""),
        case_columns=case.pop("columns", {}),
        event_columns=event.pop("columns", {}),
        case=_CASE | case,
        event=_EVENT | event,
        activities=told.get("activities", {}),
    )


def is_xes(path: Path) -> bool:
    """Whether a path names a log in XES, by its ending."""
    return path.name.lower().endswith((".xes", ".xes.gz"))


def read(
    path: Path, mapping: Reading, *, count: int = 0, seed: int = 1
) -> tuple[dict[str, RecordedCase], list[Row]]:
    """The cases of a log, or `count` of them spread over all by a hash of their ids, with their
    rows by time. Raises NoXes."""
    found = {case.case_id: (case, rows) for case, rows in traces(path, mapping)}
    order = sorted(found, key=lambda one: (zlib.crc32(f"{seed}/{one}".encode()), one))
    chosen = order[:count] if count else order
    cases = {one: found[one][0] for one in chosen}
    return cases, in_order([row for one in chosen for row in found[one][1]])


@dataclass(frozen=True, slots=True)
class Look:
    """What a log holds."""

    cases: int
    events: int
    variants: int


def look(path: Path, mapping: Reading) -> Look:
    """Count what a log holds, one trace at a time: a variant is a sequence of activities."""
    cases = events = 0
    variants = set()
    for _case, rows in traces(path, mapping):
        cases, events = cases + 1, events + len(rows)
        variants.add(sha256("\n".join(row.activity for row in rows).encode()).digest())
    return Look(cases, events, len(variants))


def traces(path: Path, mapping: Reading) -> Iterator[tuple[RecordedCase, list[Row]]]:
    """Each trace with its events in their order, one in memory at a time. Raises NoXes."""
    number = 0
    try:
        with gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb") as file:
            events: list[dict[str, str]] = []
            for _end, element in iterparse(file, events=("end",)):
                name = element.tag.rpartition("}")[2]
                if name == "event":
                    events.append(_attributes(element))
                    element.clear()
                elif name == "trace":
                    number += 1
                    yield _trace(_attributes(element), events, mapping, number)
                    events = []
                    element.clear()
    except (OSError, SyntaxError, EOFError, ValueError) as error:  # faults of XML, and entities
        raise NoXes(f"{path} cannot be read as XES: {error}") from error
    if not number:
        raise NoXes(f"{path} has no trace: is it a log in XES?")


def _attributes(element: Any) -> dict[str, str]:
    return {
        one.get("key", ""): one.get("value", "")
        for one in element
        if one.tag.rpartition("}")[2] in TYPES
    }


def _trace(
    own: dict[str, str], events: list[dict[str, str]], mapping: Reading, number: int
) -> tuple[RecordedCase, list[Row]]:
    case_id = own.get(mapping.case["id"], "")
    if not case_id:
        raise NoXes(
            f"Trace {number} has no {mapping.case['id']}: the mapping says where the id is."
        )
    rows = [_row(case_id, seq, one, mapping) for seq, one in enumerate(events, 1)]
    last = rows[-1].at if rows else datetime.min.replace(tzinfo=UTC)
    named = _named(own, mapping.case_columns)
    attributes = {**named, "case_id": case_id, "last": last.isoformat()}
    case = RecordedCase(
        case_id=case_id,
        outcome=own.get(mapping.case["outcome"], ""),
        ended_at=last,
        attributes=attributes,
    )
    return case, rows


def _row(case_id: str, seq: int, told: dict[str, str], mapping: Reading) -> Row:
    where = mapping.event
    activity = told.get(where["activity"], "")
    try:
        at = datetime.fromisoformat(told.get(where["timestamp"], ""))
    except ValueError:
        raise NoXes(f"Event {seq} of {case_id} has no moment in {where['timestamp']}.") from None
    at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    taken = set(where.values())
    rest = {name: value for name, value in told.items() if name not in taken and value}
    return Row(
        case_id=case_id,
        seq=seq,
        at=at,
        activity=mapping.activities.get(activity, activity),
        lifecycle=told.get(where["lifecycle"], ""),
        resource=told.get(where["resource"], ""),
        values=_named(rest, mapping.event_columns),
    )


def _named(told: Mapping[str, str], columns: Mapping[str, str]) -> dict[str, str]:
    """Attributes under the names that a driver knows."""
    names = {attribute: name for name, attribute in columns.items()}
    return {names.get(name, name): value for name, value in told.items()}
