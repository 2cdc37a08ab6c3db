"""Assemble an `Explanation`: shared by all tasks that generate text."""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from regard import __version__
from regard.align.alignment_head import AlignmentHead
from regard.align.tokenized_text import TokenizedText
from regard.explain.forward_trace import Model, trace_forward
from regard.explain.record import Explanation, ImageSource, ModelIdentity
from regard.models import eval_mode
from regard.text.tokenizer import Tokenizer


def make_explanation(
    model: Model,
    tokenizer: Tokenizer,
    identity: ModelIdentity,
    source: TokenizedText | ImageSource | None,
    target: TokenizedText,
    model_input: Any,  # the source as the model's `start` takes it, in one row
    *,
    engine: str | None,  # that found the target; None: the user gave the target
    search: str,
    alignment_head: AlignmentHead | None = None,
    attention: str | None = None,
    head: int | None = None,
) -> Explanation:
    """Trace `target` and return its explanation, without links, beam and interventions.

    `attention` and `head` select the head to trace; the default is the alignment head.
    """
    if attention is None and alignment_head is not None:
        attention, head = alignment_head.attention, alignment_head.head if head is None else head
    piece, ids = tokenizer.piece, target.pieces.ids
    return Explanation(
        source,
        target,
        tokenizer,
        trace_forward(model, model_input, ids, piece, attention=attention, head=head or 0),
        identity,
        {
            "regard": __version__,
            "torch": torch.__version__,
            "precision": str(next(model.parameters()).dtype).removeprefix("torch."),
            "engine": engine or "none",
            "search": "given" if engine is None else search,
        },
        summary=None if source is None else _summary(model, model_input),
        alignment_head=alignment_head,
    )


@torch.inference_mode()
def _summary(model: Any, model_input: Any) -> Float[Tensor, " E"]:
    with eval_mode(model):
        summary: Tensor = model.encoder(model_input).summary[0]
    return summary.cpu()
