"""Attention step by step, and the fixed vector of a model without it.

Xu et al. 2015, figure 2. The mask over each frame is the smoothed grid of weights, scaled by the
frame's highest weight. That weight is printed below the frame, because scaling hides whether
attention is weak or strong.
"""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from collections.abc import Sequence
from math import ceil

import numpy as np
from jaxtyping import Float, UInt8

from regard import svg
from regard.explain.pictures.figure import fold, isolate, runs_left, shorten, text_width
from regard.svg import Number

_FRAME = 150  # the longer side of a frame
_PER_ROW = 5
_MARGIN, _GAP, _CAPTION = 24, 14, 40
_FONT, _SMALL, _TITLE = 13, 11, 15
_FINE = 8  # mask pixels for each region: enough that a renderer's own smoothing does not show
_DARKEST = 0.8  # opacity at weight 0: the image stays recognizable
# Mean movement of attention from one word to the next. Below this all frames look the same: the
# caption comes from an average of the image.
_STILL = 0.05


def filmstrip(
    png: bytes,
    *,
    size: tuple[int, int],
    grid: tuple[int, int],
    weights: Float[np.ndarray, "T S"],
    words: Sequence[str],
    probabilities: Sequence[Number],
    title: str,
    note: str = "",
) -> str:
    """Draw the image, and a frame for each word.

    `size` is (width, height), `grid` is (rows, columns). Weight s of a word belongs to row
    s // columns, column s % columns.
    """
    shrink = _FRAME / max(size)
    wide, tall = max(1, round(size[0] * shrink)), max(1, round(size[1] * shrink))
    slot = max(wide, 110)  # the width of a word and its numbers
    leftward = runs_left(words)
    per_row = min(_PER_ROW, len(words) + 1)
    width = max(2 * _MARGIN + per_row * (slot + _GAP) - _GAP, 360)
    title_lines = fold(title, width - 2 * _MARGIN, _TITLE)
    parts = [
        svg.svg_text(line, _MARGIN, _MARGIN + 11 + 20 * number, size=_TITLE, weight="bold")
        for number, line in enumerate(title_lines)
    ]
    # Embedded once and referenced by every frame; the id is unique among the figures of a page.
    key = f"image-{zlib.crc32(png):08x}-{wide}-{tall}"
    parts.append(f"<defs>{_image(png, wide, tall, key)}</defs>")
    top = _MARGIN + 20 * len(title_lines) + _GAP
    for number in range(len(words) + 1):
        row, column = divmod(number, per_row)
        if leftward:
            column = per_row - 1 - column
        x = _MARGIN + column * (slot + _GAP) + (slot - wide) / 2
        y = top + row * (tall + _CAPTION)
        parts.append(f"<g transform='translate({x:.1f} {y})'><use href='#{key}'/>")
        if number:
            word, row_weights = words[number - 1], weights[number - 1]
            parts.append(_image(_black_png(_mask(row_weights.reshape(grid))), wide, tall))
            parts += _caption(word, probabilities[number - 1], row_weights, wide, tall, slot)
        parts.append("</g>")
    bottom = top + ceil((len(words) + 1) / per_row) * (tall + _CAPTION)
    notes = [note, "each frame is scaled by its highest weight", stillness_warning(weights)]
    for line in fold("; ".join(filter(None, notes)), width - 2 * _MARGIN, _SMALL):
        parts.append(svg.svg_text(line, _MARGIN, bottom + 10, size=_SMALL, fill=svg.SOFT))
        bottom += 16
    return svg.svg_document(width, bottom + _MARGIN - 6, parts, name=title)


def mean_movement(weights: Float[np.ndarray, "T S"]) -> float:
    """Mean total variation distance between the weights of successive words, from 0 to 1."""
    if len(weights) < 2:
        return 0.0
    return float(np.abs(np.diff(weights, axis=0)).sum(1).mean() / 2)


