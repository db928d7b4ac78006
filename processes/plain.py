"""Values as JSON says them: amounts and dates as text, moments in UTC."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.utils.timezone import localdate

from audit.codec import utc_text
from audit.models import Event
from audit.record import Recorded
from cases.words import Words


def plain(value: Any) -> Any:
    """What history and rows hold, for a reader that knows only JSON."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(one) for one in value]
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime):
        return utc_text(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, UUID):
        return str(value)
    return str(value)


def event(one: Event | Recorded, words: Words) -> dict[str, Any]:
    """An event with the names of who acted; `words` knows the people."""

    def who(code: str) -> dict[str, str]:
        return {"code": code, "name": words.actor(code)}

    return {
        "number": one.number,
        "type": one.type,
        "data": plain(dict(one.data)),
        "actor": who(one.actor),
        "on_behalf": who(one.on_behalf) if one.on_behalf else None,
        "happened_at": plain(one.happened_at),
        "recorded_at": plain(one.recorded_at),
        "hash": bytes(one.hash).hex(),
        "erased_on": plain(localdate(gone)) if (gone := one.erased_at) is not None else None,
    }
