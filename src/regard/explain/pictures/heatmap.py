"""Attention weights as a heatmap for print: SVG."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, cos, radians, sin
from typing import TypeAlias

import numpy as np
from jaxtyping import Float

from regard import svg
from regard.explain.pictures.figure import fold, isolate, runs_left, shorten, text_width
from regard.svg import Number

# -- layout of a heatmap with labelled rows and columns --------------------------------------------
# Columns follow the reading direction of the source: for Arabic or Hebrew the first column is on
# the right, and a monotone alignment runs from the upper right to the lower left. Row labels stand
# on the side where the target's lines begin.


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


# -- the marks on a heatmap, and the legend of its colours and marks -------------------------------


STEPS = 11  # 0, 0.1, … 1: the shades that readers can distinguish
_FONT = 11
_SAMPLE = 16  # the cell under a mark


def link_mark(x: Number, y: Number, cell: Number) -> str:
    """A dot, black and white so that it shows on every colour."""
    middle = (cell - 1) / 2
    return (
        f"<circle cx='{x + middle}' cy='{y + middle}' r='{max(1, cell / 7):.1f}' fill='#FFFFFF' "
        f"stroke='#000000' stroke-width='{1.2 if cell > 12 else 0.4}'/>"
    )


def gold_mark(x: Number, y: Number, cell: Number) -> str:
    """An outline, black and white so that it shows on every colour."""
    box = f"x='{x + 0.5}' y='{y + 0.5}' width='{cell - 2}' height='{cell - 2}' fill='none'"
    thick = 3 if cell > 12 else 1.5
    return (
        f"<rect {box} stroke='#000000' stroke-width='{thick}'/>"
        f"<rect {box} stroke='#FFFFFF' stroke-width='{thick / 2}'/>"
    )


def draw_legend(*, linked: bool, gold: bool) -> tuple[str, int]:
    """Return the legend, one line, and its width."""
    parts, x = [svg.svg_text("weight 0", 0, 10, size=_FONT)], 52
    for number in range(STEPS):
        colour = svg.shade(number / (STEPS - 1))
        parts.append(f"<rect x='{x}' y='0' width='10' height='12' fill='{colour}'/>")
        x += 10
    parts.append(svg.svg_text("1", x + 6, 10, size=_FONT))
    x += 14
    for shown, mark, label in (
        (linked, link_mark, "link"),
        (gold, gold_mark, "gold link"),
    ):
        if shown:
            x += 14
            colour = svg.shade(0.3)
            parts.append(f"<rect x='{x}' y='-1' width='15' height='15' fill='{colour}'/>")
            parts.append(mark(x, -1, _SAMPLE))
            parts.append(svg.svg_text(label, x + _SAMPLE + 5, 10, size=_FONT))
            x += _SAMPLE + 5 + ceil(text_width(label, _FONT))
    return "".join(parts), x


# -- heatmap ---------------------------------------------------------------------------------------


Links: TypeAlias = Collection[tuple[int, int]]  # (source word, target word)

_SMALL, _TITLE = 11, 15
_MIN_WIDTH = 360  # leaves room for the note
_MAX_TOOLTIPS = 2500  # cells; more tooltips would make the file too large
_BAND = 30  # height of the coverage bars
_LINES = 0.2  # the weight whose colour separates cells: white lines would outshine them


def attention_heatmap(
    weights: Float[np.ndarray, "T S"],
    *,
    row_labels: Sequence[str],
    column_labels: Sequence[str],
    title: str,
    note: str = "",
    links: Links = (),
    gold: Links = (),
    coverage: bool = False,
) -> str:
    """Draw a row for each target word or piece, a column for each source word or piece.

    `note` identifies the weights. `links` are dotted, `gold` links outlined; `coverage` adds the
    sum of each column.
    """
    if not weights.size:
        return _empty(title, note)
    grid = make_layout(row_labels, column_labels)
    legend, legend_width = draw_legend(linked=bool(links), gold=bool(gold))
    width = max(grid.width, legend_width + 2 * MARGIN, _MIN_WIDTH)
    title_lines = fold(title, width - 2 * MARGIN, _TITLE)
    top = MARGIN + 20 * len(title_lines) + 6 + grid.above
    parts = [
        svg.svg_text(line, MARGIN, MARGIN + 11 + 20 * number, size=_TITLE, weight="bold")
        for number, line in enumerate(title_lines)
    ]
    parts.append(f"<g transform='translate(0 {top})'>")
    parts += _column_names(column_labels, grid)
    parts += _row_names(row_labels, grid)
    parts += _cells(weights, grid) if weights.size <= _MAX_TOOLTIPS else _merged(weights, grid)
    parts += [gold_mark(grid.x(i), j * grid.cell, grid.cell) for i, j in sorted(gold)]
    parts += [link_mark(grid.x(i), j * grid.cell, grid.cell) for i, j in sorted(links)]
    bottom = top + grid.height
    if coverage:
        parts += _coverage(weights.sum(0), grid)
        bottom += GAP + _BAND
    parts.append(f"</g><g transform='translate({MARGIN} {bottom + 18})'>{legend}</g>")
    bottom += 18 + 14
    notes = "; ".join(filter(None, (note, *grid.notes())))
    for line in fold(notes, width - 2 * MARGIN, _SMALL):
        bottom += 16
        parts.append(svg.svg_text(line, MARGIN, bottom, size=_SMALL, fill=svg.SOFT))
    return svg.svg_document(width, bottom + MARGIN - 6, parts, name=title)


def _empty(title: str, note: str) -> str:
    parts = [
        svg.svg_text(title, MARGIN, MARGIN + 11, size=_TITLE, weight="bold"),
        svg.svg_text("There are no words to show.", MARGIN, 70, size=FONT),
        svg.svg_text(note, MARGIN, 94, size=_SMALL, fill=svg.SOFT),
    ]
    widest = max(text_width(title, _TITLE), text_width(note, _SMALL))
    return svg.svg_document(max(_MIN_WIDTH, 2 * MARGIN + widest), 112, parts, name=title)


def _column_names(labels: Sequence[str], grid: Layout) -> Iterator[str]:
    """A rotated label starts at its column; in right-to-left layout it ends there."""
    direction = -1 if grid.leftward else 1
    anchor = "middle" if not grid.angle else "end" if grid.leftward else "start"
    for column in range(0, len(labels), grid.every):
        # Centre the letters, not their baseline, over the cell.
        x = grid.x(column) + grid.cell / 2 + direction * 4 * sin(radians(grid.angle))
        rotation = (
            f" transform='rotate({-direction * grid.angle} {x:.1f} {-GAP})'" if grid.angle else ""
        )
        yield _label(grid.columns[column], labels[column], x, -GAP, anchor, rotation)


def _row_names(labels: Sequence[str], grid: Layout) -> Iterator[str]:
    x, anchor = (grid.right + GAP, "start") if grid.mirrored else (grid.x0 - GAP, "end")
    for row in range(0, len(labels), grid.every):
        yield _label(grid.rows[row], labels[row], x, (row + 0.5) * grid.cell + 4, anchor)


def _label(shown: str, label: str, x: Number, y: Number, anchor: str, rotation: str = "") -> str:
    full = label if "…" in shown else ""
    return svg.svg_text(shown, x, y, size=FONT, anchor=anchor, attributes=rotation, full_text=full)


def _cells(weights: Float[np.ndarray, "T S"], grid: Layout) -> Iterator[str]:
    """A rectangle for each cell, with its weight as a tooltip."""
    yield (
        f"<rect x='{grid.x0 - 1}' y='-1' width='{grid.right - grid.x0 + 1}' "
        f"height='{grid.height + 1}' fill='{svg.shade(_LINES)}'/>"
    )
    inner, names = grid.cell - 1, [svg.escape(name) for name in grid.columns]
    for row, line in enumerate(weights.tolist()):
        name = svg.escape(grid.rows[row])
        for column, weight in enumerate(line):
            yield (
                f"<rect x='{grid.x(column)}' y='{row * grid.cell}' width='{inner}' "
                f"height='{inner}' fill='{svg.shade(weight)}'>"
                f"<title>{name} ← {names[column]} {weight:.3f}</title></rect>"
            )


def _merged(weights: Float[np.ndarray, "T S"], grid: Layout) -> Iterator[str]:
    """One path for each colour; neighbouring cells of one colour are merged."""
    levels = np.rint(np.clip(weights, 0, 1) * 255).astype(np.uint8)
    runs: dict[int, list[str]] = defaultdict(list)
    for y, line in enumerate(levels[:, ::-1] if grid.leftward else levels):
        starts = [0, *(np.flatnonzero(np.diff(line)) + 1).tolist()]
        for begin, end in zip(starts, [*starts[1:], len(line)], strict=True):
            runs[int(line[begin])].append(f"M{begin} {y}h{end - begin}v1h{begin - end}z")
    yield (
        f"<g transform='translate({grid.x0} 0) scale({grid.cell})' shape-rendering='crispEdges'>"
    )
    for level in sorted(runs):
        yield f"<path fill='{svg.shade(level / 255)}' d='{''.join(runs[level])}'/>"
    yield "</g>"


def _coverage(sums: Float[np.ndarray, " S"], grid: Layout) -> Iterator[str]:
    """Bars below the columns, and a line at 1: attended to once in total."""
    floor, unit = grid.height + GAP + _BAND, _BAND / max(1.0, float(sums.max()))
    for column, total in enumerate(sums.tolist()):
        yield (
            f"<rect x='{grid.x(column)}' y='{floor - total * unit:.1f}' "
            f"width='{grid.cell - 1}' height='{total * unit:.1f}' fill='#8A8F98'>"
            f"<title>{svg.escape(grid.columns[column])} {total:.3f}</title></rect>"
        )
    once = floor - unit
    yield f"<path d='M{grid.x0} {once:.1f}H{grid.right}' stroke='{svg.INK}' stroke-width='0.8'/>"
    sides = [(grid.x0 - GAP, "end"), (grid.right + GAP, "start")]
    for label, y, (x, anchor) in zip(
        ("1", "sum"), (once + 4, floor - 2), sides if grid.mirrored else sides[::-1], strict=True
    ):
        yield svg.svg_text(label, x, y, size=_SMALL, anchor=anchor, fill=svg.SOFT)
