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
from regard.inference.recording import watch
from regard.models import EncoderDecoder, LanguageModel, eval_mode
from regard.nn.interfaces import Decoded
from regard.text.tokenizer import BOS, EOS

BUDGET = 1 << 11  # positions of a batch: of each, all logits and all looks are held at once
WEIGHTS_BUDGET = 1 << 13  # where logits are not asked for

Ids = Sequence[int]


@dataclass(frozen=True, slots=True)
class ForcedDecoding:
    """T are the target's tokens and its end, S the source's and its end."""

    logps: tuple[float, ...]  # T; none where nobody asked
    attention: dict[str, Float[Tensor, "H T S"]]  # by the attention's name in the model


def cross_attention_names(model: EncoderDecoder[Any, Any] | LanguageModel[Any]) -> tuple[str, ...]:
    """The names of all attentions that ask what was read."""
    return tuple(f"decoder.{name}" for name in model.decoder.cross_attentions)


def get_attention(model: nn.Module, name: str) -> Attention:
    """The attention of that name."""
    attention = model.get_submodule(name)
    assert isinstance(attention, Attention)
    return attention


@torch.inference_mode()
def force_decode(
    model: EncoderDecoder[Tokens, Any],
    pairs: Sequence[tuple[Ids, Ids]],
    names: Collection[str] | None = None,
    *,
    with_logps: bool = True,
) -> list[ForcedDecoding]:
    """Read pairs of ids without marks; `names`: the looks to keep, by default all at the source.

    `judge`: find how likely each token was, too, which is some 40 % of the work.
    """
    kept = cross_attention_names(model) if names is None else names

    def read(batch: list[tuple[Ids, Ids]]) -> Iterator[ForcedDecoding]:
        source = pad([[*source, EOS] for source, _ in batch]).to(_device(model))
        targets = [[*target, EOS] for _, target in batch]
        found = _force(
            model, lambda said: model(source, said), targets, kept, with_logps=with_logps
        )
        for reading, (ids, _) in zip(found, batch, strict=True):
            seen = {name: look[..., : len(ids) + 1] for name, look in reading.attention.items()}
            yield ForcedDecoding(reading.logps, seen)

    return _by_length(pairs, read, BUDGET if with_logps else WEIGHTS_BUDGET)


def force_decode_text(
    model: LanguageModel[Any], texts: Sequence[Ids], names: Collection[str] = ()
) -> list[ForcedDecoding]:
    """Read ids that begin a text, each after those before it; `names`: the looks to keep.

    A look has a row for each id that is about to be said and a column for each that was: the mark
    of beginning, and the ids but the last. An LSTMN does not see the one that it is reading: before
    the others stands the blank that its memory begins with.
    """

    def read(batch: list[tuple[Ids, Ids]]) -> Iterator[ForcedDecoding]:
        return _force(model, model, [text for _, text in batch], names)

    return _by_length([((), text) for text in texts], read, BUDGET)


def force_decode_image(
    model: EncoderDecoder[Any, Any],
    source: Images | Grids,
    captions: Sequence[Ids],
    names: Collection[str] | None = None,
) -> list[ForcedDecoding]:
    """Read a batch of pictures with ids without marks; `names`: the looks to keep, by default all
    at the picture. Position s is row s // columns, column s % columns."""
    kept = cross_attention_names(model) if names is None else names
    seen = source.to(_device(model))
    targets = [[*caption, EOS] for caption in captions]
    return list(_force(model, lambda said: model(seen, said), targets, kept))


@torch.inference_mode()
def _force(
    model: EncoderDecoder[Any, Any] | LanguageModel[Any],
    decode: Callable[[Int[Tensor, "B T"]], Decoded],
    targets: Sequence[Ids],
    names: Collection[str],
    *,
    with_logps: bool = True,
) -> Iterator[ForcedDecoding]:
    """Force ids, their ends included, a row each."""
    said = pad([[BOS, *target[:-1]] for target in targets]).to(_device(model))
    with eval_mode(model), watch(model, names) as trace:
        decoded = decode(said.ids)
        logps = (
            _token_logps(model.readout(decoded.hidden), targets)
            if with_logps
            else [()] * len(targets)
        )
    looks = {name: trace[name].cpu() for name in trace.names}
    for row, target in enumerate(targets):
        steps = len(target)
        own = {name: look[row, :, :steps] for name, look in looks.items()}
        yield ForcedDecoding(logps[row], own)


def _token_logps(logits: Float[Tensor, "B T V"], targets: Sequence[Ids]) -> list[tuple[float, ...]]:
    meant = pad(targets).ids.to(logits.device)
    logps = logits.log_softmax(dim=-1).gather(2, meant[..., None])[..., 0].tolist()
    return [tuple(row[: len(ids)]) for row, ids in zip(logps, targets, strict=True)]


def _device(model: nn.Module) -> torch.device:
    return next(model.parameters()).device


def _by_length(
    pairs: Sequence[tuple[Ids, Ids]],
    read: Callable[[list[tuple[Ids, Ids]]], Iterator[ForcedDecoding]],
    budget: int,
) -> list[ForcedDecoding]:
    """Read pairs of like length together."""
    readings: dict[int, ForcedDecoding] = {}
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
