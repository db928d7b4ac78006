"""Replay of a case whose key was destroyed: what is gone, and whether its code needed it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from django.utils import timezone

from audit.erased import ERASED
from audit.record import Recorded
from processes.engine.runner import StepCode


def why(code: StepCode, visit: Sequence[Recorded]) -> str:
    """What the code of a visit needs and that was erased, with the day; empty where nothing was.
    Asked when the code left its history."""
    gone = next((at for event in visit if (at := event.erased_at) is not None), None)
    if gone is None:
        return ""
    day = timezone.localdate(gone).isoformat()
    return f"needs {needed(code, visit[0])}, which was erased on {day}"


def needed(code: StepCode, entered: Recorded) -> str:
    """What the lines of a step name of what is gone: facts, else what came in meanwhile."""
    facts = entered.data.get("facts", {})
    gone = [name for name, value in facts.items() if value is None or value is ERASED]
    named = [name for name in gone if re.search(rf"\b{re.escape(name)}\b", code.text)]
    return ", ".join(named) or "an answer or a result"
