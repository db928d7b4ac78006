"""Do two runs of a seed tell the same story of each case?

Left out, because they may differ between two runs in which nothing is wrong:
- attempts (activity.attempt_failed, activity.attempt_lost, and the attempt's number in a result);
- incidents of activities that blows used up, with the operator's retry;
- moments, due times, numbers of events, ids, references and keys: they are replaced or dropped;
- whether a task fell overdue: a task that opened a round later, because its case had to wait for
  a worker or a service, has another date. crash.checks holds each against its own date;
- when an activity was undone that was called off, beside the steps that follow;
- in the checks, which run side by side: the order of their two results, and, when one of them says
  no, whether the other was still heard before it was given up.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

NOISE = frozenset(
    {
        "activity.attempt_failed",
        "activity.attempt_lost",
        "activity.stopped",
        "activity.retried",
        "incident.opened",
        "incident.closed",
        "task.overdue",
        "wait.cancelled",
    }
)
# Moments, numbers of events, and rows of this database.
DROPPED = frozenset(
    ("at", "due_at", "until", "next_at", "opened_at", "counted_from", "holidays")
    + ("covers", "attempt", "undoing", "command", "commands", "cancelled", "task")
    + ("letter", "page", "key", "order", "booking")
)
_REPLACED = (
    (re.compile(r"\bLN-\d{4}-\d{6}\b"), "LN"),
    (re.compile(r"\b\d+\.\d+\.\d+\b(?!\d)"), "KEY"),
    (re.compile(r"\b[AB]-[0-9A-F]{8,10}\b"), "NUMBER"),
)


def differences(
    before: dict[str, list[dict[str, Any]]], after: dict[str, list[dict[str, Any]]]
) -> Iterator[str]:
    """Where the histories of two runs differ, the first place of each case."""
    for number in sorted(set(before) | set(after), key=int):
        one, other = story(before.get(number, [])), story(after.get(number, []))
        if one != other:
            place = next(
                (n for n, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]),
                min(len(one), len(other)),
            )
            told = [lines[place] if place < len(lines) else "the end" for lines in (one, other)]
            yield (
                f"Case {number} differs at line {place} of its story: undisturbed {told[0]}; "
                f"under blows {told[1]}"
            )


def story(events: list[dict[str, Any]]) -> list[str]:
    """One line an event, without what two sound runs may tell differently."""
    lines: list[str] = []
    step, visit, asked = "", 0, {}
    refused = _refused_in_checks(events)
    results: list[str] = []  # of activities, in a row
    undone: list[str] = []  # compensations, which run beside the steps that follow

    def flush() -> None:
        lines.extend(sorted(results))
        results.clear()

    for event in events:
        kind, data = event["type"], event["data"]
        if kind in NOISE:
            continue
        if kind == "step.entered":
            step, visit = data["step"], data["visit"]
        if kind == "activity.scheduled":
            asked[(data.get("visit", visit), data["command"])] = data["name"]
        line = f"{kind} {_plain(data)} {event['actor']}"
        if kind in ("activity.completed", "activity.failed"):
            name = asked.get((data.get("visit", visit), data["command"]), "")
            if step == "checks" and refused and name.rpartition(".")[2] in _CHECKS:
                continue
            (undone if data["command"] < 0 else results).append(f"{name} {line}")
            continue
        flush()
        lines.append(line)
    flush()
    return lines + sorted(undone)


_CHECKS = ("check_identity", "score_credit")


def _refused_in_checks(events: list[dict[str, Any]]) -> bool:
    """Whether a check said no, so that the other one may not have been heard."""
    return any(
        e["type"] == "step.entered" and e["data"]["from"] == "checks"
        and e["data"]["step"] in ("declined", "declining")
        for e in events
    )  # fmt: skip


def _plain(data: Any) -> str:
    text = json.dumps(_without(data), sort_keys=True)
    for pattern, word in _REPLACED:
        text = pattern.sub(word, text)
    return text


def _without(data: Any) -> Any:
    if isinstance(data, dict):
        return {name: _without(value) for name, value in data.items() if name not in DROPPED}
    if isinstance(data, list):
        return [_without(one) for one in data]
    return data
