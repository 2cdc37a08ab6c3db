"""Layout of a heatmap with labelled rows and columns.

Columns follow the reading direction of the source: for Arabic or Hebrew the first column is on the
right, and a monotone alignment runs from the upper right to the lower left. Row labels stand on the
side where the target's lines begin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, cos, radians, sin

from regard.explain.pictures.label import isolate, runs_left, shorten, text_width
from regard.svg import Number

FONT = 12  # of labels
MARGIN, GAP = 24, 8
_LINE = 13  # the least distance of two labels
_MAX_LABEL = 190  # a German compound of 25 letters
_LARGEST, _SMALLEST, _WIDEST = 28, 4, 800  # cells shrink to keep the matrix within 800


@dataclass(frozen=True, slots=True)
class Layout:
    rows: tuple[str, ...]  # labels, as shown
    columns: tuple[str, ...]
    cell: int
    leftward: bool  # the first column is on the right
    mirrored: bool  # the row labels are on the right
    x0: int  # x of the leftmost cell
    above: int  # height of the column labels
    width: int
    angle: int  # of the column labels

    @property
    def every(self) -> int:
        """One label in this many is shown."""
        return ceil(_LINE / self.cell)

    @property
    def right(self) -> int:
        return self.x0 + len(self.columns) * self.cell

    @property
    def height(self) -> int:
        return len(self.rows) * self.cell

    def x(self, column: int) -> int:
        index = len(self.columns) - 1 - column if self.leftward else column
        return self.x0 + index * self.cell

    def notes(self) -> list[str]:
        """Notes for the reader, to print below the heatmap."""
        notes = []
        if self.every > 1:
            notes.append(f"one label in {self.every} is shown")
        if self.leftward:
            notes.append("the columns run from right to left, like the source")
        return notes


def make_layout(row_labels: Sequence[str], column_labels: Sequence[str]) -> Layout:
    """Choose the largest cells that fit, and leave space for every label."""
    rows, columns = tuple(map(_short, row_labels)), tuple(map(_short, column_labels))
    leftward, mirrored = runs_left(column_labels), runs_left(row_labels)
    cell = min(_LARGEST, max(_SMALLEST, _WIDEST // max(len(rows), len(columns))))
    every = ceil(_LINE / cell)
    widths = [text_width(name, FONT) for name in columns[::every]]
    angle = _angle(max(widths), cell, every)
    label_width = ceil(max(text_width(name, FONT) for name in rows[::every])) + GAP
    sides = [MARGIN, MARGIN]  # left and right of the cells
    sides[mirrored] += label_width
    end = not leftward  # the side to which labels lean
    sides[end] = max(sides[end], GAP + _overhang(widths, cell, len(columns), every, angle))
    return Layout(
        rows,
        columns,
        cell,
        leftward,
        mirrored,
        x0=sides[0],
        above=_rise(max(widths), angle) + GAP,
        width=sides[0] + cell * len(columns) + sides[1],
        angle=angle,
    )


def _short(name: str) -> str:
    """Shorten, and replace SentencePiece's ▁: few fonts have it, and resvg then draws the whole
    label in the fallback font."""
    return shorten(isolate(name.replace("▁", "_")), _MAX_LABEL, FONT)


def _angle(widest: Number, cell: int, every: int) -> int:
    """0° if all labels fit; otherwise 45°, or 90° if labels at 45° would touch."""
    if widest <= cell * every - 4:
        return 0
    return 45 if cell * sin(radians(45)) >= _LINE else 90


def _rise(widest: Number, angle: int) -> int:
    return ceil(max(_LINE, widest * sin(radians(angle)) + FONT * cos(radians(angle))))


def _overhang(widths: Sequence[Number], cell: int, columns: int, every: int, angle: int) -> int:
    """How far rotated labels reach past the last column."""
    reach = (
        width * cos(radians(angle)) - cell * (columns - i * every - 0.5)
        for i, width in enumerate(widths)
    )
    return ceil(max(0, *reach)) + FONT if angle else 0
