"""Attention weights as a heatmap for print: SVG."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from math import radians, sin
from typing import TypeAlias

import numpy as np
from jaxtyping import Float

from regard import svg
from regard.explain.pictures.label import fold, text_width
from regard.explain.pictures.layout import FONT, GAP, MARGIN, Layout, make_layout
from regard.explain.pictures.legend import draw_legend, gold_mark, link_mark
from regard.svg import Number

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
