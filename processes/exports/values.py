"""What the data of an event tells, as single values with names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from audit.record import Recorded
from processes.plain import plain

# Facts are told once, as what the case has; here they would come with every step.
_TOLD_ELSEWHERE = {
    "step.entered": frozenset({"facts", "data", "code"}),
    "case.opened": frozenset({"facts"}),
}


def flat(event: Recorded) -> dict[str, Any]:
    """The data of an event by name: numbers, dates and texts as they are, all else as JSON."""
    left_out = _TOLD_ELSEWHERE.get(event.type, frozenset())
    found = {}
    for name, value in event.data.items():
        if name not in left_out and value not in (None, "", [], {}):
            found[name] = single(value)
    return found


def single(value: Any) -> Any:
    """One value of those that tables know."""
    if isinstance(value, str | bool | int | float | Decimal | datetime | date):
        return value
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, Mapping | list | tuple):
        return json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"))
    return str(value)
