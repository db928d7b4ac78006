"""Transitions of a case: django-fsm's, with one typed wrapper around them.

The control graph of a kind is the set of its transitions, and django-fsm enforces it for code,
staff and API alike. The wrapper adds what the rest of Longcase needs to know of an edge: the words
on its button, whether staff may take it by hand, and which data it asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

from django_fsm import transition as fsm_transition


@dataclass(frozen=True, slots=True)
class Move:
    """A transition that was taken on a case in memory: what a step's code returns."""

    name: str
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Edge:
    """One transition of a kind, as data."""

    name: str
    sources: tuple[str, ...]
    target: str
    label: str
    staff: bool
    role: str
    asks: tuple[str, ...]
    confirm: str
    takes_back: tuple[str, ...]
    reopens: bool
    closes: bool
    about: str


def transition(
    *,
    source: Any,  # a step, several, or "*"; members of TextChoices have no better common type
    target: Any,
    label: str = "",
    staff: bool = False,
    role: str = "",
    asks: Sequence[str] = (),
    confirm: str = "",
    takes_back: Sequence[str] = (),
    reopens: bool = False,
    conditions: Sequence[Callable[[Any], bool]] = (),
) -> Callable[[Callable[..., None]], Callable[..., Move]]:
    """Declare a method of a Case as an edge of its graph.

    `label` is verb and thing, as on the button ("Withdraw the application"). `staff` lets people
    take the edge by hand, with `role` where only one role may; `asks` names the keyword arguments
    a person must give; `confirm` is the consequence shown before it is done. `takes_back` names the
    reviews whose decision may be taken back along this edge, which leads to the step that asks for
    them; whoever decided, or a supervisor, does that with a reason. `reopens` is an edge out of
    closing steps: along it people open a closed case again, with a reason, at the step where it
    goes on. The method sets facts and nothing else; calling it returns the Move that a step's
    code hands back.
    """

    def declare(method: Callable[..., None]) -> Callable[..., Move]:
        about = {
            "label": label or method.__name__.replace("_", " ").capitalize(),
            "staff": staff,
            "role": role,
            "asks": tuple(asks),
            "confirm": confirm,
            "takes_back": tuple(takes_back),
            "reopens": reopens,
            "about": (method.__doc__ or "").strip().split("\n")[0],
        }
        edge = fsm_transition(
            field="step", source=source, target=target, conditions=list(conditions), custom=about
        )(method)

        @wraps(edge)
        def take(self: Any, **data: Any) -> Move:
            edge(self, **data)
            return Move(method.__name__, data)

        # django-fsm finds transitions by this attribute of the function.
        take._django_fsm = edge._django_fsm  # type: ignore[attr-defined]
        return take

    return declare


def edges(model: type) -> list[Edge]:
    """All transitions of a kind, in the order of their names. Equal names are one edge."""
    found: dict[str, Edge] = {}
    step_field = model._meta.get_field("step")  # type: ignore[attr-defined]
    closing = getattr(model, "closing_steps", ())
    for one in step_field.get_all_transitions(model):
        sources: tuple[str, ...] = (str(one.source),)
        if one.name in found:
            sources = (*found[one.name].sources, *sources)
        custom = one.custom
        found[one.name] = Edge(
            name=one.name,
            sources=tuple(sorted(set(sources))),
            target=str(one.target),
            label=custom.get("label", one.name),
            staff=custom.get("staff", False),
            role=custom.get("role", ""),
            asks=custom.get("asks", ()),
            confirm=custom.get("confirm", ""),
            takes_back=custom.get("takes_back", ()),
            reopens=custom.get("reopens", False),
            closes=str(one.target) in closing,
            about=custom.get("about", ""),
        )
    return [found[name] for name in sorted(found)]
