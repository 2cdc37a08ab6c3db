"""One forced decoding with all numbers of every attention, and every step of one head.

`forced_decoding` processes many pairs and keeps what is requested; this processes one pair and
keeps everything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.attention import Attention, Equation, Memory
from regard.errors import ConfigError
from regard.explain.arrays import Arrays
from regard.inference.forced_decoding import ForcedDecoding, cross_attention_names, get_attention
from regard.inference.recording import AttentionRecording, watch
from regard.models import EncoderDecoder, LanguageModel, eval_mode
from regard.text.tokenizer import BOS, EOS

AttentionKind: TypeAlias = Literal["cross", "self", "encoder"]
"""Decoder over source, decoder over its prefix, or encoder over source."""

Model: TypeAlias = EncoderDecoder[Any, Any] | LanguageModel[Any]

TOP = 10  # alternatives kept at each step


@dataclass(frozen=True, slots=True)
class AttentionRecord:
    """One attention of a model. T are the queries, S the positions attended to."""

    name: str  # in the model
    kind: AttentionKind
    score: Equation
    span: Equation
    normalizer: Equation
    scores: Float[Tensor, "H T S"]  # −∞ where the span masks
    weights: Float[Tensor, "H T S"]
    norms: Float[Tensor, "H S"]  # ‖v_s‖: a short value contributes little at any weight
    blank_memory: bool = False  # the memory starts with an empty slot, before the first token
    prior: Literal["gaussian"] | None = None  # multiplies the normalized weights

    @property
    def heads(self) -> int:
        return self.weights.size(0)

    @property
    def layer(self) -> int:
        match = re.search(r"\.(\d+)\.", self.name)
        return int(match[1]) if match else 0

    def to_record(self, arrays: Arrays) -> dict[str, object]:
        """Return the JSON fields. Only cross-attention keeps its scores."""
        equations = {name: asdict(getattr(self, name)) for name in ("score", "span", "normalizer")}
        scores = {"scores": arrays.add(self.scores, "f16")} if self.kind == "cross" else {}
        return {
            "name": self.name,
            "kind": self.kind,
            "layer": self.layer,
            "heads": self.heads,
            **equations,
            "prior": self.prior,
            "weights": arrays.add_weights(self.weights),
            "norms": arrays.add(self.norms, "f16"),
            "blank_memory": self.blank_memory,
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

    def to_record(self, arrays: Arrays) -> dict[str, Any]:
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


def _attention_record(model: Model, recording: AttentionRecording, name: str) -> AttentionRecord:
    attention = get_attention(model, name)
    kind: AttentionKind = "encoder"
    if name in cross_attention_names(model):
        kind = "cross"
    elif name.startswith("decoder."):
        kind = "self"
    return AttentionRecord(
        name,
        kind,
        attention.score.equation,
        attention.span.equation,
        attention.normalizer.equation,
        recording.scores(name)[0].cpu(),
        recording[name][0].cpu(),
        recording.memory(name).values[0].float().norm(dim=-1).cpu(),
        blank_memory=kind == "self" and model.decoder.blank_memory,
        prior=attention.span.prior,
    )


def _head_trace(model: Model, recording: AttentionRecording, name: str, head: int) -> HeadTrace:
    memory = recording.memory(name)
    heads = memory.keys.size(1)
    if not 0 <= head < heads:
        raise ConfigError(
            f"head: {name} has {heads} heads, numbered from 0. {head} is not one of them"
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
