"""Bootstrap confidence intervals of corpus scores.

Corpora are resampled from the sentences with replacement. The spread of their scores estimates how
much the score would vary on other sentences of the same kind (Efron, 1979). Resampling two systems
together tests whether one is better (Koehn, 2004). Of systems that are trained with several seeds,
the means are compared, and the seeds vary too: to the mean of each resample a draw from
σ/√n · t(n−1) is added, where σ is the standard deviation over the n seeds. Without a variation over
sentences this is Student's paired t-test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 1_000  # 25 of them lie beyond either end of the interval
SEED = 12345  # as in sacreBLEU's own bootstrap
MIN_SENTENCES = 10  # resamples of fewer sentences are too similar to be informative
SEED_DRAWS = 100  # of the deviation over seeds, for each resample


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
    sign. It is below 0.05 where the interval excludes 0. Both are None for fewer than
    `MIN_SENTENCES` sentences.
    """

    value: float
    interval: tuple[float, float] | None
    p: float | None


def resample_scores(statistics: Sequence[SentenceStatistics]) -> list[NDArray[np.float64]]:
    """For each of the statistics, the scores of RESAMPLES corpora.

    All statistics share the resampled sentences. These depend only on the number of sentences, so
    the results of two calls on the same corpus are paired too.
    """
    rows = np.concatenate([metric.rows for metric in statistics], axis=1)
    totals = np.empty((RESAMPLES, rows.shape[1]))
    random = np.random.default_rng(SEED)
    for resample in range(RESAMPLES):
        sample = random.integers(len(rows), size=len(rows))
        totals[resample] = np.bincount(sample, minlength=len(rows)) @ rows
    ends = np.cumsum([metric.rows.shape[1] for metric in statistics])[:-1]
    parts = np.split(totals, ends, axis=1)
    return [metric.scores(part) for metric, part in zip(statistics, parts, strict=True)]


def estimate_score(statistics: Mapping[str, SentenceStatistics]) -> dict[str, Estimate]:
    """The score of each metric with its interval."""
    resampled = resample_scores(list(statistics.values()))
    return {
        name: Estimate(metric.corpus_score(), _interval(scores, len(metric.rows)))
        for (name, metric), scores in zip(statistics.items(), resampled, strict=True)
    }


def paired_difference(
    statistics: Mapping[str, SentenceStatistics], baseline: Mapping[str, SentenceStatistics]
) -> dict[str, Difference]:
    """The difference of each metric from the baseline's on the same sentences."""
    systems = (statistics, baseline)
    resampled = resample_scores([system[name] for system in systems for name in statistics])
    return {
        name: _difference(
            statistics[name].corpus_score() - baseline[name].corpus_score(),
            resampled[index] - resampled[index + len(statistics)],
            len(statistics[name].rows),
        )
        for index, name in enumerate(statistics)
    }


def estimate_mean(seeds: Sequence[SentenceStatistics]) -> Estimate:
    """The mean score of a system over its seeds, with an interval over seeds and sentences."""
    scores = [seed.corpus_score() for seed in seeds]
    resampled = _vary_seeds(np.mean(resample_scores(seeds), axis=0), scores)
    return Estimate(fmean(scores), _interval(resampled, len(seeds[0].rows)))


def difference_of_means(
    seeds: Sequence[SentenceStatistics], baseline: Sequence[SentenceStatistics]
) -> Difference:
    """The mean score of a system over its seeds minus that of the baseline, paired by seed."""
    resampled = np.array(resample_scores([*seeds, *baseline]))
    differences = [
        system.corpus_score() - base.corpus_score()
        for system, base in zip(seeds, baseline, strict=True)
    ]
    means = resampled[: len(seeds)].mean(axis=0) - resampled[len(seeds) :].mean(axis=0)
    return _difference(fmean(differences), _vary_seeds(means, differences), len(seeds[0].rows))


def _vary_seeds(means: NDArray[np.float64], scores: Sequence[float]) -> NDArray[np.float64]:
    """Add the deviation over seeds to resampled means. That of a single seed is unknown."""
    count = len(scores)
    if count < 2 or not (deviation := stdev(scores)):
        return means
    draws = np.random.default_rng(SEED).standard_t(count - 1, (len(means), SEED_DRAWS))
    return (means[:, None] + deviation / sqrt(count) * draws).ravel()


def _difference(value: float, resampled: NDArray[np.float64], sentences: int) -> Difference:
    if sentences < MIN_SENTENCES:
        return Difference(value, None, None)
    tail = min(np.count_nonzero(resampled <= 0), np.count_nonzero(resampled >= 0))
    # plus one: the corpus itself counts as a resample, so that p is never 0
    p = min(1.0, 2 * (tail + 1) / (len(resampled) + 1))
    return Difference(value, _interval(resampled, sentences), p)


def _interval(scores: NDArray[np.float64], sentences: int) -> tuple[float, float] | None:
    if sentences < MIN_SENTENCES:
        return None
    low, high = np.quantile(scores, (0.025, 0.975))
    return float(low), float(high)
