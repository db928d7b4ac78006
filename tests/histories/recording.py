"""Histories as files: how they are written, and how they are read again."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from audit import codec
from audit.chain import GENESIS, link
from audit.codec import utc_text
from audit.read import events_of
from audit.record import Recorded
from cases.models import Case

FOLDER = Path(__file__).parent


def write(case: Case, name: str) -> Path:
    """Keep the history of a case under a name. A history is never changed afterwards: it stands
    for the cases that were opened under the code of its day."""
    path = FOLDER / f"{name}.json"
    events: list[dict[str, Any]] = []
    previous = GENESIS
    for event in events_of(case.pk):
        # Opened and chained anew: the key of the case is not kept with its history.
        text = codec.encode(event.data)
        who = event.actor, event.on_behalf
        when = event.happened_at, event.recorded_at
        previous = link(previous, event.case_id, event.number, event.type, text, *who, *when)
        events.append(
            {
                "number": event.number,
                "type": event.type,
                "actor": event.actor,
                "on_behalf": event.on_behalf,
                "happened_at": utc_text(event.happened_at),
                "recorded_at": utc_text(event.recorded_at),
                "hash": previous.hex(),
                "data": text,
            }
        )
    path.write_text(
        json.dumps({"kind": case.kind, "case": case.pk, "events": events}, indent=1) + "\n"
    )
    return path


def read(path: Path) -> tuple[str, list[Recorded]]:
    """The kind and the events of a recorded history."""
    kept: dict[str, Any] = json.loads(path.read_text())
    return kept["kind"], [
        Recorded(
            kept["case"],
            event["number"],
            event["type"],
            event["data"],
            event["actor"],
            event["on_behalf"],
            datetime.fromisoformat(event["happened_at"]),
            datetime.fromisoformat(event["recorded_at"]),
            bytes.fromhex(event["hash"]),
        )
        for event in kept["events"]
    ]


def is_chained(events: list[Recorded]) -> bool:
    """Whether each event still seals the one before it."""
    previous = GENESIS
    for event in events:
        sealed = link(
            previous,
            event.case_id,
            event.number,
            event.type,
            event.data_text,
            event.actor,
            event.on_behalf,
            event.happened_at,
            event.recorded_at,
        )
        if sealed != event.hash:
            return False
        previous = event.hash
    return True
