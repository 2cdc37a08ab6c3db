"""Word links from sentence pairs alone: IBM Model 1 (Brown et al. 1993, 4.1).

    p(f_j, a_j = i | e) ∝ t(f_j | e_i),  with e_0 for words without a counterpart

A few EM iterations estimate t. Model 1 ignores word order and is independent of any neural model,
so its links serve to choose a model's alignment head without manual alignments.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from regard.align.links import Links

ITERATIONS = 5  # more sharpen the accidental links of rare words
MIN_POSTERIOR = 0.5  # a link must be likelier than all others of its word together

Words = Sequence[str]


def ibm1_links(pairs: Sequence[tuple[Words, Words]]) -> list[Links]:
    """Train in both directions; for each pair, the links (source word, target word) of both."""
    forward = _train_ibm1(pairs)
    backward = _train_ibm1([(target, source) for source, target in pairs])
    return [
        Links(link for link in one if (link[1], link[0]) in other)
        for one, other in zip(forward, backward, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Cells:
    """All combinations of a source word, or NULL (word 0), with a target word of the same pair."""

    pair: NDArray[np.int64]
    i: NDArray[np.int64]  # index of the source word; −1: NULL
    j: NDArray[np.int64]  # index of the target word
    token: NDArray[np.int64]  # number of the target token, over all pairs
    entry: NDArray[np.int64]  # index into the table of t
    source: NDArray[np.int64]  # for each entry of the table, its source word


def _train_ibm1(pairs: Sequence[tuple[Words, Words]]) -> list[set[tuple[int, int]]]:
    found: list[set[tuple[int, int]]] = [set() for _ in pairs]
    if not any(target for _, target in pairs):
        return found
    cells = _cells(pairs)
    t = np.ones(len(cells.source))
    posterior = _posteriors(cells, t)
    for _ in range(ITERATIONS):
        counts = np.bincount(cells.entry, posterior, len(cells.source))
        t = counts / np.bincount(cells.source, counts)[cells.source]
        posterior = _posteriors(cells, t)
    kept = (posterior > MIN_POSTERIOR) & (cells.i >= 0)
    for pair, i, j in zip(cells.pair[kept], cells.i[kept], cells.j[kept], strict=True):
        found[pair].add((int(i), int(j)))
    return found


def _posteriors(cells: _Cells, t: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each target token, the distribution over the source words that it may align to."""
    each = t[cells.entry]
    return each / np.bincount(cells.token, each)[cells.token]


def _cells(pairs: Sequence[tuple[Words, Words]]) -> _Cells:
    sources, targets = _numbers(s for s, _ in pairs), _numbers(t for _, t in pairs)
    blocks = []
    token = 0
    for pair, (source, target) in enumerate(pairs):
        i, j = np.meshgrid(np.arange(-1, len(source)), np.arange(len(target)))
        source_ids = np.array([0, *(sources[word] for word in source)])
        target_ids = np.array([targets[word] for word in target], dtype=np.int64)
        keys = source_ids[i + 1] * (len(targets) + 1) + target_ids[j]
        blocks.append(np.stack([np.full_like(i, pair), i, j, token + j, keys]).reshape(5, -1))
        token += len(target)
    pair_, i_, j_, token_, key = np.concatenate(blocks, axis=1)
    entries, entry = np.unique(key, return_inverse=True)
    return _Cells(pair_, i_, j_, token_, entry, entries // (len(targets) + 1))


def _numbers(texts: Iterable[Words]) -> dict[str, int]:
    """The number of each distinct word, counted from 1."""
    words = dict.fromkeys(chain.from_iterable(texts))
    return {word: number for number, word in enumerate(words, 1)}
