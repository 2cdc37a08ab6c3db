"""Bundles of any task, and their model cards."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

import torch
from torch import nn

from regard.bundle.bundle import CARD, DATA, RUN, WEIGHTS, Bundle
from regard.bundle.card import CardFacts, CorpusFacts, ScoreFacts, write_card
from regard.bundle.parts import build_and_restore
from regard.config.data import language_pairs
from regard.config.describe import model_sizes, run_caption
from regard.config.load import parse_config
from regard.config.run import RunConfig
from regard.data.loading.shards import PreparedData, shards_fingerprint
from regard.errors import ConfigError
from regard.explain.record import ModelIdentity
from regard.interop.ctranslate2_export import export_obstacles
from regard.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from regard.train.trainer import TrainingOutcome  # it imports torch.distributed

M = TypeVar("M", bound=nn.Module)


MODEL_NAMES = {
    ("encoder-decoder", "sentences"): "translation model",
    ("encoder-decoder", "images"): "captioning model",
    ("language-model", "nothing"): "language model",
    ("classifier", "documents"): "document classifier",
}
"""What a model is called, by its kind and its input."""


def bundle_config(bundle: Bundle, expected: str | None = None) -> RunConfig:
    """Return the config that the model was trained with.

    Raises ConfigError if it is another model than `expected`, one of MODEL_NAMES.
    """
    run = parse_config(bundle.text(RUN), f"{bundle.path / RUN}")
    name = MODEL_NAMES.get((run.model.kind, run.model.reads), run.model.kind)
    if expected not in (None, name):
        raise ConfigError(f"{bundle.path}: is a {name}. Pass a {expected}.")
    return run


def bundle_model(bundle: Bundle, build: Callable[[], M], device: str | None) -> M:
    """Build a model, load the bundle's weights, and move it to `device` in eval mode.

    The default device is a GPU if there is one.
    """
    model = build_and_restore(build, bundle)
    model.to(device or ("cuda" if torch.cuda.is_available() else "cpu")).eval()
    return model


def bundle_identity(bundle: Bundle, run: RunConfig, model: nn.Module) -> ModelIdentity:
    """Return the description of the model that its explanations include."""
    return ModelIdentity(
        "/".join(bundle.path.resolve().parts[-2:]),  # such as run/model
        run_caption(run),
        bundle.files[WEIGHTS].sha256,
        sum(parameter.numel() for parameter in model.parameters()),
    )


# -- the model card of a trained model, and the description of its data ----------------------------


@runtime_checkable
class CardSource(Protocol):
    """The attributes of a training module that its card describes."""

    run: RunConfig
    prepared: PreparedData
    tokenizer: Tokenizer


def card_files(
    module: CardSource,
    model: nn.Module,
    outcome: TrainingOutcome,
    *,
    pipeline: str,
    call: str,
    units: tuple[str, str, str],
    limitations: tuple[str, ...],
    pieces: str,
    search: str,
    alignment: str | None = "",
    score_notes: Mapping[str, str],
) -> dict[str, bytes]:
    """Return the files of a bundle that describe its data and the model.

    Args:
        pipeline: Hugging Face pipeline tag.
        call: Python call of the example.
        units: of a corpus: of its records, of its source and of its target tokens.
        limitations: uses that the model is not intended for.
        pieces: texts that the vocabulary was trained on.
        search: description of the search; empty if there is none.
        alignment: description of the alignment head; None: no cross-attention, empty: no row.
        score_notes: descriptions of scores that have no signature.
    """
    run, tokenizer = module.run, module.tokenizer
    corpora, scores = corpus_facts(module.prepared), outcome.scores
    data = {
        corpus.name: {
            units[0]: corpus.pairs,
            "tokens": corpus.tokens,
            "fingerprint": corpus.fingerprint,
        }
        for corpus in corpora
    }
    card = CardFacts(
        name="A model trained with regard",
        description=run.description,
        kind=model_sizes(run),
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        vocabulary=f"{tokenizer.size:,} {tokenizer.kind} pieces of {pieces}, {tokenizer.form}",
        tokenizer=tokenizer.fingerprint,
        corpora=corpora,
        training=_training(run, outcome),
        scores=()
        if scores is None
        else tuple(
            ScoreFacts(name, value, scores.signatures.get(name, score_notes.get(name, "")))
            for name, value in scores.values.items()
        ),
        scored_on=f"validation {units[0]}, at step {outcome.best_step:,}",
        search=search,
        parent=run.fine_tuned_from,
        licence=run.licence,
        alignment=alignment,
        export="; ".join(export_obstacles(run)) or "CTranslate2 can run it",
        pipeline=pipeline,
        call=call,
        units=units,
        limitations=limitations,
        languages=language_pairs(run.data) if pipeline == "translation" else (),
    )
    return {DATA: json.dumps(data, indent=1).encode(), CARD: write_card(card).encode()}


def corpus_facts(prepared: PreparedData) -> tuple[CorpusFacts, ...]:
    """Return the size and fingerprint of each corpus of each split."""
    facts = []
    for split in prepared.splits:
        for name, group in groupby(prepared.shards(split), key=lambda shard: shard.corpus):
            shards = list(group)
            source, target = (sum(shard.tokens[side] for shard in shards) for side in (0, 1))
            pairs = sum(shard.pairs for shard in shards)
            label = name if name.startswith(split) else f"{split} of {name}"
            facts.append(CorpusFacts(label, pairs, (source, target), shards_fingerprint(shards)))
    return tuple(facts)


def _training(run: RunConfig, outcome: TrainingOutcome) -> dict[str, str]:
    train = run.train
    warmup = train.schedule.warmup_steps(train.steps)
    return {
        "train.steps": f"{outcome.step:,} ({outcome.reason})",
        "train.batch_tokens": f"{train.micro_batches} × {train.batch_tokens:,}",
        "train.optimizer": f"{train.optimizer.kind}, rate {train.optimizer.rate:g}",
        "train.schedule": f"{train.schedule.kind}, {warmup:,} warmup steps",
        "train.label_smoothing": f"{train.label_smoothing:g}",
        "train.seed": str(train.seed),
    }
