"""What is told of a trained model: the data that it read, and its card."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import groupby
from typing import Any, Protocol, runtime_checkable

from torch import nn

from regard.bundle.bundle import CARD, DATA
from regard.bundle.card import CardFacts, CorpusFacts, ScoreFacts, write_card
from regard.config.run import RunConfig
from regard.data.loading.shards import PreparedData, shards_fingerprint
from regard.interop.ctranslate2_limits import export_obstacles
from regard.text.tokenizer import SentencePiece
from regard.train.trainer import TrainingOutcome


@runtime_checkable
class CardSource(Protocol):
    """What every task of ours has: what it was made from."""

    run: RunConfig
    prepared: PreparedData
    tokenizer: SentencePiece


def card_files(
    task: CardSource,
    model: nn.Module,
    outcome: TrainingOutcome,
    *,
    pieces: str,  # whose they are
    search: str,
    alignment: str | None = "",
    in_words: Mapping[str, str],  # what scores mean that have no signature
    **differing: Any,  # the fields of a card that are not those of a translator
) -> dict[str, bytes]:
    """The files of a bundle in which its data and its card are told."""
    run, tokenizer = task.run, task.tokenizer
    read, found = corpus_facts(task.prepared), outcome.scores
    units = differing.get("units", ("pairs", "source pieces", "target pieces"))
    data = {
        one.name: {units[0]: one.pairs, "tokens": one.tokens, "fingerprint": one.fingerprint}
        for one in read
    }
    card = CardFacts(
        name="A model sealed by regard",
        description=run.description,
        kind=_kind(run),
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        vocabulary=f"{tokenizer.size:,} {run.data.subword_model} pieces of {pieces}, {tokenizer.form}",
        tokenizer=tokenizer.fingerprint,
        corpora=read,
        training=_training(run, outcome),
        scores=()
        if found is None
        else tuple(
            ScoreFacts(name, value, found.signatures.get(name, in_words.get(name, "")))
            for name, value in found.values.items()
        ),
        scored_on=f"validation {units[0]}, at step {outcome.best_step:,}",
        search=search,
        alignment=alignment,
        export="; ".join(export_obstacles(run)) or "CTranslate2 can run it",
        **differing,
    )
    return {DATA: json.dumps(data, indent=1).encode(), CARD: write_card(card).encode()}


def corpus_facts(prepared: PreparedData) -> tuple[CorpusFacts, ...]:
    found = []
    for split in prepared.splits:
        for name, group in groupby(prepared.shards(split), key=lambda shard: shard.corpus):
            shards = list(group)
            source, target = (sum(shard.tokens[side] for shard in shards) for side in (0, 1))
            pairs = sum(shard.pairs for shard in shards)
            label = name if name.startswith(split) else f"{split} of {name}"
            found.append(CorpusFacts(label, pairs, (source, target), shards_fingerprint(shards)))
    return tuple(found)


def _kind(run: RunConfig) -> str:
    model = run.model
    parts = (getattr(model, "encoder", None), getattr(model, "decoder", None))
    return " → ".join(_size(part) for part in parts if part is not None)


def _size(part: Any) -> str:
    """A part's kind and what is said of how large it is."""
    said = part.model_dump()
    sizes = [str(said[name]) for name in ("layers", "dim") if name in said]
    sizes += ["-".join(map(str, said.get("channels", ())))]
    return f"{part.kind}, {' × '.join(filter(None, sizes))}"


def _training(run: RunConfig, outcome: TrainingOutcome) -> dict[str, str]:
    train = run.train
    return {
        "train.steps": f"{outcome.step:,} ({outcome.reason})",
        "train.batch_tokens": f"{train.micro_batches} × {train.batch_tokens:,}",
        "train.optimizer": f"{train.optimizer.kind}, rate {train.optimizer.rate:g}",
        "train.schedule": f"{train.schedule.kind}, {train.schedule.warmup:,} steps up",
        "train.label_smoothing": f"{train.label_smoothing:g}",
        "train.seed": str(train.seed),
    }
