"""Where each word looked, in a terminal: numbers first, colours where there are any.

In the widest form that fits: a matrix headed by the words that were read, one headed by their
numbers, or for each word that was said the words it looked at most.
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
from regard.explain.pictures.label import isolate

_LONGEST = 20  # of a word's columns; a longer one is cut
_CELL = 4  # "100" and a space
_MOST = 3  # of the words looked at, where the matrix does not fit
_SEEN = 0.005  # less is no percent


@dataclass(frozen=True, slots=True)
class TerminalMatrix:
    """A row for each word that was said, a column for each that was read."""

    weights: Float[np.ndarray, "T S"]
    row_labels: tuple[Text, ...]
    column_labels: tuple[Text, ...]
    note: str

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        if not self.weights.size:
            yield Text("There are no words to look from or at.")
            return
        legend = "Percent of each row; · is less than half of one."
        beside = max((name.cell_len for name in self.row_labels), default=0)
        room = options.max_width - beside - 1
        named = [max(name.cell_len + 2, _CELL) for name in self.column_labels]
        if sum(named) <= room:
            yield from self._matrix(beside, named, self.column_labels)
        elif _CELL * len(self.column_labels) <= room:
            numbers = [Text(str(number)) for number in range(1, len(self.column_labels) + 1)]
            yield from self._matrix(beside, [_CELL] * len(numbers), numbers)
            key = map(_numbered, numbers, self.column_labels)
            yield Padding(Text("  ").join(key), (1, 0, 1, beside + 1))
        else:
            yield self._most()
            legend = f"Percent of where each word looked; the {_MOST} most."
        yield Text(f"{legend} {self.note}".strip(), style="dim")

    def _matrix(self, beside: int, widths: Sequence[int], heads: Sequence[Text]) -> Iterator[Text]:
        yield _row(Text(), beside, map(_head, heads, widths))
        for name, line in zip(self.row_labels, self.weights.tolist(), strict=True):
            yield _row(name, beside, map(_cell, line, widths))

    def _most(self) -> Table:
        table = Table.grid(padding=(0, 2))
        table.add_column(justify="right", no_wrap=True)
        for name, line in zip(self.row_labels, self.weights, strict=True):
            best = np.argsort(-line, kind="stable")[:_MOST].tolist()
            looks = [
                Text.assemble(self.column_labels[place], f" {_percent(line[place])}")
                for place in best
                if line[place] >= _SEEN
            ]
            table.add_row(name, Text(", ").join(looks))
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
    """Whatever it holds, it commands nothing."""
    shown = Text(svg.visible(word))
    shown.truncate(_LONGEST, overflow="ellipsis")
    return Text(isolate(shown.plain))


def _numbered(number: Text, name: Text) -> Text:
    """Without a space, at which a line might break."""
    return Text.assemble((f"{number.plain}:", "dim"), name)


def _row(name: Text, beside: int, cells: Iterable[Text]) -> Text:
    line = Text.assemble(" " * (beside - name.cell_len), name, " ", *cells)
    line.no_wrap, line.overflow = True, "ignore"
    return line


def _head(name: Text, width: int) -> Text:
    return Text.assemble(" " * (width - 1 - name.cell_len), name, " ")


def _cell(weight: float, width: int) -> Text:
    """Both colours are its own, so that it can be read on dark and on light."""
    paper = svg.shade(weight)
    red, green, blue = bytes.fromhex(paper[1:])
    # above 117 of 255, as eyes weigh it, black is read better than white
    bright = 0.299 * red + 0.587 * green + 0.114 * blue > 117
    ink = "#000000" if bright else "#FFFFFF" if weight >= _SEEN else svg.shade(0.5)
    style = Style(color=ink, bgcolor=paper)
    return Text(f"{_percent(weight):>{width - 1}} ", style=style)


def _percent(weight: float | np.floating) -> str:
    return f"{100 * weight:.0f}" if weight >= _SEEN else "·"
