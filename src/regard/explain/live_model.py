"""A translation model as one JSON text, which the engine of the viewer runs in a browser.

The format is `regard.live/1` (docs/live.md). Its weights are packed as the arrays of a record are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

import torch
from torch import Tensor, nn

from regard import attention as att
from regard.align.tokenized_text import AlignmentHead
from regard.attention.scores import Additive, Cosine, InnerProduct
from regard.batch import Tokens
from regard.errors import ConfigError
from regard.explain.forward_trace import Arrays, describe_attention
from regard.explain.record import ModelIdentity
from regard.inference.engine import SearchOptions
from regard.models import EncoderDecoder
from regard.nn import embedding, rnn, rnn_decoders, transformer
from regard.text.normalize import RULES
from regard.text.tagged_tokenizer import TaggedTokenizer
from regard.text.tokenizer import SentencePiece, Tokenizer

FORMAT = "regard.live/1"
MAX_BYTES = 16 << 20
"""Of packed weights: about what a page may have that is mailed."""

Precision: TypeAlias = Literal["f32", "f16", "i8"]
"""i8: matrices have 8 bits for each number and an f32 scale for each row; vectors are f32."""

# -- numbers of a weight ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StoredWeight:
    """A weight as it is stored: `values`, or `scales` × `values`."""

    values: Tensor
    dtype: Literal["f32", "f16", "i8"]
    scales: Tensor | None = None  # one for each row of a matrix of i8

    def restore(self) -> Tensor:
        """The weight that a reader gets, in fp32."""
        values = self.values.float()
        return values if self.scales is None else values * self.scales[:, None]


def store_weight(weight: Tensor, precision: Precision) -> StoredWeight:
    """Round a weight to `precision`."""
    weight = weight.detach().cpu().float()
    if precision == "i8" and weight.dim() == 2:
        largest = weight.abs().amax(dim=1)
        scales = torch.where(largest > 0, largest / 127, 1.0)
        return StoredWeight((weight / scales[:, None]).round().to(torch.int8), "i8", scales)
    if precision == "f16":
        return StoredWeight(weight.half(), "f16")
    return StoredWeight(weight, "f32")


# -- the whole model -------------------------------------------------------------------------------


def write_live_model(
    model: EncoderDecoder[Tokens, Any],
    config: Mapping[str, object],
    tokenizers: tuple[Tokenizer, Tokenizer],
    search: SearchOptions,
    *,
    identity: ModelIdentity | None = None,
    alignment_head: AlignmentHead | None = None,
    precision: Precision = "f16",
    max_bytes: int = MAX_BYTES,
) -> str:
    """Return the JSON text of a model.

    Args:
        model: Translates.
        config: The settings `model` of its run file, resolved: `run.model.model_dump(mode="json")`.
        tokenizers: Of source and target.
        search: Default options of a search.
        identity: Describes the model.
        alignment_head: The attention weights that align words.
        precision: Of the weights.
        max_bytes: Most bytes of packed weights.

    Raises:
        ConfigError: The engine has no code for a part of the model or for its tokenizer, a weight
            cannot be stored, or the weights are larger than `max_bytes`.
    """
    _check_parts(model)
    arrays = Arrays()
    tensors, tied = _add_weights(model, precision, arrays)
    size = len(arrays.block)
    if size > max_bytes:
        smaller = "" if precision == "i8" else ', use precision "i8"'
        raise ConfigError(
            f"model: its packed weights have {size:,} bytes, and the limit is {max_bytes:,}. Raise "
            f"max_bytes{smaller}, or explain single sentences instead"
        )
    names = [name for name, module in model.named_modules() if isinstance(module, att.Attention)]
    header = {
        "format": FORMAT,
        "model": asdict(identity or ModelIdentity("unsaved model")),
        "config": config,
        "search": {"beam_size": search.beam_size, "length_penalty": search.length_penalty},
        "tokenizers": _tokenizer_fields(*tokenizers),
        "alignment_head": None if alignment_head is None else asdict(alignment_head),
        "attentions": [describe_attention(model, name).description_fields() for name in names],
        "tensors": tensors,
        "tied": tied,
        "sha256": hashlib.sha256(arrays.block).hexdigest(),
    }
    return json.dumps(header | arrays.packed(), ensure_ascii=False, separators=(",", ":"))


def _add_weights(
    model: nn.Module, precision: Precision, arrays: Arrays
) -> tuple[dict[str, dict[str, int]], dict[str, str]]:
    """Pack every weight once; return the arrays of each, and the names of tied weights."""
    tensors: dict[str, dict[str, int]] = {}
    tied: dict[str, str] = {}
    names: dict[nn.Parameter, str] = {}
    for name, weight in model.named_parameters(remove_duplicate=False):
        if weight in names:
            tied[name] = names[weight]
            continue
        names[weight] = name
        stored = store_weight(weight, precision)
        if not stored.restore().isfinite().all():
            raise ConfigError(
                f"model: the weight {name} is not finite in {precision}. Use precision f32, or "
                "train the model again if it is NaN"
            )
        tensors[name] = {"values": arrays.add(stored.values, stored.dtype)}
        if stored.scales is not None:
            tensors[name]["scales"] = arrays.add(stored.scales)
    return tensors, tied


# -- what the engine has code for ------------------------------------------------------------------


_PARTS: frozenset[type[nn.Module]] = frozenset(
    {
        *(EncoderDecoder, nn.Linear, nn.Sequential, nn.ModuleList, nn.Identity, nn.LayerNorm),
        *(nn.Embedding, nn.Tanh, nn.ReLU, nn.GELU, nn.SiLU),
        *(att.Attention, att.Dropout, InnerProduct, Cosine, Additive),
        *(att.Everywhere, att.Causal, att.Last, att.LocalMonotone, att.LocalPredictive),
        *(att.Softmax, att.Hard, att.Sparsemax, att.Uniform),
        *(embedding.Embedding, embedding.Sinusoids, embedding.LearnedPositions),
        *(embedding.MaxoutOutput, embedding.TanhOutput, embedding.SumOutput),
        *(rnn.RecurrentEncoder, rnn.RecurrentStack, rnn.RecurrentCells),
        *(rnn.TorchGRU, rnn.TorchLSTM),
        *(rnn_decoders.PlainDecoder, rnn_decoders.BahdanauDecoder),
        *(rnn_decoders.ConditionalDecoder, rnn_decoders.LuongDecoder),
        *(rnn_decoders.CopyBridge, rnn_decoders.ProjectionBridge),
        *(rnn_decoders.SummaryBridge, rnn_decoders.MeanBridge),
        *(transformer.TransformerEncoder, transformer.TransformerDecoder, transformer.SSRUDecoder),
        *(transformer.TransformerInput, transformer.Stack, transformer.Residual),
        *(transformer.EncoderBlock, transformer.DecoderBlock, transformer.SSRU),
        *(transformer.FeedForward, transformer.SigmoidGELU),
    }
)
"""Compared exactly: a subclass may compute something else."""


def _check_parts(model: nn.Module) -> None:
    for name, module in model.named_modules():
        if type(module) not in _PARTS:
            raise ConfigError(
                f"model: the engine of a page has no code for {name or 'the model'}, "
                f"{type(module).__name__}. Explain single sentences instead"
            )


def _tokenizer_fields(source: Tokenizer, target: Tokenizer) -> dict[str, object]:
    """The vocabularies; that of the target is null if it is the source's."""
    tags: list[int] = []
    if isinstance(source, TaggedTokenizer):
        tags, source = [source.tags[tag] for tag in source.added], source.base
    shared = source.fingerprint == target.fingerprint
    return {
        "source": _vocabulary_fields(source),
        "target": None if shared else _vocabulary_fields(target),
        "source_tags": tags,
    }


def _vocabulary_fields(tokenizer: Tokenizer) -> dict[str, object]:
    if not isinstance(tokenizer, SentencePiece):
        raise ConfigError(
            f"tokenizer: the engine of a page has no code for {type(tokenizer).__name__}, the "
            "tokenizer of a pretrained model. Explain single sentences instead"
        )
    return {
        "kind": tokenizer.kind,
        "form": tokenizer.form,
        "rules": RULES,
        "pieces": tokenizer.entries(),
    }
