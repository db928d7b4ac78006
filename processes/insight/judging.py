"""What a kind expects of the ways of its cases: its main line, and the edges of today's graph."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from cases import fsm
from processes.drawing.graph import graph_of, leads_from
from processes.kinds import Kind


class Move(NamedTuple):
    """A transition that was taken from one step to another."""

    source: str
    name: str
    target: str


def stages_of(kind: Kind) -> list[list[str]]:
    """The stages of the main line with their steps: as the kind declares it, or as it is drawn."""
    declared = [steps for _label, steps in kind.main_line if steps]
    return declared or [[node.step] for node in graph_of(kind).main]


class Expectation:
    """Judges moves by a kind as it is today."""

    def __init__(self, kind: Kind) -> None:
        self._places: dict[str, int] = {}
        for place, steps in enumerate(stages_of(kind)):
            for step in steps:
                self._places.setdefault(step, place)
        steps = [str(value) for value, _label in kind.model.Step.choices]  # type: ignore[attr-defined]
        self.edges = {
            Move(source, edge.name, edge.target)
            for edge in fsm.edges(kind.model)
            for source in steps
            if leads_from(edge, source, kind) or (edge.reopens and source in edge.sources)
        }

    def is_expected(self, move: Move) -> bool:
        """Whether it follows the main line: within a stage, or on to the next one."""
        before, after = self._places.get(move.source), self._places.get(move.target)
        return before is not None and after is not None and after - before in (0, 1)

    def is_known(self, move: Move) -> bool:
        """Whether the graph of today has this edge."""
        return move in self.edges

    def off(self, moves: Iterable[Move]) -> list[Move]:
        return [move for move in moves if not self.is_expected(move)]

    def strange(self, moves: Iterable[Move]) -> list[Move]:
        return [move for move in moves if not self.is_known(move)]

    def goes_back(self, move: Move) -> bool:
        """Whether it leads to the same or an earlier stage, so that it may be part of a loop."""
        before, after = self._places.get(move.source), self._places.get(move.target)
        if move.source == move.target:
            return True
        return before is not None and after is not None and after < before