def stillness_warning(weights: Float[np.ndarray, "T S"]) -> str:
    """A warning if attention is nearly the same for all words, otherwise an empty string."""
    movement = mean_movement(weights)
    if len(weights) < 2 or movement >= _STILL:
        return ""
    return f"attention hardly moves: {100 * movement:.1f} % of it from word to word"


def _caption(
    word: str,
    probability: Number,
    weights: Float[np.ndarray, " S"],
    wide: Number,
    tall: Number,
    slot: Number,
) -> list[str]:
    shown = shorten(isolate(word), slot, _FONT)
    full = word if text_width(isolate(word), _FONT) > slot else ""
    numbers = f"p {probability:.2f} · highest {weights.max():.2f}"
    return [
        svg.svg_text(shown, wide / 2, tall + 16, size=_FONT, anchor="middle", full_text=full),
        svg.svg_text(numbers, wide / 2, tall + 30, size=9, anchor="middle", fill=svg.SOFT),
    ]


def _mask(weights: Float[np.ndarray, "Y X"]) -> Float[np.ndarray, "Yf Xf"]:
    """Opacity of each mask pixel: bilinear between the centres of the regions."""
    smooth = _interpolate(_interpolate(weights / max(float(weights.max()), 1e-9)).T).T
    return _DARKEST * (1 - smooth)


def _interpolate(rows: Float[np.ndarray, "Y X"]) -> Float[np.ndarray, "Yf X"]:
    pixels = (np.arange(len(rows) * _FINE) + 0.5) / _FINE - 0.5
    centres = np.arange(len(rows))
    return np.stack([np.interp(pixels, centres, column) for column in rows.T], axis=1)


def _black_png(alpha: Float[np.ndarray, "Y X"]) -> bytes:
    """A black PNG with this alpha channel: https://www.w3.org/TR/png-3/, colour type 4."""
    height, width = alpha.shape
    pixels: UInt8[np.ndarray, "Y X 2"] = np.zeros((height, width, 2), np.uint8)
    pixels[..., 1] = np.rint(255 * alpha)
    lines = b"".join(b"\0" + line.tobytes() for line in pixels)  # \0: no filter
    header = struct.pack(">IIBBBBB", width, height, 8, 4, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )


def _image(png: bytes, width: Number, height: Number, key: str = "") -> str:
    identifier = f" id='{key}'" if key else ""
    return (
        f"<image{identifier} width='{width}' height='{height}' preserveAspectRatio='none' "
        f"href='data:image/png;base64,{b64encode(png).decode()}'/>"
    )


# -- an encoder–decoder without attention ----------------------------------------------------------
# All states, and the vector between the two, as SVG.
#
# In a browser the states appear in the order in which they are computed, again and again. Renderers
# without CSS animations, and readers who prefer reduced motion, get the complete picture.


_VECTOR_MARGIN, _VECTOR_GAP = 24, 34  # _GAP: between two states, the length of an arrow
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
    column = max(_CELL * 2, *(ceil(text_width(label, _FONT)) for label in labels)) + _VECTOR_GAP
    steps = len(source) + 1 + len(target)
    top = _VECTOR_MARGIN + 70
    middle, bottom = top + _SHOWN * _CELL / 2, top + _SHOWN * _CELL
    xs = [_VECTOR_MARGIN + column * (number + 0.5) for number in range(steps)]
    parts = [
        f"<style>{_animation(steps)}</style>",
        svg.svg_text(title, _VECTOR_MARGIN, _VECTOR_MARGIN + 11, size=_TITLE, weight="bold"),
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
    width = max(_VECTOR_MARGIN * 2 + column * steps, _VECTOR_MARGIN * 2 + text_width(title, _TITLE))
    note = f"colours: the first {_SHOWN} numbers of each state, dark −1, bright 1"
    parts.append(svg.svg_text(note, _VECTOR_MARGIN, bottom + 76, size=_SMALL, fill=svg.SOFT))
    return svg.svg_document(width, bottom + 76 + _VECTOR_MARGIN, parts, name=title)


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
