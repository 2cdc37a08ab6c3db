"""A picture and its caption read again: how likely each word was, and where it looked for it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import torch

from regard.batch import Grids, Images, pad
from regard.explain.reread import Ids, Reading, looks_at_source
from regard.explain.watch import watch
from regard.models import EncoderDecoder, at_rest
from regard.text.tokenizer import BOS, EOS


@torch.inference_mode()
def reread_regions(
    model: EncoderDecoder[Any, Any],
    source: Images | Grids,
    captions: Sequence[Ids],
    names: Collection[str] | None = None,
) -> list[Reading]:
    """Read a batch of pictures with ids without marks; `names`: the looks to keep, by default all
    at the picture. Position s is row s // columns, column s % columns."""
    device = next(model.parameters()).device
    said = pad([[BOS, *caption] for caption in captions]).to(device)
    meant = pad([[*caption, EOS] for caption in captions]).to(device)
    kept = looks_at_source(model) if names is None else names
    with at_rest(model), watch(model, kept) as trace:
        logits = model.readout(model(source.to(device), said.ids).hidden)
    logps = logits.log_softmax(dim=-1).gather(2, meant.ids[..., None])[..., 0].cpu()
    looks = {name: trace[name].cpu() for name in trace.names}
    return [
        Reading(
            tuple(logps[row, : len(caption) + 1].tolist()),
            {name: look[row, :, : len(caption) + 1] for name, look in looks.items()},
        )
        for row, caption in enumerate(captions)
    ]
