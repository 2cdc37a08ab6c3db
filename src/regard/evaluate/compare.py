"""Compare the outputs of several systems for the same sources; the first is the baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, nan

from regard.errors import ConfigError
from regard.evaluate.bootstrap import Difference, paired_difference
from regard.evaluate.scores import (
    EDGES,
    METRICS,
    Evaluation,
    LengthRange,
    MetricStatistics,
    bucket_statistics,
    count_statistics,
    evaluate_statistics,
    length_buckets,
)

SHOWN = 10  # sentences with the largest gain, and as many with the largest loss
LOWER_IS_BETTER = frozenset({"ter"})


@dataclass(frozen=True, slots=True)
class Change:
    """A sentence whose outputs differ, with the chrF before and after."""

    line: int  # counted from 1
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
    """The differences on the sentences in a length range."""

    lengths: LengthRange
    sentences: int
    differences: dict[str, Difference]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A system compared with the baseline; differences are candidate minus baseline."""

    name: str
    evaluation: Evaluation
    differences: dict[str, Difference]
    by_length: tuple[BucketDifferences, ...]
    changed: int  # number of sentences whose outputs differ
    gained: tuple[Change, ...]
    lost: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    name: str  # the baseline's
    evaluation: Evaluation
    candidates: tuple[Candidate, ...]

    @property
    def evaluations(self) -> dict[str, Evaluation]:
        """The evaluations by system name, the baseline's first."""
        return {self.name: self.evaluation} | {c.name: c.evaluation for c in self.candidates}


@dataclass(frozen=True, slots=True)
class Gate:
    """The lowest difference allowed for a metric; for TER, where lower is better, the highest."""

    metric: str
    allowed: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a candidate passes a gate, with the difference that decides it."""

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
    """Score the outputs of each system, and compare each with the first by paired bootstrap."""
    baseline, *candidate_names = outputs
    buckets = length_buckets(sources, outputs[baseline], edges)
    statistics = {name: count_statistics(texts, references) for name, texts in outputs.items()}
    candidates = [
        _candidate(
            name,
            statistics[name],
            statistics[baseline],
            buckets,
            _changes(
                [sources, references, outputs[baseline], outputs[name]],
                [statistics[system]["chrf"] for system in (baseline, name)],
            ),
        )
        for name in candidate_names
    ]
    evaluation = evaluate_statistics(statistics[baseline], buckets)
    return Comparison(baseline, evaluation, tuple(candidates))


def _candidate(
    name: str,
    statistics: Mapping[str, MetricStatistics],
    baseline: Mapping[str, MetricStatistics],
    buckets: Mapping[LengthRange, Sequence[int]],
    changes: Sequence[Change],
) -> Candidate:
    return Candidate(
        name=name,
        evaluation=evaluate_statistics(statistics, buckets),
        differences=paired_difference(statistics, baseline),
        by_length=tuple(
            BucketDifferences(
                lengths,
                len(rows),
                paired_difference(
                    bucket_statistics(statistics, rows), bucket_statistics(baseline, rows)
                )
                if rows
                else {},
            )
            for lengths, rows in buckets.items()
        ),
        changed=len(changes),
        gained=tuple(change for change in changes[: -SHOWN - 1 : -1] if change.gain > 0),
        lost=tuple(change for change in changes[:SHOWN] if change.gain < 0),
    )


def _changes(texts: Sequence[Sequence[str]], chrf: Sequence[MetricStatistics]) -> list[Change]:
    """The sentences whose outputs differ, largest loss first.

    `texts` holds sources, references, baseline outputs and candidate outputs. `chrf` holds the
    chrF statistics of both outputs.
    """
    rows = zip(*texts, *(metric.scores(metric.rows).tolist() for metric in chrf), strict=True)
    changes = [
        Change(line, source, reference, baseline, candidate, (chrf_before, chrf_after))
        for line, (source, reference, baseline, candidate, chrf_before, chrf_after) in enumerate(
            rows, 1
        )
        if baseline != candidate
    ]
    return sorted(changes, key=lambda change: change.gain)


def parse_gate(text: str) -> Gate:
    """Parse a gate such as `bleu=-0.3`."""
    metric, _, allowed = text.partition("=")
    if metric not in METRICS:
        raise ConfigError(f"gate: {text!r} has no known metric. Use one of {', '.join(METRICS)}.")
    try:
        gate = Gate(metric, float(allowed))
    except ValueError:
        gate = Gate(metric, nan)
    if not isfinite(gate.allowed):
        raise ConfigError(f"gate: {text!r} has no finite number. Write it as {metric}=-0.3.")
    return gate


def apply_gates(comparison: Comparison, gates: Sequence[Gate]) -> list[Verdict]:
    """Whether each candidate passes each gate. The difference decides, not its interval."""
    verdicts = []
    for candidate in comparison.candidates:
        for gate in gates:
            difference = candidate.differences[gate.metric]
            margin = difference.value - gate.allowed
            passed = margin <= 0 if gate.metric in LOWER_IS_BETTER else margin >= 0
            verdicts.append(Verdict(candidate.name, gate, difference, passed))
    return verdicts


# -- scores of a model before and after fine-tuning, on several sets of sentences ------------------


MEASURED = ("bleu", "chrf")  # TER of long sentences takes minutes


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """The scores of one set before and after; differences are after minus before."""

    name: str
    sentences: int
    before: dict[str, float]
    after: dict[str, float]
    differences: dict[str, Difference]
    signatures: dict[str, str]


def measure_change(
    name: str, references: Sequence[str], baseline: Sequence[str], candidate: Sequence[str]
) -> ScoreChange:
    """Score two translations of the same sentences and test their difference."""
    old, new = (
        count_statistics(outputs, references, MEASURED) for outputs in (baseline, candidate)
    )
    return ScoreChange(
        name,
        len(references),
        {metric: statistics.corpus_score() for metric, statistics in old.items()},
        {metric: statistics.corpus_score() for metric, statistics in new.items()},
        paired_difference(new, old),
        {metric: statistics.signature for metric, statistics in old.items()},
    )


def check_gate(gate: Gate) -> Gate:
    """Return the gate. Raises ConfigError if its metric is not measured."""
    if gate.metric not in MEASURED:
        raise ConfigError(f"gate: {gate.metric} is not measured here. Use {' or '.join(MEASURED)}.")
    return gate


def apply_gate(gate: Gate, change: ScoreChange) -> Verdict:
    """Whether a score has fallen by at most what the gate allows."""
    difference = change.differences[gate.metric]
    return Verdict(change.name, gate, difference, difference.value >= gate.allowed)
