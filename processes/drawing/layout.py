"""Where everything stands: the main line straight down, everything else in a column beside it.

Lines that leave the main line run in a channel of lanes, one lane for each step they lead to, so
that "withdraw, from any step" is one line with many beginnings. Ways back, and ways that skip a
step, run in lanes on the left. The same graph always gives the same layout.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations

from processes.drawing.graph import Graph, Line, Node

CHARACTER = 7.4  # the mean width of one, at 14 px
LEAST, MOST = 120, 190  # the width of a box
LINE_HEIGHT = 18
LANE = 14
PORT = 7  # between two lines that leave a box
SCATTERED = 3  # lines from one step that share a lane
TRIED = 6  # lanes up to which every order is tried

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Sizes:
    """Distances in px. BPMN needs more room between boxes than a page does."""

    gap: float = 40  # between boxes of the main line
    beside: float = 20  # between boxes of the column beside it
    margin: float = 16


@dataclass(slots=True)
class Box:
    """A step with its place; x and y are its upper left corner."""

    node: Node
    words: list[str]
    x: float = 0
    y: float = 0
    width: float = 0
    height: float = 0

    @property
    def middle(self) -> Point:
        return (self.x + self.width / 2, self.y + self.height / 2)

    @property
    def bottom(self) -> float:
        return self.y + self.height


@dataclass(frozen=True, slots=True)
class Path:
    """One line with its corners. `side` is down, left, channel or right."""

    line: Line
    points: tuple[Point, ...]
    side: str
    goes_back: bool = False


@dataclass(slots=True)
class Layout:
    graph: Graph
    boxes: dict[str, Box]
    paths: list[Path] = field(default_factory=list)
    width: float = 0
    height: float = 0


def laid_out(graph: Graph, sizes: Sizes | None = None) -> Layout:
    """Place all boxes and lines of a graph. A step that leads to itself stays without a line."""
    lines = tuple(line for line in graph.lines if line.source != line.target)
    graph = replace(graph, lines=lines)
    sizes = sizes or Sizes()
    boxes = {node.step: _box(node) for node in graph.nodes}
    main = [boxes[node.step] for node in graph.main]
    _stack(main, top=sizes.margin, gap=sizes.gap)
    sides = {line: _side(line, boxes, graph) for line in graph.lines}
    beside = _column(graph, boxes, sides, sizes)
    lanes = {line: _lane_of(line, graph, sides) for line in graph.lines}
    left, channel, right = (
        _lanes([line for line in graph.lines if sides[line] == side], lanes, boxes)
        for side in ("left", "channel", "right")
    )

    x = sizes.margin + (len(left) + 1) * LANE if left else sizes.margin
    widest = max((box.width for box in main), default=0)
    for box in main:
        box.x = x + (widest - box.width) / 2
    edge = x + widest
    start = edge + (len(channel) + 1) * LANE + 6
    for box in beside:
        box.x = start
    end = max((box.x + box.width for box in boxes.values()), default=0)
    layout = Layout(graph, boxes)
    layout.width = end + sizes.margin + ((len(right) + 1) * LANE if right else 0)
    layout.height = max((box.bottom for box in boxes.values()), default=0) + sizes.margin
    places = {
        "left": {lane: x - (n + 1) * LANE for n, lane in enumerate(left)},
        "channel": {lane: edge + (n + 1) * LANE for n, lane in enumerate(channel)},
        "right": {lane: end + (n + 1) * LANE for n, lane in enumerate(right)},
    }
    layout.paths = _paths(graph, boxes, sides, lanes, places)
    return layout


def _box(node: Node) -> Box:
    words = wrapped(node.label)
    width = max(len(one) for one in words) * CHARACTER + 28
    box = Box(node, words, width=min(max(LEAST, width), MOST))
    box.height = 22 + LINE_HEIGHT * len(words)
    return box


def wrapped(text: str) -> list[str]:
    """A label in at most two lines of a box; what is longer ends with …"""
    most = int((MOST - 28) / CHARACTER)
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if len(longer) <= most or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    shown = lines[:2]
    if len(lines) > 2:
        shown[1] += " …"
    return [one if len(one) <= most else one[: most - 1] + "…" for one in shown]


def _stack(boxes: Iterable[Box], *, top: float, gap: float) -> None:
    for box in boxes:
        box.y = top
        top += box.height + gap


def _side(line: Line, boxes: dict[str, Box], graph: Graph) -> str:
    source, target = boxes[line.source].node, boxes[line.target].node
    if source.rank is not None and target.rank is not None:
        return "down" if target.rank == source.rank + 1 else "left"
    if source.rank is None and target.rank is None:
        return "right"
    return "channel"


def _column(graph: Graph, boxes: dict[str, Box], sides: dict[Line, str], sizes: Sizes) -> list[Box]:
    """The boxes beside the main line, each near the boxes it belongs to; those that follow one
    another directly under each other."""
    wanted: dict[str, float] = {}
    for node in graph.beside:
        near = [
            boxes[other].middle[1]
            for line in graph.lines
            for one, other in ((line.target, line.source), (line.source, line.target))
            if one == node.step and boxes[other].node.rank is not None
        ]
        wanted[node.step] = sum(near) / len(near) if near else -1
    follows: dict[str, str] = {}  # an end that only one step beside the main line leads to
    for line in graph.lines:
        if sides[line] == "right" and line.target not in follows:
            follows[line.target] = line.source
    chains: list[list[str]] = []
    heads = [n.step for n in graph.beside if n.step not in follows or wanted[n.step] >= 0]
    taken: set[str] = set()
    for step in sorted(heads, key=lambda s: (wanted[s], s)):
        if step in taken:
            continue
        chain = [step]
        taken.add(step)
        while True:
            more = [t for t, s in follows.items() if s == chain[-1] and t not in taken]
            if not more:
                break
            chain.append(more[0])
            taken.add(more[0])
        chains.append(chain)
    chains += [[n.step] for n in graph.beside if n.step not in taken]
    column = [boxes[step] for chain in chains for step in chain]
    _settle(column, [wanted[box.node.step] for box in column], sizes)
    for line in graph.lines:  # neighbours need no lane
        if sides[line] == "right":
            source, target = boxes[line.source], boxes[line.target]
            place = column.index(source)
            if place + 1 < len(column) and column[place + 1] is target:
                sides[line] = "under"
    return column


def _settle(column: list[Box], wanted: Sequence[float], sizes: Sizes) -> None:
    """Each box as near to where it wants to be as the ones above it let it."""
    bottom = sizes.margin
    for box, middle in zip(column, wanted, strict=True):
        top = middle - box.height / 2 if middle >= 0 else bottom
        box.y = max(bottom, top)
        bottom = box.bottom + sizes.beside


Lane = tuple[str, str]  # "to" or "from", and the step that its lines share


def _lane_of(line: Line, graph: Graph, sides: dict[Line, str]) -> Lane:
    """Lines share a lane by the step they lead to; those that scatter from one step, such as
    "resume, where it was", by the step they come from."""
    if sides[line] == "channel":
        alike = [one for one in graph.lines if sides[one] == "channel"]
        scattered = sum(one.source == line.source for one in alike)
        gathered = sum(one.target == line.target for one in alike)
        if scattered >= SCATTERED and scattered > gathered:
            return ("from", line.source)
    return ("to", line.target)


def _lanes(lines: list[Line], lanes: dict[Line, Lane], boxes: dict[str, Box]) -> list[Lane]:
    """The lanes of these lines in their order, with few crossings."""
    wanted = list(dict.fromkeys(lanes[line] for line in lines))
    spans: dict[Lane, tuple[list[float], float]] = {}
    for lane in wanted:
        others = [
            line.source if lane[0] == "to" else line.target for line in lines if lanes[line] == lane
        ]
        spans[lane] = ([boxes[one].middle[1] for one in others], boxes[lane[1]].middle[1])

    def crossings(order: Sequence[Lane]) -> int:
        count = 0
        for place, lane in enumerate(order):
            reach = [*spans[lane][0], spans[lane][1]]
            low, high = min(reach), max(reach)
            for other in order[place + 1 :]:  # lines to further lanes pass this one
                count += sum(low < y < high for y in spans[other][0])
            for other in order[:place]:  # this lane's way to its box passes nearer ones
                near = [*spans[other][0], spans[other][1]]
                count += min(near) < spans[lane][1] < max(near)
        return count

    ordered = sorted(wanted, key=lambda lane: (len(spans[lane][0]), spans[lane][1], lane))
    if len(ordered) <= TRIED:
        return list(min(permutations(ordered), key=lambda order: crossings(list(order))))
    return ordered


def _paths(
    graph: Graph,
    boxes: dict[str, Box],
    sides: dict[Line, str],
    lanes: dict[Line, Lane],
    places: dict[str, dict[Lane, float]],
) -> list[Path]:
    ports = _ports(graph, boxes, sides, lanes)
    found = []
    for line in graph.lines:
        source, target, side = boxes[line.source], boxes[line.target], sides[line]
        if side in ("down", "under"):
            x = source.middle[0] if side == "down" else max(source.x, target.x) + 24
            found.append(Path(line, ((x, source.bottom), (x, target.y)), "down"))
            continue
        lane = places[side][lanes[line]]
        y, end = ports[line, "out"], ports[line, "in"]
        start_x = source.x if side == "left" else source.x + source.width
        end_x = target.x if side == "left" else target.x + target.width
        if side == "channel":
            in_main = source.node.rank is not None
            start_x = source.x + source.width if in_main else source.x
            end_x = target.x if in_main else target.x + target.width
        back = _goes_back(source.node, target.node)
        found.append(Path(line, ((start_x, y), (lane, y), (lane, end), (end_x, end)), side, back))
    return found


def _goes_back(source: Node, target: Node) -> bool:
    if target.rank is None:
        return False
    return source.rank is None or target.rank < source.rank


def _ports(
    graph: Graph, boxes: dict[str, Box], sides: dict[Line, str], lanes: dict[Line, Lane]
) -> dict[tuple[Line, str], float]:
    """The heights at which lines leave and reach a box. Lines of one lane meet at one place where
    they gather or scatter."""
    found: dict[tuple[Line, str], float] = {}
    for step, box in boxes.items():
        for wall in ("left", "right"):
            groups: dict[tuple[str, Lane], list[tuple[Line, str]]] = {}
            heights: dict[tuple[str, Lane], float] = {}
            for line in graph.lines:
                for end in ("out", "in"):
                    if _wall(line, end, boxes, sides) == (step, wall):
                        key = (end, lanes[line])
                        groups.setdefault(key, []).append((line, end))
                        other = line.target if end == "out" else line.source
                        heights.setdefault(key, boxes[other].middle[1])
            ordered = sorted(groups, key=lambda key: (heights[key], key))
            for place, key in enumerate(ordered):
                shift = (place - (len(ordered) - 1) / 2) * min(
                    PORT, (box.height - 8) / max(1, len(ordered))
                )
                for one in groups[key]:
                    found[one] = box.middle[1] + shift
    return found


def _wall(
    line: Line, end: str, boxes: dict[str, Box], sides: dict[Line, str]
) -> tuple[str, str] | None:
    step = line.source if end == "out" else line.target
    match sides[line]:
        case "left":
            return step, "left"
        case "right":
            return step, "right"
        case "channel":
            return step, "right" if boxes[step].node.rank is not None else "left"
    return None
