"""What all still pictures are made of: SVG as strings, without a library.

Colours can be told apart by those who see few of them: Okabe and Ito's for lines, each with a mark
of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TypeAlias

Number: TypeAlias = float | int

LINES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
INK, SOFT, FAINT = "#222222", "#666666", "#DDDDDD"
_MARKS = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0",  # a disc
    "M-3.5-3.5h7v7h-7z",  # a square
    "M0-4.5L4.5 3.5h-9z",  # a triangle
    "M0-5L5 0L0 5L-5 0z",  # a diamond
)


def picture(width: Number, height: Number, parts: Sequence[str]) -> str:
    body = "\n".join(parts)
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width:.0f} {height:.0f}' "
        f"width='{width:.0f}' height='{height:.0f}' font-family='Helvetica, Arial, sans-serif'>\n"
        f"<rect width='100%' height='100%' fill='#FFFFFF'/>\n{body}\n</svg>\n"
    )


def text(
    words: str,
    x: Number,
    y: Number,
    *,
    size: int = 13,
    anchor: str = "start",
    fill: str = INK,
    weight: str = "normal",
    extra: str = "",
) -> str:
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' font-size='{size}' text-anchor='{anchor}' fill='{fill}' "
        f"font-weight='{weight}'{extra}>{escape(words, quote=True)}</text>"
    )


def colour(number: int) -> str:
    """Of the line of this number."""
    return LINES[number % len(LINES)]


def line(points: Sequence[tuple[Number, Number]], number: int) -> list[str]:
    """Through points in the units of the picture, in the colour and with the mark of `number`."""
    mark = _MARKS[number % len(_MARKS)]
    return [
        f"<path d='M{path(points)}' fill='none' stroke='{colour(number)}' stroke-width='2'/>",
        *(
            f"<path d='{mark}' transform='translate({x:.1f} {y:.1f})' fill='{colour(number)}'/>"
            for x, y in points
        ),
    ]


def path(points: Sequence[tuple[Number, Number]]) -> str:
    return "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def apart(levels: Sequence[Number], gap: Number) -> list[Number]:
    """The same levels, moved down where two would be closer than `gap`."""
    placed: dict[int, Number] = dict.fromkeys(range(len(levels)), 0)
    last: Number = float("-inf")
    for i in sorted(range(len(levels)), key=levels.__getitem__):
        last = placed[i] = max(levels[i], last + gap)
    return list(placed.values())
