"""The heatmap in pixels: it has a cell for each weight, brighter for more."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("PIL")

from regard.svg import shade
from regard.train.loggers import pixel_heatmap as module
from regard.train.loggers.pixel_heatmap import CELL, MARGIN, pixel_heatmap


def cells(picture: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """The colour in the middle of each cell: they stand at the lower right."""
    bottom, right = (size - MARGIN for size in picture.shape[:2])
    ys = [bottom - (rows - row) * CELL + CELL // 2 for row in range(rows)]
    xs = [right - (columns - column) * CELL + CELL // 2 for column in range(columns)]
    return picture[np.ix_(ys, xs)]


def test_a_cell_has_the_colour_of_the_vector_picture() -> None:
    weights = np.array([[0.0, 0.25, 0.75], [1.0, 0.0, 0.0]], np.float32)
    found = cells(
        pixel_heatmap(weights, row_labels=["▁a", "b"], column_labels=["x", "y", "z"]), 2, 3
    )
    for row in range(2):
        for column in range(3):
            colour = "#" + "".join(f"{part:02X}" for part in found[row, column])
            assert colour == shade(float(weights[row, column]))


def test_a_long_piece_has_room() -> None:
    weights = np.eye(2, dtype=np.float32)
    narrow = pixel_heatmap(weights, row_labels=["a", "b"], column_labels=["x", "y"])
    wide = pixel_heatmap(
        weights, row_labels=["a", "a long piece"], column_labels=["x", "another long piece"]
    )
    assert wide.shape[1] > narrow.shape[1] + 30
    assert wide.shape[0] > narrow.shape[0] + 30


def test_a_picture_may_have_no_labels() -> None:
    weights = np.full((3, 4), 0.25, np.float32)
    assert pixel_heatmap(weights, row_labels=[], column_labels=[]).shape == (
        3 * CELL + 3 * MARGIN,
        4 * CELL + 3 * MARGIN,
        3,
    )


def test_what_the_font_lacks_is_shown_by_what_comes_near(monkeypatch) -> None:
    monkeypatch.setattr(module, "FONTS", ())  # only the library's own: ASCII
    for cached in (module._font, module._shown):
        cached.cache_clear()
    try:
        assert [module._shown(character) for character in "aä▁中"] == ["a", "a", "_", "?"]
        pixel_heatmap(np.ones((1, 1), np.float32), row_labels=["▁über"], column_labels=["中"])
    finally:
        for cached in (module._font, module._shown):
            cached.cache_clear()
