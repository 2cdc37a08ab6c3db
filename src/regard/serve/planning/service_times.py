"""The time that an engine takes for a batch, as a function of the sizes of its texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np


@dataclass(frozen=True, slots=True)
class TextSize:
    """A segment: pieces of the source, and tokens of its translation."""

    pieces: int
    tokens: int


@dataclass(frozen=True, slots=True)
class MeasuredBatch:
    """A batch and the seconds that an engine process took for it."""

    sizes: tuple[TextSize, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class EngineTimes:
    """Seconds of a batch: a constant, a part for each decoding step, and one for each token.

    `error`: the mean relative difference between this formula and the measured batches.
    """

    constant: float
    step: float
    token: float
    error: float

    def seconds(self, sizes: Sequence[TextSize]) -> float:
        return float(np.dot((self.constant, self.step, self.token), _features(sizes)))

    @classmethod
    def fit(cls, batches: Sequence[MeasuredBatch]) -> EngineTimes:
        """Fit the three parts to measured batches, with the least squared relative error.

        No part is negative: the best fit with all, some or one of them is used.
        """
        rows = np.array([_features(each.sizes) for each in batches])
        seconds = np.array([each.seconds for each in batches])
        relative = rows / seconds[:, None]
        best, smallest = np.zeros(3), np.inf
        for count in (1, 2, 3):
            for chosen in combinations(range(3), count):
                part, *_ = np.linalg.lstsq(relative[:, chosen], np.ones(len(rows)), rcond=None)
                found = np.zeros(3)
                found[list(chosen)] = part
                loss = float(np.sum((relative @ found - 1) ** 2))
                if np.all(found >= 0) and loss < smallest:
                    best, smallest = found, loss
        error = float(np.mean(np.abs(relative @ best - 1)))
        return cls(float(best[0]), float(best[1]), float(best[2]), error)


def _features(sizes: Sequence[TextSize]) -> tuple[float, float, float]:
    """One batch, its decoding steps, its tokens of both sides."""
    return (
        1.0,
        float(max(size.tokens for size in sizes)),
        float(sum(size.pieces + size.tokens for size in sizes)),
    )
