"""From a run's prepared corpora to batches, and from a batch to what is said and what is meant."""

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
    """The batches of one process, without end, each corpus as often as the run weighs it."""
    train = run.train
    order = BatchOrder(
        train.seed, train.batch_tokens, train.micro_batches, source=source, target=target
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


def corpus_name(number: int) -> str:
    """Of the run's corpora, as shards and weights know them."""
    return "train" if number == 0 else f"train{number + 1}"


def shift_target(target: Tokens) -> tuple[Tensor, Tokens]:
    """What was said before each word, and the words."""
    assert target.lengths is not None
    return target.ids[:, :-1], Tokens(target.ids[:, 1:], target.lengths - 1)
