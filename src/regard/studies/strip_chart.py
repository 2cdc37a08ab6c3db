"""SVG strip chart: for each name a dot per value and a bar at the mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor
from statistics import fmean

from regard import svg

# in SVG units
_LEFT, _TOP, _WIDTH, _STEP = 130, 70, 460, 26


def strip_chart(values: Mapping[str, Sequence[float]], *, title: str, note: str) -> str:
    flat = [value for each in values.values() for value in each]
    spread = max(flat) - min(flat)
    unit = next(u for u in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100) if spread / u <= 8)
    low, high = unit * floor(min(flat) / unit), unit * (ceil(max(flat) / unit) or 1)
    high = max(high, low + unit)

    def position(value: float) -> float:
        return _LEFT + _WIDTH * (value - low) / (high - low)

    bottom = _TOP + _STEP * len(values)
    parts = [
        svg.svg_text(title, 24, 28, size=15, weight="bold"),
        svg.svg_text(note, 24, 46, size=11, fill=svg.SOFT),
    ]
    for number in range(round((high - low) / unit) + 1):
        x, level = position(low + number * unit), low + number * unit
        parts.append(f"<path d='M{x:.1f} {_TOP - 8}V{bottom}' stroke='{svg.FAINT}'/>")
        parts.append(svg.svg_text(f"{level:g}", x, bottom + 16, size=11, anchor="middle"))
    for number, (name, row) in enumerate(values.items()):
        y = _TOP + _STEP * (number + 0.5)
        mean, colour = position(fmean(row)), svg.colour(0)
        parts.append(svg.svg_text(name, _LEFT - 14, y + 4, size=12, anchor="end"))
        parts.append(
            f"<path d='M{mean:.1f} {y - 8:.1f}v16' stroke='{svg.INK}' stroke-width='2.5'/>"
        )
        parts += [
            f"<circle cx='{position(value):.1f}' cy='{y:.1f}' r='4' fill='{colour}' "
            "fill-opacity='0.65'/>"
            for value in row
        ]
    return svg.svg_document(_LEFT + _WIDTH + 40, bottom + 34, parts, title)
