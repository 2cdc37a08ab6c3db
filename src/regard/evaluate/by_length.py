"""Scores by source length.

The length is the number of words of the source, punctuation included, as split by
`regard.text.words`. Each bucket is scored as a separate corpus.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from regard.errors import CorpusError
from regard.evaluate.bootstrap import Estimate, estimate_mean, estimate_score
from regard.evaluate.scores import METRICS, MetricStatistics, count_statistics
from regard.text.words import split_words

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
