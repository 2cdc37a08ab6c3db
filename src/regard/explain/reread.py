"""A pair read again: how likely the model found each word, and where it looked for it.

Explanation is a forced re-reading of the chosen sentence. So it is exact for any search, any
engine and any translation, the model's own or not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from regard.batch import Tokens, pad
from regard.explain.watch import watch
from regard.models import EncoderDecoder, LanguageModel, at_rest
from regard.text.tokenizer import BOS, EOS

BUDGET = 1 << 11  # positions of a batch: of each, all logits and all looks are held at once

Ids = Sequence[int]


@dataclass(frozen=True, slots=True)
class Reading:
    """T are the target's tokens and its end, S the source's and its end."""

    logps: tuple[float, ...]  # T
    looks: dict[str, Float[Tensor, "H T S"]]  # by the attention's name in the model


def looks_at_source(model: EncoderDecoder[Any, Any] | LanguageModel[Any]) -> tuple[str, ...]:
    """The names of all attentions that ask what was read."""
    return tuple(f"decoder.{name}" for name in model.decoder.source_looks)


@torch.inference_mode()
def reread(
    model: EncoderDecoder[Tokens, Any],
    pairs: Sequence[tuple[Ids, Ids]],
    names: Collection[str] | None = None,
) -> list[Reading]:
    """Read pairs of ids without marks; `names`: the looks to keep, by default all at the source."""
    kept = looks_at_source(model) if names is None else names
    readings: dict[int, Reading] = {}
    with at_rest(model):
        for rows in alike(pairs):
            batch = [pairs[row] for row in rows]
            readings |= zip(rows, _read(model, batch, kept), strict=True)
    return [readings[row] for row in range(len(pairs))]


def _read(
    model: EncoderDecoder[Tokens, Any], pairs: list[tuple[Ids, Ids]], names: Collection[str]
) -> Iterator[Reading]:
    device = next(model.parameters()).device
    source = pad([[*source, EOS] for source, _ in pairs]).to(device)
    said = pad([[BOS, *target] for _, target in pairs]).to(device)
    meant = pad([[*target, EOS] for _, target in pairs]).to(device)
    with watch(model, names) as trace:
        logits = model.readout(model(source, said.ids).hidden)
    logps = logits.log_softmax(dim=-1).gather(2, meant.ids[..., None])[..., 0].cpu()
    for row, (read, told) in enumerate(pairs):
        steps, positions = len(told) + 1, len(read) + 1
        looks = {name: trace[name][row, :, :steps, :positions].cpu() for name in trace.names}
        yield Reading(tuple(logps[row, :steps].tolist()), looks)


def alike(pairs: Sequence[tuple[Ids, Ids]]) -> Iterator[list[int]]:
    """The rows of each batch: pairs of like length together."""
    batch: list[int] = []
    widest = 0
    for row in sorted(range(len(pairs)), key=lambda row: max(map(len, pairs[row]))):
        widest = max(widest, max(map(len, pairs[row])) + 1)
        if batch and widest * (len(batch) + 1) > BUDGET:
            yield batch
            batch, widest = [], max(map(len, pairs[row])) + 1
        batch.append(row)
    if batch:
        yield batch
