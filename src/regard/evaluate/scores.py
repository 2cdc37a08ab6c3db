"""Scores of translations (BLEU, chrF, TER), and scores by sentence length.

All scores are sacreBLEU's (Post, 2018) and carry its signatures. sacreBLEU computes a corpus score
from sums of per-sentence statistics. `MetricStatistics` keeps these statistics, so parts of a
corpus are scored without processing the texts again.
"""

from __future__ import annotations

from bisect import bisect_left
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
from regard.evaluate.bootstrap import Estimate, estimate_mean, estimate_score
from regard.text.words import split_words

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


# -- scores by source length -----------------------------------------------------------------------
# The length is the number of words of the source, punctuation included, as split by
# `regard.text.words`. Each bucket is scored as a separate corpus.


EDGES = (10, 20, 30, 40, 50, 60, 70)  # last length of each bucket but the open one


@dataclass(frozen=True, slots=True)
class LengthRange:
    """The first and last source length of a bucket; a `last` of None means no upper limit."""

    first: int
    last: int | None

    def __str__(self) -> str:
        return f"{self.first}+" if self.last is None else f"{self.first}–{self.last}"


@dataclass(frozen=True, slots=True)
class Bucket:
    """The scores of the sentences in a length range; empty if there are no sentences."""

    lengths: LengthRange
    sentences: int
    scores: dict[str, Estimate]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The scores of a corpus and of its length buckets, with sacreBLEU signatures."""

    sentences: int
    scores: dict[str, Estimate]
    signatures: dict[str, str]
    buckets: tuple[Bucket, ...]


def evaluate_by_length(
    sources: Sequence[str],
    outputs: Sequence[str],
    references: Sequence[str],
    *,
    edges: Sequence[int] = EDGES,
    ter: bool = True,
) -> Evaluation:
    """Score the outputs with intervals, as a whole and by source length.

    `edges` holds the last length of each bucket. `ter=False` leaves out TER, which takes minutes
    on long, bad translations.
    """
    metrics = [name for name in METRICS if ter or name != "ter"]
    statistics = count_statistics(outputs, references, metrics)
    return evaluate_statistics(statistics, length_buckets(sources, outputs, edges))


def evaluate_statistics(
    statistics: Mapping[str, MetricStatistics], buckets: Mapping[LengthRange, Sequence[int]]
) -> Evaluation:
    """As `evaluate_by_length`, from counted outputs and the sentence indices of each bucket."""
    return Evaluation(
        sentences=sum(map(len, buckets.values())),
        scores=estimate_score(statistics),
        signatures={name: metric.signature for name, metric in statistics.items()},
        buckets=tuple(
            Bucket(
                lengths,
                len(rows),
                estimate_score(bucket_statistics(statistics, rows)) if rows else {},
            )
            for lengths, rows in buckets.items()
        ),
    )


def evaluate_seeds(
    metric: str,
    seeds: Sequence[MetricStatistics],
    buckets: Mapping[LengthRange, Sequence[int]],
) -> Evaluation:
    """As `evaluate_statistics`: the means over models that differ in their seed."""
    return Evaluation(
        sentences=sum(map(len, buckets.values())),
        scores={metric: estimate_mean(seeds)},
        signatures={metric: seeds[0].signature},
        buckets=tuple(
            Bucket(
                lengths,
                len(rows),
                {metric: estimate_mean([seed.subset(rows) for seed in seeds])} if rows else {},
            )
            for lengths, rows in buckets.items()
        ),
    )


def bucket_statistics(
    statistics: Mapping[str, MetricStatistics], rows: Sequence[int]
) -> dict[str, MetricStatistics]:
    """The statistics of the sentences with these indices."""
    return {name: metric.subset(rows) for name, metric in statistics.items()}


def length_buckets(
    sources: Sequence[str], outputs: Sequence[str], edges: Sequence[int] = EDGES
) -> dict[LengthRange, list[int]]:
    """The sentence indices of each bucket. A source without words is in the first bucket."""
    if len(sources) != len(outputs):
        raise CorpusError(
            f"sources: {len(sources)} sentences for {len(outputs)} outputs. Pass the sources that "
            "were translated, one per output."
        )
    firsts = [1, *(edge + 1 for edge in edges)]
    ranges = [LengthRange(first, last) for first, last in zip(firsts, [*edges, None], strict=True)]
    buckets: dict[LengthRange, list[int]] = {lengths: [] for lengths in ranges}
    for index, source in enumerate(sources):
        buckets[ranges[bisect_left(edges, len(split_words(source)))]].append(index)
    return buckets
