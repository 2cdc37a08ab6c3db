"""Attention heatmaps as pixels, for trackers that do not show vector graphics."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache

import numpy as np
from jaxtyping import Float, UInt8
from PIL import Image, ImageDraw, ImageFont

from regard.svg import SCALE

PAPER, INK = "#FFFFFF", "#222222"
CELL, MARGIN = 22, 6  # pixels
# Fonts with many scripts, on Linux, macOS and Windows. Pillow's default font has ASCII only.
FONTS = ("DejaVuSans.ttf", "Arial Unicode.ttf", "arial.ttf")


def pixel_heatmap(
    weights: Float[np.ndarray, "T S"], *, row_labels: Sequence[str], column_labels: Sequence[str]
) -> UInt8[np.ndarray, "Y X 3"]:
    """Draw a row for each output token and a column for each source token.

    Higher weights are brighter. Label lists may be empty.
    """
    rows, columns = (
        [_label(piece) for piece in row_labels],
        [_label(piece) for piece in column_labels],
    )
    label_width, label_height = (
        2 * MARGIN + max((label.width for label in side), default=0) for side in (rows, columns)
    )
    height, width = weights.shape
    size = label_width + CELL * width + MARGIN, label_height + CELL * height + MARGIN
    image = Image.new("RGB", size, PAPER)
    for row, label in enumerate(rows):
        image.paste(label, (label_width - MARGIN - label.width, label_height + row * CELL))
    for column, label in enumerate(columns):
        rotated = label.rotate(90, expand=True)
        image.paste(rotated, (label_width + column * CELL, label_height - MARGIN - rotated.height))
    image.paste(Image.fromarray(_cells(weights)), (label_width, label_height))
    return np.asarray(image)


def _cells(weights: Float[np.ndarray, "T S"]) -> UInt8[np.ndarray, "Y X 3"]:
    levels = np.rint(255 * np.clip(weights, 0, 1)).astype(np.uint8)
    cells = np.array(SCALE, np.uint8)[levels].repeat(CELL, axis=0).repeat(CELL, axis=1)
    cells[::CELL] = cells[:, ::CELL] = 255  # grid lines
    return cells


def _label(piece: str) -> Image.Image:
    text = "".join(map(_printable, piece))
    label = Image.new("RGB", (max(1, round(_font().getlength(text))), CELL), PAPER)
    ImageDraw.Draw(label).text((0, CELL / 2), text, fill=INK, font=_font(), anchor="lm")
    return label


@cache
def _printable(character: str) -> str:
    """Return the character, or a similar one if the font does not have it."""
    candidates = (
        character,
        unicodedata.normalize("NFKD", character)[0],
        {"▁": "_"}.get(character, "?"),
    )
    missing = bytes(_font().getmask("\uffff"))  # the glyph of characters that the font lacks
    return next(
        (candidate for candidate in candidates if bytes(_font().getmask(candidate)) != missing), "?"
    )


@cache
def _font() -> ImageFont.FreeTypeFont:
    for name in FONTS:
        try:
            return ImageFont.truetype(name, 13)
        except OSError:
            continue
    default = ImageFont.load_default(13)
    assert isinstance(default, ImageFont.FreeTypeFont)
    return default
