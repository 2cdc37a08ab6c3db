"""Alarms: signs that a translation dropped, repeated or made up something.

Each sign is a number that is larger where something is wrong. What is large is learnt from the
model's own translations of held-out sentences (`calibrate`): a sign is measured in distances
between their median and their 99th hundredth, and a translation is to be checked where one sign
lies further out than in all but a few of them. The entropy of attention is not among the signs: it
tells next to nothing of quality (Fomicheva et al. 2020, table 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from statistics import fmean, pstdev

import numpy as np

from regard.align.extraction import WordAlignment
from regard.text.tokenizer import Span

FLAGGED = 0.03  # of held-out translations; on others as good, fewer than 5 % then are
UNATTENDED = (
    0.2  # of a whole look: a source word that got less in all was not translated by its look
)
LONGEST_PERIOD = 10  # words of what may repeat


@dataclass(frozen=True, slots=True)
class QualityFeatures:
    """How far each thing is from what it should be; large is suspicious."""

    unlikely: float  # the mean of −log p over the tokens
    uneven: float  # the standard deviation of them
    worst: float  # −log p of the unlikeliest, the end among them
    unattended: float  # the most source words in a row that were never looked at
    looping: float  # the most words in a row that say again what stood before them
    short: float  # log of source over target characters
    long: float  # log of target over source characters


@dataclass(frozen=True, slots=True)
class QualityThresholds:
    """What is usual for a model: medians, unusual values, and from where on a sign alarms."""

    median: QualityFeatures
    extreme: QualityFeatures
    threshold: float


@dataclass(frozen=True, slots=True)
class QualityReport:
    """A judgement: `score` is how far out the furthest sign lies; from 1 on it is to be checked."""

    score: float
    reasons: tuple[str, ...]  # the signs beyond the bound, in words
    features: QualityFeatures
    unattended: tuple[Span, ...]  # the source words that were never looked at

    @property
    def needs_review(self) -> bool:
        return self.score >= 1


def measure_features(aligned: WordAlignment, logps: Sequence[float]) -> QualityFeatures:
    lacking = [-logp for logp in logps]
    source, target = aligned.source.raw.strip(), aligned.target.raw.strip()
    ratio = float(np.log((len(target) + 5) / (len(source) + 5)))  # five, for the shortest
    again = _repeated(aligned.target.word_texts) - _repeated(aligned.source.word_texts)
    return QualityFeatures(
        unlikely=fmean(lacking),
        uneven=pstdev(lacking),
        worst=max(lacking),
        unattended=float(_longest_run(_unattended(aligned))),
        looping=float(max(0, again)),
        short=-ratio,
        long=ratio,
    )


def calibrate_thresholds(signs: Sequence[QualityFeatures]) -> QualityThresholds:
    """From the signs of translations that are as good as the model's are."""
    table = np.array([list(asdict(one).values()) for one in signs])  # N × signs
    usual = np.median(table, axis=0)
    # Counts of words differ by one at least: nothing beyond that is unusual yet.
    least = [1.0 if name in ("unseen", "looping") else 0.1 for name in _names()]
    unusual = np.maximum(np.quantile(table, 0.99, axis=0), usual + np.array(least))
    furthest = ((table - usual) / (unusual - usual)).max(axis=1)
    bound = max(1.0, float(np.quantile(furthest, 1 - FLAGGED)))
    return QualityThresholds(
        QualityFeatures(*usual.tolist()), QualityFeatures(*unusual.tolist()), bound
    )


def assess_quality(
    bounds: QualityThresholds, aligned: WordAlignment, logps: Sequence[float]
) -> QualityReport:
    signs = measure_features(aligned, logps)
    far = {
        name: (getattr(signs, name) - usual) / (getattr(bounds.extreme, name) - usual)
        for name, usual in asdict(bounds.median).items()
    }
    reasons = tuple(
        _REASONS[name]
        for name in sorted(far, key=far.__getitem__, reverse=True)
        if far[name] >= bounds.threshold
    )
    unseen = [
        word for word, no in zip(aligned.source.words, _unattended(aligned), strict=True) if no
    ]
    return QualityReport(max(far.values()) / bounds.threshold, reasons, signs, tuple(unseen))


def worst_report(alarms: Sequence[tuple[int, QualityReport]]) -> QualityReport:
    """Of the parts of one text, each with the character where it begins."""
    furthest = max((alarm for _, alarm in alarms), key=lambda alarm: alarm.score)
    reasons = tuple(dict.fromkeys(reason for _, alarm in alarms for reason in alarm.reasons))
    unseen = tuple((at + a, at + b) for at, alarm in alarms for a, b in alarm.unattended)
    return QualityReport(furthest.score, reasons, furthest.features, unseen)


_REASONS = {
    "unlikely": "the model itself finds it unlikely",
    "uneven": "likely and unlikely words stand side by side",
    "worst": "one word, or its end, is very unlikely",
    "unseen": "source words in a row were never looked at",
    "looping": "it repeats itself",
    "short": "it is short for its source",
    "long": "it is long for its source",
}


def _names() -> list[str]:
    return [field.name for field in fields(QualityFeatures)]


def _unattended(aligned: WordAlignment) -> list[bool]:
    """Of each source word, whether all looks together gave it less than UNSEEN."""
    seen = aligned.weights.sum(dim=0)[:-1].tolist()
    letters = [any(map(str.isalnum, text)) for text in aligned.source.word_texts]
    return [weight < UNATTENDED and counts for weight, counts in zip(seen, letters, strict=True)]


def _longest_run(flags: Sequence[bool]) -> int:
    longest = run = 0
    for flag in flags:
        run = run + 1 if flag else 0
        longest = max(longest, run)
    return longest


def _repeated(words: Sequence[str]) -> int:
    """The most words in a row each of which is the word one same period before it."""
    small = [word.lower() for word in words]
    return max(
        (
            _longest_run([a == b for a, b in zip(small, small[period:], strict=False)])
            for period in range(1, min(LONGEST_PERIOD, len(small) - 1) + 1)
        ),
        default=0,
    )
