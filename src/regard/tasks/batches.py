"""Batches of prepared corpora, and decoder inputs and targets of a batch."""

from __future__ import annotations

from torch import Tensor

from regard.batch import Tokens
from regard.config.run import RunConfig
from regard.data.loading.loader import Loader
from regard.data.loading.shard_pool import (
    SOURCE_TOKENS,
    TARGET_TOKENS,
    BatchOrder,
    SpecialTokens,
    SubwordSampling,
)
from regard.data.loading.shards import PreparedData


def make_loader(
    run: RunConfig,
    prepared: PreparedData,
    rank: int,
    world: int,
    *,
    source: SpecialTokens = SOURCE_TOKENS,
    target: SpecialTokens = TARGET_TOKENS,
    sampling: SubwordSampling | None = None,
) -> Loader:
    """Return an endless loader of the batches of one process."""
    train = run.train
    order = BatchOrder(
        train.seed,
        train.batch_tokens,
        train.micro_batches,
        source=source,
        target=target,
        mix_corpora=run.data.mix_corpora,
    )
    weights = {corpus_name(i): corpus.weight for i, corpus in enumerate(run.data.train)}
    return Loader(
        prepared.shards("train"),
        order,
        weights=weights or None,
        rank=rank,
        world=world,
        sampling=sampling,
    )


def corpus_name(index: int) -> str:
    """Return the name of a training corpus in shards and weights, by its index in the config."""
    return "train" if index == 0 else f"train{index + 1}"


def valid_name(index: int) -> str:
    """Return the name of a validation corpus in shards, by its index in the config."""
    return "valid" if index == 0 else f"valid{index + 1}"


def left_out(too_long: int) -> str:
    """Return the part of a run's plan on validation data that exceed data.max_length."""
    return f", {too_long:,} longer than data.max_length left out" if too_long else ""


def shift_target(target: Tokens) -> tuple[Tensor, Tokens]:
    """Split `<s> y </s>` into the decoder's input `<s> y` and the targets `y </s>`."""
    assert target.lengths is not None
    return target.ids[:, :-1], Tokens(target.ids[:, 1:], target.lengths - 1)
