"""The drawing of every kind: nothing overlaps, and every step and way is there."""

from __future__ import annotations

from itertools import combinations
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases.fsm import Edge
from processes.drawing.graph import Graph, Line, Node, graph_of, neighbourhood
from processes.drawing.layout import Layout, laid_out, wrapped
from processes.drawing.svg import Marks, drawn, standing_alone
from processes.kinds import kinds

SVG = "{http://www.w3.org/2000/svg}"


def edge(name: str, source: str, target: str) -> Edge:
    return Edge(
        name=name,
        sources=(source,),
        target=target,
        label=name,
        staff=False,
        role="",
        asks=(),
        confirm="",
        takes_back=(),
        reopens=False,
        closes=False,
        about="",
    )


def wrong(layout: Layout) -> list[str]:
    """What a drawing must not have."""
    found = []
    boxes = list(layout.boxes.values())
    for one, other in combinations(boxes, 2):
        apart = (
            one.x + one.width <= other.x
            or other.x + other.width <= one.x
            or one.bottom <= other.y
            or other.bottom <= one.y
        )
        if not apart:
            found.append(f"{one.node.step} lies on {other.node.step}")
    for box in boxes:
        if box.x < 0 or box.y < 0 or box.x + box.width > layout.width or box.bottom > layout.height:
            found.append(f"{box.node.step} is outside")
    for path in layout.paths:
        source, target = layout.boxes[path.line.source], layout.boxes[path.line.target]
        for box, point in ((source, path.points[0]), (target, path.points[-1])):
            x, y = point
            if not (box.x - 1 <= x <= box.x + box.width + 1 and box.y - 1 <= y <= box.bottom + 1):
                found.append(f"{path.line.label} does not touch {box.node.step}")
        for (ax, ay), (bx, by) in zip(path.points, path.points[1:], strict=False):
            if abs(ax - bx) > 0.01 and abs(ay - by) > 0.01:
                found.append(f"{path.line.label} runs askew")
        if any(not (0 <= x <= layout.width and 0 <= y <= layout.height) for x, y in path.points):
            found.append(f"{path.line.label} leaves the drawing")
    return found


@pytest.mark.parametrize("name", sorted(kinds()))
def test_every_kind_is_drawn_whole(name: str) -> None:
    graph = graph_of(kinds()[name])
    layout = laid_out(graph)
    assert wrong(layout) == []
    assert {box.node.step for box in layout.boxes.values()} == {n.step for n in graph.nodes}
    ways = {(line.source, line.target) for line in graph.lines if line.source != line.target}
    assert {(p.line.source, p.line.target) for p in layout.paths} == ways
    assert drawn(laid_out(graph)) == drawn(layout)


def test_the_main_line_is_straight_and_the_ends_stand_apart() -> None:
    layout = laid_out(graph_of(kinds()["loan"]))
    main = [box for box in layout.boxes.values() if box.node.rank is not None]
    assert len({box.middle[0] for box in main}) == 1
    assert [b.node.step for b in sorted(main, key=lambda b: b.y)][:3] == [
        "received",
        "checks",
        "awaiting_documents",
    ]
    beside = [box for box in layout.boxes.values() if box.node.rank is None]
    assert min(box.x for box in beside) > max(box.x + box.width for box in main)
    back = {(p.line.source, p.line.target) for p in layout.paths if p.goes_back}
    assert ("underwriting", "awaiting_documents") in back


@st.composite
def graphs(draw: Any) -> Graph:
    count = draw(st.integers(1, 14))
    on_main = draw(st.integers(1, count))
    nodes = tuple(
        Node(f"s{n}", draw(st.text("abc def", max_size=40)) or "x", n if n < on_main else None)
        for n in range(count)
    )
    pairs = draw(
        st.lists(
            st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)),
            unique=True,
            max_size=40,
        )
    )
    lines = tuple(
        Line(f"s{a}", f"s{b}", (edge(f"from {a} to {b}", f"s{a}", f"s{b}"),)) for a, b in pairs
    )
    return Graph("made", "Made", nodes, lines)


@settings(max_examples=80, deadline=None)
@given(graphs())
def test_any_graph_can_be_drawn(graph: Graph) -> None:
    layout = laid_out(graph)
    assert wrong(layout) == []
    ElementTree.fromstring(drawn(layout))


def test_labels_take_two_lines_at_most() -> None:
    assert wrapped("Awaiting documents") == ["Awaiting documents"]
    assert wrapped("Waiting for the advice of the fire brigade and others") == [
        "Waiting for the",
        "advice of the fire …",
    ]
    assert all(len(line) <= 21 for line in wrapped("x" * 90))


def test_of_a_large_kind_the_neighbours_are_shown() -> None:
    graph = neighbourhood(graph_of(kinds()["loan"]), "payout")
    assert {n.step for n in graph.nodes} == {"offer", "payout", "paid_out", "withdrawn"}
    assert wrong(laid_out(graph)) == []


def test_marks_stand_on_their_boxes() -> None:
    layout = laid_out(graph_of(kinds()["loan"]))
    marks = Marks(
        counts={"checks": 1234},
        current="offer",
        visited=frozenset({"received"}),
        links={"offer": "/x"},
    )
    root = ElementTree.fromstring(drawn(layout, marks))
    by_class = {g.get("class"): g for g in root.iter(f"{SVG}g")}
    assert "now" in "".join(by_class["step now"].itertext())
    assert by_class["step been"].find(f".//{SVG}path[@class='tick']") is not None
    assert "1,234" in "".join(root.itertext())
    link = root.find(f".//{SVG}a")
    assert link is not None and (link.get("href"), link.get("tabindex")) == ("/x", "-1")
    assert root.get("aria-hidden") == "true"


def test_labels_are_escaped_and_no_style_is_written() -> None:
    node = Node("a", '<script>"&', 0)
    svg = drawn(laid_out(Graph("g", "G", (node,), ())))
    assert "<script" not in svg
    assert "style=" not in svg and "<style" not in svg


def test_a_file_of_its_own_is_no_decoration() -> None:
    svg = standing_alone(drawn(laid_out(graph_of(kinds()["loan"])), title="Loan"))
    root = ElementTree.fromstring(svg)
    assert (root.get("role"), root.get("aria-hidden")) == ("img", None)
    assert root.find(f"{SVG}title").text == "Loan"  # type: ignore[union-attr]
