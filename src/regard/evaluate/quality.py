"""Quality warnings: find translations that may omit, repeat or invent something.

A translation is described by features that are large where something is wrong. Thresholds are
calibrated on the model's own translations of held-out sentences (`calibrate_thresholds`): each
feature is measured from their median, in units of the distance from the median to the 99th
percentile. A translation needs review if one feature exceeds what all but a few of them have. The
entropy of attention is not a feature: it hardly correlates with quality (Fomicheva et al. 2020,
table 2).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from statistics import fmean, pstdev

import numpy as np

from regard.align.word_alignment import WordAlignment
from regard.text.tokenizer import Span

FLAGGED = 0.03  # share of held-out translations; on similar texts it then stays below 5 %
UNATTENDED = 0.2  # a source word with less total weight has no counterpart in the target
LONGEST_PERIOD = 10  # in words, of a repetition


@dataclass(frozen=True, slots=True)
class QualityFeatures:
    """Features of a translation; large values are suspicious."""

    unlikely: float  # mean of −log p over the tokens
    uneven: float  # standard deviation of −log p
    worst: float  # −log p of the least likely token, the end included
    unattended: float  # longest run of source words without a counterpart
    looping: float  # longest run of words that repeat the words before them
    short: float  # log of source over target characters
    long: float  # log of target over source characters


_FEATURES = tuple(feature.name for feature in fields(QualityFeatures))


@dataclass(frozen=True, slots=True)
class QualityThresholds:
    """The calibration of a model's quality warnings."""

    median: QualityFeatures
    extreme: QualityFeatures  # 99th percentiles
    threshold: float  # a feature this many units from its median raises a warning

    def __post_init__(self) -> None:
        units = [getattr(self.extreme, name) - getattr(self.median, name) for name in _FEATURES]
        if not all(0 < value < math.inf for value in (*units, self.threshold)):
            raise ValueError("each extreme must be above its median, and the threshold above 0")


@dataclass(frozen=True, slots=True)
class QualityReport:
    """The quality of one translation.

    `score` is the distance of the most extreme feature, relative to the threshold.
    """

    score: float
    reasons: tuple[str, ...]  # descriptions of the features beyond the threshold, worst first
    features: QualityFeatures
    unattended: tuple[Span, ...]  # the source words without a counterpart

    @property
    def needs_review(self) -> bool:
        return self.score >= 1


def measure_features(aligned: WordAlignment, logps: Sequence[float]) -> QualityFeatures:
    """The features of an aligned translation with the log-probabilities of its tokens."""
    losses = [-logp for logp in logps]
    source, target = aligned.source.raw.strip(), aligned.target.raw.strip()
    # plus five characters: the ratio of very short texts varies too much
    ratio = float(np.log((len(target) + 5) / (len(source) + 5)))
    repeated = _repeated(aligned.target.word_texts) - _repeated(aligned.source.word_texts)
    return QualityFeatures(
        unlikely=fmean(losses),
        uneven=pstdev(losses),
        worst=max(losses),
        unattended=float(_longest_run(_unattended(aligned))),
        looping=float(max(0, repeated)),
        short=-ratio,
        long=ratio,
    )


def calibrate_thresholds(features: Sequence[QualityFeatures]) -> QualityThresholds:
    """Calibrate on the features of the model's translations of held-out sentences."""
    table = np.array([list(asdict(sentence).values()) for sentence in features])  # N × features
    median = np.median(table, axis=0)
    # word counts differ by at least one, so a smaller distance is not unusual
    minimum = [1.0 if name in ("unattended", "looping") else 0.1 for name in _FEATURES]
    extreme = np.maximum(np.quantile(table, 0.99, axis=0), median + np.array(minimum))
    distances = ((table - median) / (extreme - median)).max(axis=1)
    threshold = max(1.0, float(np.quantile(distances, 1 - FLAGGED)))
    return QualityThresholds(
        QualityFeatures(*median.tolist()), QualityFeatures(*extreme.tolist()), threshold
    )


def assess_quality(
    thresholds: QualityThresholds, aligned: WordAlignment, logps: Sequence[float]
) -> QualityReport:
    """Compare the features of a translation with the model's calibrated thresholds."""
    features = measure_features(aligned, logps)
    distances = {
        name: (getattr(features, name) - median) / (getattr(thresholds.extreme, name) - median)
        for name, median in asdict(thresholds.median).items()
    }
    reasons = tuple(
        _REASONS[name]
        for name in sorted(distances, key=distances.__getitem__, reverse=True)
        if distances[name] >= thresholds.threshold
    )
    unattended = tuple(
        word for word, flag in zip(aligned.source.words, _unattended(aligned), strict=True) if flag
    )
    score = max(distances.values()) / thresholds.threshold
    return QualityReport(score, reasons, features, unattended)


def worst_report(reports: Sequence[tuple[int, QualityReport]]) -> QualityReport:
    """Combine the reports of a text's parts, each with its character offset in the source.

    Score and features are those of the worst part; reasons and unattended words are of all parts.
    """
    worst = max((report for _, report in reports), key=lambda report: report.score)
    reasons = tuple(dict.fromkeys(reason for _, report in reports for reason in report.reasons))
    unattended = tuple(
        (offset + start, offset + end)
        for offset, report in reports
        for start, end in report.unattended
    )
    return QualityReport(worst.score, reasons, worst.features, unattended)


_REASONS = {
    "unlikely": "low probability under the model",
    "uneven": "token probabilities vary widely",
    "worst": "one token or the end is very unlikely",
    "unattended": "consecutive source words have no attention",
    "looping": "repeated words",
    "short": "short for its source",
    "long": "long for its source",
}
PROBABILITY_REASONS = tuple(_REASONS[name] for name in ("unlikely", "uneven", "worst"))
"""Reasons that hold for the model's own translations. Most human ones are less probable."""


def _unattended(aligned: WordAlignment) -> list[bool]:
    """For each source word, whether its total weight is below UNATTENDED; false for punctuation."""
    totals = [total for part in aligned.parts for total in part.sum(axis=0)[:-1].tolist()]
    is_word = [any(map(str.isalnum, text)) for text in aligned.source.word_texts]
    return [total < UNATTENDED and word for total, word in zip(totals, is_word, strict=True)]


def _longest_run(flags: Sequence[bool]) -> int:
    longest = run = 0
    for flag in flags:
        run = run + 1 if flag else 0
        longest = max(longest, run)
    return longest


def _repeated(words: Sequence[str]) -> int:
    """The longest run of words that each equal the word a fixed number of words before."""
    lowered = [word.lower() for word in words]
    return max(
        (
            _longest_run([a == b for a, b in zip(lowered, lowered[period:], strict=False)])
            for period in range(1, min(LONGEST_PERIOD, len(lowered) - 1) + 1)
        ),
        default=0,
    )
