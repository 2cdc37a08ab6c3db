"""Find lines in the wrong language, and sides that are wholly in it.

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
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import compress
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from regard.data.filters import SCRIPTS
from regard.text.languages import known_languages, language_probabilities

# -- identify the language of a whole side ---------------------------------------------------------
# The statistics in `language` compare lines with their own side, so a side that is wholly in the
# wrong language fits itself. Here it is compared with the language that its file name declares.


_CHUNK = 1_000  # characters, of which the language is nearly certain
_CHUNKS = 20
_COMPRESSED = (".gz", ".zst", ".bz2", ".xz")
# Languages and codes that cannot be told apart: macrolanguages, and standards of one language.
_ALIKE = ({"no", "nb", "nn", "da"}, {"bs", "hr", "sr"}, {"id", "ms"}, {"gl", "pt"}, {"cs", "sk"})


def identify_language(lines: Sequence[str]) -> str | None:
    """Return the code of the language of most of the text; None if there is too little text."""
    chunks = _chunks(lines)
    if not chunks:
        return None
    counts = Counter(next(iter(language_probabilities(chunk))) for chunk in chunks)
    code, count = counts.most_common(1)[0]
    return code if 2 * count > len(chunks) else None


def declared_language(path: str) -> str | None:
    """Return the language that a file name ends with: `train.en.gz` declares en."""
    suffixes = [suffix for suffix in PurePath(path).suffixes if suffix not in _COMPRESSED]
    code = suffixes[-1][1:].lower().replace("_", "-").partition("-")[0] if suffixes else ""
    return code if code in known_languages() else None


def differ(code: str | None, second_code: str | None) -> bool:
    """Whether two codes are known and name languages that can be told apart."""
    if code is None or second_code is None or code == second_code:
        return False
    return not any({code, second_code} <= alike for alike in _ALIKE)


def _chunks(lines: Sequence[str]) -> list[str]:
    """Return up to 20 texts of 1,000 characters from everywhere in the lines."""
    text = "\n".join(lines)
    step = max(_CHUNK, len(text) // _CHUNKS)
    starts = range(0, len(text) - _CHUNK // 2, step)
    return [text[start : start + _CHUNK] for start in starts]


# -- vectorized statistics of lines ----------------------------------------------------------------
# Characters, scripts and trigrams.
#
# Lines are concatenated to one array of code points, so that a million lines take seconds.


_BUCKETS = 1 << 16  # of hashed trigrams; two languages have about 20,000 frequent ones
_NEWLINE = 10
_ALL = 0x110000


@dataclass(frozen=True, slots=True)
class Codes:
    """The code points of lines, each followed by a newline, and the start of each line."""

    points: NDArray[np.uint32]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, lines: Sequence[str]) -> Codes:
        """Convert normalized lines, which contain no newlines."""
        text = "\n".join(lines) + "\n"
        points = np.frombuffer(text.encode("utf-32-le"), np.uint32)
        ends = np.flatnonzero(points == _NEWLINE)
        return cls(points, np.concatenate([[0], ends[:-1] + 1]))

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Characters of each line."""
        return np.diff(self.starts, append=len(self.points)) - 1

    def lines_of(self, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the line of each of these indices of code points."""
        return np.searchsorted(self.starts, indices, "right") - 1

    def count(self, hits: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the number of hits in each line; `hits` has one entry per code point."""
        lines = self.lines_of(np.flatnonzero(hits))  # faster than summing if hits are few
        return np.bincount(lines, minlength=len(self.starts))


def trigrams(codes: Codes) -> NDArray[np.uint32]:
    """Return the bucket of each trigram; lines are padded with a newline on both ends."""
    points = np.concatenate([[np.uint32(_NEWLINE)], codes.points, [np.uint32(_NEWLINE)]])
    mixed = points[:-2] * np.uint32(0x9E3779B1) + points[1:-1] * np.uint32(0x85EBCA77)
    mixed = (mixed + points[2:]) * np.uint32(0xC2B2AE3D)  # odd constants lose no bits
    return mixed >> np.uint32(16)


def count_trigrams(codes: Codes, line_mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the number of trigrams in each bucket, in the lines that are kept."""
    return np.bincount(trigrams(codes)[np.repeat(line_mask, codes.lengths + 1)], minlength=_BUCKETS)


def mean_over_lines(codes: Codes, *values: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    """For each array of values per trigram bucket, return the mean over each line's trigrams."""
    buckets = trigrams(codes)
    size = np.asarray(codes.lengths + 1, np.float32)
    sums = (np.add.reduceat(value[buckets], codes.starts) for value in values)
    return [np.divide(line_sums, size, dtype=np.float32) for line_sums in sums]


# Japanese mixes Han characters with kana, which no other language uses.
_NAMES = [name for name in SCRIPTS if name != "japanese"] + ["kana"]


def in_other_script(codes: Codes, script: str) -> NDArray[np.bool_]:
    """Return which lines have most of their letters in another known script than this."""
    kinds = _kinds(script)[codes.points]
    lines = np.unique(codes.lines_of(np.flatnonzero(kinds == _OTHER)))  # usually few
    in_other = np.zeros(len(codes.starts), np.bool_)
    for line in lines:
        letters = kinds[codes.starts[line] :][: codes.lengths[line]]
        in_other[line] = 2 * np.sum(letters == _SAME) < np.sum(letters != 0)
    return in_other


_SAME, _OTHER = 1, 2


@cache
def _kinds(script: str) -> NDArray[np.uint8]:
    """Return, for each code point, _SAME or _OTHER for a letter of a known script, else 0."""
    names = ("han", "kana") if script == "japanese" else (script,)
    table = _script_table()
    same = np.isin(table, [_NAMES.index(name) + 1 for name in names])
    return np.where(same, _SAME, np.where(table > 0, _OTHER, 0)).astype(np.uint8)


@cache
def _script_table() -> NDArray[np.uint8]:
    """Return, for each code point, the number of its script from 1; 0 for no known script."""
    table = np.zeros(_ALL, np.uint8)
    ranges = dict(SCRIPTS) | {"kana": "\u3040-\u30ff"}
    for number, name in enumerate(_NAMES, 1):
        for first, _, last in re.findall(r"(.)(-(.))?", ranges[name]):
            table[ord(first) : ord(last or first) + 1] = number
    return table


def main_script(codes: Codes) -> str | None:
    """Return the name in SCRIPTS of the most frequent script, or None if it is rare."""
    totals = np.bincount(_script_table()[codes.points], minlength=len(_NAMES) + 1)[1:]
    shares = dict(zip(_NAMES, totals / max(1, len(codes.points)), strict=True))
    if shares["kana"] > 0.1:
        return "japanese"
    name = max(shares, key=lambda name: shares[name])
    return name if shares[name] > 0.3 and name != "kana" else None


@dataclass(slots=True)
class Alphabet:
    """The characters of one side of a corpus."""

    seen: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(_ALL, np.bool_))

    def add(self, codes: Codes) -> None:
        self.seen[codes.points] = True

    def unseen(self, codes: Codes) -> NDArray[np.bool_]:
        """Return which code points do not occur in the corpus."""
        return ~self.seen[codes.points]


# -- language --------------------------------------------------------------------------------------


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
