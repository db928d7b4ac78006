"""Which transitions and steps the tests of a run took, and which none did."""

from __future__ import annotations

from typing import Any

Edge = tuple[str, str, str]  # kind, source, transition


class Taken:
    """The transitions that were taken, and the steps that were entered."""

    def __init__(self) -> None:
        self.edges: set[Edge] = set()
        self.steps: set[tuple[str, str]] = set()  # kind, step

    def look(self) -> None:
        """Add what the cases of the database have gone through."""
        from django.db import connection

        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT DISTINCT c.kind, e.data::jsonb ->> 'from', e.data::jsonb ->> 'transition',"
                " e.data::jsonb ->> 'step' FROM audit_event e JOIN cases_case c ON c.id = e.case_id"
                " WHERE e.type = 'step.entered'"
            )
            for kind, source, transition, step in cursor.fetchall():
                self.edges.add((kind, source or "", transition))
                self.steps.add((kind, step))

    def told(self) -> list[list[list[str]]]:
        """What another process is told."""
        return [[list(one) for one in self.edges], [list(one) for one in self.steps]]

    def hear(self, told: Any) -> None:
        edges, steps = told
        self.edges |= {tuple(one) for one in edges}
        self.steps |= {tuple(one) for one in steps}


def wish(config: Any) -> str:
    """report, require or off."""
    return str(config.getoption("--transitions") or config.getini("longcase_transitions"))


def missing(config: Any, taken: Taken) -> list[str]:
    """A line for each transition and step that no test took, of the kinds that were tested."""
    from processes.kinds import kinds

    seen = {kind for kind, _ in taken.steps}
    return [
        line for name, kind in sorted(kinds().items()) if name in seen for line in of(kind, taken)
    ]


def of(kind: Any, taken: Taken) -> list[str]:
    """The same for one kind."""
    from cases.fsm import edges

    lines = []
    steps = [str(value) for value, _ in kind.model.Step.choices]
    for edge in edges(kind.model):
        if edge.reopens:
            continue  # taken from closed cases, where a walk has ended
        sources = [s for s in steps if s in edge.sources or "*" in edge.sources]
        from_ = [s for s in sources if (kind.name, s, edge.name) not in taken.edges]
        if not from_:
            continue
        only = "" if len(from_) == len(sources) else f" (from {', '.join(from_)})"
        lines.append(f"{kind.name}: transition {edge.name}, to {edge.target}{only}")
    lines += [f"{kind.name}: step {s}" for s in steps if (kind.name, s) not in taken.steps]
    return lines
