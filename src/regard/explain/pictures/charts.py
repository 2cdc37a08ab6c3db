"""Curves and bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from regard import svg
from regard.explain.pictures.figure import shorten, text_width
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
    width, height = box.x0 + box.width + 32 + 7 * longest, box.top + box.height + 60
    return svg.svg_document(width, height, parts, name=title)


def _ticks(low: Number, high: Number) -> list[Number]:
    step = next(s for s in (1, 2, 5, 10, 20, 50, 100, 200, 500) if (high - low) / s <= 10)
    first = -(-low // step) * step
    return [first + i * step for i in range(int((high - first) // step) + 1)]


# -- A table of numbers with a bar for each, as SVG ------------------------------------------------
# Scores, weights and what they add up to.


_MARGIN, _GAP = 24, 16
_FONT, _SMALL, _TITLE = 13, 11, 15
_BAR = 44  # height of the highest bar
_COLUMN = 58  # the least width of a column
_MAX_LABEL = 120


@dataclass(frozen=True, slots=True)
class BarRow:
    """A number for each column. All bars of a row have one scale."""

    label: str
    values: Sequence[Number]
    formula: str = ""  # printed below the label
    highest: Number | None = None  # the value of a full bar; by default the largest of the row
    digits: int = 3


def bar_table(
    columns: Sequence[str], rows: Sequence[BarRow], *, title: str, result: str = ""
) -> str:
    """Draw a column for each name and a row of bars for each of `rows`.

    `result` is printed below the table. Bars of negative values hang below the base line.
    """
    names = [shorten(name, _MAX_LABEL, _FONT) for name in columns]
    column = max(_COLUMN, *(ceil(text_width(name, _FONT)) + 10 for name in names))
    x0 = _MARGIN + _GAP + max(_label_width(row) for row in rows)
    width = max(x0 + column * len(columns) + _MARGIN, _MARGIN * 2 + text_width(title, _TITLE))
    parts = [svg.svg_text(title, _MARGIN, _MARGIN + 11, size=_TITLE, weight="bold")]
    y: float = _MARGIN + 48
    centers = [x0 + (number + 0.5) * column for number in range(len(columns))]
    for center, name in zip(centers, names, strict=True):
        parts.append(svg.svg_text(name, center, y, size=_FONT, anchor="middle", weight="bold"))
    y += 8
    for number, row in enumerate(rows):
        unit = _BAR / (row.highest or max(map(abs, row.values)) or 1)
        base = y + _BAR + _SMALL + 8
        deepest = max(0.0, *(-value * unit for value in row.values))
        middle = base - (_BAR - deepest) / 2
        parts.append(svg.svg_text(row.label, _MARGIN, middle - 2, size=_FONT))
        parts.append(svg.svg_text(row.formula, _MARGIN, middle + 14, size=_SMALL, fill=svg.SOFT))
        parts.append(f"<path d='M{x0} {base}h{column * len(columns)}' stroke='{svg.FAINT}'/>")
        for center, value in zip(centers, row.values, strict=True):
            tall = abs(value) * unit
            top = base if value < 0 else base - tall
            parts.append(
                f"<rect x='{center - 12:.1f}' y='{top:.1f}' width='24' height='{tall:.1f}' "
                f"fill='{svg.colour(number)}'/>"
            )
            written = f"{value:.{row.digits}f}".replace("-", "−")
            below = top - 4 if value >= 0 else top + tall + _SMALL + 1
            parts.append(svg.svg_text(written, center, below, size=_SMALL, anchor="middle"))
        y = base + (deepest + _SMALL + 4 if deepest else 0)
    if result:
        y += 30
        parts.append(svg.svg_text(result, _MARGIN, y, size=_FONT, weight="bold"))
        width = max(width, _MARGIN * 2 + text_width(result, _FONT))
    return svg.svg_document(width, y + _MARGIN, parts, name=title)


def _label_width(row: BarRow) -> int:
    return ceil(max(text_width(row.label, _FONT), text_width(row.formula, _SMALL)))
