"""The time of a batch in an engine, as a function of the sizes of its texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import mean

import numpy as np
from numpy.typing import NDArray

ROUNDS = 4  # of the fit


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

    `ratios`: the measured times of batches, relative to this formula. Simulated batches vary alike.
    """

    constant: float
    step: float
    token: float
    ratios: tuple[float, ...] = (1.0,)

    @property
    def error(self) -> float:
        """The mean relative difference between the formula and the measured batches."""
        return mean(abs(ratio - 1) for ratio in self.ratios)

    def seconds(self, sizes: Sequence[TextSize]) -> float:
        return float(np.dot((self.constant, self.step, self.token), _features(sizes)))

    @classmethod
    def fit(cls, batches: Sequence[MeasuredBatch]) -> EngineTimes:
        """Fit the three parts to measured batches, with the least squared relative error.

        The error is relative to the fit of the last round. Relative to the measured times, slow
        batches would count less than fast ones, and the fit would be too short for most.
        """
        rows = np.array([_features(batch.sizes) for batch in batches])
        seconds = np.array([batch.seconds for batch in batches])
        best, expected = np.zeros(3), seconds
        for _ in range(ROUNDS):
            best = _fit_nonnegative(rows / expected[:, None], seconds / expected)
            expected = rows @ best
        ratios = tuple((seconds / expected).tolist())
        return cls(float(best[0]), float(best[1]), float(best[2]), ratios)


def _fit_nonnegative(rows: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the least squares solution without negative parts.

    It is the best of the solutions with all, some or one of the parts.
    """
    best, smallest = np.zeros(3), np.inf
    for count in (1, 2, 3):
        for chosen in combinations(range(3), count):
            part, *_ = np.linalg.lstsq(rows[:, chosen], values, rcond=None)
            solution = np.zeros(3)
            solution[list(chosen)] = part
            loss = float(np.sum((rows @ solution - values) ** 2))
            if np.all(solution >= 0) and loss < smallest:
                best, smallest = solution, loss
    return best


def _features(sizes: Sequence[TextSize]) -> tuple[float, float, float]:
    """One batch, its decoding steps, its tokens of both sides."""
    return (
        1.0,
        float(max(size.tokens for size in sizes)),
        float(sum(size.pieces + size.tokens for size in sizes)),
    )
