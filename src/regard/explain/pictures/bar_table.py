"""A table of numbers with a bar for each, as SVG: scores, weights and what they add up to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from regard import svg
from regard.explain.pictures.label import shorten, text_width
from regard.svg import Number

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
