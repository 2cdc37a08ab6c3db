"""Corpus scores of detokenized text, used in training and in evaluation.

All scores are sacreBLEU's (Post, 2018) and carry its signatures. sacreBLEU computes a corpus score
from sums of per-sentence statistics. `MetricStatistics` keeps these statistics, so parts of a
corpus are scored without processing the texts again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.base import Metric
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from regard.errors import CorpusError

# `bleu` is cased, `bleu_lc` lower-cased, both on 13a tokens; `chrf` counts characters (Popović,
# 2015); `ter` is the share of words to edit (Snover et al., 2006). `force` suppresses sacreBLEU's
# warning about tokenized text, which names its own options; see `looks_tokenized`.
METRICS: Mapping[str, Callable[[], Metric]] = {
    "bleu": partial(BLEU, force=True),
    "bleu_lc": partial(BLEU, lowercase=True, force=True),
    "chrf": CHRF,
    "ter": TER,
}


@dataclass(frozen=True, slots=True)
class MetricScores:
    """Scores by metric name, from 0 to 100, higher is better; TER is unbounded, lower is better."""

    values: dict[str, float]
    signatures: dict[str, str]  # sacreBLEU's, by metric name


@dataclass(frozen=True, slots=True, eq=False)
class MetricStatistics:
    """The statistics that a metric counts, one row per sentence."""

    metric: Metric
    rows: NDArray[np.float64]

    @property
    def signature(self) -> str:
        return str(self.metric.get_signature())

    def scores(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        """The score of each row of summed statistics."""
        score = self.metric._compute_score_from_stats
        return np.array([score(total).score for total in totals.tolist()], np.float64)

    def corpus_score(self) -> float:
        """The score of all sentences. Statistics are integers, so their sum is exact."""
        return float(self.scores(self.rows.sum(axis=0, keepdims=True))[0])

    def subset(self, rows: Sequence[int]) -> MetricStatistics:
        """The statistics of the sentences with these indices."""
        return MetricStatistics(self.metric, self.rows[list(rows)])


def score_corpus(outputs: Sequence[str], references: Sequence[str]) -> MetricScores:
    """Score detokenized outputs against one reference each."""
    statistics = count_statistics(outputs, references)
    return MetricScores(
        {name: metric.corpus_score() for name, metric in statistics.items()},
        {name: metric.signature for name, metric in statistics.items()},
    )


def looks_tokenized(outputs: Iterable[str]) -> bool:
    """Return whether a hundred outputs end with a separate full stop, as in sacreBLEU."""
    return sum(text.endswith(" .") for text in outputs) >= 100


def count_statistics(
    outputs: Sequence[str], references: Sequence[str], metrics: Iterable[str] = METRICS
) -> dict[str, MetricStatistics]:
    """The per-sentence statistics of each metric, with one reference per output."""
    if not outputs:
        raise CorpusError("outputs: there are no sentences to score. Pass at least one.")
    if len(outputs) != len(references):
        raise CorpusError(
            f"references: {len(references)} sentences for {len(outputs)} outputs. Pass one "
            "reference per output."
        )
    statistics = {}
    for name in metrics:
        metric = METRICS[name]()
        rows = metric._extract_corpus_statistics(list(outputs), [list(references)])
        statistics[name] = MetricStatistics(metric, np.array(rows, np.float64))
    return statistics
