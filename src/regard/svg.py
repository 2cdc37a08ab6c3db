"""SVG elements as strings, without a library: shared by all figures.

Colours are safe for colour-blind readers: Okabe and Ito's palette for lines, each with its own
marker; for weights cividis, whose luminance rises evenly and which looks nearly the same without
red or green vision (Nuñez, Anderton and Renslow 2018).
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape as escape_markup
from typing import TypeAlias

Number: TypeAlias = float | int

LINES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
INK, SOFT, FAINT = "#222222", "#666666", "#DDDDDD"
_BACKGROUND = "<rect width='100%' height='100%' fill='#FFFFFF'/>"
# Fonts with the metrics of Helvetica are listed one by one: some renderers lack aliases.
_FONTS = "Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif"
# For Hebrew, Arabic and later Unicode blocks: Liberation has few of these characters, and resvg
# takes missing glyphs from any other font, bold or not.
_FURTHER_FONTS = "Arial, DejaVu Sans, sans-serif"
_FURTHER = range(0x0530, 0x1E00)
_MARKERS = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0",  # a disc
    "M-3.5-3.5h7v7h-7z",  # a square
    "M0-4.5L4.5 3.5h-9z",  # a triangle
    "M0-5L5 0L0 5L-5 0z",  # a diamond
)
# Control characters map to their symbols; those without one, and surrogates, to U+FFFD.
_VISIBLE = {code: 0x2400 + code for code in range(0x20)} | dict.fromkeys(
    (*range(0x7F, 0xA0), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF), 0xFFFD
)
# Polynomial approximation of cividis from d3, lowest power first: red, green, blue in 0 … 255.
_CIVIDIS = (
    (-4.54, -35.34, 2381.73, -6402.7, 7024.72, -2710.57),
    (32.49, 170.73, 52.82, -131.46, 176.58, -67.37),
    (81.24, 442.36, -2482.43, 6167.24, -6614.94, 2475.67),
)


def _cividis(weight: Number) -> tuple[int, ...]:
    levels = (sum(c * weight**power for power, c in enumerate(curve)) for curve in _CIVIDIS)
    return tuple(min(max(round(level), 0), 255) for level in levels)


SCALE = tuple(_cividis(level / 255) for level in range(256))  # colours of the weights 0 … 1


def shade(weight: Number) -> str:
    """The colour of a weight; higher weights are brighter."""
    return "#" + bytes(SCALE[round(255 * min(max(weight, 0), 1))]).hex().upper()


def svg_document(width: Number, height: Number, parts: Sequence[str], name: str = "") -> str:
    """Return an SVG file. `name` is its accessible name."""
    label = f" role='img' aria-label='{escape(name)}'" if name else ""
    body = "\n".join(parts)
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width:.0f} {height:.0f}' "
        f"width='{width:.0f}' height='{height:.0f}' font-family='{_FONTS}'{label}>\n"
        f"{_BACKGROUND}\n{body}\n</svg>\n"
    )


def inline_svg(drawing: str, *, soft: str, faint: str) -> str:
    """Return a drawing for an HTML page, in the colours of the page, light or dark.

    `soft` and `faint` are colours of the page, such as var(--soft); ink is the colour of its text.
    """
    colours = {INK: "currentColor", SOFT: soft, FAINT: faint}
    drawing = drawing.replace(f"{_BACKGROUND}\n", "", 1)
    for own, of_page in colours.items():
        drawing = drawing.replace(f"'{own}'", f"'{of_page}'")
    return drawing


def escape(words: str) -> str:
    """Escape untrusted text for SVG."""
    return escape_markup(visible(words), quote=True)


def visible(words: str) -> str:
    """Replace control characters, which XML forbids and terminals execute, with visible symbols."""
    return words.translate(_VISIBLE)


def svg_text(
    words: str,
    x: Number,
    y: Number,
    *,
    size: int = 13,
    anchor: str = "start",
    fill: str = INK,
    weight: str = "normal",
    attributes: str = "",
    full_text: str = "",
) -> str:
    """Return a text element. `full_text` is the tooltip of a shortened text."""
    tooltip = f"<title>{escape(full_text)}</title>" if full_text else ""
    if any(ord(character) in _FURTHER for character in words):
        attributes += f" font-family='{_FURTHER_FONTS}'"
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' font-size='{size}' text-anchor='{anchor}' fill='{fill}' "
        f"font-weight='{weight}'{attributes}>{tooltip}{escape(words)}</text>"
    )


def colour(number: int) -> str:
    """The colour of line `number`."""
    return LINES[number % len(LINES)]


def svg_line(points: Sequence[tuple[Number, Number]], number: int) -> list[str]:
    """Return a line through `points`, in the colour and with the marker of line `number`."""
    marker = _MARKERS[number % len(_MARKERS)]
    return [
        f"<path d='M{svg_path(points)}' fill='none' stroke='{colour(number)}' stroke-width='2'/>",
        *(
            f"<path d='{marker}' transform='translate({x:.1f} {y:.1f})' fill='{colour(number)}'/>"
            for x, y in points
        ),
    ]


def svg_path(points: Sequence[tuple[Number, Number]]) -> str:
    return "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def spread_labels(levels: Sequence[Number], gap: Number) -> list[Number]:
    """Move levels down so that no two are closer than `gap`."""
    placed: dict[int, Number] = dict.fromkeys(range(len(levels)), 0)
    last: Number = float("-inf")
    for i in sorted(range(len(levels)), key=levels.__getitem__):
        last = placed[i] = max(levels[i], last + gap)
    return list(placed.values())
