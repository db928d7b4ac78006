"""Where something of a kind stands in its source."""

from __future__ import annotations

import inspect
from typing import Any

from processes.engine.places import place


def of(thing: Any) -> str:
    """File and line of a class, function, transition or activity."""
    thing = inspect.unwrap(getattr(thing, "function", thing))
    try:
        return place(inspect.getsourcefile(thing) or "", inspect.getsourcelines(thing)[1])
    except (OSError, TypeError):
        return getattr(thing, "__module__", "somewhere")
