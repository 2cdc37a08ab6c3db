"""The numbers of a forward pass, as arrays of a record.

`forced_decoding` processes many pairs and keeps what is requested; this processes one pair and
keeps everything.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, TypeAlias

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor

from regard.align.extraction import word_attention
from regard.align.tokenized_text import END, TokenizedText
from regard.attention import Attention, Equation, Memory
from regard.errors import ConfigError
from regard.inference.forced_decoding import (
    AttentionRecording,
    ForcedDecoding,
    cross_attention_names,
    get_attention,
    watch,
)
from regard.models import EncoderDecoder, LanguageModel, eval_mode
from regard.text.tokenizer import BOS, EOS

# -- number arrays in a JSON file ------------------------------------------------------------------
# One compressed block, and the type and shape of each array.


WEIGHT_SCALE = 65_535
"""A weight of 1 as u16. Sixteen bits are finer than a screen or printer can show."""

_TYPES = {"u16": "<u2", "f16": "<f2", "f32": "<f4", "i8": "<i1"}


class Arrays:
    """Number arrays as fields of a JSON text."""

    def __init__(self) -> None:
        self._headers: list[dict[str, object]] = []
        self._blocks: list[bytes] = []

    def add(self, numbers: Tensor, dtype: Literal["f16", "f32", "i8"] = "f32") -> int:
        """Append `numbers` and return their index."""
        return self._append(numbers.detach().cpu().numpy(), dtype)

    def add_weights(self, weights: Float[Tensor, "H T S"]) -> int:
        """Append weights as u16 and return their index."""
        return self._append(_quantize(weights.detach().cpu().double().numpy()), "u16")

    @property
    def block(self) -> bytes:
        """All arrays in order, before compression."""
        return b"".join(self._blocks)

    def packed(self) -> dict[str, object]:
        data = base64.b64encode(zlib.compress(self.block, 9)).decode()
        return {"arrays": self._headers, "data": data}

    def _append(self, numbers: NDArray[Any], dtype: str) -> int:
        self._headers.append({"type": dtype, "shape": list(numbers.shape)})
        self._blocks.append(numbers.astype(_TYPES[dtype]).tobytes())
        return len(self._headers) - 1


def _quantize(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round to multiples of 1/WEIGHT_SCALE. Rows that sum to 1 still sum to exactly WEIGHT_SCALE.

    Each weight is rounded down, and the remaining units go to the weights that lost most.
    """
    exact = weights * WEIGHT_SCALE
    down = np.floor(exact)
    missing = WEIGHT_SCALE - down.sum(axis=-1, keepdims=True)
    rank = np.argsort(np.argsort(down - exact, axis=-1, kind="stable"), axis=-1, kind="stable")
    normalized = np.abs(weights.sum(axis=-1, keepdims=True) - 1) < 1e-3
    return np.where(normalized, down + (rank < missing), np.rint(exact))


# -- forward trace ---------------------------------------------------------------------------------


AttentionKind: TypeAlias = Literal["cross", "self", "encoder"]
"""Decoder over source, decoder over its prefix, or encoder over source."""

Model: TypeAlias = EncoderDecoder[Any, Any] | LanguageModel[Any]

TOP = 10  # alternatives kept at each step


@dataclass(frozen=True, slots=True)
class AttentionDescription:
    """What is known of an attention without an input."""

    name: str  # in the model
    kind: AttentionKind
    heads: int
    score: Equation
    span: Equation
    normalizer: Equation
    blank_memory: bool  # the memory starts with an empty slot, before the first token
    prior: Literal["gaussian"] | None  # multiplies the normalized weights

    @property
    def layer(self) -> int:
        match = re.search(r"\.(\d+)\.", self.name)
        return int(match[1]) if match else 0

    def description_fields(self) -> dict[str, object]:
        """Return the JSON fields."""
        equations = {name: asdict(getattr(self, name)) for name in ("score", "span", "normalizer")}
        return {
            "name": self.name,
            "kind": self.kind,
            "layer": self.layer,
            "heads": self.heads,
            **equations,
            "prior": self.prior,
            "blank_memory": self.blank_memory,
        }


@dataclass(frozen=True, slots=True)
class AttentionRecord(AttentionDescription):
    """One attention of a model. T are the queries, S the positions attended to."""

    scores: Float[Tensor, "H T S"]  # −∞ where the span masks
    weights: Float[Tensor, "H T S"]
    norms: Float[Tensor, "H S"]  # ‖v_s‖: a short value contributes little at any weight

    def to_record(self, arrays: Arrays) -> dict[str, object]:
        """Return the JSON fields. Only cross-attention keeps its scores."""
        scores = {"scores": arrays.add(self.scores, "f16")} if self.kind == "cross" else {}
        return {
            **self.description_fields(),
            "weights": arrays.add_weights(self.weights),
            "norms": arrays.add(self.norms, "f16"),
            **scores,
        }


