"""A kind's drawing as a file: SVG, PNG, or BPMN 2.0 XML."""

from __future__ import annotations

from dataclasses import dataclass

from processes.drawing.bpmn import as_bpmn
from processes.drawing.graph import graph_of
from processes.drawing.layout import laid_out
from processes.drawing.png import as_png
from processes.drawing.svg import drawn, standing_alone
from processes.kinds import Kind


@dataclass(frozen=True, slots=True)
class Format:
    words: str
    mime: str


FORMATS = {
    "svg": Format("SVG", "image/svg+xml"),
    "png": Format("PNG", "image/png"),
    "bpmn": Format("BPMN 2.0", "application/xml"),
}


def exported(kind: Kind, form: str) -> bytes:
    """The bytes of a file of this form, one of FORMATS."""
    graph = graph_of(kind)
    if form == "bpmn":
        return as_bpmn(graph).encode()
    svg = standing_alone(drawn(laid_out(graph), title=graph.title))
    return as_png(svg) if form == "png" else svg.encode()
