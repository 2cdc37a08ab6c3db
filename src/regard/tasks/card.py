"""What is told of a trained model: the data that it read, and its card."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import groupby
from typing import Any, Protocol, runtime_checkable

from torch import nn

from regard.bundle.bundle import CARD, DATA
from regard.bundle.card import Facts, Read, Score, write_card
from regard.data.batches.shards import Prepared, fingerprint
from regard.spec.export import obstacles
from regard.spec.run import Run
from regard.text.tokenizer import SentencePiece
from regard.train.trainer import Outcome


@runtime_checkable
class Taught(Protocol):
    """What every task of ours has: what it was made from."""

    run: Run
    prepared: Prepared
    tokenizer: SentencePiece


def told(
    task: Taught,
    model: nn.Module,
    outcome: Outcome,
    *,
    pieces: str,  # whose they are
    search: str,
    alignment: str | None = "",
    in_words: Mapping[str, str],  # what scores mean that have no signature
    **differing: Any,  # the fields of a card that are not those of a translator
) -> dict[str, bytes]:
    """The files of a bundle in which its data and its card are told."""
    run, tokenizer = task.run, task.tokenizer
    read, found = corpora(task.prepared), outcome.scores
    units = differing.get("units", ("pairs", "source pieces", "target pieces"))
    data = {
        one.name: {units[0]: one.pairs, "tokens": one.tokens, "fingerprint": one.fingerprint}
        for one in read
    }
    card = Facts(
        name="A model sealed by regard",
        about=run.about,
        kind=_kind(run),
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        vocabulary=f"{tokenizer.size:,} {run.data.kind} pieces of {pieces}, {tokenizer.form}",
        tokenizer=tokenizer.fingerprint,
        corpora=read,
        training=_training(run, outcome),
        scores=()
        if found is None
        else tuple(
            Score(name, value, found.signatures.get(name, in_words.get(name, "")))
            for name, value in found.values.items()
        ),
        scored_on=f"validation {units[0]}, at step {outcome.best_step:,}",
        search=search,
        alignment=alignment,
        export="; ".join(obstacles(run)) or "CTranslate2 can run it",
        **differing,
    )
    return {DATA: json.dumps(data, indent=1).encode(), CARD: write_card(card).encode()}


def corpora(prepared: Prepared) -> tuple[Read, ...]:
    found = []
    for split in prepared.splits:
        for name, group in groupby(prepared.shards(split), key=lambda shard: shard.corpus):
            shards = list(group)
            source, target = (sum(shard.tokens[side] for shard in shards) for side in (0, 1))
            pairs = sum(shard.pairs for shard in shards)
            label = name if name.startswith(split) else f"{split} of {name}"
            found.append(Read(label, pairs, (source, target), fingerprint(shards)))
    return tuple(found)


def _kind(run: Run) -> str:
    model = run.model
    parts = (getattr(model, "encoder", None), getattr(model, "decoder", None))
    return " → ".join(_size(part) for part in parts if part is not None)


def _size(part: Any) -> str:
    """A part's kind and what is said of how large it is."""
    said = part.model_dump()
    sizes = [str(said[name]) for name in ("layers", "dim") if name in said]
    sizes += ["-".join(map(str, said.get("channels", ())))]
    return f"{part.kind}, {' × '.join(filter(None, sizes))}"


def _training(run: Run, outcome: Outcome) -> dict[str, str]:
    train = run.train
    return {
        "train.steps": f"{outcome.step:,} ({outcome.why})",
        "train.batch_tokens": f"{train.micro_batches} × {train.batch_tokens:,}",
        "train.optimizer": f"{train.optimizer.kind}, rate {train.optimizer.rate:g}",
        "train.schedule": f"{train.schedule.kind}, {train.schedule.warmup:,} steps up",
        "train.smoothing": f"{train.smoothing:g}",
        "train.seed": str(train.seed),
    }
