"""A pair read closely: every number of every look, and of one head each step from query to context.

`reread` reads many pairs for what is wanted of them; this reads one, and keeps all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.attention import Equation
from regard.errors import ConfigError
from regard.explain.arrays import Arrays
from regard.inference.forced_decoding import ForcedDecoding, cross_attention_names, get_attention
from regard.inference.recording import AttentionRecording, watch
from regard.models import EncoderDecoder, LanguageModel, eval_mode
from regard.text.tokenizer import BOS, EOS

Kind = Literal["source", "past", "reading"]
"""Who looks at what: what is said at what was read; at what was said before; and what was read at
itself, while it was being read."""

Model: TypeAlias = EncoderDecoder[Any, Any] | LanguageModel[Any]

TOP = 10  # of what could have been said at a step


@dataclass(frozen=True, slots=True)
class AttentionRecord:
    """One attention of a model. Rows are what asked, columns what was looked at."""

    name: str  # in the model
    kind: Kind
    score: Equation
    span: Equation
    normalizer: Equation
    scores: Float[Tensor, "H T S"]  # −∞ where nothing may be seen
    weights: Float[Tensor, "H T S"]
    norms: Float[Tensor, "H S"]  # ‖v_s‖: a weight says little of a value that is short
    blank_memory: bool = False  # a past that begins with nothing, before the first word

    @property
    def heads(self) -> int:
        return self.weights.size(0)

    @property
    def layer(self) -> int:
        found = re.search(r"\.(\d+)\.", self.name)
        return int(found[1]) if found else 0

    def to_record(self, arrays: Arrays) -> dict[str, Any]:
        """As a record has it; its scores where they are looks at the source."""
        equations = {name: asdict(getattr(self, name)) for name in ("score", "span", "weighing")}
        scores = {"scores": arrays.add(self.scores, "f16")} if self.kind == "source" else {}
        return {
            "name": self.name,
            "kind": self.kind,
            "layer": self.layer,
            "heads": self.heads,
            **equations,
            "weights": arrays.add_weights(self.weights),
            "norms": arrays.add(self.norms, "f16"),
            "blank": self.blank_memory,
            **scores,
        }


@dataclass(frozen=True, slots=True)
class HeadTrace:
    """One head, with all its numbers: (queries, keys) → scores → weights, values → contexts.

    A score is scale · Σ_d q_d k_d, or, where there is an energy v, Σ_d v_d tanh(q_d + k_d).
    """

    attention: str
    head: int
    queries: Float[Tensor, "T D"]
    keys: Float[Tensor, "S D"]
    scale: float
    energy: Float[Tensor, " D"] | None
    scores: Float[Tensor, "T S"]
    weights: Float[Tensor, "T S"]
    values: Float[Tensor, "S W"]
    contexts: Float[Tensor, "T W"]

    def to_record(self, arrays: Arrays) -> dict[str, Any]:
        """As a record has it."""
        tables = ("queries", "keys", "scores", "weights", "values", "contexts")
        return {
            "look": self.attention,
            "head": self.head,
            "scale": self.scale,
            "energy": None if self.energy is None else arrays.add(self.energy),
            **{name: arrays.add(getattr(self, name)) for name in tables},
        }


@dataclass(frozen=True, slots=True)
class TokenStep:
    """What the model thought of saying, and how likely it found what was said."""

    logp: float
    entropy: float
    top: tuple[tuple[str, float], ...]  # the likeliest pieces and their log-probabilities


@dataclass(frozen=True, slots=True)
class ForwardTrace:
    steps: tuple[TokenStep, ...]  # of the target's tokens, and of its end
    attentions: tuple[AttentionRecord, ...]
    head_trace: HeadTrace | None  # None: nothing was looked at

    @property
    def forced(self) -> ForcedDecoding:
        """What a plain reading would have kept."""
        weights = {look.name: look.weights for look in self.attentions}
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
    """Read one source, as the model's `start` takes it in one row, and a target without marks.

    `piece` names tokens. `look` and `head` are the ones to walk through; by default the decoder's
    last look, at the source if it has one.
    """
    device = next(model.parameters()).device
    said = torch.tensor([[BOS, *target]], device=device)
    meant = torch.tensor([*target, EOS], device=device)
    with eval_mode(model), watch(model) as trace:
        decoded, _ = model.decoder(model.embedding(said), model.start(source))
        logp = model.readout(decoded.hidden)[0].log_softmax(dim=-1)  # T V
    looks = tuple(_attention_record(model, trace, name) for name in trace.names)
    known = [each.name for kind in ("past", "source") for each in looks if each.kind == kind]
    if attention is not None and attention not in known:
        told = ", ".join(known) or "none: it looks at nothing"
        raise ConfigError(f"look: the model has no look {attention!r} while it speaks; it has {told}")
    walked = attention if attention is not None else known[-1] if known else None
    return ForwardTrace(
        _steps(logp, meant, piece),
        looks,
        None if walked is None else _head_trace(model, trace, walked, head),
    )


def _steps(
    logp: Float[Tensor, "T V"], meant: Int[Tensor, " T"], piece: Callable[[int], str]
) -> tuple[TokenStep, ...]:
    best = logp.topk(min(TOP, logp.size(-1)))
    entropy = -(logp.exp() * logp).sum(dim=-1)
    chosen = logp.gather(1, meant[:, None])[:, 0]
    return tuple(
        TokenStep(one, spread, tuple(zip(map(piece, tokens), logps, strict=True)))
        for one, spread, tokens, logps in zip(
            chosen.tolist(),
            entropy.tolist(),
            best.indices.tolist(),
            best.values.tolist(),
            strict=True,
        )
    )


def _attention_record(model: Model, trace: AttentionRecording, name: str) -> AttentionRecord:
    attention = get_attention(model, name)
    at_source = name in cross_attention_names(model)
    kind: Kind = "source" if at_source else "past" if name.startswith("decoder.") else "reading"
    return AttentionRecord(
        name,
        kind,
        attention.score.equation,
        attention.span.equation,
        attention.normalizer.equation,
        trace.scores(name)[0].cpu(),
        trace[name][0].cpu(),
        trace.memory(name).values[0].float().norm(dim=-1).cpu(),
        blank_memory=kind == "past" and model.decoder.blank_memory,
    )


def _head_trace(model: Model, trace: AttentionRecording, name: str, head: int) -> HeadTrace:
    memory = trace.memory(name)
    heads = memory.keys.size(1)
    if not 0 <= head < heads:
        raise ConfigError(f"head: there are {heads}, from 0 on, and not {head}")
    units = get_attention(model, name).score.terms(trace.projected_queries(name), memory.keys)
    weights = trace[name][0, head]
    values = memory.values[0, head].to(weights.dtype)
    return HeadTrace(
        name,
        head,
        units.queries[0, head].cpu(),
        units.keys[0, head].cpu(),
        units.scale,
        None if units.energy is None else units.energy[head].detach().cpu(),
        trace.scores(name)[0, head].cpu(),
        weights.cpu(),
        values.cpu(),
        (weights @ values).cpu(),
    )
