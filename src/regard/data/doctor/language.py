"""Find lines in the wrong language from statistics of the corpus itself.

The trigrams of each side are counted on a sample of the pairs. A line is in the *other language* if
its trigrams fit the other side well, and better than its own. It is in a *third language* if they
fit its own side far worse than those of most lines do, and not much better than the other side.

Lines of a third language are part of the sample, so a few percent of them would make their own
trigrams likely. The profile is therefore fitted again without the lines that fit worst, as in least
trimmed squares (Rousseeuw, 1984).

Names, numbers and code are the same in every language. A line is therefore reported only if it also
fits badly without the words that occur on both sides of the pair. And rare words have rare
trigrams: a line is reported only if it has several words that its side has in no other line, and
these are most of its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from regard.data.doctor.profile import Codes, count_trigrams, main_script, mean_over_lines

_SAMPLE = 40_000  # pairs; halved when it is full
_MIN_LINE = 25  # characters of a line to judge its language
_REFITS = 3  # more have no effect
_MIN_LINES = 1_000  # to fit again; fewer have too few trigrams to lose some
_TRIMMED = 1.3  # standard deviations; the worst tenth of a normal distribution
_UNLIKELY = 4.0  # standard deviations
_COPIED = 0.8  # share of the letters in words that also occur on the other side
_KNOWN = 0.4  # share of the words that the side has elsewhere
_MIN_UNKNOWN = 4  # words that the side does not have elsewhere
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(slots=True)
class PairSample:
    """A sample of equidistant pairs, of at most 40,000."""

    sources: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    step: int = 1

    def add(self, start: int, sources: list[str], targets: list[str]) -> None:
        """Add each `step`-th of these pairs; `start` is the number of the first."""
        first = -start % self.step
        self.sources += sources[first :: self.step]
        self.targets += targets[first :: self.step]
        while len(self.sources) > _SAMPLE:
            del self.sources[1::2], self.targets[1::2]
            self.step *= 2


@dataclass(frozen=True, slots=True)
class Fit:
    """How well the lines of a side fit its profile: the mean log-probability of their trigrams.

    It varies less from line to line the longer the lines are, as a mean does.
    """

    median: float
    spread: float  # standard deviation, times the square root of a line's length

    @classmethod
    def of(cls, means: NDArray[np.float32], lengths: NDArray[np.int64]) -> Fit:
        median = float(np.median(means))
        deviations = np.abs(means - median) * np.sqrt(lengths)
        return cls(median, 1.4826 * float(np.median(deviations)))

    def is_below(
        self, deviations: float, means: NDArray[np.float32], lengths: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Return which lines are more than so many standard deviations below the median."""
        return (self.median - means) * np.sqrt(np.maximum(1, lengths)) > deviations * self.spread


