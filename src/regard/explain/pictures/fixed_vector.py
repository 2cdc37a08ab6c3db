"""An encoder–decoder without attention: all states, and the vector between the two, as SVG.

In a browser the states appear in the order in which they are computed, again and again. Renderers
without CSS animations, and readers who prefer reduced motion, get the complete picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np
from jaxtyping import Float

from regard import svg
from regard.explain.pictures.label import shorten, text_width
from regard.svg import Number

_MARGIN, _GAP = 24, 34  # _GAP: between two states, the length of an arrow
_FONT, _SMALL, _TITLE = 13, 11, 15
_CELL = 15
_SHOWN = 8  # numbers of a state that are drawn
_MAX_LABEL = 90
_PAUSE = 3  # steps during which the complete picture is shown


def fixed_vector_picture(
    source: Sequence[str],
    encoder_states: Float[np.ndarray, "S E"],
    target: Sequence[str],
    decoder_states: Float[np.ndarray, "T D"],
    *,
    title: str,
) -> str:
    """Draw the states of a source, the last of which is the fixed vector, and of a target.

    The first numbers of each state are drawn as colours, from −1 to 1.
    """
    labels = [shorten(word, _MAX_LABEL, _FONT) for word in (*source, *target)]
    column = max(_CELL * 2, *(ceil(text_width(label, _FONT)) for label in labels)) + _GAP
    steps = len(source) + 1 + len(target)
    top = _MARGIN + 70
    middle, bottom = top + _SHOWN * _CELL / 2, top + _SHOWN * _CELL
    xs = [_MARGIN + column * (number + 0.5) for number in range(steps)]
    parts = [
        f"<style>{_animation(steps)}</style>",
        svg.svg_text(title, _MARGIN, _MARGIN + 11, size=_TITLE, weight="bold"),
    ]
    for x, name in (
        ((xs[0] + xs[len(source) - 1]) / 2, "encoder"),
        (xs[len(source)], "fixed vector"),
        ((xs[len(source) + 1] + xs[-1]) / 2, "decoder"),
    ):
        parts.append(svg.svg_text(name, x, top - 34, size=_FONT, anchor="middle", fill=svg.SOFT))
    states = [*encoder_states, encoder_states[-1], *decoder_states]
    below = [*source, "", *target]
    for number, (x, state, word) in enumerate(zip(xs, states, below, strict=True)):
        written = number > len(source)
        parts.append(f"<g class='fixed-vector-{steps}-{number}'>")
        if number:
            parts.append(_arrow(xs[number - 1] + _CELL + 9, middle, x - _CELL - 9, middle))
        if number == len(source):
            parts.append(
                f"<rect x='{x - _CELL - 5:.1f}' y='{top - 5:.1f}' width='{2 * _CELL + 10}' "
                f"height='{_SHOWN * _CELL + 10}' rx='4' fill='none' stroke='{svg.INK}' "
                f"stroke-width='2.5'/>"
            )
        parts += _state(x, top, state)
        name = f"s{_index(number - len(source))}" if written else f"h{_index(number + 1)}"
        name = f"c = h{_index(len(source))}" if number == len(source) else name
        parts.append(svg.svg_text(name, x, top - 12, size=_SMALL, anchor="middle"))
        if word:
            ends = (bottom + 6, bottom + 28) if written else (bottom + 28, bottom + 6)
            parts.append(_arrow(x, ends[0], x, ends[1]))
            shown = labels[number - 1 if written else number]
            parts.append(svg.svg_text(shown, x, bottom + 46, anchor="middle", weight="bold"))
        parts.append("</g>")
    width = max(_MARGIN * 2 + column * steps, _MARGIN * 2 + text_width(title, _TITLE))
    note = f"colours: the first {_SHOWN} numbers of each state, dark −1, bright 1"
    parts.append(svg.svg_text(note, _MARGIN, bottom + 76, size=_SMALL, fill=svg.SOFT))
    return svg.svg_document(width, bottom + 76 + _MARGIN, parts, name=title)


def _state(x: Number, top: Number, state: Float[np.ndarray, " E"]) -> list[str]:
    return [
        f"<rect x='{x - _CELL:.1f}' y='{top + row * _CELL:.1f}' width='{2 * _CELL}' "
        f"height='{_CELL - 1}' fill='{svg.shade((value + 1) / 2)}'>"
        f"<title>{value:.3f}</title></rect>"
        for row, value in enumerate(state[:_SHOWN].tolist())
    ]


def _arrow(x: Number, y: Number, to_x: Number, to_y: Number) -> str:
    """A straight arrow, horizontal or vertical."""
    if y == to_y:
        head = f"M{to_x - 6:.1f} {to_y - 4:.1f}l6 4l-6 4"
    else:
        way = 1 if to_y > y else -1
        head = f"M{to_x - 4:.1f} {to_y - 6 * way:.1f}l4 {6 * way}l4 {-6 * way}"
    line = f"M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}"
    return f"<path d='{line}{head}' fill='none' stroke='{svg.SOFT}' stroke-width='1.5'/>"


def _animation(steps: int) -> str:
    """Rules that show step after step, each for a second, and start again after a pause."""
    seconds = steps + _PAUSE
    rules = []
    for number in range(steps):
        name = f"fixed-vector-{steps}-{number}"
        begin, end = 100 * number / seconds, 100 * (number + 0.6) / seconds
        rules.append(f".{name}{{animation:{name} {seconds}s linear infinite}}")
        rules.append(
            f"@keyframes {name}{{0%,{begin:.1f}%{{opacity:.08}}{end:.1f}%,100%{{opacity:1}}}}"
        )
    return f"@media (prefers-reduced-motion: no-preference){{{''.join(rules)}}}"


def _index(number: int) -> str:
    """A number as a subscript."""
    return str(number).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