@dataclass(frozen=True, slots=True)
class HeadTerms:
    """The terms of a head's scores: scale · Σ_d q_d k_d, or with `energy` Σ_d v_d tanh(q_d + k_d).

    The counterpart for one head of `regard.attention.ScoreTerms`.
    """

    queries: Float[Tensor, "T D"]
    keys: Float[Tensor, "S D"]
    scale: float
    energy: Float[Tensor, " D"] | None

    def to_record(self, arrays: Arrays) -> dict[str, object]:
        return {
            "scale": self.scale,
            "energy": None if self.energy is None else arrays.add(self.energy),
            "queries": arrays.add(self.queries),
            "keys": arrays.add(self.keys),
        }


@dataclass(frozen=True, slots=True)
class HeadTrace:
    """All numbers of one head: (terms →) scores → weights, values → contexts."""

    attention: str
    head: int
    terms: HeadTerms | None  # None: the score defines none, or the span adds to it
    scores: Float[Tensor, "T S"]
    weights: Float[Tensor, "T S"]
    values: Float[Tensor, "S W"]
    contexts: Float[Tensor, "T W"]

    def to_record(self, arrays: Arrays) -> dict[str, object]:
        tables = ("scores", "weights", "values", "contexts")
        no_terms = dict.fromkeys(("scale", "energy", "queries", "keys"))
        return {
            "attention": self.attention,
            "head": self.head,
            **(no_terms if self.terms is None else self.terms.to_record(arrays)),
            **{name: arrays.add(getattr(self, name)) for name in tables},
        }


@dataclass(frozen=True, slots=True)
class TokenStep:
    """The output distribution at one step."""

    logp: float  # of the target's token
    entropy: float
    top: tuple[tuple[str, float], ...]  # the most likely pieces and their log-probabilities


@dataclass(frozen=True, slots=True)
class ForwardTrace:
    steps: tuple[TokenStep, ...]  # the target's tokens and its end
    attentions: tuple[AttentionRecord, ...]
    head_trace: HeadTrace | None  # None: the decoder has no attention
    decoder_states: Float[Tensor, "T D"]

    @property
    def forced(self) -> ForcedDecoding:
        """The same trace as `forced_decoding` returns it."""
        weights = {record.name: record.weights for record in self.attentions}
        return ForcedDecoding(tuple(step.logp for step in self.steps), weights)


@torch.inference_mode()
def trace_forward(
    model: Model,
    source: Any,
    target: Sequence[int],
    piece: Callable[[int], str],
    *,
    attention: str | None = None,
    head: int = 0,
) -> ForwardTrace:
    """Force-decode `target` (ids without special tokens) and record every attention.

    `source` is one row of what the model's `start` takes; `piece` maps an id to its text.
    `attention` and `head` select the head to trace; by default the decoder's last attention,
    preferably to the source. Raises ConfigError if the decoder has no such attention or head.
    """
    device = next(model.parameters()).device
    prefix = torch.tensor([[BOS, *target]], device=device)
    labels = torch.tensor([*target, EOS], device=device)
    with eval_mode(model), watch(model) as recording:
        decoded, _ = model.decoder(model.embedding(prefix), model.start(source))
        logp = model.readout(decoded.hidden)[0].log_softmax(dim=-1)  # T V
    records = tuple(_attention_record(model, recording, name) for name in recording.names)
    available = [
        record.name for kind in ("self", "cross") for record in records if record.kind == kind
    ]
    if attention is not None and attention not in available:
        names = ", ".join(available) or "none"
        raise ConfigError(
            f"attention: the model's decoder has no attention {attention!r}. It has: {names}"
        )
    traced = attention if attention is not None else available[-1] if available else None
    return ForwardTrace(
        _steps(logp, labels, piece),
        records,
        None if traced is None else _head_trace(model, recording, traced, head),
        decoded.hidden[0].float().cpu(),
    )


def _steps(
    logp: Float[Tensor, "T V"], labels: Int[Tensor, " T"], piece: Callable[[int], str]
) -> tuple[TokenStep, ...]:
    best = logp.topk(min(TOP, logp.size(-1)))
    entropies = -(logp.exp() * logp).sum(dim=-1)
    chosen = logp.gather(1, labels[:, None])[:, 0]
    return tuple(
        TokenStep(label_logp, entropy, tuple(zip(map(piece, tokens), logps, strict=True)))
        for label_logp, entropy, tokens, logps in zip(
            chosen.tolist(),
            entropies.tolist(),
            best.indices.tolist(),
            best.values.tolist(),
            strict=True,
        )
    )


def describe_attention(model: Model, name: str) -> AttentionDescription:
    """Describe the attention of that name."""
    attention = get_attention(model, name)
    kind: AttentionKind = "encoder"
    if name in cross_attention_names(model):
        kind = "cross"
    elif name.startswith("decoder."):
        kind = "self"
    return AttentionDescription(
        name,
        kind,
        attention.score.heads,
        attention.score.equation,
        attention.span.equation,
        attention.normalizer.equation,
        blank_memory=kind == "self" and model.decoder.blank_memory,
        prior=attention.span.prior,
    )


