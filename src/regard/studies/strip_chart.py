"""SVG strip charts side by side: a row for each name, a dot for each value, a bar at the mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from statistics import fmean

from regard import svg
from regard.explain.pictures.label import text_width

# in SVG units
_TOP, _STEP, _GAP, _MARGIN = 92, 26, 36, 24
_FEW, _MANY = 460.0, 240.0  # width of a single panel, and of one of several


@dataclass(frozen=True, slots=True)
class Panel:
    """The values of one measure by name; a name without values has an empty row."""

    title: str
    values: Mapping[str, Sequence[float]]


def strip_chart(panels: Sequence[Panel], *, title: str, note: str) -> str:
    """Draw the panels beside each other; all have the same names."""
    names = list(panels[0].values)
    x0 = _MARGIN + max(text_width(name, 12) for name in names) + 18
    width = _FEW if len(panels) == 1 else _MANY
    bottom = _TOP + _STEP * len(names)
    parts = [
        svg.svg_text(title, _MARGIN, 28, size=15, weight="bold"),
        svg.svg_text(note, _MARGIN, 46, size=11, fill=svg.SOFT),
    ]
    for number, name in enumerate(names):
        y = _TOP + _STEP * (number + 0.5)
        parts.append(svg.svg_text(name, x0 - 14, y + 4, size=12, anchor="end"))
    for number, panel in enumerate(panels):
        parts += _draw(panel, x0 + number * (width + _GAP), width, bottom)
    right = x0 + len(panels) * (width + _GAP)
    return svg.svg_document(
        max(right, text_width(title, 16) + 2 * _MARGIN), bottom + 34, parts, title
    )


def _draw(panel: Panel, x0: float, width: float, bottom: int) -> list[str]:
    flat = [value for row in panel.values.values() for value in row]
    low, high, unit = _axis(min(flat), max(flat))

    def position(value: float) -> float:
        return x0 + width * (value - low) / (high - low)

    parts = [svg.svg_text(panel.title, x0, _TOP - 18, size=12, weight="bold")]
    for number in range(round((high - low) / unit) + 1):
        level = low + number * unit
        x = position(level)
        parts.append(f"<path d='M{x:.1f} {_TOP - 8}V{bottom}' stroke='{svg.FAINT}'/>")
        label = f"{level:,.{max(0, -floor(log10(unit)))}f}".replace("-", "−")
        parts.append(svg.svg_text(label, x, bottom + 16, size=11, anchor="middle"))
    for number, row in enumerate(panel.values.values()):
        if not row:
            continue
        y = _TOP + _STEP * (number + 0.5)
        mean = position(fmean(row))
        parts.append(
            f"<path d='M{mean:.1f} {y - 8:.1f}v16' stroke='{svg.INK}' stroke-width='2.5'/>"
        )
        parts += [
            f"<circle cx='{position(value):.1f}' cy='{y:.1f}' r='4' fill='{svg.colour(0)}' "
            "fill-opacity='0.65'/>"
            for value in row
        ]
    return parts


def _axis(smallest: float, largest: float) -> tuple[float, float, float]:
    """Round limits around all values, and the distance of at most six grid lines."""
    spread = largest - smallest or abs(largest) or 1.0
    power = 10.0 ** floor(log10(spread))
    unit = next(f * power for f in (0.1, 0.2, 0.5, 1, 2, 5, 10) if spread / (f * power) <= 4)
    low, high = unit * floor(smallest / unit), unit * ceil(largest / unit)
    return low, max(high, low + unit), unit