@dataclass(frozen=True, slots=True)
class LanguageBaseline:
    """Trigram log-probabilities and scripts of the training corpus, with limits for odd lines."""

    log_probabilities: tuple[NDArray[np.float32], NDArray[np.float32]]  # of source, target
    fits: tuple[Fit, Fit]  # to the profile of the line's side
    min_margins: tuple[float, float]  # of this fit over the fit to the other side
    scripts: tuple[str | None, str | None]
    words: tuple[frozenset[str], frozenset[str]]  # of lines that fit their side

    def judge(
        self, side: int, codes: Codes, lines: Sequence[str], counterparts: Sequence[str]
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which lines fit the other side, and which fit neither.

        Args:
            side: 0 if the lines are sources, 1 if they are targets.
            codes: the lines.
            lines: the lines as text.
            counterparts: the other side of each line.
        """
        fits_other, fits_neither = self._judge(side, codes)
        suspects = np.flatnonzero(fits_other | fits_neither).tolist()
        if not suspects:
            return fits_other, fits_neither
        split = [_own_words(lines[i], counterparts[i]) for i in suspects]
        own_other, own_neither = self._judge(side, Codes.of([words for words, _ in split]))
        copied = np.array([share >= _COPIED for _, share in split])
        unknown = np.array([self._has_unknown_words(side, lines[i]) for i in suspects])
        fits_neither[suspects] &= own_neither & unknown
        fits_other[suspects] &= (own_other | copied) & unknown
        return fits_other, fits_neither

    def _has_unknown_words(self, side: int, line: str) -> bool:
        """Whether most words of a line, and at least a few, are in no other line of its side."""
        words = [word.casefold() for word in _WORD.findall(line)]
        known_words = sum(word in self.words[side] for word in words)
        return len(words) - known_words >= _MIN_UNKNOWN and known_words < _KNOWN * len(words)

    def _judge(self, side: int, codes: Codes) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        logs = self.log_probabilities
        same, swapped = mean_over_lines(codes, logs[side], logs[1 - side])
        margin, judged = same - swapped, codes.lengths >= _MIN_LINE
        odd_here = self.fits[side].is_below(_UNLIKELY, same, codes.lengths)
        odd_there = self.fits[1 - side].is_below(_UNLIKELY, swapped, codes.lengths)
        fits_other = judged & (margin < -0.2) & ~odd_there  # 0 of 60,000 lines of Europarl
        return fits_other, judged & odd_here & (margin < self.min_margins[side]) & ~fits_other


def fit_baseline(sample: PairSample) -> LanguageBaseline:
    """Estimate the profiles of both sides, and the limits for odd lines, from a sample."""
    codes = Codes.of(sample.sources), Codes.of(sample.targets)
    (logs_source, fit_source, fitting_sources), (logs_target, fit_target, fitting_targets) = map(
        _fit_trimmed, codes
    )
    logs = logs_source, logs_target
    margins = []
    for side in range(2):
        same, swapped = mean_over_lines(codes[side], logs[side], logs[1 - side])
        margins.append(0.3 * float(np.median((same - swapped)[_judged(codes[side])])))
    return LanguageBaseline(
        logs,
        (fit_source, fit_target),
        (margins[0], margins[1]),
        (main_script(codes[0]), main_script(codes[1])),
        (
            _words_of(compress(sample.sources, fitting_sources)),
            _words_of(compress(sample.targets, fitting_targets)),
        ),
    )


def _words_of(lines: Iterable[str]) -> frozenset[str]:
    return frozenset(word.casefold() for line in lines for word in _WORD.findall(line))


def _fit_trimmed(codes: Codes) -> tuple[NDArray[np.float32], Fit, NDArray[np.bool_]]:
    """Return log-probabilities of trigrams, the fit of all lines, and which lines are not worst."""
    lengths, judged = codes.lengths, _judged(codes)
    typical = np.ones(len(lengths), np.bool_)
    for _ in range(_REFITS + 1):
        counts = count_trigrams(codes, typical)
        # Add-one smoothing.
        logs = np.log((counts + 1) / (counts.sum() + len(counts))).astype(np.float32)
        (means,) = mean_over_lines(codes, logs)
        fit = Fit.of(means[judged], lengths[judged])
        if judged.sum() < _MIN_LINES:
            break
        typical = ~fit.is_below(_TRIMMED, means, lengths)
    return logs, fit, typical


def _judged(codes: Codes) -> NDArray[np.bool_]:
    """Return which lines are long enough to estimate limits from; all if none is."""
    enough = codes.lengths >= _MIN_LINE
    return enough if enough.any() else np.ones_like(enough)


def _own_words(line: str, counterpart: str) -> tuple[str, float]:
    """Return the words of a line that the other side does not have, and the share of the rest."""
    shared = {word.casefold() for word in _WORD.findall(counterpart)}
    words = _WORD.findall(line)
    own = [word for word in words if word.casefold() not in shared]
    letters = sum(map(len, words))
    return " ".join(own), 1 - sum(map(len, own)) / max(1, letters)
