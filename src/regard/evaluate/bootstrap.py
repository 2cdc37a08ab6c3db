"""How sure a corpus score is: the scores of corpora drawn from its sentences with replacement.

Drawn often enough, they tell how far the score would differ on other sentences of the same kind
(Efron, 1979); drawn for two systems at once, whether one is better (Koehn, 2004).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regard.evaluate.scores import MetricStatistics

RESAMPLES = 1_000  # corpora drawn: 25 of them lie beyond either end of the interval
SEED = 12345  # as in sacreBLEU's own bootstrap
FEW = 10  # sentences: corpora drawn from fewer are too much alike to tell anything


@dataclass(frozen=True, slots=True)
class Estimate:
    """A score, and the interval in which 95 % of the drawn corpora have theirs.

    Of fewer than `FEW` sentences there is none.
    """

    value: float
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Difference:
    """A score minus the baseline's, its interval, and how easily chance would explain it.

    `p` is two-sided: twice the share of drawn corpora in which the difference has the other sign or
    is none. So it is below 0.05 where the interval leaves out 0.
    """

    value: float
    interval: tuple[float, float] | None
    p: float | None


def resample_scores(counts: Sequence[MetricStatistics]) -> list[NDArray[np.float64]]:
    """For each of the counts its scores of TIMES corpora drawn from the sentences, alike for all.

    How many sentences there are decides what is drawn, so two calls can be compared too.
    """
    rows = np.concatenate([each.rows for each in counts], axis=1)
    totals = np.empty((RESAMPLES, rows.shape[1]))
    random = np.random.default_rng(SEED)
    for time in range(RESAMPLES):
        taken = random.integers(len(rows), size=len(rows))
        totals[time] = np.bincount(taken, minlength=len(rows)) @ rows
    ends = np.cumsum([each.rows.shape[1] for each in counts])[:-1]
    parts = np.split(totals, ends, axis=1)
    return [each.scores(part) for each, part in zip(counts, parts, strict=True)]


def estimate_score(counts: Mapping[str, MetricStatistics]) -> dict[str, Estimate]:
    """The score of each metric and how sure it is."""
    drawn = resample_scores(list(counts.values()))
    return {
        name: Estimate(each.corpus(), _interval(scores, len(each.rows)))
        for (name, each), scores in zip(counts.items(), drawn, strict=True)
    }


def paired_difference(
    counts: Mapping[str, MetricStatistics], baseline: Mapping[str, MetricStatistics]
) -> dict[str, Difference]:
    """By how much each metric differs from the baseline's on the same sentences."""
    drawn = resample_scores([both[name] for both in (counts, baseline) for name in counts])
    found = {}
    for place, name in enumerate(counts):
        apart = drawn[place] - drawn[place + len(counts)]
        sentences = len(counts[name].rows)
        sides = min(np.count_nonzero(apart <= 0), np.count_nonzero(apart >= 0))
        found[name] = Difference(
            counts[name].corpus() - baseline[name].corpus(),
            _interval(apart, sentences),
            # one more on either side: that of the corpus itself, which could have been drawn too
            min(1.0, 2 * (sides + 1) / (RESAMPLES + 1)) if sentences >= FEW else None,
        )
    return found


def _interval(scores: NDArray[np.float64], sentences: int) -> tuple[float, float] | None:
    if sentences < FEW:
        return None
    low, high = np.quantile(scores, (0.025, 0.975))
    return float(low), float(high)
