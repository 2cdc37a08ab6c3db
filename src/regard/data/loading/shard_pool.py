"""One pool of an epoch: its shards open, its batches planned, and each gathered into tensors."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray

from regard.batch import Batch, Tokens
from regard.data.loading.batch_plan import BatchCuts, ShardVisit, cut_pool
from regard.data.loading.shards import OpenShard, Shard
from regard.text.tokenizer import BOS, EOS, PAD, Tokenizer


@dataclass(frozen=True, slots=True)
class SpecialTokens:
    """Which marks are set around a side."""

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
    """All that the stream of batches depends on, besides the shards."""

    seed: int
    budget: int  # tokens of a batch on its wider side, padding and marks counted
    micro_batches: int = 1  # in a step, of all ranks together
    pool_pairs: int = 1 << 19  # half a million pairs are planned in a tenth of a second
    source: SpecialTokens = SOURCE_TOKENS
    target: SpecialTokens = TARGET_TOKENS


@dataclass(frozen=True, slots=True)
class SubwordSampling:
    """Segment anew each time, by chance: subword regularisation (Kudo, 2018).

    The shards hold the text, since decoding ids gives the normalised text back. The order, and with
    it the budget, stays that of the stored ids.
    """

    tokenizer: Tokenizer
    alpha: float


class ShardPool:
    """The shards of a pool, open, and its batches."""

    def __init__(
        self,
        shards: Sequence[Shard],
        visits: Sequence[ShardVisit],
        order: BatchOrder,
        epoch: int,
        number: int,
        sampling: SubwordSampling | None,
    ) -> None:
        self.marks = (order.source, order.target)
        self.sampling = sampling
        self.name = (order.seed, epoch, number)
        self.opened: list[OpenShard] = [shards[visit.shard].open() for visit in visits]
        sizes = [len(shard.lengths) for shard in self.opened]
        self.firsts = np.cumsum([0, *sizes])  # the pool's number of each shard's first pair
        self.lengths = np.concatenate([shard.lengths for shard in self.opened])
        shares = np.repeat([visit.fraction for visit in visits], sizes)
        widths = self.lengths + np.array([marks.count for marks in self.marks], np.uint16)
        self.batches: BatchCuts = cut_pool(order.seed, epoch, number, widths, shares, order.budget)

    def __len__(self) -> int:
        return len(self.batches)

    def predicted(self, batch: int) -> int:
        """How many tokens the batch's target side asks to be predicted."""
        rows = self.batches.rows(batch)
        return int(self.lengths[rows, 1].sum()) + len(rows) * self.marks[1].end

    def read(self, batch: int) -> Batch:
        rows = np.sort(self.batches.rows(batch))  # so that those of a shard stand together
        cuts = np.searchsorted(rows, self.firsts)
        source = self._gather(rows, cuts, 0)
        target = self._gather(rows, cuts, 1)
        if self.sampling is not None:
            source = self._segment_anew(self.sampling, source, batch, 0)
            target = self._segment_anew(self.sampling, target, batch, 1)
        return Batch(source, target)

    def _gather(self, rows: NDArray[np.int64], cuts: NDArray[np.int64], side: int) -> Tokens:
        """Ids straight from the maps into a padded array: a fancy index for each shard."""
        marks = self.marks[side]
        lengths = self.lengths[rows, side].astype(np.int64)
        widest = int(lengths.max())
        places = np.arange(widest)
        ids = np.empty((len(rows), widest + marks.count), np.int64)
        body = ids[:, marks.begin : marks.begin + widest]
        for shard, opened in enumerate(self.opened):
            a, b = cuts[shard], cuts[shard + 1]
            if a == b:
                continue
            flat = (opened.source, opened.target)[side]
            starts = opened.starts[rows[a:b] - self.firsts[shard], side]
            body[a:b] = flat.take(starts[:, None] + places, mode="clip")
        ids[:, marks.begin :][np.arange(widest + marks.end) >= lengths[:, None]] = PAD
        return _add_special_tokens(ids, lengths, marks)

    def _segment_anew(self, how: SubwordSampling, tokens: Tokens, batch: int, side: int) -> Tokens:
        assert tokens.lengths is not None
        marks = self.marks[side]
        name = repr((*self.name, batch, side)).encode()
        seed = int.from_bytes(hashlib.sha256(name).digest()[:4])  # SentencePiece takes 32 bits
        texts = [
            how.tokenizer.decode(row[:n])
            for row, n in zip(tokens.ids.tolist(), tokens.lengths.tolist(), strict=True)
        ]
        pieces = how.tokenizer.sample(texts, alpha=how.alpha, seed=seed)
        lengths = np.array([len(row) for row in pieces])
        ids = np.full((len(pieces), int(lengths.max()) + marks.count), PAD, np.int64)
        for row, new in zip(ids[:, marks.begin :], pieces, strict=True):
            row[: len(new)] = new
        return _add_special_tokens(ids, lengths, marks)


def _add_special_tokens(
    ids: Int[np.ndarray, "B S"], lengths: Int[np.ndarray, " B"], marks: SpecialTokens
) -> Tokens:
    if marks.begin:
        ids[:, 0] = BOS
    if marks.end:
        ids[np.arange(len(ids)), lengths + marks.begin] = EOS
    return Tokens(torch.from_numpy(ids), torch.from_numpy(lengths + marks.count))
