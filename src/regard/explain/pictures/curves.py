"""Line charts, as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from regard import svg
from regard.svg import Number


@dataclass(frozen=True, slots=True)
class PlotArea:
    """The rectangle of the plot, and the data ranges that it covers."""

    x0: Number
    top: Number
    width: Number
    height: Number
    x: tuple[Number, Number]
    y: tuple[Number, Number]

    def to_svg(self, x: Number, y: Number) -> tuple[Number, Number]:
        """Convert a data point to SVG coordinates."""
        right = (x - self.x[0]) / ((self.x[1] - self.x[0]) or 1)
        up = (y - self.y[0]) / ((self.y[1] - self.y[0]) or 1)
        return self.x0 + right * self.width, self.top + (1 - up) * self.height


def curve_chart(
    series: Mapping[str, Sequence[tuple[Number, Number]]],
    *,
    title: str,
    x: str,
    y: str,
    y_range: tuple[Number, Number] = (0.0, 1.0),
    shaded: tuple[Number, Number, str] | None = None,
) -> str:
    """Draw lines of (x, y) points, each named at its right end; `shaded` marks a range of x."""
    xs = [point[0] for points in series.values() for point in points]
    box = PlotArea(64, 56, 460, 260, (min(xs), max(xs)), y_range)
    parts = [svg.svg_text(title, 24, 28, size=15, weight="bold")]
    if shaded is not None:
        begin, end, label = shaded
        a, b = box.to_svg(begin, 0)[0], box.to_svg(end, 0)[0]
        parts.append(
            f"<rect x='{a:.1f}' y='{box.top}' width='{b - a:.1f}' height='{box.height}' "
            f"fill='#F3F3F3'/>"
        )
        low = box.top + box.height - 8
        parts.append(svg.svg_text(label, (a + b) / 2, low, size=11, anchor="middle", fill=svg.SOFT))
    for tick in range(6):
        value = y_range[0] + (y_range[1] - y_range[0]) * tick / 5
        x0, level = box.to_svg(box.x[0], value)
        parts.append(
            f"<path d='M{x0} {level:.1f}h{box.width}' stroke='{svg.FAINT}' stroke-width='1'/>"
        )
        parts.append(svg.svg_text(f"{value:g}", x0 - 8, level + 4, size=11, anchor="end"))
    for value in _ticks(*box.x):
        at, floor = box.to_svg(value, y_range[0])
        parts.append(svg.svg_text(f"{value:g}", at, floor + 18, size=11, anchor="middle"))
    parts.append(
        svg.svg_text(x, box.x0 + box.width / 2, box.top + box.height + 40, anchor="middle")
    )
    parts.append(svg.svg_text(y, 24, box.top - 10, size=12))
    levels = svg.spread_labels([box.to_svg(*points[-1])[1] for points in series.values()], 16)
    for number, (level, (name, points)) in enumerate(zip(levels, series.items(), strict=True)):
        placed, colour = [box.to_svg(*point) for point in points], svg.colour(number)
        parts += svg.svg_line(placed, number)
        end, height = placed[-1]
        if end < box.x0 + box.width:  # shorter than the others: its name goes above its end
            parts.append(svg.svg_text(name, end - 6, height - 10, size=12, fill=colour))
        else:
            parts.append(svg.svg_text(name, end + 12, level + 4, size=12, fill=colour))
    longest = max(len(name) for name in series)
    return svg.svg_document(box.x0 + box.width + 32 + 7 * longest, box.top + box.height + 60, parts)


def _ticks(low: Number, high: Number) -> list[Number]:
    step = next(s for s in (1, 2, 5, 10, 20, 50, 100, 200, 500) if (high - low) / s <= 10)
    first = -(-low // step) * step
    return [first + i * step for i in range(int((high - first) // step) + 1)]
