"""Does a captioner look at what it names? Its looks, held against the true places of things.

For each word that names a thing: whether the region it looks at most lies on the thing's box (as in
the pointing game of Zhang et al. 2016), and how much of the look falls into the box; beside each,
what a look at no place in particular would give. A region lies on a box if the middle of one is
within the other: a thing may be smaller than a region, and a region smaller than a thing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from jaxtyping import Bool, Float
from torch import Tensor

from regard.align.extraction import AlignmentHead
from regard.data.formats.captions import Box, NamedObject
from regard.inference.forced_decoding import ForcedDecoding
from regard.text.tokenizer import Span


@dataclass(frozen=True, slots=True)
class PointingScores:
    """Over all words that name a thing."""

    hits: float  # the share whose strongest look lies on the box
    chance: float  # the same of a region drawn at random
    mass: float  # the mean share of a look that falls into the box
    chance_mass: float  # the same of an even look
    words: int


@dataclass(frozen=True, slots=True)
class PointingExample:
    """A caption that was read again, and where the things are that it names, in the frame."""

    forced: ForcedDecoding
    pieces: Sequence[Span]  # the characters of each piece
    objects: tuple[NamedObject, ...]


@dataclass(frozen=True, slots=True)
class Regions:
    """How regions divide the frame."""

    rows: int
    columns: int
    height: int  # of the frame, in pixels
    width: int

    def on(self, boxes: Iterable[Box]) -> Bool[np.ndarray, "y x"]:
        """Which regions lie on one of the boxes."""
        found = np.zeros((self.rows, self.columns), bool)
        for left, top, right, bottom in boxes:
            found |= np.outer(
                _meets(self.rows, self.height, top, bottom),
                _meets(self.columns, self.width, left, right),
            )
        return found

    def shares(self, boxes: Iterable[Box]) -> Float[np.ndarray, "y x"]:
        """How much of each region lies in the boxes; where they overlap, in the larger part."""
        found = np.zeros((self.rows, self.columns))
        for left, top, right, bottom in boxes:
            down = _covered(self.rows, self.height, top, bottom)
            found = np.maximum(
                found, np.outer(down, _covered(self.columns, self.width, left, right))
            )
        return found


def score_pointing(
    seen: Sequence[PointingExample], regions: Regions, shifts: Sequence[int] = (0, 1)
) -> dict[AlignmentHead, PointingScores]:
    """How well each look, head and moment points; the mean of all heads is a head too."""
    found: dict[AlignmentHead, list[tuple[bool, float]]] = defaultdict(list)
    chances: list[tuple[float, float]] = []
    for one in seen:
        for named in one.objects:
            rows = [
                i for i, (a, b) in enumerate(one.pieces) if a < named.span[1] and b > named.span[0]
            ]
            on, share = regions.on(named.boxes).ravel(), regions.shares(named.boxes).ravel()
            if not rows or not on.any():
                continue
            chances.append((float(on.mean()), float(share.mean())))
            for name, look in one.forced.attention.items():
                for shift in shifts:
                    said = look[:, [row + shift for row in rows]].mean(dim=1)  # H S
                    for head, weights in _heads(said):
                        hit = bool(on[int(weights.argmax())])
                        pointer = AlignmentHead(name, head, shift, null=False)
                        found[pointer].append((hit, float((weights.numpy() * share).sum())))
    return {
        pointer: PointingScores(
            fmean(hit for hit, _ in each),
            fmean(chance for chance, _ in chances),
            fmean(mass for _, mass in each),
            fmean(chance for _, chance in chances),
            len(each),
        )
        for pointer, each in found.items()
    }


def _heads(look: Float[Tensor, "H S"]) -> list[tuple[int | None, Float[Tensor, " S"]]]:
    each = list(enumerate(look.double()))
    return [(None, look.double().mean(dim=0)), *(each if len(each) > 1 else [])]


def _meets(count: int, length: int, low: float, high: float) -> Bool[np.ndarray, " n"]:
    """Regions along one side whose middle is between, or which hold the middle of what is."""
    size = length / count
    middles, middle = (np.arange(count) + 0.5) * size, (low + high) / 2
    within = (low <= middles) & (middles < high)
    return within | (np.arange(count) == min(count - 1, int(middle // size)))


def _covered(count: int, length: int, low: float, high: float) -> Float[np.ndarray, " n"]:
    size = length / count
    edges = np.arange(count + 1) * size
    return (np.minimum(edges[1:], high) - np.maximum(edges[:-1], low)).clip(min=0) / size
