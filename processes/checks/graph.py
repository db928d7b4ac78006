"""The graph of a kind: every step can be reached and left, and each waits for somebody."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from django.core.checks import CheckMessage, Error, Warning

from cases.fsm import Edge, edges
from processes.checks import places
from processes.checks.reading import reading_of
from processes.engine.places import place
from processes.kinds import Kind


def check(kind: Kind) -> Iterator[CheckMessage]:
    """What is wrong with the graph of a kind."""
    graph = edges(kind.model)
    steps = [str(value) for value, _ in kind.model.Step.choices]  # type: ignore[attr-defined]
    yield from _steps(kind, graph, steps)
    yield from _reach(kind, graph, steps)
    yield from _transitions(kind, graph)
    yield from _overridden(kind)


def leads_from(edge: Edge, step: str) -> bool:
    return step in edge.sources or "*" in edge.sources


def _at(kind: Kind, step: str) -> str:
    code = kind.code_of(step)
    where = place(code.file, code.line) if code else places.of(kind.model)
    return f"{where}: step “{step}” of kind “{kind.name}”"


def _steps(kind: Kind, graph: list[Edge], steps: list[str]) -> Iterator[CheckMessage]:
    named = [*kind.codes, *kind.staff_steps, *kind.closing_steps, kind.initial]
    for step in dict.fromkeys(s for s in named if s not in steps):
        yield Error(
            f"{places.of(kind.model)}: kind “{kind.name}” names the step “{step}”, which it does "
            "not have.",
            hint=f"Its steps are: {', '.join(steps)}.",
            id="processes.E005",
        )
    for step in steps:
        if kind.is_closing(step):
            continue
        code, staff = kind.code_of(step), kind.staff_steps.get(step)
        by_hand = [e for e in graph if e.staff and leads_from(e, step)]
        if code is None and staff is None:
            yield Error(
                f"{_at(kind, step)} can wait for nobody: it has no code.",
                hint=f"Give it code with @{kind.name}.step(…), or say who acts: "
                f"{kind.name}.staff_step(…, role=…).",
                id="processes.E001",
            )
        elif code is None and not by_hand:
            yield Error(
                f"{_at(kind, step)} can wait for nobody: it has no code, and no transition out of "
                "it may be taken by staff.",
                hint="Give one of its transitions staff=True and a role=, or give it code.",
                id="processes.E001",
            )
        if not any(leads_from(e, step) for e in graph):
            yield Error(
                f"{_at(kind, step)}: no transition leads out of it.",
                hint="Add a @transition with it as source, or name it in closing_steps.",
                id="processes.E002",
            )


def _reach(kind: Kind, graph: list[Edge], steps: list[str]) -> Iterator[CheckMessage]:
    reached = {kind.initial}
    ends = set(kind.closing_steps)
    for _ in steps:
        reached |= {e.target for e in graph if "*" in e.sources or reached & set(e.sources)}
        for edge in graph:
            if edge.target in ends:
                ends |= set(steps) if "*" in edge.sources else set(edge.sources)
    if not kind.closing_steps:
        yield Error(
            f"{places.of(kind.model)}: kind “{kind.name}” has no closing step, so its cases never "
            "end.",
            hint="Name the last steps: closing_steps = (Step.…,).",
            id="processes.E007",
        )
    for step in steps:
        if step not in reached:
            yield Error(
                f"{_at(kind, step)} cannot be reached: no way leads there from “{kind.initial}”.",
                hint="Add a @transition with it as target, or remove the step.",
                id="processes.E004",
            )
        elif kind.closing_steps and step not in ends:
            yield Error(
                f"{_at(kind, step)}: no way leads from it to a closing step.",
                hint=f"Add a transition towards {', '.join(sorted(kind.closing_steps))}.",
                id="processes.E006",
            )


def _transitions(kind: Kind, graph: list[Edge]) -> Iterator[CheckMessage]:
    readings = [reading_of(code) for code in _codes(kind)]
    taken = {name for reading in readings for name in reading.named}
    is_known = not any(reading.looks_up for reading in readings)
    for edge in graph:
        where = places.of(getattr(kind.model, edge.name))
        if edge.staff and not edge.role:
            yield Warning(
                f"{where}: transition “{edge.name}” of kind “{kind.name}” is without permission: "
                "whoever may work on the case may take it.",
                hint='Name who may: @transition(…, staff=True, role="caseworker").',
                id="processes.W002",
            )
        if is_known and not (edge.staff or edge.takes_back or edge.reopens or edge.name in taken):
            yield Warning(
                f"{where}: transition “{edge.name}” of kind “{kind.name}” is taken by nobody: no "
                "step's code returns it, and staff may not take it.",
                hint=f"Return case.{edge.name}(…) in a step, or give it staff=True and a role=.",
                id="processes.W003",
            )
        method = inspect.unwrap(getattr(kind.model, edge.name))
        takes = inspect.signature(method).parameters
        if edge.reopens and (kind.is_closing(edge.target) or not _all_closing(kind, edge)):
            yield Error(
                f"{where}: transition “{edge.name}” of kind “{kind.name}” opens a case again, so "
                "it leads from closing steps to one that is open.",
                hint="Name closing steps alone as its source, or leave reopens=True out.",
                id="processes.E010",
            )
        for name in edge.asks:
            if name not in takes:
                yield Error(
                    f"{where}: transition “{edge.name}” asks for “{name}”, which it does not take.",
                    hint=f"def {edge.name}(self, *, {name}: str) -> None",
                    id="processes.E009",
                )


def _all_closing(kind: Kind, edge: Edge) -> bool:
    return all(kind.is_closing(source) for source in edge.sources)


def _codes(kind: Kind) -> Iterator[Any]:
    for versions in kind.codes.values():
        yield from versions.values()


def _overridden(kind: Kind) -> Iterator[CheckMessage]:
    for name, method in vars(kind.model).items():
        inherited = [b for b in kind.model.__mro__[1:] if hasattr(vars(b).get(name), "_django_fsm")]
        if inherited and not hasattr(method, "_django_fsm"):
            yield Error(
                f"{places.of(method)}: {name}() of kind “{kind.name}” overrides a transition "
                "without being one.",
                hint="Decorate it with @transition.",
                id="processes.E003",
            )
