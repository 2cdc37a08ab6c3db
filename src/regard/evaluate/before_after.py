"""Scores of a model before and after fine-tuning, on several sets of sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from regard.errors import ConfigError
from regard.evaluate.bootstrap import Difference, paired_difference
from regard.evaluate.compare import Gate, Verdict
from regard.evaluate.scores import count_statistics

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
