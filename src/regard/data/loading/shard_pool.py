"""Batches from shards: which examples, in which order, of which size."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray

from regard.batch import Batch, Tokens
from regard.data.loading.shards import OpenShard, Shard
from regard.text.tokenizer import BOS, EOS, PAD, Tokenizer

# -- the batches of an epoch as a pure function of seed, epoch and lengths -------------------------
# The shards of an epoch are shuffled and grouped into pools. Within a pool, pairs of similar length
# are cut into batches by a budget of tokens, and the batches are shuffled. Only the lengths of one
# pool are in memory, 4 bytes a pair, so memory does not grow with the corpus. The plan does not
# depend on the number of workers or ranks (invariant 9, order).
#
# The cost of a batch is rows × the width of its widest side, including padding, which bounds the
# memory of the model. A pair wider than the budget is a batch by itself.


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


# -- shard pool ------------------------------------------------------------------------------------


_MEASURED = 256  # pairs of a pool whose growth by sampling is measured


@dataclass(frozen=True, slots=True)
class SpecialTokens:
    """Whether BOS and EOS are added to a sequence."""

    begin: bool
    end: bool

    @property
    def count(self) -> int:
        return self.begin + self.end


SOURCE_TOKENS, TARGET_TOKENS = (
    SpecialTokens(begin=False, end=True),
    SpecialTokens(begin=True, end=True),
)  # of sentences


@dataclass(frozen=True, slots=True)
class BatchOrder:
    """Everything that determines the stream of batches, besides the shards."""

    seed: int
    budget: int  # tokens of a batch on its wider side, including padding and special tokens
    micro_batches: int = 1  # per step, of all ranks together
    pool_pairs: int = 1 << 19  # half a million pairs are planned in a tenth of a second
    source: SpecialTokens = SOURCE_TOKENS
    target: SpecialTokens = TARGET_TOKENS
    mix_corpora: bool = False  # each step has pairs of all corpora, in batches of one corpus each


@dataclass(frozen=True, slots=True)
class SubwordSampling:
    """Sample a new segmentation for each batch: subword regularization (Kudo, 2018).

    The ids in the shards are decoded to the normalized text and segmented again. A sampled
    segmentation has more pieces than the stored one, so batches are planned for longer sequences.
    A sequence that does not fit the batch's budget, or `max_length`, keeps its stored ids.
    """

    tokenizers: tuple[Tokenizer, Tokenizer]  # of source and target
    alpha: float  # inverse temperature: the smaller, the more the segmentations vary
    max_length: int  # pieces of a source or target

    def sample(self, ids: Sequence[Sequence[int]], side: int, name: object) -> list[list[int]]:
        """Return new ids of the same texts; the same name gives the same ids.

        `side`: 0 if they are sources, 1 if they are targets.
        """
        tokenizer = self.tokenizers[side]
        seed = int.from_bytes(hashlib.sha256(repr(name).encode()).digest()[:4])
        texts = [tokenizer.decode(row) for row in ids]
        sampled = tokenizer.sample(texts, alpha=self.alpha, seed=seed)
        tags = set(tokenizer.tags.values())
        if not tags:
            return sampled
        tag_rows = ([token for token in row if token in tags] for row in ids)
        return [[*row_tags, *new] for row_tags, new in zip(tag_rows, sampled, strict=True)]


class ShardPool:
    """The open shards of a pool and its batches."""

    def __init__(
        self,
        shards: Sequence[Shard],
        visits: Sequence[ShardVisit],
        order: BatchOrder,
        epoch: int,
        number: int,
        sampling: SubwordSampling | None,
    ) -> None:
        self.special = (order.source, order.target)
        self.sampling, self.budget = sampling, order.budget
        self.name = (order.seed, epoch, number)
        self.opened: list[OpenShard] = [shards[visit.shard].open() for visit in visits]
        sizes = [len(shard.lengths) for shard in self.opened]
        self.firsts = np.cumsum([0, *sizes])  # index of each shard's first pair in the pool
        self.lengths = np.concatenate([shard.lengths for shard in self.opened])
        shares = np.repeat([visit.fraction for visit in visits], sizes)
        corpora = None
        if order.mix_corpora:
            names = [shards[visit.shard].corpus for visit in visits]
            corpora = np.repeat([sorted(set(names)).index(name) for name in names], sizes)
        planned = self.lengths
        if sampling is not None:
            longer = np.minimum(self.lengths * self._growth(sampling), sampling.max_length)
            planned = np.maximum(self.lengths, longer.astype(np.uint16))
        widths = planned + np.array([special.count for special in self.special], np.uint16)
        self.batches: BatchCuts = plan_batches(
            order.seed, epoch, number, widths, shares, order.budget, corpora
        )

    def __len__(self) -> int:
        return len(self.batches)

    def target_tokens(self, batch: int) -> int:
        """Return the number of tokens that the model predicts in a batch."""
        rows = self.batches.rows(batch)
        if self.sampling is None:
            return int(self.lengths[rows, 1].sum()) + len(rows) * self.special[1].end
        return count_targets(self._read_side(batch, 1), self.special[1])

    def read(self, batch: int) -> Batch:
        """Read a batch, padded, with special tokens."""
        return Batch(self._read_side(batch, 0), self._read_side(batch, 1))

    def _read_side(self, batch: int, side: int) -> Tokens:
        rows = np.sort(self.batches.rows(batch))  # groups the rows by shard
        tokens = self._gather(rows, side)
        if self.sampling is None:
            return tokens
        return self._resample(self.sampling, tokens, batch, side)

    def _gather(self, rows: NDArray[np.int64], side: int) -> Tokens:
        """Copy ids from the memory maps to a padded array, with one fancy index per shard."""
        special, cuts = self.special[side], np.searchsorted(rows, self.firsts)
        lengths = self.lengths[rows, side].astype(np.int64)
        widest = int(lengths.max())
        offsets = np.arange(widest)
        ids = np.empty((len(rows), widest + special.count), np.int64)
        body = ids[:, special.begin : special.begin + widest]
        for shard, opened in enumerate(self.opened):
            a, b = cuts[shard], cuts[shard + 1]
            if a == b:
                continue
            flat = (opened.source, opened.target)[side]
            starts = opened.starts[rows[a:b] - self.firsts[shard], side]
            body[a:b] = flat.take(starts[:, None] + offsets, mode="clip")
        ids[:, special.begin :][np.arange(widest + special.end) >= lengths[:, None]] = PAD
        return _add_special_tokens(ids, lengths, special)

    def _growth(self, sampling: SubwordSampling) -> NDArray[np.float64]:
        """Return a factor by which few sampled sources and targets grow more, from some pairs."""
        count = len(self.lengths)
        if not count:
            return np.ones(2)
        rows = np.linspace(0, count - 1, min(count, _MEASURED), dtype=np.int64)
        growth = []
        for side in (0, 1):
            stored = _unpadded(self._gather(rows, side))
            sampled = sampling.sample(stored, side, (*self.name, "growth", side))
            lengths = np.maximum(self.lengths[rows, side], 1)
            growth.append(np.quantile([len(row) for row in sampled] / lengths, 0.9))
        return np.array(growth)

    def _resample(self, sampling: SubwordSampling, tokens: Tokens, batch: int, side: int) -> Tokens:
        stored, special = _unpadded(tokens), self.special[side]
        sampled = sampling.sample(stored, side, (*self.name, batch, side))
        limit = min(self.budget // len(stored) - special.count, sampling.max_length)
        pieces = [
            new if len(new) <= limit else old[special.begin : len(old) - special.end]
            for old, new in zip(stored, sampled, strict=True)
        ]
        lengths = np.array([len(row) for row in pieces])
        ids = np.full((len(pieces), int(lengths.max()) + special.count), PAD, np.int64)
        for row, new in zip(ids[:, special.begin :], pieces, strict=True):
            row[: len(new)] = new
        return _add_special_tokens(ids, lengths, special)


def count_targets(target: Tokens, special: SpecialTokens) -> int:
    """Return the number of tokens of a batch that the model predicts: all except BOS."""
    assert target.lengths is not None
    return int(target.lengths.sum()) - len(target.lengths) * special.begin


def _unpadded(tokens: Tokens) -> list[list[int]]:
    assert tokens.lengths is not None
    return [row[:n] for row, n in zip(tokens.ids.tolist(), tokens.lengths.tolist(), strict=True)]


def _add_special_tokens(
    ids: Int[np.ndarray, "B S"], lengths: Int[np.ndarray, " B"], special: SpecialTokens
) -> Tokens:
    if special.begin:
        ids[:, 0] = BOS
    if special.end:
        ids[np.arange(len(ids)), lengths + special.begin] = EOS
    return Tokens(torch.from_numpy(ids), torch.from_numpy(lengths + special.count))
