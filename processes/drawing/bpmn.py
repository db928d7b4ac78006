"""A kind as BPMN 2.0 XML with its diagram, for people and tools that ask for it.

Steps are tasks (user tasks where staff move the case), ends are end events. BPMN takes several
ways out of a task for all at once, and a case goes only one of them: a step with several ways has
an exclusive gateway under it. A tool can show and keep it; running it is no aim.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

from processes.drawing.graph import Graph
from processes.drawing.layout import Box, Layout, Path, Point, Sizes, laid_out

MODEL = "http://www.omg.org/spec/BPMN/20100524/MODEL"
DIAGRAM = "http://www.omg.org/spec/BPMN/20100524/DI"
DC = "http://www.omg.org/spec/DD/20100524/DC"
DI = "http://www.omg.org/spec/DD/20100524/DI"
EVENT, GATEWAY = 36.0, 40.0
ROOM = 92.0  # under a step, for its gateway
Bounds = tuple[float, float, float, float]  # x, y, width, height


@dataclass(frozen=True, slots=True)
class Shape:
    """One element of the process with its place in the diagram."""

    id: str
    tag: str
    name: str
    bounds: Bounds

    @property
    def left(self) -> Point:
        return (self.bounds[0], self.middle[1])

    @property
    def right(self) -> Point:
        return (self.bounds[0] + self.bounds[2], self.middle[1])

    @property
    def top(self) -> Point:
        return (self.middle[0], self.bounds[1])

    @property
    def bottom(self) -> Point:
        return (self.middle[0], self.bounds[1] + self.bounds[3])

    @property
    def middle(self) -> Point:
        x, y, width, height = self.bounds
        return (x + width / 2, y + height / 2)


@dataclass(frozen=True, slots=True)
class Flow:
    id: str
    source: Shape
    target: Shape
    name: str
    points: tuple[Point, ...]


def as_bpmn(graph: Graph) -> str:
    """The XML of a kind."""
    layout = laid_out(graph, Sizes(gap=ROOM + 30, beside=ROOM, margin=90))
    shapes, flows = _elements(graph, layout)
    for prefix, space in (("", MODEL), ("bpmndi", DIAGRAM), ("dc", DC), ("di", DI)):
        ElementTree.register_namespace(prefix, space)
    name = _id(graph.name)
    root = ElementTree.Element(
        f"{{{MODEL}}}definitions",
        {"id": f"definitions_{name}", "targetNamespace": f"urn:longcase:{name}"},
    )
    process = ElementTree.SubElement(
        root,
        f"{{{MODEL}}}process",
        {"id": f"process_{name}", "name": graph.title, "isExecutable": "false"},
    )
    for shape in shapes:
        _element(process, shape, flows)
    for flow in flows:
        attributes = {"id": flow.id, "sourceRef": flow.source.id, "targetRef": flow.target.id}
        if flow.name:
            attributes["name"] = flow.name
        ElementTree.SubElement(process, f"{{{MODEL}}}sequenceFlow", attributes)
    _diagram(root, name, shapes, flows)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _id(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


def _elements(graph: Graph, layout: Layout) -> tuple[list[Shape], list[Flow]]:
    shapes: list[Shape] = []
    arrive: dict[str, Shape] = {}  # where lines to a step end
    depart: dict[str, Shape] = {}  # where its lines begin: it, or the gateway under it
    flows: list[Flow] = []
    for node in graph.nodes:
        box = layout.boxes[node.step]
        if node.closes:
            shape = Shape(f"end_{_id(node.step)}", "endEvent", node.label, _round(box))
        else:
            tag = "userTask" if node.by_staff else "task"
            bounds = (box.x, box.y, box.width, box.height)
            shape = Shape(f"step_{_id(node.step)}", tag, node.label, bounds)
        shapes.append(shape)
        arrive[node.step] = depart[node.step] = shape
        if node.is_first:
            start = Shape(f"start_{_id(node.step)}", "startEvent", "", _start(shape, layout))
            shapes.append(start)
            on_top = start.middle[0] == shape.middle[0]
            way = (start.bottom, shape.top) if on_top else (start.right, shape.left)
            flows.append(Flow("flow_start", start, shape, "", way))
        if not node.closes and len(graph.leaving(node.step)) > 1:
            x = shape.bottom[0] - GATEWAY / 2
            bounds = (x, shape.bottom[1] + 20, GATEWAY, GATEWAY)
            gateway = Shape(f"ways_{_id(node.step)}", "exclusiveGateway", "", bounds)
            shapes.append(gateway)
            depart[node.step] = gateway
            name = f"flow_{_id(node.step)}"
            flows.append(Flow(name, shape, gateway, "", (shape.bottom, gateway.top)))
    paths = {(one.line.source, one.line.target): one for one in layout.paths}
    for line in graph.lines:
        source, target = depart[line.source], arrive[line.target]
        points = _points(paths.get((line.source, line.target)), source, target)
        name = f"flow_{_id(line.source)}__{_id(line.target)}"
        flows.append(Flow(name, source, target, line.label, points))
    return shapes, flows


def _start(first: Shape, layout: Layout) -> Bounds:
    """Above the first step, or beside it where another stands above."""
    if first.bounds[1] <= min(box.y for box in layout.boxes.values()):
        return (first.top[0] - EVENT / 2, first.bounds[1] - EVENT - 30, EVENT, EVENT)
    return (first.left[0] - EVENT - 30, first.middle[1] - EVENT / 2, EVENT, EVENT)


def _round(box: Box) -> Bounds:
    x, y = box.middle
    return (box.x if box.node.rank is None else x - EVENT / 2, y - EVENT / 2, EVENT, EVENT)


def _points(path: Path | None, source: Shape, target: Shape) -> tuple[Point, ...]:
    """The way of a flow: in the lane of the drawing, from a corner of the gateway."""
    if path is None:  # from a step to itself
        lane = source.right[0] + 40
        return (source.right, (lane, source.right[1]), (lane, target.right[1]), target.right)
    if path.side == "down":
        if abs(source.bottom[0] - target.top[0]) < 1:
            return (source.bottom, target.top)
        between = (source.bottom[1] + target.top[1]) / 2
        return (
            source.bottom,
            (source.bottom[0], between),
            (target.top[0], between),
            target.top,
        )
    lane = path.points[1][0]
    start = source.left if lane < source.middle[0] else source.right
    end = target.left if lane < target.middle[0] else target.right
    return (start, (lane, start[1]), (lane, end[1]), end)


def _element(process: ElementTree.Element, shape: Shape, flows: list[Flow]) -> None:
    attributes = {"id": shape.id, **({"name": shape.name} if shape.name else {})}
    element = ElementTree.SubElement(process, f"{{{MODEL}}}{shape.tag}", attributes)
    for tag, ids in (
        ("incoming", [flow.id for flow in flows if flow.target is shape]),
        ("outgoing", [flow.id for flow in flows if flow.source is shape]),
    ):
        for one in ids:
            ElementTree.SubElement(element, f"{{{MODEL}}}{tag}").text = one


def _diagram(root: ElementTree.Element, name: str, shapes: list[Shape], flows: list[Flow]) -> None:
    diagram = ElementTree.SubElement(root, f"{{{DIAGRAM}}}BPMNDiagram", {"id": f"diagram_{name}"})
    plane = ElementTree.SubElement(
        diagram,
        f"{{{DIAGRAM}}}BPMNPlane",
        {"id": f"plane_{name}", "bpmnElement": f"process_{name}"},
    )
    for shape in shapes:
        drawn = ElementTree.SubElement(
            plane,
            f"{{{DIAGRAM}}}BPMNShape",
            {"id": f"{shape.id}_shape", "bpmnElement": shape.id},
        )
        keys = ("x", "y", "width", "height")
        bounds = {key: _n(value) for key, value in zip(keys, shape.bounds, strict=True)}
        ElementTree.SubElement(drawn, f"{{{DC}}}Bounds", bounds)
    for flow in flows:
        edge = ElementTree.SubElement(
            plane, f"{{{DIAGRAM}}}BPMNEdge", {"id": f"{flow.id}_edge", "bpmnElement": flow.id}
        )
        for x, y in _without_repetition(flow.points):
            ElementTree.SubElement(edge, f"{{{DI}}}waypoint", {"x": _n(x), "y": _n(y)})


def _without_repetition(points: tuple[Point, ...]) -> Iterator[Point]:
    for place, point in enumerate(points):
        if place == 0 or point != points[place - 1] or place == len(points) - 1:
            yield point


def _n(number: float) -> str:
    return f"{number:.1f}"
