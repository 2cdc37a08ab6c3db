"""What was said, read again: how likely the model found each word, and where it looked for it.

Explanation is a forced re-reading of the chosen sentence. So it is exact for any search, any
engine and any translation, the model's own or not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.attention import Attention
from regard.batch import Grids, Images, Tokens, pad
from regard.explain.watch import watch
from regard.models import EncoderDecoder, LanguageModel, at_rest
from regard.nn.decoder import Decoded
from regard.text.tokenizer import BOS, EOS

BUDGET = 1 << 11  # positions of a batch: of each, all logits and all looks are held at once
LOOKS_ALONE = 1 << 13  # where logits are not asked for

Ids = Sequence[int]


@dataclass(frozen=True, slots=True)
class Reading:
    """T are the target's tokens and its end, S the source's and its end."""

    logps: tuple[float, ...]  # T; none where nobody asked
    looks: dict[str, Float[Tensor, "H T S"]]  # by the attention's name in the model


def looks_at_source(model: EncoderDecoder[Any, Any] | LanguageModel[Any]) -> tuple[str, ...]:
    """The names of all attentions that ask what was read."""
    return tuple(f"decoder.{name}" for name in model.decoder.source_looks)


def attention_of(model: nn.Module, look: str) -> Attention:
    """The attention of that name."""
    attention = model.get_submodule(look)
    assert isinstance(attention, Attention)
    return attention


@torch.inference_mode()
def reread(
    model: EncoderDecoder[Tokens, Any],
    pairs: Sequence[tuple[Ids, Ids]],
    names: Collection[str] | None = None,
    *,
    judge: bool = True,
) -> list[Reading]:
    """Read pairs of ids without marks; `names`: the looks to keep, by default all at the source.

    `judge`: find how likely each token was, too, which is some 40 % of the work.
    """
    kept = looks_at_source(model) if names is None else names

    def read(batch: list[tuple[Ids, Ids]]) -> Iterator[Reading]:
        source = pad([[*source, EOS] for source, _ in batch]).to(_device(model))
        targets = [[*target, EOS] for _, target in batch]
        found = _read(model, lambda said: model(source, said), targets, kept, judge=judge)
        for reading, (ids, _) in zip(found, batch, strict=True):
            seen = {name: look[..., : len(ids) + 1] for name, look in reading.looks.items()}
            yield Reading(reading.logps, seen)

    return _alike(pairs, read, BUDGET if judge else LOOKS_ALONE)


def reread_past(
    model: LanguageModel[Any], texts: Sequence[Ids], names: Collection[str] = ()
) -> list[Reading]:
    """Read ids that begin a text, each after those before it; `names`: the looks to keep.

    A look has a row for each id that is about to be said and a column for each that was: the mark
    of beginning, and the ids but the last. An LSTMN does not see the one that it is reading: before
    the others stands the blank that its memory begins with.
    """

    def read(batch: list[tuple[Ids, Ids]]) -> Iterator[Reading]:
        return _read(model, model, [text for _, text in batch], names)

    return _alike([((), text) for text in texts], read, BUDGET)


def reread_regions(
    model: EncoderDecoder[Any, Any],
    source: Images | Grids,
    captions: Sequence[Ids],
    names: Collection[str] | None = None,
) -> list[Reading]:
    """Read a batch of pictures with ids without marks; `names`: the looks to keep, by default all
    at the picture. Position s is row s // columns, column s % columns."""
    kept = looks_at_source(model) if names is None else names
    seen = source.to(_device(model))
    targets = [[*caption, EOS] for caption in captions]
    return list(_read(model, lambda said: model(seen, said), targets, kept))


@torch.inference_mode()
def _read(
    model: EncoderDecoder[Any, Any] | LanguageModel[Any],
    decode: Callable[[Int[Tensor, "B T"]], Decoded],
    targets: Sequence[Ids],
    names: Collection[str],
    *,
    judge: bool = True,
) -> Iterator[Reading]:
    """Force ids, their ends included, a row each."""
    said = pad([[BOS, *target[:-1]] for target in targets]).to(_device(model))
    with at_rest(model), watch(model, names) as trace:
        decoded = decode(said.ids)
        logps = _judge(model.readout(decoded.hidden), targets) if judge else [()] * len(targets)
    looks = {name: trace[name].cpu() for name in trace.names}
    for row, target in enumerate(targets):
        steps = len(target)
        own = {name: look[row, :, :steps] for name, look in looks.items()}
        yield Reading(logps[row], own)


def _judge(logits: Float[Tensor, "B T V"], targets: Sequence[Ids]) -> list[tuple[float, ...]]:
    meant = pad(targets).ids.to(logits.device)
    logps = logits.log_softmax(dim=-1).gather(2, meant[..., None])[..., 0].tolist()
    return [tuple(row[: len(ids)]) for row, ids in zip(logps, targets, strict=True)]


def _device(model: nn.Module) -> torch.device:
    return next(model.parameters()).device


def _alike(
    pairs: Sequence[tuple[Ids, Ids]],
    read: Callable[[list[tuple[Ids, Ids]]], Iterator[Reading]],
    budget: int,
) -> list[Reading]:
    """Read pairs of like length together."""
    readings: dict[int, Reading] = {}
    for rows in _batches(pairs, budget):
        readings |= zip(rows, read([pairs[row] for row in rows]), strict=True)
    return [readings[row] for row in range(len(pairs))]


def _batches(pairs: Sequence[tuple[Ids, Ids]], budget: int) -> Iterator[list[int]]:
    """The rows of each batch."""
    batch: list[int] = []
    widest = 0
    for row in sorted(range(len(pairs)), key=lambda row: max(map(len, pairs[row]))):
        widest = max(widest, max(map(len, pairs[row])) + 1)
        if batch and widest * (len(batch) + 1) > budget:
            yield batch
            batch, widest = [], max(map(len, pairs[row])) + 1
        batch.append(row)
    if batch:
        yield batch