def _attention_record(model: Model, recording: AttentionRecording, name: str) -> AttentionRecord:
    description = describe_attention(model, name)
    return AttentionRecord(
        **{field.name: getattr(description, field.name) for field in fields(description)},
        scores=recording.scores(name)[0].cpu(),
        weights=recording[name][0].cpu(),
        norms=recording.memory(name).values[0].float().norm(dim=-1).cpu(),
    )


def _head_trace(model: Model, recording: AttentionRecording, name: str, head: int) -> HeadTrace:
    memory = recording.memory(name)
    heads = memory.keys.size(1)
    if not 0 <= head < heads:
        raise ConfigError(
            f"head: {name} has the heads 1 to {heads} (in Python from 0). Head {head + 1} "
            "does not exist"
        )
    weights = recording[name][0, head]
    values = memory.values[0, head].to(weights.dtype)
    return HeadTrace(
        name,
        head,
        _head_terms(get_attention(model, name), recording.projected_queries(name), memory, head),
        recording.scores(name)[0, head].cpu(),
        weights.cpu(),
        values.cpu(),
        (weights @ values).cpu(),
    )


def _head_terms(
    attention: Attention, queries: Float[Tensor, "B H T D"], memory: Memory, head: int
) -> HeadTerms | None:
    """The terms of one head; None if its scores are not sums of terms."""
    terms = None if attention.span.biased else attention.score.terms(queries, memory.keys)
    if terms is None:
        return None
    return HeadTerms(
        terms.queries[0, head].cpu(),
        terms.keys[0, head].cpu(),
        terms.scale,
        None if terms.energy is None else terms.energy[head].detach().cpu(),
    )


# -- one attention as a matrix between words or pieces, with a caption that identifies it ----------


BEGINNING, NOTHING = "<s>", "∅"
ALIGNMENT_STEPS = ("at output", "at next input (shifted by one)")


@dataclass(frozen=True, slots=True)
class Matrix:
    """A row for each query word or piece, a column for each word or piece attended to."""

    weights: Float[Tensor, "J I"]
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    note: str  # the layer, head and alignment step; attention differs between them


def word_matrix(
    attention: AttentionRecord,
    source: TokenizedText,
    target: TokenizedText,
    head: int | None,
    shift: int,
    layers: int,
) -> Matrix:
    """Cross-attention between words: the sum over a source word's pieces, the mean over a target
    word's."""
    weights = _select_head(word_attention(attention.weights, source, target, shift), head)
    note = f"{matrix_caption(attention, head, shift, layers)}; pieces joined to words"
    return Matrix(weights, tuple(target.word_texts), (*source.word_texts, END), note)


def piece_matrix(
    attention: AttentionRecord,
    source: TokenizedText,
    target: TokenizedText,
    head: int | None,
    shift: int,
    layers: int,
) -> Matrix:
    """Cross-attention between pieces. With `shift` 1 the first step belongs to no piece and is
    dropped."""
    weights = _select_head(attention.weights, head)[shift:]
    labels = target.labels[: weights.size(0)]
    return Matrix(weights, labels, source.labels, matrix_caption(attention, head, shift, layers))


def region_matrix(
    attention: AttentionRecord,
    labels: tuple[str, ...],
    target: TokenizedText,
    head: int | None,
    shift: int,
    layers: int,
) -> Matrix:
    """Attention of each target word to the image regions that `labels` names: the mean over the
    word's pieces."""
    weights = _select_head(attention.weights, head)
    rows = [weights[[row + shift for row in rows]].mean(dim=0) for rows in target.word_pieces]
    note = f"{matrix_caption(attention, head, shift, layers)}; pieces joined to words"
    by_word = torch.stack(rows) if rows else weights.new_zeros(0, weights.size(1))
    return Matrix(by_word, tuple(target.word_texts), labels, note)


def self_attention_matrix(
    attention: AttentionRecord, target: TokenizedText, head: int | None, layers: int
) -> Matrix:
    """Decoder self-attention: each output piece over the pieces of its prefix."""
    weights = _select_head(attention.weights, head)
    prefix = (BEGINNING, *target.labels)
    columns = (NOTHING, *prefix) if attention.blank_memory else prefix
    note = matrix_caption(attention, head, 0, layers)
    return Matrix(weights, target.labels, columns[: weights.size(1)], note)


def matrix_caption(attention: AttentionRecord, head: int | None, shift: int, layers: int) -> str:
    """Layer, head and alignment step; layers and heads count from one, as in papers."""
    parts = []
    if layers > 1:
        parts.append(f"layer {attention.layer + 1} of {layers}")
    if attention.heads > 1:
        heads = attention.heads
        parts.append(f"mean of {heads} heads" if head is None else f"head {head + 1} of {heads}")
    parts.append(ALIGNMENT_STEPS[shift])
    return ", ".join(parts)


def _select_head(weights: Float[Tensor, "H J I"], head: int | None) -> Float[Tensor, "J I"]:
    return weights.mean(dim=0) if head is None else weights[head]
