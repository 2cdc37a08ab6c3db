"""Scores by the length of the source: where long sentences fare worse, it shows here.

A length is the number of words of the source text, punctuation counted, by the rule of
`regard.text.words`. Each bucket is scored as a corpus of its own.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from regard.errors import CorpusError
from regard.evaluate.bootstrap import Estimate, estimate_score
from regard.evaluate.scores import METRICS, MetricStatistics, count_statistics
from regard.text.words import split_words

EDGES = (10, 20, 30, 40, 50, 60, 70)  # words: the last length of each bucket; then comes the rest


@dataclass(frozen=True, slots=True)
class LengthRange:
    """From how many words of the source to how many; without a last one, to any number."""

    first: int
    last: int | None

    def __str__(self) -> str:
        return f"{self.first}+" if self.last is None else f"{self.first}–{self.last}"


@dataclass(frozen=True, slots=True)
class Bucket:
    """The sentences of some lengths; where there are none, nothing is scored."""

    lengths: LengthRange
    sentences: int
    scores: dict[str, Estimate]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The scores of a whole corpus and of its buckets, and how they were computed."""

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
    """Score the outputs as `score` does, with intervals, in all and by the length of the source.

    TER of long, bad translations takes minutes, and can be left out.
    """
    counts = count_statistics(
        outputs, references, [name for name in METRICS if ter or name != "ter"]
    )
    return evaluate_counts(counts, length_buckets(sources, outputs, edges))


def evaluate_counts(
    counts: Mapping[str, MetricStatistics], places: Mapping[LengthRange, Sequence[int]]
) -> Evaluation:
    """The same of outputs that were counted, and sources that were divided, before."""
    return Evaluation(
        sentences=sum(map(len, places.values())),
        scores=estimate_score(counts),
        signatures={name: each.signature for name, each in counts.items()},
        buckets=tuple(
            Bucket(
                lengths, len(rows), estimate_score(bucket_statistics(counts, rows)) if rows else {}
            )
            for lengths, rows in places.items()
        ),
    )


def bucket_statistics(
    counts: Mapping[str, MetricStatistics], places: Sequence[int]
) -> dict[str, MetricStatistics]:
    """The counts of the sentences at these places."""
    return {name: each.part(places) for name, each in counts.items()}


def length_buckets(
    sources: Sequence[str], outputs: Sequence[str], edges: Sequence[int] = EDGES
) -> dict[LengthRange, list[int]]:
    """The places of the sources of each bucket. One without a word is among the shortest."""
    if len(sources) != len(outputs):
        raise CorpusError(
            f"sources: {len(sources)} for {len(outputs)} outputs; give the very sentences that "
            "were translated"
        )
    firsts = [1, *(edge + 1 for edge in edges)]
    buckets = [LengthRange(first, last) for first, last in zip(firsts, [*edges, None], strict=True)]
    places: dict[LengthRange, list[int]] = {bucket: [] for bucket in buckets}
    for place, source in enumerate(sources):
        places[buckets[bisect_left(edges, len(split_words(source)))]].append(place)
    return places
