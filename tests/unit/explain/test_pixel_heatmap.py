"""Attention heatmaps as pixels."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("PIL")

from regard.svg import shade
from regard.train.loggers import tensorboard as module
from regard.train.loggers.tensorboard import CELL, MARGIN, pixel_heatmap


def cells(image: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """Return the color in the middle of each cell."""
    bottom, right = (size - MARGIN for size in image.shape[:2])
    ys = [bottom - (rows - row) * CELL + CELL // 2 for row in range(rows)]
    xs = [right - (columns - column) * CELL + CELL // 2 for column in range(columns)]
    return image[np.ix_(ys, xs)]


def test_a_cell_has_the_color_of_the_svg_heatmap() -> None:
    weights = np.array([[0.0, 0.25, 0.75], [1.0, 0.0, 0.0]], np.float32)
    found = cells(
        pixel_heatmap(weights, row_labels=["▁a", "b"], column_labels=["x", "y", "z"]), 2, 3
    )
    for row in range(2):
        for column in range(3):
            color = "#" + "".join(f"{part:02X}" for part in found[row, column])
            assert color == shade(float(weights[row, column]))


def test_long_labels_enlarge_the_image() -> None:
    weights = np.eye(2, dtype=np.float32)
    narrow = pixel_heatmap(weights, row_labels=["a", "b"], column_labels=["x", "y"])
    wide = pixel_heatmap(
        weights, row_labels=["a", "a long piece"], column_labels=["x", "another long piece"]
    )
    assert wide.shape[1] > narrow.shape[1] + 30
    assert wide.shape[0] > narrow.shape[0] + 30


def test_labels_may_be_empty() -> None:
    weights = np.full((3, 4), 0.25, np.float32)
    assert pixel_heatmap(weights, row_labels=[], column_labels=[]).shape == (
        3 * CELL + 3 * MARGIN,
        4 * CELL + 3 * MARGIN,
        3,
    )


def test_characters_that_the_font_lacks_are_replaced(monkeypatch) -> None:
    monkeypatch.setattr(module, "FONTS", ())  # only Pillow's default font: ASCII
    for cached in (module._font, module._printable):
        cached.cache_clear()
    try:
        assert [module._printable(character) for character in "aä▁中"] == ["a", "a", "_", "?"]
        pixel_heatmap(np.ones((1, 1), np.float32), row_labels=["▁über"], column_labels=["中"])
    finally:
        for cached in (module._font, module._printable):
            cached.cache_clear()
