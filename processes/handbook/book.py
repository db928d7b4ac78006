"""The handbook of a kind: its steps with all that can be told of them, and what it uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from cases import fsm
from cases.words import party
from processes.decisions.library import known_tables
from processes.decisions.tables import DecisionTable
from processes.drawing.graph import LARGE, Graph, graph_of, neighbourhood
from processes.drawing.layout import Layout, laid_out
from processes.engine.runner import StepCode
from processes.handbook.findings import Finding
from processes.handbook.reading import Reading, read
from processes.handbook.reading import package_of as path_of
from processes.kinds import Kind, StaffStep, kinds


@dataclass(frozen=True, slots=True)
class Way:
    """One transition that leads on from a step."""

    edge: fsm.Edge
    target: str
    target_label: str
    who: str  # who may take it, in words

    @property
    def label(self) -> str:
        return str(self.edge.label)


@dataclass(slots=True)
class StepTold:
    """One step of a kind."""

    step: str
    label: str
    is_first: bool
    closes: bool
    ways: list[Way]
    readings: dict[int, Reading] = field(default_factory=dict)  # by version
    staff: StaffStep | None = None

    @property
    def newest(self) -> Reading | None:
        return self.readings[max(self.readings)] if self.readings else None

    @property
    def versions(self) -> list[int]:
        return sorted(self.readings, reverse=True)

    @property
    def waits_for(self) -> str:
        """Whom it waits for, in words; empty for a step that runs through or is an end."""
        if self.staff is not None:
            return party(self.staff.role)
        if self.newest is None:
            return ""
        found = [party(one) for one in self.newest.parties]
        for name in dict.fromkeys(one.name for one in self.newest.of("subcase")):
            if name in kinds():
                found.append(_("another case (%(kind)s)") % {"kind": kinds()[name].title})
        return ", ".join(found)

    @property
    def about(self) -> str:
        """The first sentence of what its code says of itself."""
        return self.newest.about.partition("\n\n")[0] if self.newest else ""


@dataclass(frozen=True, slots=True)
class Used:
    """Something that a kind uses, and the steps that use it."""

    finding: Finding
    steps: tuple[StepTold, ...]


def reading_of(code: StepCode) -> Reading:
    """One version of a step, read once a process and language."""
    return _read(code, get_language())


@lru_cache(maxsize=2000)
def _read(code: StepCode, language: str | None) -> Reading:
    return read(code)


def steps_of(kind: Kind) -> list[StepTold]:
    """All steps: the main line in its order, then those beside it, the ends last."""
    graph = graph_of(kind)
    readings = {
        step: {version: reading_of(code) for version, code in codes.items()}
        for step, codes in kind.codes.items()
    }
    found = []
    for node in graph.nodes:
        mine = readings.get(node.step, {})
        taken = {name for reading in mine.values() for name in reading.ways}
        ways = [
            Way(edge, line.target, kind.step_label(line.target), _who(edge, edge.name in taken))
            for line in graph.leaving(node.step)
            for edge in line.edges
        ]
        found.append(
            StepTold(
                step=node.step,
                label=node.label,
                is_first=node.is_first,
                closes=node.closes,
                ways=ways,
                readings=mine,
                staff=kind.staff_steps.get(node.step),
            )
        )
    order = {node.step: place for place, node in enumerate(graph.nodes)}
    ranked = {node.step for node in graph.main}
    return sorted(found, key=lambda s: (s.step not in ranked, s.closes, order[s.step]))


def _who(edge: fsm.Edge, by_code: bool) -> str:
    """Who may take a transition."""
    found = [_("by itself")] if by_code else []
    if edge.takes_back:
        found.append(_("by whoever decided, or a supervisor, who takes it back"))
    elif edge.staff:
        found.append(_("by %(who)s") % {"who": party(edge.role or "caseworker")})
    return _(", or ").join(found) or _("by itself")


def used_in(steps: list[StepTold], *sorts: str) -> list[Used]:
    """What the newest versions of these steps use of these sorts, each once."""
    found: dict[tuple[str, ...], tuple[Finding, list[StepTold]]] = {}
    for step in steps:
        for one in step.newest.of(*sorts) if step.newest else ():
            key: tuple[str, ...] = (one.sort, one.name, one.on)
            if one.sort in ("deadline", "timer"):  # many have no name: their time tells them apart
                key += (one.due, one.otherwise)
            _finding, some = found.setdefault(key, (one, []))
            if step not in some:
                some.append(step)
    return [Used(one, tuple(some)) for one, some in found.values()]


def roles_of(steps: list[StepTold]) -> list[tuple[str, list[str]]]:
    """The roles of staff that a kind needs, with what each does."""
    found: dict[str, list[str]] = {}
    for step in steps:
        for one in step.newest.of("task") if step.newest else ():
            for role in one.on.split(" / "):
                found.setdefault(role, []).append(one.title)
        if step.staff is not None:
            found.setdefault(step.staff.role, []).append(step.label)
        for way in step.ways:
            if way.edge.staff and way.edge.role:
                found.setdefault(way.edge.role, []).append(way.label)
    return [(role, list(dict.fromkeys(what))) for role, what in sorted(found.items())]


def tables_of(kind: Kind) -> list[DecisionTable]:
    """The decision tables of a kind: those of its package, and others that its steps ask."""
    found = [table for table in known_tables() if table.owner == package_of(kind)]
    for step in steps_of(kind):
        for reading in step.readings.values():
            found += [one.table for one in reading.of("table") if one.table is not None]
    return list(dict.fromkeys(found))


def package_of(kind: Kind) -> str:
    """The name of the package in which a kind and its tables lie."""
    return path_of(kind).rpartition(".")[2]


def users_of(table: DecisionTable) -> list[tuple[Kind, StepTold]]:
    """The steps that ask a table."""
    return [
        (kind, step)
        for kind in kinds().values()
        for step in steps_of(kind)
        if any(one.table is table for r in step.readings.values() for one in r.of("table"))
    ]


def drawing_of(kind: Kind, *, around: str = "") -> Layout:
    """The drawing of a kind; of a large one the neighbourhood of a step."""
    graph = graph_of(kind)
    if len(graph.nodes) > LARGE and around:
        graph = neighbourhood(graph, around)
    return _laid_out(graph)


def is_large(kind: Kind) -> bool:
    return len(graph_of(kind).nodes) > LARGE


@lru_cache(maxsize=200)
def _laid_out(graph: Graph) -> Layout:
    return laid_out(graph)


def facts_of_activity(finding: Finding) -> Mapping[str, Any]:
    """How an activity is run, for a row of a table."""
    one = finding.activity
    assert one is not None
    return {
        "attempts": one.attempts,
        "seconds": round(one.timeout_seconds),
        "lane": _("in the case's own transaction") if one.inside else one.lane,
        "undone_by": one.compensate.name if one.compensate is not None else "",
    }
