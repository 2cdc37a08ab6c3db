"""Subword regularization: sample the segmentation of a word from a unigram model.

    p(x₁ … x_n) ∝ exp(α Σ score(x_i)), over all segmentations of the word   (Kudo 2018, 3.3)

SentencePiece's own sampler is seeded differently in each process. This one depends on the given
seed only, so that a resumed run, or a run on two ranks, draws the same pieces.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

CACHED_WORDS = 1 << 16  # lattices in the cache; a few frequent words make up most of a text
UNKNOWN = -100.0  # score of a character outside the vocabulary: chosen only if nothing else fits


@dataclass(frozen=True, slots=True)
class Edge:
    """A piece of a word that starts at `start`, and its probability given where it ends."""

    start: int
    ids: tuple[int, ...]  # more than one if the character is encoded in bytes
    probability: float  # of this edge among all edges with the same end


Lattice = Sequence[Sequence[Edge]]
"""The edges that end at offset 1, 2, … of a word."""


class SubwordSampler:
    """Samples segmentations of words.

    Args:
        pieces: id and score (log-probability) of each piece.
        byte_ids: id of each of the 256 bytes, for characters outside the vocabulary.
    """

    def __init__(self, pieces: dict[str, tuple[int, float]], byte_ids: Sequence[int]) -> None:
        self.pieces = pieces
        self.byte_ids = byte_ids
        self.max_length = max(map(len, pieces))
        self._lattice = lru_cache(CACHED_WORDS)(self._make_lattice)

    def sample(self, word: str, alpha: float, random_: random.Random) -> list[int]:
        """Return the ids of one segmentation, sampled backwards from the end of the word."""
        lattice = self._lattice(word, alpha)
        sampled: list[tuple[int, ...]] = []
        end = len(word)
        while end > 0:
            edge = _sample_edge(lattice[end - 1], random_)
            sampled.append(edge.ids)
            end = edge.start
        return [i for ids in reversed(sampled) for i in ids]

    def _make_lattice(self, word: str, alpha: float) -> Lattice:
        """Forward pass: the log of the summed weight of all segmentations up to each offset."""
        total = [0.0]
        lattice: list[list[Edge]] = []
        for end in range(1, len(word) + 1):
            edges: list[tuple[int, tuple[int, ...], float]] = []
            for start in range(max(0, end - self.max_length), end):
                piece = self.pieces.get(word[start:end])
                if piece is not None:
                    edges.append((start, (piece[0],), total[start] + alpha * piece[1]))
            if word[end - 1] not in self.pieces:
                ids = tuple(self.byte_ids[byte] for byte in word[end - 1].encode())
                edges.append((end - 1, ids, total[end - 1] + alpha * UNKNOWN))
            most = max(weight for _, _, weight in edges)
            here = most + math.log(sum(math.exp(weight - most) for _, _, weight in edges))
            total.append(here)
            lattice.append([Edge(s, ids, math.exp(weight - here)) for s, ids, weight in edges])
        return lattice


def _sample_edge(edges: Sequence[Edge], random_: random.Random) -> Edge:
    if len(edges) == 1:
        return edges[0]
    point = random_.random()
    for edge in edges:
        point -= edge.probability
        if point < 0:
            return edge
    return edges[-1]
