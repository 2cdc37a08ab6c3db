"""How a matrix with named rows and columns stands on paper.

The columns run the way the source is read: for Arabic or Hebrew the first is at the right, and
words in the same order go from the upper right to the lower left. The names of the rows stand where
a reader of the target begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, cos, radians, sin

from regard.explain.pictures.label import isolate, runs_left, shorten, text_width
from regard.svg import Number

FONT = 12  # of names
MARGIN, GAP = 24, 8
_LINE = 13  # the least between two names
_LONGEST = 190  # of a name: a German compound of 25 letters
_LARGEST, _SMALLEST, _WIDEST = 28, 4, 800  # cells shrink to keep the matrix at 800


@dataclass(frozen=True, slots=True)
class Layout:
    rows: tuple[str, ...]  # their names, as shown
    columns: tuple[str, ...]
    cell: int
    leftward: bool  # the first column is at the right
    mirrored: bool  # the names of rows are at the right
    left: int  # of the first cell
    above: int  # the height of the columns' names
    width: int
    angle: int  # of the columns' names

    @property
    def every(self) -> int:
        """Of so many names one is shown."""
        return ceil(_LINE / self.cell)

    @property
    def right(self) -> int:
        return self.left + len(self.columns) * self.cell

    @property
    def height(self) -> int:
        return len(self.rows) * self.cell

    def x(self, column: int) -> int:
        place = len(self.columns) - 1 - column if self.leftward else column
        return self.left + place * self.cell

    def notes(self) -> list[str]:
        """What a reader could not guess."""
        notes = []
        if self.every > 1:
            notes.append(f"one name in {self.every} is shown")
        if self.leftward:
            notes.append("the columns run from right to left, as the source does")
        return notes


def make_layout(row_labels: Sequence[str], column_labels: Sequence[str]) -> Layout:
    """Cells as large as fit, and room for every name."""
    rows, columns = tuple(map(_short, row_labels)), tuple(map(_short, column_labels))
    leftward, mirrored = runs_left(column_labels), runs_left(row_labels)
    cell = min(_LARGEST, max(_SMALLEST, _WIDEST // max(len(rows), len(columns))))
    every = ceil(_LINE / cell)
    widths = [text_width(name, FONT) for name in columns[::every]]
    angle = _angle(max(widths), cell, every)
    beside = ceil(max(text_width(name, FONT) for name in rows[::every])) + GAP
    sides = [MARGIN, MARGIN]  # left and right of the cells
    sides[mirrored] += beside
    towards = not leftward  # the side to which names lean
    sides[towards] = max(sides[towards], GAP + _overhang(widths, cell, len(columns), every, angle))
    return Layout(
        rows,
        columns,
        cell,
        leftward,
        mirrored,
        left=sides[0],
        above=_rise(max(widths), angle) + GAP,
        width=sides[0] + cell * len(columns) + sides[1],
        angle=angle,
    )


def _short(name: str) -> str:
    """Few fonts have SentencePiece's mark of a space, and one letter from another font turns the
    whole name into that font."""
    return shorten(isolate(name.replace("▁", "_")), _LONGEST, FONT)


def _angle(widest: Number, cell: int, every: int) -> int:
    """Flat if all names fit; leaning; upright if leaning they would touch."""
    if widest <= cell * every - 4:
        return 0
    return 45 if cell * sin(radians(45)) >= _LINE else 90


def _rise(widest: Number, angle: int) -> int:
    return ceil(max(_LINE, widest * sin(radians(angle)) + FONT * cos(radians(angle))))


def _overhang(widths: Sequence[Number], cell: int, columns: int, every: int, angle: int) -> int:
    """How far leaning names reach past the last column."""
    reach = (
        width * cos(radians(angle)) - cell * (columns - place * every - 0.5)
        for place, width in enumerate(widths)
    )
    return ceil(max(0, *reach)) + FONT if angle else 0
