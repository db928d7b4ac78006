"""A kind as a graph that can be drawn: its steps, and between two steps one line for each way."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace

from cases import fsm
from processes.kinds import Kind

LARGE = 40  # steps; past that a drawing shows the neighbourhood of one step


@dataclass(frozen=True, slots=True)
class Node:
    """One step. `rank` is its place on the main line from 0, or None beside it."""

    step: str
    label: str
    rank: int | None = None
    is_first: bool = False
    closes: bool = False
    by_staff: bool = False  # it has no code: it waits for staff


@dataclass(frozen=True, slots=True)
class Line:
    """All transitions from one step to another."""

    source: str
    target: str
    edges: tuple[fsm.Edge, ...]

    @property
    def label(self) -> str:
        return " / ".join(str(edge.label) for edge in self.edges)

    @property
    def by_staff(self) -> bool:
        return all(edge.staff for edge in self.edges)


@dataclass(frozen=True, slots=True)
class Graph:
    """What is drawn."""

    name: str
    title: str
    nodes: tuple[Node, ...]  # the main line first, in its order
    lines: tuple[Line, ...]

    @property
    def main(self) -> list[Node]:
        found = [node for node in self.nodes if node.rank is not None]
        return sorted(found, key=lambda node: node.rank or 0)

    @property
    def beside(self) -> list[Node]:
        return [node for node in self.nodes if node.rank is None]

    def leaving(self, step: str) -> list[Line]:
        return [line for line in self.lines if line.source == step]


def graph_of(kind: Kind) -> Graph:
    """The graph of a kind: steps in the order of their declaration."""
    edges = fsm.edges(kind.model)
    steps = [str(value) for value, _ in kind.model.Step.choices]  # type: ignore[attr-defined]
    pairs: dict[tuple[str, str], list[fsm.Edge]] = {}
    for source in steps:
        for edge in edges:
            if leads_from(edge, source, kind):
                pairs.setdefault((source, edge.target), []).append(edge)
    ranks = {step: rank for rank, step in enumerate(_main_line(kind, steps, list(pairs)))}
    nodes = [
        Node(
            step=step,
            label=kind.step_label(step),
            rank=ranks.get(step),
            is_first=step == kind.initial,
            closes=kind.is_closing(step),
            by_staff=step in kind.staff_steps,
        )
        for step in steps
    ]
    nodes.sort(key=lambda node: (node.rank is None, node.rank or 0))
    lines = [Line(*pair, tuple(found)) for pair, found in pairs.items()]
    return Graph(kind.name, str(kind.title), tuple(nodes), tuple(lines))


def leads_from(edge: fsm.Edge, step: str, kind: Kind) -> bool:
    """Whether a case on this step could take this edge; "*" is any step that is still open."""
    if edge.reopens:
        return False  # the ends stay ends: people open a case again, the process does not
    if step in edge.sources:
        return True
    if kind.is_closing(step) or edge.target == step:
        return False
    return "*" in edge.sources or "+" in edge.sources


def _main_line(kind: Kind, steps: list[str], pairs: list[tuple[str, str]]) -> list[str]:
    """The kind's main line; without one, the longest of the shortest ways from the first step."""
    named = [step for _, some in kind.main_line for step in some if step in steps]
    if named:
        return list(dict.fromkeys(named))
    ways: dict[str, list[str]] = {kind.initial: [kind.initial]}
    todo = deque([kind.initial])
    while todo:
        step = todo.popleft()
        for source, target in pairs:
            if source == step and target not in ways:
                ways[target] = [*ways[step], target]
                todo.append(target)
    return max(ways.values(), key=len)


def neighbourhood(graph: Graph, step: str) -> Graph:
    """One step with those that lead to it and those that follow."""
    lines = [line for line in graph.lines if step in (line.source, line.target)]
    near = {step, *(line.source for line in lines), *(line.target for line in lines)}
    return _only(graph, near, lines)


def _only(graph: Graph, steps: set[str], lines: Iterable[Line]) -> Graph:
    kept = [node for node in graph.nodes if node.step in steps]
    ranks = {node.step: place for place, node in enumerate(n for n in kept if n.rank is not None)}
    if not ranks:
        ranks = {kept[0].step: 0}
    nodes = tuple(replace(node, rank=ranks.get(node.step)) for node in kept)
    return replace(graph, nodes=nodes, lines=tuple(lines))
