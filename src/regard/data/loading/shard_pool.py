"""A pool of an epoch: opens its shards, plans its batches and reads them as tensors."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray

from regard.batch import Batch, Tokens
from regard.data.loading.batch_plan import BatchCuts, ShardVisit, plan_batches
from regard.data.loading.shards import OpenShard, Shard
from regard.text.tokenizer import BOS, EOS, PAD, Tokenizer


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


@dataclass(frozen=True, slots=True)
class SubwordSampling:
    """Sample a new segmentation for each batch: subword regularization (Kudo, 2018).

    The ids in the shards are decoded to the normalized text and segmented again. Order and batch
    sizes are still those of the stored ids.
    """

    tokenizer: Tokenizer
    alpha: float


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
        self.sampling = sampling
        self.name = (order.seed, epoch, number)
        self.opened: list[OpenShard] = [shards[visit.shard].open() for visit in visits]
        sizes = [len(shard.lengths) for shard in self.opened]
        self.firsts = np.cumsum([0, *sizes])  # index of each shard's first pair in the pool
        self.lengths = np.concatenate([shard.lengths for shard in self.opened])
        shares = np.repeat([visit.fraction for visit in visits], sizes)
        widths = self.lengths + np.array([special.count for special in self.special], np.uint16)
        self.batches: BatchCuts = plan_batches(
            order.seed, epoch, number, widths, shares, order.budget
        )

    def __len__(self) -> int:
        return len(self.batches)

    def target_tokens(self, batch: int) -> int:
        """Return the number of tokens that the model predicts in a batch."""
        rows = self.batches.rows(batch)
        return int(self.lengths[rows, 1].sum()) + len(rows) * self.special[1].end

    def read(self, batch: int) -> Batch:
        """Read a batch, padded, with special tokens."""
        rows = np.sort(self.batches.rows(batch))  # groups the rows by shard
        cuts = np.searchsorted(rows, self.firsts)
        source = self._gather(rows, cuts, 0)
        target = self._gather(rows, cuts, 1)
        if self.sampling is not None:
            source = self._resample(self.sampling, source, batch, 0)
            target = self._resample(self.sampling, target, batch, 1)
        return Batch(source, target)

    def _gather(self, rows: NDArray[np.int64], cuts: NDArray[np.int64], side: int) -> Tokens:
        """Copy ids from the memory maps to a padded array, with one fancy index per shard."""
        special = self.special[side]
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

    def _resample(self, sampling: SubwordSampling, tokens: Tokens, batch: int, side: int) -> Tokens:
        assert tokens.lengths is not None
        special = self.special[side]
        name = repr((*self.name, batch, side)).encode()
        seed = int.from_bytes(hashlib.sha256(name).digest()[:4])
        texts = [
            sampling.tokenizer.decode(row[:n])
            for row, n in zip(tokens.ids.tolist(), tokens.lengths.tolist(), strict=True)
        ]
        pieces = sampling.tokenizer.sample(texts, alpha=sampling.alpha, seed=seed)
        lengths = np.array([len(row) for row in pieces])
        ids = np.full((len(pieces), int(lengths.max()) + special.count), PAD, np.int64)
        for row, new in zip(ids[:, special.begin :], pieces, strict=True):
            row[: len(new)] = new
        return _add_special_tokens(ids, lengths, special)


def _add_special_tokens(
    ids: Int[np.ndarray, "B S"], lengths: Int[np.ndarray, " B"], special: SpecialTokens
) -> Tokens:
    if special.begin:
        ids[:, 0] = BOS
    if special.end:
        ids[np.arange(len(ids)), lengths + special.begin] = EOS
    return Tokens(torch.from_numpy(ids), torch.from_numpy(lengths + special.count))
