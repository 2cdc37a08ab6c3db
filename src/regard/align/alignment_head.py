"""The attention weights that align words. Free of torch; `extraction` reads them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AlignmentHead:
    """The attention weights that are read as a word alignment."""

    attention: str  # the attention layer's name in the model
    head: int | None  # None: the mean of all heads
    shift: int  # 0: at output of the word; 1: at next input
    null: bool  # whether a target word that attends most to the end of sentence gets no link
    threshold: float = 0.0  # the lowest weight of a link
    agreement: float = 0.0  # F1 with the links by which it was chosen

    @property
    def summary(self) -> str:
        head = "mean of all heads" if self.head is None else f"head {self.head}"
        return f"{self.attention}, {head}, {('at output', 'at next input')[self.shift]}"
