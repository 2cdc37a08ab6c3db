"""Compare a captioner's attention with the boxes of the objects that it names.

For each word that names an object: whether the region with the highest weight lies on the object's
box (the pointing game of Zhang et al. 2016), and how much weight falls into the box; each with its
chance level under uniform attention. A region lies on a box if the centre of one is inside the
other, because an object may be smaller than a region, and a region smaller than an object.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from jaxtyping import Bool, Float
from torch import Tensor

from regard.align.tokenized_text import AlignmentHead
from regard.data.formats.captions import Box, NamedObject
from regard.inference.forced_decoding import ForcedDecoding
from regard.text.tokenizer import Span


@dataclass(frozen=True, slots=True)
class PointingScores:
    """Means over all words that name an object."""

    hits: float  # share of words whose highest weight lies on the box
    chance: float  # the same for a random region
    mass: float  # mean weight inside the box
    chance_mass: float  # the same for uniform attention
    words: int


@dataclass(frozen=True, slots=True)
class PointingExample:
    """A force-decoded caption and the boxes of the objects that it names, in the frame."""

    forced: ForcedDecoding
    pieces: Sequence[Span]  # the characters of each piece
    objects: tuple[NamedObject, ...]


@dataclass(frozen=True, slots=True)
class Regions:
    """The grid of regions that divides the frame."""

    rows: int
    columns: int
    height: int  # of the frame, in pixels
    width: int

    def covered_by(self, boxes: Iterable[Box]) -> Bool[np.ndarray, "y x"]:
        """Which regions lie on one of the boxes."""
        mask = np.zeros((self.rows, self.columns), bool)
        for x0, y0, x1, y1 in boxes:
            mask |= np.outer(
                _on_interval(self.rows, self.height, y0, y1),
                _on_interval(self.columns, self.width, x0, x1),
            )
        return mask

    def shares(self, boxes: Iterable[Box]) -> Float[np.ndarray, "y x"]:
        """The share of each region that lies in a box; of several boxes, the largest share."""
        largest = np.zeros((self.rows, self.columns))
        for x0, y0, x1, y1 in boxes:
            rows = _covered(self.rows, self.height, y0, y1)
            columns = _covered(self.columns, self.width, x0, x1)
            largest = np.maximum(largest, np.outer(rows, columns))
        return largest


def score_pointing(
    examples: Sequence[PointingExample], regions: Regions, shifts: Sequence[int] = (0, 1)
) -> dict[AlignmentHead, PointingScores]:
    """Score each attention, head and alignment step; the mean of all heads counts as a head."""
    results: dict[AlignmentHead, list[tuple[bool, float]]] = defaultdict(list)
    chances: list[tuple[float, float]] = []
    for example in examples:
        for named in example.objects:
            start, end = named.span
            rows = [i for i, (a, b) in enumerate(example.pieces) if a < end and b > start]
            covered, share = (
                regions.covered_by(named.boxes).ravel(),
                regions.shares(named.boxes).ravel(),
            )
            if not rows or not covered.any():
                continue
            chances.append((float(covered.mean()), float(share.mean())))
            for head, weights in _word_weights(example.forced, rows, shifts):
                hit = bool(covered[int(weights.argmax())])
                mass = float((weights.numpy() * share).sum())
                results[head].append((hit, mass))
    return {
        head: PointingScores(
            fmean(hit for hit, _ in words),
            fmean(chance for chance, _ in chances),
            fmean(mass for _, mass in words),
            fmean(chance for _, chance in chances),
            len(words),
        )
        for head, words in results.items()
    }


def _word_weights(
    forced: ForcedDecoding, rows: Sequence[int], shifts: Sequence[int]
) -> Iterator[tuple[AlignmentHead, Float[Tensor, " S"]]]:
    """The weights of a word by each head and alignment step; `rows` are those of its pieces."""
    for name, attention in forced.attention.items():
        for shift in shifts:
            word = attention[:, [row + shift for row in rows]].mean(dim=1)  # H S
            for head, weights in _heads(word):
                yield AlignmentHead(name, head, shift, null=False), weights


def _heads(weights: Float[Tensor, "H S"]) -> list[tuple[int | None, Float[Tensor, " S"]]]:
    numbered = list(enumerate(weights.double()))
    return [(None, weights.double().mean(dim=0)), *(numbered if len(numbered) > 1 else [])]


def _on_interval(count: int, length: int, low: float, high: float) -> Bool[np.ndarray, " n"]:
    """Cells of one axis whose centre is in the interval, or that contain the interval's centre."""
    size = length / count
    centres, centre = (np.arange(count) + 0.5) * size, (low + high) / 2
    inside = (low <= centres) & (centres < high)
    return inside | (np.arange(count) == min(count - 1, int(centre // size)))


def _covered(count: int, length: int, low: float, high: float) -> Float[np.ndarray, " n"]:
    size = length / count
    edges = np.arange(count + 1) * size
    return (np.minimum(edges[1:], high) - np.maximum(edges[:-1], low)).clip(min=0) / size
