"""Many ways to cut a word: pieces drawn from a unigram model, for subword regularisation.

    p(x₁ … x_n) ∝ exp(α Σ score(x_i)), over all ways to cut the word        (Kudo 2018, 3.3)

The draws are our own. SentencePiece salts its own anew in each process, so that a run that was
stopped and went on, or one on two ranks, would see other pieces than one that went through.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

WORDS_KEPT = 1 << 16  # the lattices of words seen lately: most of a text is the same few words
UNKNOWN = -100.0  # the score of a character that no piece has: taken only where nothing else fits


@dataclass(frozen=True, slots=True)
class Edge:
    """One way to come to a place in a word: from where, by which ids, with what weight so far."""

    start: int
    ids: tuple[int, ...]
    share: float  # of all ways to come here


Lattice = Sequence[Sequence[Edge]]
"""For each place in a word after the first, the edges that end there."""


class SubwordSampler:
    """Cuts words at random, by the scores of a vocabulary's pieces."""

    def __init__(self, pieces: dict[str, tuple[int, float]], spelling: Sequence[int]) -> None:
        self.pieces = pieces
        self.spelling = spelling  # the id of each byte
        self.longest = max(map(len, pieces))
        self._lattice = lru_cache(WORDS_KEPT)(self._make_lattice)

    def sample(self, word: str, alpha: float, draws: random.Random) -> list[int]:
        lattice = self._lattice(word, alpha)
        taken: list[tuple[int, ...]] = []
        place = len(word)
        while place > 0:
            edge = _drawn(lattice[place - 1], draws)
            taken.append(edge.ids)
            place = edge.start
        return [i for ids in reversed(taken) for i in ids]

    def _make_lattice(self, word: str, alpha: float) -> Lattice:
        """Forward: the weight of all ways to each place, in logarithms."""
        total = [0.0]
        lattice: list[list[Edge]] = []
        for end in range(1, len(word) + 1):
            found: list[tuple[int, tuple[int, ...], float]] = []
            for start in range(max(0, end - self.longest), end):
                known = self.pieces.get(word[start:end])
                if known is not None:
                    found.append((start, (known[0],), total[start] + alpha * known[1]))
            if word[end - 1] not in self.pieces:
                spelt = tuple(self.spelling[byte] for byte in word[end - 1].encode())
                found.append((end - 1, spelt, total[end - 1] + alpha * UNKNOWN))
            most = max(weight for _, _, weight in found)
            here = most + math.log(sum(math.exp(weight - most) for _, _, weight in found))
            total.append(here)
            lattice.append([Edge(s, ids, math.exp(weight - here)) for s, ids, weight in found])
        return lattice


def _drawn(edges: Sequence[Edge], draws: random.Random) -> Edge:
    if len(edges) == 1:
        return edges[0]
    point = draws.random()
    for edge in edges:
        point -= edge.share
        if point < 0:
            return edge
    return edges[-1]
