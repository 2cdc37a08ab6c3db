"""The batches of an epoch as a pure function of seed, epoch and lengths.

The shards of an epoch are shuffled and grouped into pools. Within a pool, pairs of similar length
are cut into batches by a budget of tokens, and the batches are shuffled. Only the lengths of one
pool are in memory, 4 bytes a pair, so memory does not grow with the corpus. The plan does not
depend on the number of workers or ranks (invariant 9, order).

The cost of a batch is rows × the width of its widest side, including padding, which bounds the
memory of the model. A pair wider than the budget is a batch by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Widths = NDArray[np.integer]
"""Pairs × 2: the numbers of tokens of source and target, including special tokens."""


@dataclass(frozen=True, slots=True)
class ShardVisit:
    """A shard to read, and the fraction of its pairs to read."""

    shard: int
    fraction: float


@dataclass(frozen=True, slots=True)
class BatchCuts:
    """A pool's pairs in reading order, and the edges between its batches."""

    order: NDArray[np.int64]
    edges: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.edges) - 1

    def rows(self, batch: int) -> NDArray[np.int64]:
        return self.order[self.edges[batch] : self.edges[batch + 1]]


def plan_pools(
    seed: int, epoch: int, counts: Sequence[int], weights: Sequence[float], pool_pairs: int
) -> list[tuple[ShardVisit, ...]]:
    """Return the pools of an epoch. A shard of weight 2.3 is visited for 1, 1 and 0.3 of it."""
    visits = [
        ShardVisit(shard, min(1.0, weight - visit))
        for shard, weight in enumerate(weights)
        for visit in range(int(np.ceil(weight)))
    ]
    pools: list[tuple[ShardVisit, ...]] = []
    pool: list[ShardVisit] = []
    pairs = 0.0
    for i in _shuffled(_draws(seed, epoch, lane=0), len(visits)).tolist():
        pool.append(visits[i])
        pairs += counts[visits[i].shard] * visits[i].fraction
        if pairs >= pool_pairs:
            pools.append(tuple(pool))
            pool, pairs = [], 0.0
    return [*pools, tuple(pool)] if pool else pools


def plan_batches(
    seed: int,
    epoch: int,
    pool: int,
    widths: Widths,
    shares: NDArray[np.float64],
    budget: int,
    corpora: NDArray[np.integer] | None = None,
) -> BatchCuts:
    """Return the batches of a pool; pair i is included with probability shares[i].

    Args:
        budget: maximum rows × width of a batch.
        corpora: the corpus of each pair. If given, a batch has pairs of one corpus, the batches of
            the corpora alternate, and those of any length of the sequence have all corpora in
            proportion to their tokens. The mean cost of a batch is `budget` divided by the number
            of corpora.
    """
    draws = _draws(seed, epoch, lane=1 + pool)
    order = _shuffled(draws, len(widths))
    if (shares < 1).any():
        chance = (draws.random_raw(len(widths)) >> np.uint64(11)) * 2.0**-53
        order = order[chance[order] < shares[order]]
    source, target = widths.astype(np.int32).T
    widest = np.maximum(source, target)
    # Stable sorts keep the random order among equals. Buckets are two tokens wide: on Multi30k this
    # gives 7 % padding instead of 10 % with four, and still thousands of pairs in each bucket.
    order = _sorted_by((target - source) >> 1, order)
    order = _sorted_by(widest >> 1, order)
    if corpora is not None and len(order):
        return _alternate(draws, order, corpora, widest, budget)
    edges = _cut(widest[order], budget)
    permutation = _shuffled(draws, len(edges) - 1)
    return _permuted(order, edges, permutation)


def _alternate(
    draws: np.random.Philox,
    order: NDArray[np.int64],
    corpora: NDArray[np.integer],
    widest: NDArray[np.int32],
    budget: int,
) -> BatchCuts:
    """Cut batches of one corpus each, equally many of every corpus, and let them alternate."""
    parts = [order[corpora[order] == corpus] for corpus in np.unique(corpora[order])]
    costs = np.array([widest[part].sum() for part in parts], np.float64)
    budgets = np.maximum(budget * costs / costs.sum(), 1).astype(np.int64)
    edges = [_cut(widest[part], int(most)) for part, most in zip(parts, budgets, strict=True)]
    # Corpora differ in padding. A second cut gives them the same number of batches, within a few.
    counts = np.array([len(cuts) - 1 for cuts in edges])
    budgets = np.maximum(budgets * counts // counts.max(initial=1), 1)
    edges = [_cut(widest[part], int(most)) for part, most in zip(parts, budgets, strict=True)]
    shuffled = [
        _permuted(part, cuts, _shuffled(draws, len(cuts) - 1))
        for part, cuts in zip(parts, edges, strict=True)
    ]
    times = np.concatenate([(np.arange(len(cuts)) + 0.5) / len(cuts) for cuts in shuffled])
    firsts = np.cumsum([0, *(len(cuts.order) for cuts in shuffled)])
    joined = [cuts.edges[1:] + first for cuts, first in zip(shuffled, firsts, strict=False)]
    return _permuted(
        np.concatenate([cuts.order for cuts in shuffled]),
        np.concatenate([[0], *joined]).astype(np.int64),
        np.argsort(times, kind="stable"),
    )


def _draws(seed: int, epoch: int, lane: int) -> np.random.Philox:
    """Return a bit generator. NumPy keeps its raw output stable across versions, not shuffles."""
    return np.random.Philox(key=seed | epoch << 64 | lane << 96)


def _shuffled(draws: np.random.Philox, count: int) -> NDArray[np.int64]:
    raw = draws.random_raw(count)
    # Two radix sorts of 16 bits each are five times faster than one sort of 64 bits.
    order = np.argsort((raw & np.uint64(0xFFFF)).astype(np.uint16), kind="stable")
    return _sorted_by((raw >> np.uint64(48)).astype(np.uint16), order)


def _sorted_by(key: NDArray[np.integer], order: NDArray[np.int64]) -> NDArray[np.int64]:
    narrow = np.clip(key, -32768, 65535)
    narrow = narrow.astype(np.int16 if narrow.size and narrow.min() < 0 else np.uint16)
    return order[np.argsort(narrow[order], kind="stable")]


def _cut(widest: NDArray[np.int32], budget: int) -> NDArray[np.int64]:
    """Return the edges of batches that are filled greedily up to the budget."""
    rows = np.arange(1, budget + 1, dtype=np.int64)
    edges = [0]
    start = 0
    while start < len(widest):
        limit = min(len(widest) - start, max(1, budget // int(widest[start])))
        cost = np.maximum.accumulate(widest[start : start + limit]) * rows[:limit]
        start += max(1, int(cost.searchsorted(budget, side="right")))
        edges.append(start)
    return np.array(edges, dtype=np.int64)


def _permuted(
    order: NDArray[np.int64], edges: NDArray[np.int64], permutation: NDArray[np.int64]
) -> BatchCuts:
    sizes = np.diff(edges)[permutation]
    new_edges = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    # Old index of each row: the old index of its batch's first row plus its offset in the batch.
    old = np.repeat(edges[:-1][permutation] - new_edges[:-1], sizes) + np.arange(len(order))
    return BatchCuts(order[old], new_edges)
