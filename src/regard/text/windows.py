"""Long sequences in windows: of at most so many each, as few as can be, and as equal as can be."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TypeVar

A = TypeVar("A")


def window_sizes(length: int, longest: int) -> list[int]:
    """How long each window is; nothing has none."""
    count = -(-length // longest)
    return [length // count + (place < length % count) for place in range(count)]


def split_windows(sequence: Sequence[A], longest: int) -> list[Sequence[A]]:
    edges = accumulate(window_sizes(len(sequence), longest), initial=0)
    return [sequence[start:stop] for start, stop in pairwise(edges)]
