"""Detect shifted lines from features that a line shares with its translation.

A translation has about the length, the digits and the punctuation of its source. Over some hundred
pairs these features correlate (Multi30k: 0.8 in length); those of a line and the neighbor of its
translation do not. For each window of pairs, the correlation is computed with the target shifted by
up to two lines, and the best offset wins.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from regard.data.doctor.profile import Codes

WINDOW = 500  # pairs; random correlation is about 0.045
_MIN_PAIRS = 100  # fewer are not significant
_OFFSETS = (-1, 1, -2, 2)
_MARGIN = 0.25  # five times the random correlation
_UNRELATED = 0.2  # in 100 pairs; 3,000 such windows of sound corpora have 0.36 or more

_CLASSES = np.zeros(0x110000, np.uint8)  # of each code point: 1 digit, 2 punctuation, 0 neither
_CLASSES[[ord(c) for c in "0123456789"]] = 1
_DIGIT_HASHES = np.array([pow(3, 31 + n, 1 << 61) for n in range(10)], np.uint64)
_CLASSES[[ord(c) for c in ',;:?!()"“”„«»、，？！：；']] = 2


@dataclass(frozen=True, slots=True)
class OffsetRange:
    """A range of pairs in which line n of the source matches line n + offset of the target.

    `offset` is None if source and target do not correlate.
    """

    first: int  # the first pair, counted from 0
    last: int
    offset: int | None


def features(codes: Codes) -> NDArray[np.float64]:
    """Return, for each line, the log of its length, digits and punctuation."""
    classes = _CLASSES[codes.points]
    digits, punctuation = codes.count(classes == 1), codes.count(classes == 2)
    return np.log1p(np.stack([codes.lengths, digits, punctuation], axis=1))


def find_offsets(
    first: int, source: NDArray[np.float64], target: NDArray[np.float64]
) -> Iterator[OffsetRange]:
    """Yield the offset of each window of pairs; `first` is the number of the first pair."""
    count = max(1, round(len(source) / WINDOW))
    for rows in np.array_split(np.arange(len(source)), count):
        if len(rows) < _MIN_PAIRS:
            continue
        scores = {0: _correlation(source[rows], target[rows], 0)}
        if scores[0] < 1 - _MARGIN:  # else no other offset can exceed it by the margin
            scores |= {o: _correlation(source[rows], target[rows], o) for o in _OFFSETS}
        best = max(scores, key=lambda offset: scores[offset])
        if scores[best] > scores[0] + _MARGIN:
            yield OffsetRange(first + int(rows[0]), first + int(rows[-1]), best)
            continue
        for part in np.array_split(rows, max(1, len(rows) // _MIN_PAIRS)):
            offset_range = OffsetRange(first + int(part[0]), first + int(part[-1]), 0)
            # Empty lines have a check of their own.
            filled = part[(source[part, 0] > 0) & (target[part, 0] > 0)]
            if len(filled) >= _MIN_PAIRS // 2:
                source_features, target_features = source[filled], target[filled]
                # Without variation in length, a low correlation means nothing.
                varied = min(source_features[:, 0].std(), target_features[:, 0].std()) > 0.1
                if varied and _correlation(source_features, target_features, 0) < _UNRELATED:
                    offset_range = replace(offset_range, offset=None)
            yield offset_range


def find_swapped_lines(source: Codes, target: Codes) -> NDArray[np.bool_]:
    """Return which lines are swapped with a neighbor on one side, judged by their digits.

    Line n has the digits of translation n + 1, line n + 1 those of translation n, and neither has
    the digits of its own translation. Works only for lines with at least two digits.
    """
    (source_digits, digits), (target_digits, _) = _signatures(source), _signatures(target)
    crossed = (
        (source_digits[:-1] == target_digits[1:])
        & (source_digits[1:] == target_digits[:-1])
        & (source_digits[:-1] != source_digits[1:])
    )
    crossed &= (np.maximum(digits[:-1], digits[1:]) >= 2) & (
        source_digits[:-1] != target_digits[:-1]
    )
    return np.append(crossed, False) | np.insert(crossed, 0, False)


def join_offsets(ranges: list[OffsetRange]) -> list[OffsetRange]:
    """Join adjacent ranges with the same offset."""
    joined: list[OffsetRange] = []
    for part in ranges:
        if joined and joined[-1].offset == part.offset and joined[-1].last + 1 == part.first:
            joined[-1] = OffsetRange(joined[-1].first, part.last, part.offset)
        else:
            joined.append(part)
    return joined


def _correlation(source: NDArray[np.float64], target: NDArray[np.float64], offset: int) -> float:
    """Return the mean correlation of the features that vary on both sides."""
    size = len(source) - abs(offset)
    x, y = source[max(0, -offset) :][:size], target[max(0, offset) :][:size]
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    spread = np.sqrt((x**2).mean(axis=0) * (y**2).mean(axis=0))
    varied = spread > 1e-3
    if not varied.any():
        return 0.0
    return float(((x * y).mean(axis=0)[varied] / spread[varied]).mean())


def _signatures(codes: Codes) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return a hash of each line's digits in any order (1,000 equals 1.000), and their number."""
    indices = np.flatnonzero(_CLASSES[codes.points] == 1)
    lines = codes.lines_of(indices)
    signatures = np.zeros(len(codes.starts), np.uint64)
    np.add.at(signatures, lines, _DIGIT_HASHES[codes.points[indices] - ord("0")])
    return signatures, np.bincount(lines, minlength=len(signatures))
