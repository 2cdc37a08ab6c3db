"""Which words go together, from pairs alone: IBM's Model 1 (Brown et al. 1993, 4.1).

    p(f_j, a_j = i | e) ∝ t(f_j | e_i),  with e_0 for words that nothing stands behind

A few rounds of expectation and maximisation learn t. It knows nothing of order and of no model:
an independent witness, by which a model's own looks are judged where nobody has aligned by hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from regard.align.links import Links

ROUNDS = 5  # more rounds sharpen rare words' chance partners
SURE = 0.5  # a link must be likelier than all others of its word together

Words = Sequence[str]


def ibm1_links(pairs: Sequence[tuple[Words, Words]]) -> list[Links]:
    """Of each pair the links (source word, target word) that both directions are sure of."""
    forth = _train_ibm1(pairs)
    back = _train_ibm1([(target, source) for source, target in pairs])
    return [
        Links(link for link in one if (link[1], link[0]) in other)
        for one, other in zip(forth, back, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Cells:
    """Every source word of every pair (and nothing, word 0) beside each target word of the pair."""

    pair: NDArray[np.int64]
    i: NDArray[np.int64]  # the place of the source word, −1: nothing
    j: NDArray[np.int64]
    token: NDArray[np.int64]  # the target word among those of all pairs
    entry: NDArray[np.int64]  # of the dictionary
    source: NDArray[np.int64]  # of each entry, its source word


def _train_ibm1(pairs: Sequence[tuple[Words, Words]]) -> list[set[tuple[int, int]]]:
    found: list[set[tuple[int, int]]] = [set() for _ in pairs]
    if not any(target for _, target in pairs):
        return found
    cells = _cells(pairs)
    likely = np.ones(len(cells.source))
    share = _shares(cells, likely)
    for _ in range(ROUNDS):
        counts = np.bincount(cells.entry, share, len(cells.source))
        likely = counts / np.bincount(cells.source, counts)[cells.source]
        share = _shares(cells, likely)
    sure = (share > SURE) & (cells.i >= 0)
    for pair, i, j in zip(cells.pair[sure], cells.i[sure], cells.j[sure], strict=True):
        found[pair].add((int(i), int(j)))
    return found


def _shares(cells: _Cells, likely: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of each target word, how it is shared out among the words that it may stand for."""
    each = likely[cells.entry]
    return each / np.bincount(cells.token, each)[cells.token]


def _cells(pairs: Sequence[tuple[Words, Words]]) -> _Cells:
    sources, targets = _numbers(s for s, _ in pairs), _numbers(t for _, t in pairs)
    blocks = []
    token = 0
    for pair, (source, target) in enumerate(pairs):
        i, j = np.meshgrid(np.arange(-1, len(source)), np.arange(len(target)))
        words = np.array([0, *(sources[word] for word in source)])
        others = np.array([targets[word] for word in target], dtype=np.int64)
        keys = words[i + 1] * (len(targets) + 1) + others[j]
        blocks.append(np.stack([np.full_like(i, pair), i, j, token + j, keys]).reshape(5, -1))
        token += len(target)
    pair_, i_, j_, token_, key = np.concatenate(blocks, axis=1)
    entries, entry = np.unique(key, return_inverse=True)
    return _Cells(pair_, i_, j_, token_, entry, entries // (len(targets) + 1))


def _numbers(texts: Iterable[Words]) -> dict[str, int]:
    """Each word's number, from 1 on."""
    words = dict.fromkeys(chain.from_iterable(texts))
    return {word: number for number, word in enumerate(words, 1)}
