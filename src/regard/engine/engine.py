"""What turns encoded sources into hypotheses: the promise of an engine, and how it is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from regard.search import Hypothesis

EngineName = Literal["auto", "torch", "invariant", "ctranslate2", "ctranslate2-int8"]

STRIDE = 8  # widths of one batch differ by less: it pads little, and few batches stay small


@dataclass(frozen=True, slots=True)
class Draw:
    """Say what chance draws, instead of what is likeliest."""

    seed: int = 1
    temperature: float = 1.0
    top_k: int | None = None
    top_p: float = 1.0


@dataclass(frozen=True, slots=True)
class Decoding:
    """How an engine is asked: by a beam, a width of one is greedy, or by chance."""

    width: int = 5  # of the beam, and how many hypotheses it gives at most; drawn ones
    alpha: float = 1.0  # of the length that the scores of a beam are divided by
    draw: Draw | None = None

    @property
    def in_words(self) -> str:
        if self.draw is not None:
            return f"drawn, seed {self.draw.seed}"
        return f"beam of {self.width}, alpha {self.alpha:g}" if self.width > 1 else "greedy"


@runtime_checkable
class Engine(Protocol):
    """What is found for a source does not depend on its neighbours."""

    name: str

    def search(self, sources: Sequence[Sequence[int]], how: Decoding) -> list[list[Hypothesis]]:
        """For each source, its ids without marks, the `width` best hypotheses, best first."""


def limit(width: int) -> int:
    """The most tokens that a source of `width` tokens may be answered with, ends counted.

    Twice the source and ten: of 20,000 references each from descriptions, debates, everyday
    sentences and laws (English to and from German or French, 8,000 pieces) none to 0.005 % are
    longer, of the laws 0.2 %; at one and a half times as many as 1 %.
    """
    return 2 * -(-width // STRIDE) * STRIDE + 10
