"""What a captioner looked at for each word: the picture, dimmed where it did not look.

Xu et al. 2015, figure 2. The veil over each frame is the grid of weights, smoothed; each frame is
lit by its own greatest weight, which is written below it, because a faint look and a firm one would
otherwise be told apart by nobody.
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
from regard.explain.pictures.label import fold, isolate, runs_left, shorten, text_width
from regard.svg import Number

_FRAME = 150  # the longer side of a frame
_ACROSS = 5  # frames in a row
_MARGIN, _GAP, _CAPTION = 24, 14, 40
_FONT, _SMALL, _TITLE = 13, 11, 15
_FINE = 8  # pixels of the veil for each place: what is left to the viewer's smoothing is not seen
_DARKEST = 0.8  # what is not looked at can still be made out
# The share of attention that goes elsewhere from one word to the next. Below this the frames look
# the same: a caption from an average of the picture.
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
    """The picture of `size` (width, height) and a frame for each word; place s of a word's weights
    is row s // columns, column s % columns of the `grid` (rows, columns)."""
    shrink = _FRAME / max(size)
    wide, tall = max(1, round(size[0] * shrink)), max(1, round(size[1] * shrink))
    room = max(wide, 110)  # of a word and its numbers
    leftward = runs_left(words)  # then so do the frames
    across = min(_ACROSS, len(words) + 1)
    width = max(2 * _MARGIN + across * (room + _GAP) - _GAP, 360)
    heads = fold(title, width - 2 * _MARGIN, _TITLE)
    parts = [
        svg.svg_text(line, _MARGIN, _MARGIN + 11 + 20 * number, size=_TITLE, weight="bold")
        for number, line in enumerate(heads)
    ]
    # once in the file, however many frames show it; by a name that no other picture of a page has
    key = f"picture-{zlib.crc32(png):08x}-{wide}-{tall}"
    parts.append(f"<defs>{_image(png, wide, tall, key)}</defs>")
    top = _MARGIN + 20 * len(heads) + _GAP
    for number in range(len(words) + 1):
        place = number % across
        column = across - 1 - place if leftward else place
        x = _MARGIN + column * (room + _GAP) + (room - wide) / 2
        y = top + (number // across) * (tall + _CAPTION)
        parts.append(f"<g transform='translate({x:.1f} {y})'><use href='#{key}'/>")
        if number:
            seen = weights[number - 1]
            parts.append(_image(_grey(_veil(seen.reshape(grid))), wide, tall))
            parts += _caption(words[number - 1], probabilities[number - 1], seen, wide, tall, room)
        parts.append("</g>")
    bottom = top + ceil((len(words) + 1) / across) * (tall + _CAPTION)
    notes = [note, "each frame is lit by its greatest weight", still(weights)]
    for line in fold("; ".join(filter(None, notes)), width - 2 * _MARGIN, _SMALL):
        parts.append(svg.svg_text(line, _MARGIN, bottom + 10, size=_SMALL, fill=svg.SOFT))
        bottom += 16
    return svg.svg_document(width, bottom + _MARGIN - 6, parts, name=title)


def moves(weights: Float[np.ndarray, "T S"]) -> float:
    """The share of attention that goes elsewhere from one word to the next: the mean total
    variation distance, from 0 (it never moves) to 1."""
    if len(weights) < 2:
        return 0.0
    return float(np.abs(np.diff(weights, axis=0)).sum(1).mean() / 2)


def still(weights: Float[np.ndarray, "T S"]) -> str:
    """A warning, if the looks of several words are nearly one look."""
    share = moves(weights)
    if len(weights) < 2 or share >= _STILL:
        return ""
    return f"attention hardly moves: {100 * share:.1f} % of it from word to word"


def _caption(
    word: str,
    probability: Number,
    seen: Float[np.ndarray, " S"],
    wide: Number,
    tall: Number,
    room: Number,
) -> list[str]:
    shown = shorten(isolate(word), room, _FONT)
    whole = word if text_width(isolate(word), _FONT) > room else ""
    numbers = f"p {probability:.2f} · brightest {seen.max():.2f}"
    return [
        svg.svg_text(shown, wide / 2, tall + 16, size=_FONT, anchor="middle", whole=whole),
        svg.svg_text(numbers, wide / 2, tall + 30, size=9, anchor="middle", fill=svg.SOFT),
    ]


def _veil(seen: Float[np.ndarray, "Y X"]) -> Float[np.ndarray, "Yf Xf"]:
    """How dark each pixel becomes: bilinear between the middles of the places."""
    smooth = _stretch(_stretch(seen / max(float(seen.max()), 1e-9)).T).T
    return _DARKEST * (1 - smooth)


def _stretch(rows: Float[np.ndarray, "Y X"]) -> Float[np.ndarray, "Yf X"]:
    middles = (np.arange(len(rows) * _FINE) + 0.5) / _FINE - 0.5
    places = np.arange(len(rows))
    return np.stack([np.interp(middles, places, column) for column in rows.T], axis=1)


def _grey(alpha: Float[np.ndarray, "Y X"]) -> bytes:
    """A PNG that is black, this opaque: https://www.w3.org/TR/png-3/, colour type 4."""
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


def _image(png: bytes, width: Number, height: Number, name: str = "") -> str:
    named = f" id='{name}'" if name else ""
    return (
        f"<image{named} width='{width}' height='{height}' preserveAspectRatio='none' "
        f"href='data:image/png;base64,{b64encode(png).decode()}'/>"
    )
