"""Attention weights in a terminal, readable without colour.

The first form that fits is used: a matrix headed by the source words, a matrix headed by their
numbers, or for each target word the source words with the highest weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from rich.console import Console, ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.style import Style
from rich.table import Table
from rich.text import Text

from regard import svg
from regard.explain.pictures.figure import isolate

_MAX_LABEL = 20  # terminal columns; longer words are cut
_CELL = 4  # "100" and a space
_TOP = 3  # source words listed where the matrix does not fit
_VISIBLE = 0.005  # a lower weight rounds to 0 %


@dataclass(frozen=True, slots=True)
class TerminalMatrix:
    """A row for each target word, a column for each source word."""

    weights: Float[np.ndarray, "T S"]
    row_labels: tuple[Text, ...]
    column_labels: tuple[Text, ...]
    note: str

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        if not self.weights.size:
            yield Text("There are no words to show.")
            return
        legend = "Percent of each row; · is less than 0.5 %."
        label_width = max((name.cell_len for name in self.row_labels), default=0)
        space = options.max_width - label_width - 1
        widths = [max(name.cell_len + 2, _CELL) for name in self.column_labels]
        if sum(widths) <= space:
            yield from self._matrix(label_width, widths, self.column_labels)
        elif _CELL * len(self.column_labels) <= space:
            numbers = [Text(str(number)) for number in range(1, len(self.column_labels) + 1)]
            yield from self._matrix(label_width, [_CELL] * len(numbers), numbers)
            key = map(_numbered, numbers, self.column_labels)
            yield Padding(Text("  ").join(key), (1, 0, 1, label_width + 1))
        else:
            yield self._highest()
            legend = f"Percent of each word's attention; the {_TOP} highest."
        yield Text(f"{legend} {self.note}".strip(), style="dim")

    def _matrix(
        self, label_width: int, widths: Sequence[int], heads: Sequence[Text]
    ) -> Iterator[Text]:
        yield _row(Text(), label_width, map(_head, heads, widths))
        for name, line in zip(self.row_labels, self.weights.tolist(), strict=True):
            yield _row(name, label_width, map(_cell, line, widths))

    def _highest(self) -> Table:
        table = Table.grid(padding=(0, 2))
        table.add_column(justify="right", no_wrap=True)
        for name, line in zip(self.row_labels, self.weights, strict=True):
            best = np.argsort(-line, kind="stable")[:_TOP].tolist()
            words = [
                Text.assemble(self.column_labels[column], f" {_percent(line[column])}")
                for column in best
                if line[column] >= _VISIBLE
            ]
            table.add_row(name, Text(", ").join(words))
        return table


def terminal_matrix(
    weights: Float[np.ndarray, "T S"],
    row_labels: Sequence[str],
    column_labels: Sequence[str],
    note: str = "",
) -> TerminalMatrix:
    return TerminalMatrix(
        weights, tuple(map(_name, row_labels)), tuple(map(_name, column_labels)), svg.visible(note)
    )


def _name(word: str) -> Text:
    """Replace control characters, so that a word cannot control the terminal."""
    shown = Text(svg.visible(word))
    shown.truncate(_MAX_LABEL, overflow="ellipsis")
    return Text(isolate(shown.plain))


def _numbered(number: Text, name: Text) -> Text:
    """Without a space, so that a line does not break inside."""
    return Text.assemble((f"{number.plain}:", "dim"), name)


def _row(name: Text, label_width: int, cells: Iterable[Text]) -> Text:
    line = Text.assemble(" " * (label_width - name.cell_len), name, " ", *cells)
    line.no_wrap, line.overflow = True, "ignore"
    return line


def _head(name: Text, width: int) -> Text:
    return Text.assemble(" " * (width - 1 - name.cell_len), name, " ")


def _cell(weight: float, width: int) -> Text:
    """Set both colours, so that the cell is readable on dark and light terminals."""
    background = svg.shade(weight)
    red, green, blue = bytes.fromhex(background[1:])
    # Black is more readable than white above a luma (ITU-R BT.601) of 117.
    bright = 0.299 * red + 0.587 * green + 0.114 * blue > 117
    ink = "#000000" if bright else "#FFFFFF" if weight >= _VISIBLE else svg.shade(0.5)
    style = Style(color=ink, bgcolor=background)
    return Text(f"{_percent(weight):>{width - 1}} ", style=style)


def _percent(weight: float | np.floating) -> str:
    return f"{100 * weight:.0f}" if weight >= _VISIBLE else "·"
