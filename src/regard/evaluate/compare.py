"""Several outputs for the same sources, each against the first; and whether to release it.

The first is the baseline: what is in use, or whatever the others are to be measured by.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, nan

from regard.errors import ConfigError
from regard.evaluate.bootstrap import Difference, paired_difference
from regard.evaluate.by_length import (
    EDGES,
    Evaluation,
    LengthRange,
    bucket_statistics,
    evaluate_counts,
    length_buckets,
)
from regard.evaluate.scores import METRICS, MetricStatistics, count_statistics

SHOWN = 10  # sentences that gained most, and as many that lost most
LESS_IS_BETTER = frozenset({"ter"})


@dataclass(frozen=True, slots=True)
class Change:
    """A sentence that was said differently, with the chrF of both ways."""

    line: int  # in the files, counted from 1
    source: str
    reference: str
    before: str
    after: str
    chrf: tuple[float, float]

    @property
    def gain(self) -> float:
        return self.chrf[1] - self.chrf[0]


@dataclass(frozen=True, slots=True)
class BucketDifferences:
    """The differences of the sentences of some lengths."""

    lengths: LengthRange
    sentences: int
    differences: dict[str, Difference]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Outputs against the baseline's: each difference is theirs minus the baseline's."""

    name: str
    evaluation: Evaluation
    differences: dict[str, Difference]
    by_length: tuple[BucketDifferences, ...]
    changed: int  # sentences that are not the same
    gained: tuple[Change, ...]
    lost: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    name: str  # of the baseline
    evaluation: Evaluation
    candidates: tuple[Candidate, ...]

    @property
    def evaluations(self) -> dict[str, Evaluation]:
        """All of them by their names, the baseline's first."""
        return {self.name: self.evaluation} | {c.name: c.evaluation for c in self.candidates}


@dataclass(frozen=True, slots=True)
class Gate:
    """The least difference that a candidate may have; of TER, where less is better, the most."""

    metric: str
    allowed: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a candidate passes a gate, and the difference that decided it."""

    candidate: str
    gate: Gate
    difference: Difference
    passed: bool


def compare_systems(
    sources: Sequence[str],
    references: Sequence[str],
    outputs: Mapping[str, Sequence[str]],
    *,
    edges: Sequence[int] = EDGES,
) -> Comparison:
    """Score all outputs, and compare each with the first on the same drawn corpora."""
    baseline, *others = outputs
    places = length_buckets(sources, outputs[baseline], edges)
    counts = {name: count_statistics(said, references) for name, said in outputs.items()}
    candidates = [
        _candidate(
            name,
            counts[name],
            counts[baseline],
            places,
            _changes(
                [sources, references, outputs[baseline], outputs[name]],
                [counts[which]["chrf"] for which in (baseline, name)],
            ),
        )
        for name in others
    ]
    evaluation = evaluate_counts(counts[baseline], places)
    return Comparison(baseline, evaluation, tuple(candidates))


def _candidate(
    name: str,
    counts: Mapping[str, MetricStatistics],
    baseline: Mapping[str, MetricStatistics],
    places: Mapping[LengthRange, Sequence[int]],
    changes: Sequence[Change],
) -> Candidate:
    return Candidate(
        name=name,
        evaluation=evaluate_counts(counts, places),
        differences=paired_difference(counts, baseline),
        by_length=tuple(
            BucketDifferences(
                lengths,
                len(rows),
                paired_difference(
                    bucket_statistics(counts, rows), bucket_statistics(baseline, rows)
                )
                if rows
                else {},
            )
            for lengths, rows in places.items()
        ),
        changed=len(changes),
        gained=tuple(change for change in changes[: -SHOWN - 1 : -1] if change.gain > 0),
        lost=tuple(change for change in changes[:SHOWN] if change.gain < 0),
    )


def _changes(texts: Sequence[Sequence[str]], chrf: Sequence[MetricStatistics]) -> list[Change]:
    """What was said differently, the worst loss first.

    `texts` are sources, references, and what was said before and after; `chrf` counts the latter.
    """
    rows = zip(*texts, *(each.scores(each.rows).tolist() for each in chrf), strict=True)
    changes = [
        Change(line, source, reference, before, after, (was, is_))
        for line, (source, reference, before, after, was, is_) in enumerate(rows, 1)
        if before != after
    ]
    return sorted(changes, key=lambda change: change.gain)


def parse_gate(written: str) -> Gate:
    """bleu=-0.3"""
    metric, _, allowed = written.partition("=")
    if metric not in METRICS:
        raise ConfigError(f"gate: {written!r} names no metric; say one of {', '.join(METRICS)}")
    try:
        gate = Gate(metric, float(allowed))
    except ValueError:
        gate = Gate(metric, nan)
    if not isfinite(gate.allowed):
        raise ConfigError(f"gate: {written!r} has no number; write it as {metric}=-0.3")
    return gate


def apply_gates(comparison: Comparison, gates: Sequence[Gate]) -> list[Verdict]:
    """Whether each candidate passes each gate. The scores decide; how sure they are is told."""
    verdicts = []
    for candidate in comparison.candidates:
        for gate in gates:
            found = candidate.differences[gate.metric]
            spare = found.value - gate.allowed
            passed = spare <= 0 if gate.metric in LESS_IS_BETTER else spare >= 0
            verdicts.append(Verdict(candidate.name, gate, found, passed))
    return verdicts
