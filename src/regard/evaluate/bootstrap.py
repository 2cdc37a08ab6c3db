"""Bootstrap confidence intervals of corpus scores.

Corpora are resampled from the sentences with replacement. The spread of their scores estimates how
much the score would vary on other sentences of the same kind (Efron, 1979). Resampling two systems
together tests whether one is better (Koehn, 2004).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 1_000  # 25 of them lie beyond either end of the interval
SEED = 12345  # as in sacreBLEU's own bootstrap
MIN_SENTENCES = 10  # resamples of fewer sentences are too similar to be informative


@runtime_checkable
class SentenceStatistics(Protocol):
    """Statistics of each sentence, whose sums determine a corpus score."""

    @property
    def rows(self) -> NDArray[np.float64]:
        """One row per sentence."""

    def scores(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        """The score of each row of summed statistics."""

    def corpus_score(self) -> float:
        """The score of all sentences."""


@dataclass(frozen=True, slots=True)
class RatioStatistics:
    """A score that is a ratio of sums: offset + scale · Σ numerator / Σ denominator."""

    rows: NDArray[np.float64]  # numerator and denominator of each sentence
    scale: float = 1.0
    offset: float = 0.0

    def scores(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.offset + self.scale * totals[:, 0] / np.maximum(totals[:, 1], 1e-12)

    def corpus_score(self) -> float:
        return float(self.scores(self.rows.sum(axis=0, keepdims=True))[0])


@dataclass(frozen=True, slots=True)
class Estimate:
    """A score and its 95 % bootstrap interval.

    The interval is None for fewer than `MIN_SENTENCES` sentences.
    """

    value: float
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Difference:
    """A score minus the baseline's, its 95 % interval and its p-value.

    `p` is two-sided: twice the share of resamples in which the difference is zero or has the other
    sign. It is below 0.05 where the interval excludes 0.
    """

    value: float
    interval: tuple[float, float] | None
    p: float | None


def resample_scores(statistics: Sequence[SentenceStatistics]) -> list[NDArray[np.float64]]:
    """For each of the statistics, the scores of RESAMPLES corpora.

    All statistics share the resampled sentences. These depend only on the number of sentences, so
    the results of two calls on the same corpus are paired too.
    """
    rows = np.concatenate([each.rows for each in statistics], axis=1)
    totals = np.empty((RESAMPLES, rows.shape[1]))
    random = np.random.default_rng(SEED)
    for resample in range(RESAMPLES):
        sample = random.integers(len(rows), size=len(rows))
        totals[resample] = np.bincount(sample, minlength=len(rows)) @ rows
    ends = np.cumsum([each.rows.shape[1] for each in statistics])[:-1]
    parts = np.split(totals, ends, axis=1)
    return [each.scores(part) for each, part in zip(statistics, parts, strict=True)]


def estimate_score(statistics: Mapping[str, SentenceStatistics]) -> dict[str, Estimate]:
    """The score of each metric with its interval."""
    resampled = resample_scores(list(statistics.values()))
    return {
        name: Estimate(each.corpus_score(), _interval(scores, len(each.rows)))
        for (name, each), scores in zip(statistics.items(), resampled, strict=True)
    }


def paired_difference(
    statistics: Mapping[str, SentenceStatistics], baseline: Mapping[str, SentenceStatistics]
) -> dict[str, Difference]:
    """The difference of each metric from the baseline's on the same sentences."""
    systems = (statistics, baseline)
    resampled = resample_scores([system[name] for system in systems for name in statistics])
    found = {}
    for index, name in enumerate(statistics):
        differences = resampled[index] - resampled[index + len(statistics)]
        sentences = len(statistics[name].rows)
        tail = min(np.count_nonzero(differences <= 0), np.count_nonzero(differences >= 0))
        found[name] = Difference(
            statistics[name].corpus_score() - baseline[name].corpus_score(),
            _interval(differences, sentences),
            # plus one: the corpus itself counts as a resample, so that p is never 0
            min(1.0, 2 * (tail + 1) / (RESAMPLES + 1)) if sentences >= MIN_SENTENCES else None,
        )
    return found


def _interval(scores: NDArray[np.float64], sentences: int) -> tuple[float, float] | None:
    if sentences < MIN_SENTENCES:
        return None
    low, high = np.quantile(scores, (0.025, 0.975))
    return float(low), float(high)
