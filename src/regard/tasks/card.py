"""What is told of a trained translation model: the data that it read, and its card."""

from __future__ import annotations

import json
from itertools import groupby

from regard.bundle.bundle import CARD, DATA
from regard.bundle.card import Facts, Read, Score, write_card
from regard.data.batches.shards import Prepared, fingerprint
from regard.explain.align import Pointer
from regard.spec.run import Run
from regard.tasks.translate import Translation
from regard.train.trainer import Outcome
from regard.translator import Translator

IN_WORDS = "mean −log p of a reference's token, having read those before it"  # of nll


def told(task: Translation, translator: Translator, outcome: Outcome) -> dict[str, bytes]:
    """The files of a bundle that tell it."""
    run, tokenizer, pointer = task.run, task.tokenizer, translator.pointer
    read = corpora(task.prepared)
    data = {
        one.name: {"pairs": one.pairs, "tokens": one.tokens, "fingerprint": one.fingerprint}
        for one in read
    }
    found = outcome.scores
    facts = Facts(
        name="A model sealed by regard",
        about=run.about,
        kind=_kind(run),
        parameters=sum(parameter.numel() for parameter in translator.model.parameters()),
        vocabulary=f"{tokenizer.size:,} {run.data.kind} pieces of both sides, {tokenizer.form}",
        tokenizer=tokenizer.fingerprint,
        corpora=read,
        training=_training(run, outcome),
        scores=()
        if found is None
        else tuple(
            Score(name, value, found.signatures.get(name, IN_WORDS))
            for name, value in found.values.items()
        ),
        scored_on=f"validation pairs, at step {outcome.best_step:,}",
        search=f"beam {run.search.beam}, scores divided by length^{run.search.alpha:g}",
        alignment=None if pointer is None else _alignment(pointer),
        export=task.facts["export"],
    )
    return {DATA: json.dumps(data, indent=1).encode(), CARD: write_card(facts).encode()}


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
    parts = [
        f"{part.kind}, {part.layers} × {part.dim}"
        for part in (getattr(model, "encoder", None), getattr(model, "decoder", None))
        if part is not None
    ]
    return " → ".join(parts)


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


def _alignment(pointer: Pointer) -> str:
    head = "mean of all heads" if pointer.head is None else f"head {pointer.head}"
    moment = ("as a word is said", "as it is read in")[pointer.shift]
    return f"{pointer.look}, {head}, {moment}; F1 {pointer.agreement:.3f} with a dictionary's links"
