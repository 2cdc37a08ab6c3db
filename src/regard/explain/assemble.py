"""Assemble an `Explanation`: shared by all tasks that generate text."""

from __future__ import annotations

from typing import Any

import torch

from regard import __version__
from regard.align.alignment_head import AlignmentHead
from regard.align.tokenized_text import TokenizedText
from regard.errors import ConfigError
from regard.explain.forward_trace import Model, trace_forward
from regard.explain.record import Explanation, ImageSource, ModelIdentity
from regard.models import eval_mode
from regard.nn.interfaces import Encoded
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
    requested = attention is not None or head is not None
    if attention is None and alignment_head is not None:
        attention, head = alignment_head.attention, alignment_head.head if head is None else head
    piece, ids = tokenizer.piece, target.pieces.ids
    encoded = None if source is None else _encode(model, model_input)
    trace = trace_forward(model, model_input, ids, piece, attention=attention, head=head or 0)
    traced, selected = trace.head_trace, None
    if requested and traced is None:
        raise ConfigError("head: the model has no attention, so it has no heads. Leave it out.")
    if requested and traced is not None:
        aligns = alignment_head is not None and alignment_head.attention == traced.attention
        shift = alignment_head.shift if aligns and alignment_head is not None else 0
        selected = AlignmentHead(traced.attention, traced.head, shift, null=False)
    return Explanation(
        source,
        target,
        tokenizer,
        trace,
        identity,
        {
            "regard": __version__,
            "torch": torch.__version__,
            "precision": str(next(model.parameters()).dtype).removeprefix("torch."),
            "engine": engine or "none",
            "search": "given" if engine is None else search,
        },
        summary=None if encoded is None else encoded.summary[0].cpu(),
        encoder_states=None if encoded is None else encoded.states[0].float().cpu(),
        alignment_head=alignment_head,
        selected_head=selected,
    )


@torch.inference_mode()
def _encode(model: Any, model_input: Any) -> Encoded:
    with eval_mode(model):
        encoded: Encoded = model.encoder(model_input)
    return encoded
