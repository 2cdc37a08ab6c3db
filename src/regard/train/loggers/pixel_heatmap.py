"""Where each word looked, in pixels, for trackers that show no vector pictures."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache

import numpy as np
from jaxtyping import Float, UInt8
from PIL import Image, ImageDraw, ImageFont

from regard.svg import SCALE

PAPER, INK = "#FFFFFF", "#222222"
CELL, MARGIN = 22, 6  # pixels: a line of text, and what keeps it from the edge
# One that knows many alphabets, by its name on Linux, macOS and Windows; Pillow's own knows ASCII.
FONTS = ("DejaVuSans.ttf", "Arial Unicode.ttf", "arial.ttf")


def pixel_heatmap(
    weights: Float[np.ndarray, "T S"], *, row_labels: Sequence[str], column_labels: Sequence[str]
) -> UInt8[np.ndarray, "Y X 3"]:
    """A row for each piece that was said, a column for each that was read; brighter is more."""
    rows, columns = (
        [_label(piece) for piece in row_labels],
        [_label(piece) for piece in column_labels],
    )
    left, top = (
        2 * MARGIN + max((label.width for label in side), default=0) for side in (rows, columns)
    )
    height, width = weights.shape
    size = left + CELL * width + MARGIN, top + CELL * height + MARGIN
    picture = Image.new("RGB", size, PAPER)
    for row, label in enumerate(rows):
        picture.paste(label, (left - MARGIN - label.width, top + row * CELL))
    for column, label in enumerate(columns):
        upright = label.rotate(90, expand=True)
        picture.paste(upright, (left + column * CELL, top - MARGIN - upright.height))
    picture.paste(Image.fromarray(_cells(weights)), (left, top))
    return np.asarray(picture)


def _cells(weights: Float[np.ndarray, "T S"]) -> UInt8[np.ndarray, "Y X 3"]:
    levels = np.rint(255 * np.clip(weights, 0, 1)).astype(np.uint8)
    cells = np.array(SCALE, np.uint8)[levels].repeat(CELL, axis=0).repeat(CELL, axis=1)
    cells[::CELL] = cells[:, ::CELL] = 255  # a line between two cells
    return cells


def _label(piece: str) -> Image.Image:
    text = "".join(map(_shown, piece))
    label = Image.new("RGB", (max(1, round(_font().getlength(text))), CELL), PAPER)
    ImageDraw.Draw(label).text((0, CELL / 2), text, fill=INK, font=_font(), anchor="lm")
    return label


@cache
def _shown(character: str) -> str:
    """The character, or what comes near it if the font lacks it."""
    near = (character, unicodedata.normalize("NFKD", character)[0], {"▁": "_"}.get(character, "?"))
    lacking = bytes(_font().getmask("\uffff"))  # no character: what is drawn instead of one
    return next((one for one in near if bytes(_font().getmask(one)) != lacking), "?")


@cache
def _font() -> ImageFont.FreeTypeFont:
    for name in FONTS:
        try:
            return ImageFont.truetype(name, 13)
        except OSError:
            continue
    own = ImageFont.load_default(13)
    assert isinstance(own, ImageFont.FreeTypeFont)
    return own
