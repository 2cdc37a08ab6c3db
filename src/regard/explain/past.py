"""A text read again by a language model: how likely it found each word, and where in its own past
it looked."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import torch

from regard.batch import pad
from regard.explain.reread import Ids, Reading, alike
from regard.explain.watch import watch
from regard.models import LanguageModel, at_rest
from regard.text.tokenizer import BOS


@torch.inference_mode()
def reread_past(
    model: LanguageModel[Any], texts: Sequence[Ids], names: Collection[str] = ()
) -> list[Reading]:
    """Read ids that begin a text, each after those before it; `names`: the looks to keep.

    A look has a row for each id that is about to be said and a column for each that was: the mark
    of beginning, and the ids but the last. An LSTMN does not see the one that it is reading: before
    the others stands the blank that its memory begins with.
    """
    readings: dict[int, Reading] = {}
    with at_rest(model):
        for rows in alike([((), text) for text in texts]):
            batch = [texts[row] for row in rows]
            readings |= zip(rows, _read(model, batch, names), strict=True)
    return [readings[row] for row in range(len(texts))]


def _read(model: LanguageModel[Any], texts: list[Ids], names: Collection[str]) -> Iterator[Reading]:
    device = next(model.parameters()).device
    said = pad([[BOS, *text[:-1]] for text in texts]).to(device)
    meant = pad(texts).to(device)
    with watch(model, names) as trace:
        logits = model.readout(model(said.ids).hidden)
    logps = logits.log_softmax(dim=-1).gather(2, meant.ids[..., None])[..., 0].cpu()
    for row, text in enumerate(texts):
        steps = len(text)
        looks = {name: trace[name][row, :, :steps].cpu() for name in trace.names}
        yield Reading(tuple(logps[row, :steps].tolist()), looks)
