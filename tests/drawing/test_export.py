"""Files for others: PNG that any program opens, BPMN that its schemas and a reader accept."""

from __future__ import annotations

import struct
import zlib
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from django.core.management import CommandError, call_command

from processes.drawing.bpmn import DC, DI, DIAGRAM, MODEL
from processes.drawing.export import exported
from processes.drawing.graph import graph_of
from processes.drawing.png import unpacked
from processes.kinds import kinds

EVERY = sorted(kinds())


def pixels(png: bytes) -> tuple[int, int, bytes]:
    """Width, height and the raw rows of a PNG."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    at, data, size = 8, b"", (0, 0)
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at : at + 8])
        chunk = png[at + 8 : at + 8 + length]
        assert zlib.crc32(kind + chunk) == struct.unpack(">I", png[at + 8 + length :][:4])[0]
        if kind == b"IHDR":
            size = struct.unpack(">II", chunk[:8])
        elif kind == b"IDAT":
            data += chunk
        at += 12 + length
    return *size, zlib.decompress(data)


@pytest.mark.parametrize("name", EVERY)
def test_a_png_has_twice_the_size_of_the_drawing_and_something_on_it(name: str) -> None:
    svg = ElementTree.fromstring(exported(kinds()[name], "svg"))
    width, height, rows = pixels(exported(kinds()[name], "png"))
    assert (width, height) == (2 * int(svg.get("width", 0)), 2 * int(svg.get("height", 0)))
    assert len(set(rows)) > 20


def test_the_font_of_the_pages_is_unpacked_for_renderers() -> None:
    font = unpacked(Path("static/vendor/font/latin-400.woff").read_bytes())
    count = struct.unpack(">4sH", font[:6])[1]
    tags = [font[12 + 16 * n : 16 + 16 * n] for n in range(count)]
    assert {b"cmap", b"glyf", b"head", b"name"} <= set(tags)
    for n in range(count):
        _tag, total, offset, length = struct.unpack(">4sIII", font[12 + 16 * n : 28 + 16 * n])
        assert offset % 4 == 0 and offset + length <= len(font)
        if tags[n] != b"head":  # whose checksum covers the file
            table = font[offset : offset + length]
            table += b"\0" * (-len(table) % 4)
            words = struct.unpack(f">{len(table) // 4}I", table)
            assert sum(words) & 0xFFFFFFFF == total, tags[n]
    with pytest.raises(ValueError, match="no WOFF"):
        unpacked(b"wOF2" + bytes(60))


@pytest.mark.parametrize("name", EVERY)
def test_bpmn_fits_the_schemas_of_omg(name: str) -> None:
    parser = pytest.importorskip("SpiffWorkflow.bpmn.parser.BpmnParser")
    etree = pytest.importorskip("lxml.etree")
    parser.BpmnValidator().validate(etree.fromstring(exported(kinds()[name], "bpmn")))


@pytest.mark.parametrize("name", EVERY)
def test_bpmn_says_what_the_kind_says(name: str) -> None:
    graph = graph_of(kinds()[name])
    root = ElementTree.fromstring(exported(kinds()[name], "bpmn"))
    process = root.find(f"{{{MODEL}}}process")
    assert process is not None
    ids = [one.get("id") for one in root.iter() if one.get("id")]
    assert len(ids) == len(set(ids))
    nodes = {one.get("id"): one for one in process if not one.tag.endswith("sequenceFlow")}
    flows = process.findall(f"{{{MODEL}}}sequenceFlow")
    for flow in flows:
        assert flow.get("sourceRef") in nodes and flow.get("targetRef") in nodes
    kinds_of = [one.tag.rpartition("}")[2] for one in nodes.values()]
    assert kinds_of.count("startEvent") == 1
    assert kinds_of.count("endEvent") == sum(node.closes for node in graph.nodes)
    # Each step once, and each way of the kind as a flow from it or from the gateway under it
    assert {one.get("name") for one in nodes.values() if one.get("name")} == {
        node.label for node in graph.nodes
    }
    ways = {f"flow_{line.source}__{line.target}" for line in graph.lines}
    assert ways <= {flow.get("id") for flow in flows}
    # No task or event goes two ways at once
    for one in nodes.values():
        if not one.tag.endswith("Gateway"):
            assert len(one.findall(f"{{{MODEL}}}outgoing")) <= 1


@pytest.mark.parametrize("name", EVERY)
def test_everything_in_bpmn_has_its_place_in_the_diagram(name: str) -> None:
    root = ElementTree.fromstring(exported(kinds()[name], "bpmn"))
    process = root.find(f"{{{MODEL}}}process")
    assert process is not None
    shapes = {one.get("bpmnElement"): one for one in root.iter(f"{{{DIAGRAM}}}BPMNShape")}
    edges = {one.get("bpmnElement"): one for one in root.iter(f"{{{DIAGRAM}}}BPMNEdge")}
    flows = {f.get("id"): f for f in process.findall(f"{{{MODEL}}}sequenceFlow")}
    assert set(shapes) == {one.get("id") for one in process} - set(flows)
    assert set(edges) == set(flows)
    boxes = {}
    for name_, shape in shapes.items():
        bounds = shape.find(f"{{{DC}}}Bounds")
        assert bounds is not None
        boxes[name_] = [float(bounds.get(key, "0")) for key in ("x", "y", "width", "height")]
        assert min(boxes[name_]) >= 0
    places = list(boxes.values())
    for n, (ax, ay, aw, ah) in enumerate(places):
        for bx, by, bw, bh in places[n + 1 :]:
            assert ax + aw <= bx or bx + bw <= ax or ay + ah <= by or by + bh <= ay
    for flow, edge in edges.items():
        points = [
            (float(p.get("x", "0")), float(p.get("y", "0"))) for p in edge.iter(f"{{{DI}}}waypoint")
        ]
        assert len(points) >= 2
        for end, (px, py) in (("sourceRef", points[0]), ("targetRef", points[-1])):
            x, y, width, height = boxes[flows[flow].get(end)]
            assert x - 1 <= px <= x + width + 1 and y - 1 <= py <= y + height + 1


def test_the_command_writes_files_and_tells_steps(tmp_path: Path) -> None:
    out = StringIO()
    files = {form: str(tmp_path / f"loan.{form}") for form in ("svg", "png", "bpmn")}
    call_command("process", "loan", **files, stdout=out)
    assert {form: Path(file).read_bytes() for form, file in files.items()} == {
        form: exported(kinds()["loan"], form) for form in files
    }
    call_command("process", "loan", stdout=out)
    assert "Underwriting · waits for the underwriter, the senior underwriter" in out.getvalue()
    with pytest.raises(CommandError, match="no kind “lone”"):
        call_command("process", "lone")
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("process", "loan", svg=str(tmp_path / "no" / "x.svg"))
