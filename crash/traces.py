"""What an act leaves in history, in the same words for the ledger and for the events."""

from __future__ import annotations

from typing import Any

Trace = tuple[Any, ...]


def of_act(act: dict[str, Any]) -> Trace:
    """The one event that an act in the ledger must have."""
    match act["act"]:
        case "open":
            return ("case.opened",)
        case "claim" | "release":
            return (f"task.{act['act']}{'d' if act['act'] == 'release' else 'ed'}", *_task(act))
        case "complete":
            return ("task.completed", *_task(act), act["outcome"])
        case "send":
            return ("document.received", act["name"], act["version"])
        case "judge":
            verdict = "accepted" if act["accept"] else "rejected"
            return (f"document.{verdict}", act["name"], act["version"])
        case "answer":
            return ("message", act["key"])
        case "appraise":
            return ("party.answered", act["visit"])
        case "withdraw":
            return ("step.entered", "withdraw")
    raise ValueError(f"{act['act']} is no act of a plan.")


def of_event(event: dict[str, Any], *, visit: int) -> Trace | None:
    """What an act left behind; None for what the engine did by itself."""
    kind, data = event["type"], event["data"]
    if kind in ("task.claimed", "task.released", "task.completed"):
        trace = (kind, data["visit"], data["name"])
        return (*trace, data["outcome"]) if kind == "task.completed" else trace
    if kind in ("document.received", "document.accepted", "document.rejected"):
        return (kind, data["name"], data["version"])
    if kind in ("message.received", "message.kept", "message.late"):
        return ("message", data["key"])
    if kind == "party.answered":
        return (kind, visit)
    if kind == "step.entered" and data.get("transition") == "withdraw":
        return (kind, "withdraw")
    return (kind,) if kind == "case.opened" else None


def of_history(events: list[dict[str, Any]]) -> list[Trace]:
    """The traces of a whole history, in its order."""
    found = []
    visit = 0
    for event in events:
        if (trace := of_event(event, visit=visit)) is not None:
            found.append(trace)
        if event["type"] == "step.entered":
            visit = event["data"]["visit"]
    return found


def _task(act: dict[str, Any]) -> Trace:
    return (act["visit"], act["name"])
