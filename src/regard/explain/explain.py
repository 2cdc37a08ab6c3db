"""What a model said, explained: the same for all that say something, whatever they read."""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from regard import __version__
from regard.explain.align import Pointer, Text
from regard.explain.closely import Model, read_closely
from regard.explain.record import Explanation, Identity, Picture
from regard.models import at_rest
from regard.text.tokenizer import Tokenizer


def explain(
    model: Model,
    tokenizer: Tokenizer,
    identity: Identity,
    source: Text | Picture | None,
    target: Text,
    given: Any,  # the source as the model's `start` takes it, in one row
    *,
    engine: str | None,  # that found the target, and how it searched; None: it was given
    search: str,
    pointer: Pointer | None = None,
    look: str | None = None,
    head: int | None = None,
) -> Explanation:
    """`look` and `head` choose what can be walked through; by default the pointer's."""
    if look is None and pointer is not None:
        look, head = pointer.look, pointer.head if head is None else head
    piece, ids = tokenizer.piece, target.pieces.ids
    return Explanation(
        source,
        target,
        tokenizer,
        read_closely(model, given, ids, piece, look=look, head=head or 0),
        identity,
        {
            "regard": __version__,
            "torch": torch.__version__,
            "precision": str(next(model.parameters()).dtype).removeprefix("torch."),
            "engine": engine or "none",
            "search": "given" if engine is None else search,
        },
        summary=None if source is None else _summary(model, given),
        pointer=pointer,
    )


@torch.inference_mode()
def _summary(model: Any, given: Any) -> Float[Tensor, " E"]:
    with at_rest(model):
        summary: Tensor = model.encoder(given).summary[0]
    return summary.cpu()
