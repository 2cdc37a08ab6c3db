"""Split long sequences into as few windows as possible, of nearly equal length."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TypeVar

A = TypeVar("A")


def window_sizes(length: int, max_length: int) -> list[int]:
    """Return the length of each window; no windows for length 0."""
    count = -(-length // max_length)
    return [length // count + (i < length % count) for i in range(count)]


def split_windows(sequence: Sequence[A], max_length: int) -> list[Sequence[A]]:
    """Split a sequence into windows of at most `max_length` items."""
    edges = accumulate(window_sizes(len(sequence), max_length), initial=0)
    return [sequence[start:stop] for start, stop in pairwise(edges)]
