"""Corpus scores of texts as a reader would see them: the one scoring path, in training and after.

Each score is sacreBLEU's (Post, 2018), and comes with the signature that tells how it was computed.
sacreBLEU makes it of the sums of what it counts in each sentence, so the counts are kept apart from
the score: with them a part of a corpus is scored without reading a text again.
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
# 2015); `ter` is the share of words to edit (Snover et al., 2006). The cased BLEU warns of text
# that looks tokenised; `force` keeps the other from saying so again.
METRICS: Mapping[str, Callable[[], Metric]] = {
    "bleu": BLEU,
    "bleu_lc": partial(BLEU, lowercase=True, force=True),
    "chrf": CHRF,
    "ter": TER,
}


@dataclass(frozen=True, slots=True)
class MetricScores:
    """Scores by their names, from 0 to 100; more is better, but of TER, which has no upper end."""

    values: dict[str, float]
    signatures: dict[str, str]  # of each value: metric, case, tokens, version


@dataclass(frozen=True, slots=True, eq=False)
class MetricStatistics:
    """What a metric counts in each sentence: a row for each."""

    metric: Metric
    rows: NDArray[np.float64]

    @property
    def signature(self) -> str:
        return str(self.metric.get_signature())

    def scores(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        """The score of each row of counts, whatever sentences it is the sum of."""
        score = self.metric._compute_score_from_stats
        return np.array([score(total).score for total in totals.tolist()], np.float64)

    def corpus(self) -> float:
        """The score of all sentences. Counts are whole numbers, so their sum is exact."""
        return float(self.scores(self.rows.sum(axis=0, keepdims=True))[0])

    def part(self, places: Sequence[int]) -> MetricStatistics:
        """Those of some of the sentences."""
        return MetricStatistics(self.metric, self.rows[list(places)])


def score_corpus(outputs: Sequence[str], references: Sequence[str]) -> MetricScores:
    """Compare each output with its one reference, both detokenised."""
    counts = count_statistics(outputs, references)
    return MetricScores(
        {name: each.corpus() for name, each in counts.items()},
        {name: each.signature for name, each in counts.items()},
    )


def count_statistics(
    outputs: Sequence[str], references: Sequence[str], metrics: Iterable[str] = METRICS
) -> dict[str, MetricStatistics]:
    """What each metric counts when it compares each output with its one reference."""
    if not outputs:
        raise CorpusError("outputs: there are none to score; give at least one sentence")
    if len(outputs) != len(references):
        raise CorpusError(
            f"references: {len(references)} for {len(outputs)} outputs; each output needs one, "
            "so give the references of the very sentences that were translated"
        )
    counts = {}
    for name in metrics:
        metric = METRICS[name]()
        rows = metric._extract_corpus_statistics(list(outputs), [list(references)])
        counts[name] = MetricStatistics(metric, np.array(rows, np.float64))
    return counts
