"""Charts as SVG: small pure functions. Geometry is in attributes, colour in classes.

Each is `aria-hidden` beside the same figures in words or in a table.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

WIDE = 160  # a bar in a table


def _rects(parts: Sequence[tuple[str, float, float, float, float]]) -> SafeString:
    return format_html_join(
        "",
        '<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>',
        ((name, _n(x), _n(y), _n(w), _n(h)) for name, x, y, w, h in parts if w > 0 and h > 0),
    )


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


def _svg(width: float, height: float, inside: SafeString) -> SafeString:
    return format_html(
        '<svg class="chart" aria-hidden="true" focusable="false" width="{}" height="{}" '
        'viewBox="0 0 {} {}">{}</svg>',
        _n(width),
        _n(height),
        _n(width),
        _n(height),
        inside,
    )


def parts_bar(
    parts: Sequence[tuple[str, int]], *, most: int, mark: int | None = None
) -> SafeString:
    """A bar of parts side by side, (class, number), on a scale to `most`; a line at `mark`."""
    scale = (WIDE - 3) / max(most, 1)
    rects, x = [], 0.0
    for name, number in parts:
        rects.append((name, x, 3.0, number * scale, 12.0))
        x += number * scale
    if mark is not None:
        rects.append(("mark", mark * scale, 0.0, 3.0, 18.0))
    return _svg(WIDE, 18, _rects(rects))


def range_bar(half: int, most: int, target: int | None, *, scale_to: int) -> SafeString:
    """Half as a dot, 85 of 100 as the end of a bar, the target as a dashed line."""
    scale = (WIDE - 12) / max(scale_to, 1)
    misses = target is not None and most > target
    line = format_html('<path class="axis" d="M4 9H{}"/>', WIDE - 4)
    bar = _rects([("miss" if misses else "active", 4.0, 6.0, max(most * scale, 2.0), 6.0)])
    dot = format_html('<circle class="dot" cx="{}" cy="9" r="4.5"/>', _n(4 + half * scale))
    dashed = SafeString("")
    if target is not None:
        x = _n(4 + target * scale)
        dashed = format_html('<path class="target" d="M{} 1V17"/>', x)
    return _svg(WIDE, 18, line + bar + dot + dashed)


Series = tuple[str, str, Sequence[int]]  # class, label, one number a point


def stacked_area(
    series: Sequence[Series],
    labels: Sequence[str],
    places: Sequence[int],
    *,
    width: int = 560,
    height: int = 240,
) -> SafeString:
    """Series one upon another, the first at the bottom, each labelled at its right end. `places`
    are the points' days, so that a week without figures stays as wide as it was."""
    left, right, top, bottom = 40.0, 120.0, 8.0, 24.0
    count = len(labels)
    totals = [sum(numbers[i] for _c, _l, numbers in series) for i in range(count)]
    highest = nice_top(max(totals, default=0))
    days = max(places[-1] - places[0], 1)
    xs = [left + (place - places[0]) / days * (width - left - right) for place in places]
    up = (height - top - bottom) / highest

    def at(place: int, number: float) -> str:
        return f"{_n(xs[place])} {_n(height - bottom - number * up)}"

    drawn = _grid(highest, left=left, right=width - right, base=height - bottom, up=up)
    below = [0] * count
    names: list[tuple[float, str, str, int]] = []
    for name, label, numbers in series:
        above = [low + number for low, number in zip(below, numbers, strict=True)]
        there = " L".join(at(i, one) for i, one in enumerate(above))
        back = " L".join(at(i, below[i]) for i in reversed(range(count)))
        drawn += format_html('<path class="{} area" d="M{} L{}Z"/>', name, there, back)
        middle = height - bottom - (below[-1] + above[-1]) / 2 * up
        names.append((middle, name, label, numbers[-1]))
        below = above
    drawn += _names(names, x=width - right + 8, base=height - bottom)
    shown = range(0, count, max(1, (count - 1) // 3)) if count > 1 else range(count)
    drawn += format_html_join(
        "",
        '<text x="{}" y="{}" text-anchor="middle">{}</text>',
        ((_n(xs[i]), _n(height - 6), labels[i]) for i in shown),
    )
    return _svg(width, height, drawn)


def _grid(highest: int, *, left: float, right: float, base: float, up: float) -> SafeString:
    drawn = SafeString("")
    for part in range(5 if highest >= 4 else highest + 1):
        number = highest * part // 4 if highest >= 4 else part
        y = base - number * up
        drawn += format_html(
            '<path class="axis" d="M{} {}H{}"/><text x="{}" y="{}" text-anchor="end">{}</text>',
            _n(left),
            _n(y),
            _n(right),
            _n(left - 6),
            _n(y + 4),
            number,
        )
    return drawn


def _names(names: list[tuple[float, str, str, int]], *, x: float, base: float) -> SafeString:
    """Labels at the lines, moved apart where they would touch; the first is the lowest."""
    drawn, lowest = SafeString(""), base
    for middle, name, label, number in names:
        y = min(middle, lowest)
        drawn += format_html(
            '<rect class="{}" x="{}" y="{}" width="9" height="9"/><text x="{}" y="{}">{} {}</text>',
            name,
            _n(x),
            _n(y - 6),
            _n(x + 14),
            _n(y + 3),
            label,
            number,
        )
        lowest = y - 18
    return drawn


def nice_top(number: int) -> int:
    """A round number at or above this one, for the top of a scale that is cut in four."""
    step = 4
    while True:
        for factor in (1, 2, 3, 5):
            if step * factor >= number:
                return step * factor
        step *= 10
