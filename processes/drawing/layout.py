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
    left = _lanes([line for line in graph.lines if sides[line] == "left"], boxes)
    channel = _lanes([line for line in graph.lines if sides[line] == "channel"], boxes)
    right = _lanes([line for line in graph.lines if sides[line] == "right"], boxes)

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
        "left": {step: x - (n + 1) * LANE for n, step in enumerate(left)},
        "channel": {step: edge + (n + 1) * LANE for n, step in enumerate(channel)},
        "right": {step: end + (n + 1) * LANE for n, step in enumerate(right)},
    }
    layout.paths = _paths(graph, boxes, sides, places)
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


def _lanes(lines: list[Line], boxes: dict[str, Box]) -> list[str]:
    """The steps that these lines lead to, in the order of their lanes, with few crossings."""
    targets = list(dict.fromkeys(line.target for line in lines))
    spans = {}
    for step in targets:
        ends = [boxes[line.source].middle[1] for line in lines if line.target == step]
        spans[step] = (ends, boxes[step].middle[1])

    def crossings(order: Sequence[str]) -> int:
        count = 0
        for place, step in enumerate(order):
            reach = [*spans[step][0], spans[step][1]]
            low, high = min(reach), max(reach)
            for other in order[place + 1 :]:  # lines to further lanes pass this one
                count += sum(low < y < high for y in spans[other][0])
            for other in order[:place]:  # this lane's way to its box passes nearer ones
                near = [*spans[other][0], spans[other][1]]
                count += sum(min(near) < y < max(near) for y in [spans[step][1]])
        return count

    ordered = sorted(targets, key=lambda step: (len(spans[step][0]), spans[step][1]))
    if len(ordered) <= TRIED:
        return list(min(permutations(ordered), key=lambda order: crossings(list(order))))
    return ordered


def _paths(
    graph: Graph,
    boxes: dict[str, Box],
    sides: dict[Line, str],
    places: dict[str, dict[str, float]],
) -> list[Path]:
    ports = _ports(graph, boxes, sides)
    found = []
    for line in graph.lines:
        source, target, side = boxes[line.source], boxes[line.target], sides[line]
        if side in ("down", "under"):
            x = source.middle[0] if side == "down" else max(source.x, target.x) + 24
            found.append(Path(line, ((x, source.bottom), (x, target.y)), "down"))
            continue
        lane = places[side][line.target]
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
    graph: Graph, boxes: dict[str, Box], sides: dict[Line, str]
) -> dict[tuple[Line, str], float]:
    """The heights at which lines leave and reach a box. Lines to one step arrive at one place."""
    found: dict[tuple[Line, str], float] = {}
    for step, box in boxes.items():
        for wall in ("left", "right"):
            keys: dict[tuple[str, str], list[tuple[Line, str]]] = {}
            for line in graph.lines:
                for end in ("out", "in"):
                    if _wall(line, end, boxes, sides) == (step, wall):
                        other = line.target if end == "out" else step
                        keys.setdefault((end, other), []).append((line, end))
            ordered = sorted(keys, key=lambda key: (boxes[key[1]].middle[1], key))
            for place, key in enumerate(ordered):
                shift = (place - (len(ordered) - 1) / 2) * min(
                    PORT, (box.height - 8) / max(1, len(ordered))
                )
                for one in keys[key]:
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
