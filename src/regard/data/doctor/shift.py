"""Do the two sides keep step? Found from what a line and its translation have in common.

A translation is about as long as its source, has about as many digits and as much punctuation. Over
some hundred pairs these go together (Multi30k: a correlation of 0.8 in length) while those of a
line and the neighbour of its translation do not. So each window of pairs is also tried with the
target moved by one or two lines, and the place that fits best is where it belongs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regard.data.doctor.profile import Codes

WINDOW = 500  # pairs: chance alone correlates by 0.045
_FEWEST = 100  # fewer say nothing
_OFFSETS = (-1, 1, -2, 2)
_CLEARLY = 0.25  # five times what chance does
_UNRELATED = 0.2  # in 100 pairs; 3,000 such windows of sound corpora have 0.36 or more

_CLASSES = np.zeros(0x110000, np.uint8)  # of each code point: 1 a digit, 2 a mark, 0 neither
_CLASSES[[ord(c) for c in "0123456789"]] = 1
_DIGITS = np.array([pow(3, 31 + n, 1 << 61) for n in range(10)], np.uint64)  # one for each
_CLASSES[[ord(c) for c in ',;:?!()"“”„«»、，？！：；']] = 2


@dataclass(frozen=True, slots=True)
class OffsetRange:
    """How a run of windows keeps step: line n of the source is line n + offset of the target.

    No offset: the two sides have nothing in common wherever one puts them.
    """

    first: int  # the first pair, counted from 0
    last: int
    offset: int | None


def features(codes: Codes) -> NDArray[np.float64]:
    """A row for each line: what its translation should have too."""
    classes = _CLASSES[codes.points]
    digits, marks = codes.count(classes == 1), codes.count(classes == 2)
    return np.log1p(np.stack([codes.lengths, digits, marks], axis=1))


def find_offsets(
    first: int, source: NDArray[np.float64], target: NDArray[np.float64]
) -> Iterator[OffsetRange]:
    """How each window of these pairs keeps step; the first of them is pair `first`."""
    count = max(1, round(len(source) / WINDOW))
    for rows in np.array_split(np.arange(len(source)), count):
        if len(rows) < _FEWEST:
            continue
        scores = {0: _agreement(source[rows], target[rows], 0)}
        if scores[0] < 1 - _CLEARLY:  # else no other can be clearly better
            scores |= {o: _agreement(source[rows], target[rows], o) for o in _OFFSETS}
        best = max(scores, key=lambda offset: scores[offset])
        if scores[best] > scores[0] + _CLEARLY:
            yield OffsetRange(first + int(rows[0]), first + int(rows[-1]), best)
            continue
        for few in np.array_split(rows, max(1, len(rows) // _FEWEST)):
            related = _agreement(source[few], target[few], 0) >= _UNRELATED
            vary = min(source[few, 0].std(), target[few, 0].std()) > 0.1  # else nothing is said
            yield OffsetRange(
                first + int(few[0]), first + int(few[-1]), None if vary and not related else 0
            )


def exchanged(source: Codes, target: Codes) -> NDArray[np.bool_]:
    """Which lines changed places with a neighbour on one side, as far as their digits show it.

    Line n has the digits of translation n + 1, line n + 1 those of translation n, and neither has
    its own. Only lines with two digits or more can be told.
    """
    (left, digits), (right, _) = _signatures(source), _signatures(target)
    crossed = (left[:-1] == right[1:]) & (left[1:] == right[:-1]) & (left[:-1] != left[1:])
    crossed &= (np.maximum(digits[:-1], digits[1:]) >= 2) & (left[:-1] != right[:-1])
    return np.append(crossed, False) | np.insert(crossed, 0, False)


def join_offsets(found: list[OffsetRange]) -> list[OffsetRange]:
    """Neighbouring windows that keep the same step, as one."""
    joined: list[OffsetRange] = []
    for step in found:
        if joined and joined[-1].offset == step.offset and joined[-1].last + 1 == step.first:
            joined[-1] = OffsetRange(joined[-1].first, step.last, step.offset)
        else:
            joined.append(step)
    return joined


def _agreement(source: NDArray[np.float64], target: NDArray[np.float64], offset: int) -> float:
    """The mean correlation of the features that vary on both sides."""
    size = len(source) - abs(offset)
    left, right = source[max(0, -offset) :][:size], target[max(0, offset) :][:size]
    left, right = left - left.mean(axis=0), right - right.mean(axis=0)
    spread = np.sqrt((left**2).mean(axis=0) * (right**2).mean(axis=0))
    varied = spread > 1e-3
    if not varied.any():
        return 0.0
    return float(((left * right).mean(axis=0)[varied] / spread[varied]).mean())


def _signatures(codes: Codes) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """The same for two lines that have the same digits in any order: 1,000 and 1.000; how many."""
    places = np.flatnonzero(_CLASSES[codes.points] == 1)
    lines = codes.lines_of(places)
    signatures = np.zeros(len(codes.starts), np.uint64)
    np.add.at(signatures, lines, _DIGITS[codes.points[places] - ord("0")])
    return signatures, np.bincount(lines, minlength=len(signatures))
