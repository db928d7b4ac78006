"""A layout as SVG. Colours stand in attributes, so that the file looks right anywhere; on a page
the stylesheet paints over them, light or dark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

from processes.drawing.layout import LINE_HEIGHT, Box, Layout, Path

FONT = "Atkinson Hyperlegible Next, Atkinson Hyperlegible, system-ui, sans-serif"
INK, SOFT, EDGE, SURFACE = "#15201d", "#4a5752", "#75817c", "#ffffff"
ACCENT, ACCENT_SOFT, MUTE_SOFT = "#0b6157", "#e0f0ec", "#e9ecea"


@dataclass(frozen=True, slots=True)
class Weight:
    """How often cases took a line: of the line that was taken most, as a number, as a share."""

    part: float  # 0 to 1; 0 was never taken
    times: str = ""
    share: str = ""


@dataclass(frozen=True, slots=True)
class Marks:
    """What is shown of cases: how many stand on each step, where one stands and has been, or how
    often each line was taken."""

    counts: Mapping[str, int] = field(default_factory=dict)
    current: str = ""
    visited: frozenset[str] = frozenset()
    links: Mapping[str, str] = field(default_factory=dict)  # by step: an address
    now: str = "now"  # the word on the current step; empty: none
    weights: Mapping[tuple[str, str], Weight] | None = None  # by the steps that a line joins


def drawn(layout: Layout, marks: Marks | None = None, *, title: str = "") -> str:
    """The drawing. It is decoration beside a list that says the same, so it hides from readers of
    screens; links in it are for pointers alone."""
    marks = marks or Marks()
    width, height = round(layout.width), round(layout.height)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="drawing" width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}" aria-hidden="true" '
        f'focusable="false" font-family={quoteattr(FONT)} font-size="14">'
    ]
    if title:
        parts.append(f"<title>{escape(title)}</title>")
    ordered = sorted(layout.paths, key=lambda path: path.side != "down", reverse=True)
    parts += [_path(path, marks) for path in ordered]
    parts += [_box(box, marks) for box in layout.boxes.values()]
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def standing_alone(svg: str) -> str:
    """The drawing as a file of its own: on white, and no decoration."""
    svg = svg.replace(' aria-hidden="true" focusable="false"', ' role="img"', 1)
    head, sign, rest = svg.partition(">")
    return f'{head}{sign}\n<rect width="100%" height="100%" fill="{SURFACE}"/>{rest}'


def _path(path: Path, marks: Marks) -> str:
    line = path.line
    names, thick = ["line"], 1.5
    weight = None
    if marks.weights is not None:
        weight = marks.weights.get((line.source, line.target), Weight(0))
        names += ["never"] if not weight.part else ["often"] if weight.part >= 0.1 else []
        thick = 1 + 5 * weight.part
    names += ["back"] if path.goes_back else []
    names += ["staff"] if line.by_staff else []
    dashed = ' stroke-dasharray="5 4"' if path.goes_back else ""
    said = escape(line.label)
    if weight is not None and weight.times:
        said += f": {escape(weight.times)}, {escape(weight.share)}"
    faint = ' opacity="0.3"' if weight is not None and not weight.part else ""
    return (
        f'<g class="{" ".join(names)}"{faint}><title>{said}</title>'
        f'<path d="{_course(path.points)}" fill="none" stroke="{EDGE}" '
        f'stroke-width="{_n(thick)}"{dashed}/>'
        f'<path class="tip" d="{_tip(path.points)}" fill="{EDGE}"/>'
        f"{_times(path, weight)}</g>"
    )


def _times(path: Path, weight: Weight | None) -> str:
    """How often a line down the main line was taken, beside it; lanes have no room for it."""
    if weight is None or not weight.times or path.side != "down":
        return ""
    (x, y), (_x, end) = path.points[0], path.points[-1]
    return (
        f'<text x="{_n(x + 8)}" y="{_n((y + end) / 2 + 4)}" font-size="12" '
        f'fill="{INK}">{escape(weight.times)} · {escape(weight.share)}</text>'
    )


def _course(points: Sequence[tuple[float, float]]) -> str:
    """The corners, rounded, up to the tip of the arrow."""
    points = [*points[:-1], _before(points[-2], points[-1], 6)]
    course = [f"M{_n(points[0][0])} {_n(points[0][1])}"]
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        radius = min(6, _length(before, corner) / 2, _length(corner, after) / 2)
        start, end = _before(before, corner, radius), _before(after, corner, radius)
        course.append(f"L{_n(start[0])} {_n(start[1])}")
        course.append(f"Q{_n(corner[0])} {_n(corner[1])} {_n(end[0])} {_n(end[1])}")
    course.append(f"L{_n(points[-1][0])} {_n(points[-1][1])}")
    return "".join(course)


def _tip(points: Sequence[tuple[float, float]]) -> str:
    (x, y), (fx, fy) = points[-1], points[-2]
    if abs(x - fx) < 0.5:
        up = 7 if y > fy else -7
        return f"M{_n(x)} {_n(y)}l-4 {-up}h8z"
    back = 7 if x > fx else -7
    return f"M{_n(x)} {_n(y)}l{-back} -4v8z"


def _length(a: tuple[float, float], b: tuple[float, float]) -> float:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def _before(
    start: tuple[float, float], end: tuple[float, float], distance: float
) -> tuple[float, float]:
    """The point of a straight line this far before its end."""
    length = _length(start, end) or 1
    share = max(0.0, (length - distance) / length)
    return (start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share)


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


def _box(box: Box, marks: Marks) -> str:
    node = box.node
    names = ["step"]
    names += ["end"] if node.closes else []
    is_current = node.step == marks.current
    names += ["now"] if is_current else ["been"] if node.step in marks.visited else []
    fill = ACCENT_SOFT if is_current else MUTE_SOFT if node.closes else SURFACE
    stroke, thick = (ACCENT, 3) if is_current else (EDGE, 1.5)
    radius = box.height / 2 if node.closes else 8
    parts = [
        f'<rect x="{_n(box.x)}" y="{_n(box.y)}" width="{_n(box.width)}" '
        f'height="{_n(box.height)}" rx="{_n(radius)}" fill="{fill}" stroke="{stroke}" '
        f'stroke-width="{thick}"/>'
    ]
    x, y = box.middle
    if node.step in marks.visited and not is_current:
        parts.append(
            f'<path class="tick" d="M{_n(box.x + 8)} {_n(box.y + 12)}l3 3l5 -6" fill="none" '
            f'stroke="{ACCENT}" stroke-width="2"/>'
        )
    top = y - (len(box.words) - 1) * LINE_HEIGHT / 2 + 5
    weight = ' font-weight="700"' if is_current or node.is_first else ""
    for place, one in enumerate(box.words):
        parts.append(
            f'<text x="{_n(x)}" y="{_n(top + place * LINE_HEIGHT)}" text-anchor="middle" '
            f'fill="{INK}"{weight}>{escape(one)}</text>'
        )
    count = marks.counts.get(node.step, 0)
    if is_current and marks.now:
        parts.append(_pill(box, marks.now, ACCENT))
    elif count:
        parts.append(_pill(box, f"{count:,}", SOFT))
    inside = "".join(parts)
    if address := marks.links.get(node.step):
        inside = f'<a href={quoteattr(address)} tabindex="-1">{inside}</a>'
    return f'<g class="{" ".join(names)}">{inside}</g>'


def _pill(box: Box, words: str, colour: str) -> str:
    """A small word on the upper right corner of a box."""
    width = len(words) * 7 + 14
    x, y = box.x + box.width - width + 8, box.y - 9
    return (
        f'<g class="pill"><rect x="{_n(x)}" y="{_n(y)}" width="{width}" height="18" rx="9" '
        f'fill="{colour}"/><text x="{_n(x + width / 2)}" y="{_n(y + 13)}" '
        f'text-anchor="middle" font-size="12" font-weight="700" fill="{SURFACE}">'
        f"{escape(words)}</text></g>"
    )
