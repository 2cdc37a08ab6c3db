"""The marks on a heatmap, and the legend of its colours and marks."""

from __future__ import annotations

from math import ceil

from regard import svg
from regard.explain.pictures.label import text_width
from regard.svg import Number

STEPS = 11  # 0, 0.1, … 1: the shades that readers can distinguish
_FONT = 11
_SAMPLE = 16  # the cell under a mark


def link_mark(x: Number, y: Number, cell: Number) -> str:
    """A dot, black and white so that it shows on every colour."""
    middle = (cell - 1) / 2
    return (
        f"<circle cx='{x + middle}' cy='{y + middle}' r='{max(1, cell / 7):.1f}' fill='#FFFFFF' "
        f"stroke='#000000' stroke-width='{1.2 if cell > 12 else 0.4}'/>"
    )


def gold_mark(x: Number, y: Number, cell: Number) -> str:
    """An outline, black and white so that it shows on every colour."""
    box = f"x='{x + 0.5}' y='{y + 0.5}' width='{cell - 2}' height='{cell - 2}' fill='none'"
    thick = 3 if cell > 12 else 1.5
    return (
        f"<rect {box} stroke='#000000' stroke-width='{thick}'/>"
        f"<rect {box} stroke='#FFFFFF' stroke-width='{thick / 2}'/>"
    )


def draw_legend(*, linked: bool, gold: bool) -> tuple[str, int]:
    """Return the legend, one line, and its width."""
    parts, x = [svg.svg_text("weight 0", 0, 10, size=_FONT)], 52
    for number in range(STEPS):
        colour = svg.shade(number / (STEPS - 1))
        parts.append(f"<rect x='{x}' y='0' width='10' height='12' fill='{colour}'/>")
        x += 10
    parts.append(svg.svg_text("1", x + 6, 10, size=_FONT))
    x += 14
    for shown, mark, label in (
        (linked, link_mark, "link"),
        (gold, gold_mark, "gold link"),
    ):
        if shown:
            x += 14
            colour = svg.shade(0.3)
            parts.append(f"<rect x='{x}' y='-1' width='15' height='15' fill='{colour}'/>")
            parts.append(mark(x, -1, _SAMPLE))
            parts.append(svg.svg_text(label, x + _SAMPLE + 5, 10, size=_FONT))
            x += _SAMPLE + 5 + ceil(text_width(label, _FONT))
    return "".join(parts), x
