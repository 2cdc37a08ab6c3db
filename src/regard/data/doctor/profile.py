"""Vectorized statistics of lines: characters, scripts and trigrams.

Lines are concatenated to one array of code points, so that a million lines take seconds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from regard.data.filters import SCRIPTS

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
