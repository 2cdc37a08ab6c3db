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
