"""Attention as a module: with one head of any score, and with several heads as in torch.nn.

Self-attention, cross-attention and attention pooling are not separate classes. They call this one
with queries and memories from different places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from regard.attention.choice import (
    AttentionKernel,
    DropoutKernel,
    apply_dropout,
    choose_kernel,
    prepare_memory,
)
from regard.attention.definition import AttentionCall
from regard.attention.memory import Memory
from regard.attention.normalizers import Normalizer, SampledPosition, Softmax, mask_scores
from regard.attention.scores import Score, merge_heads, scaled_dot, split_dim, split_heads
from regard.attention.shapes import Lengths
from regard.attention.spans import Causal, Everywhere, Span

# -- dropout ---------------------------------------------------------------------------------------


class Dropout(nn.Module):
    """y = m x / (1 − p), m ~ Bernoulli(1 − p), in training; else y = x  (Srivastava et al. 2014)

    `kernel`: "bytes" (fast on a CPU), "plain" (torch's own), or "auto".
    """

    def __init__(self, p: float = 0.0, *, kernel: DropoutKernel = "auto") -> None:
        super().__init__()
        self.p: float = p
        self.kernel: DropoutKernel = kernel

    def forward(self, x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        return apply_dropout(x, self.p, self.kernel) if self.training and self.p > 0 else x

    if TYPE_CHECKING:
        __call__ = forward

    def extra_repr(self) -> str:
        return f"p={self.p}"


# -- attention -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AttentionOutput:
    """Result of one attention call: `context, weights = attention(…, need_weights=True)`.

    All fields but the first two are set only if weights are requested or recorded.
    """

    context: Float[Tensor, "N T C"]
    sampled: SampledPosition | None = None  # hard attention only
    projected_query: Float[Tensor, "B H KT D"] | None = None
    memory: Memory | None = None
    scores: Float[Tensor, "B H KT S"] | None = None  # −∞ where a key is not visible
    weights: Float[Tensor, "B H KT S"] | None = None

    def __iter__(self) -> Iterator[Tensor | None]:
        return iter((self.context, self.weights))


Recorder: TypeAlias = Callable[[AttentionOutput], None]

# Context variables, so that threads and tasks do not affect each other.
_recorders: ContextVar[Mapping[Attention, tuple[Recorder, ...]]] = ContextVar(
    "recorders", default=MappingProxyType({})
)
_normalizers: ContextVar[Mapping[Attention, Normalizer]] = ContextVar(
    "normalizers", default=MappingProxyType({})
)
V = TypeVar("V")


def _active(variable: ContextVar[Mapping[Attention, V]]) -> Mapping[Attention, V]:
    """The variable's mapping; none in compiled code, which must not depend on it."""
    return {} if torch.compiler.is_compiling() else variable.get()


class Attention(nn.Module):
    """c_t = Σ_s α_ts v_s,  α_t = normalize(score(q_t, k_s) over the keys s that t may see)

    Args:
        score: compares queries with keys; also sets the number of heads H.
        span: which keys each query may attend to; all of them by default.
        normalizer: turns scores into weights; a softmax by default.
        to_values: projects states to values, to_context: projects the merged heads; by default
            both are the identity.
        dropout: probability of dropping a weight in training.

    Example: Bahdanau's attention, of one query for each of two sentences.

        >>> from regard.attention import additive
        >>> attention = Attention(additive(query_dim=4, key_dim=6, dim=8))
        >>> memory = attention.build_memory(torch.randn(2, 5, 6), lengths=torch.tensor([5, 3]))
        >>> context, weights = attention(torch.randn(2, 1, 4), memory, need_weights=True)
        >>> context.shape, weights.shape
        (torch.Size([2, 1, 6]), torch.Size([2, 1, 1, 5]))
    """

    def __init__(
        self,
        score: Score,
        span: Span | None = None,
        normalizer: Normalizer | None = None,
        *,
        to_values: nn.Module | None = None,
        to_context: nn.Module | None = None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        _check_parts(score, span, normalizer)
        self.score = score
        self.span = span or Everywhere()
        self.normalizer = normalizer or Softmax()
        self.to_values = to_values or nn.Identity()
        self.to_context = to_context or nn.Identity()
        self.dropout = Dropout(dropout)
        self.kernel: AttentionKernel = "auto"  # "definition": never use a kernel

    def build_memory(
        self,
        states: Float[Tensor, "B S E"],
        lengths: Lengths = None,
        *,
        values: Float[Tensor, "B S F"] | None = None,
    ) -> Memory:
        """Project `states` to keys and values.

        Args:
            lengths: the number of states of each row that are not padding; None: all.
            values: states to project to values; by default `states`.
        """
        projected = self.to_values(states if values is None else values)
        projected = split_heads(projected, self.score.heads)
        memory = Memory(self.score.project_keys(states), projected, lengths)
        if self.kernel != "definition":
            memory = prepare_memory(memory, self.score)
        if torch.compiler.is_compiling():  # loops in compiled code accept neither views nor aliases
            memory = memory.map(lambda x: x.clone(memory_format=torch.contiguous_format))
        return memory

    def forward(
        self,
        query: Float[Tensor, "N T Q"],
        memory: Memory,
        mask: Bool[Tensor, "#N #T #S"] | None = None,
        *,
        start: int | Int[Tensor, ""] = 0,
        need_weights: bool = False,
    ) -> AttentionOutput:
        """Attend to `memory` from each query.

        Args:
            query: N = B·K rows. The K hypotheses of a sentence share its row of the memory and are
                treated as K·T queries.
            mask: True where a query may attend to a key, if the span allows it too. Each query
                must see a key.
            start: position of the first query in its sequence.
            need_weights: also return scores and weights. Slower: no fused kernel is used.
        """
        if not isinstance(memory, Memory):
            raise TypeError(_MEMORY_REQUIRED.format(type(memory).__name__))
        rows, steps = query.shape[:2]
        if rows != memory.rows:
            query = query.reshape(memory.rows, -1, query.size(-1))  # N T Q -> B KT Q
        if mask is not None:
            mask = mask.expand(rows, steps, memory.size).reshape(memory.rows, 1, -1, memory.size)
        normalizer = _active(_normalizers).get(self, self.normalizer)
        recorders = _active(_recorders).get(self, ())
        need_weights = need_weights or bool(recorders) or normalizer is not self.normalizer
        call = AttentionCall(
            self.score, self.span, normalizer, self.dropout, query,
            self.score.project_query(query), memory, steps, start, mask, need_weights, self.kernel,
        )  # fmt: skip
        attended = choose_kernel(call)(call)
        context = self.to_context(merge_heads(attended.context)).view(rows, steps, -1)
        if not need_weights:
            return AttentionOutput(context, attended.sampled)
        assert attended.scores is not None
        scores = mask_scores(attended.scores, attended.visible)
        output = AttentionOutput(
            context, attended.sampled, call.query, memory, scores, attended.weights
        )
        for recorder in recorders:
            recorder(output)
        return output

    if TYPE_CHECKING:
        __call__ = forward

    @contextmanager
    def record(self, recorder: Recorder) -> Iterator[None]:
        """Pass the output of every call, with its weights, to `recorder` inside the block.

        Only calls of the current thread (or asyncio task) are recorded.
        """
        active = _recorders.get()
        token = _recorders.set({**active, self: (*active.get(self, ()), recorder)})
        try:
            yield
        finally:
            _recorders.reset(token)


@contextmanager
def replace_normalizers(normalizers: Mapping[Attention, Normalizer]) -> Iterator[None]:
    """Use other normalizers inside the block, in the current thread only."""
    token = _normalizers.set({**_normalizers.get(), **normalizers})
    try:
        yield
    finally:
        _normalizers.reset(token)


def _check_parts(score: object, span: object, normalizer: object) -> None:
    """Raise TypeError with an example if the arguments are those of another class."""
    if isinstance(score, int):
        raise TypeError(
            "Attention takes a score, not sizes. For the heads of torch.nn.MultiheadAttention, use "
            f"regard.attention.MultiheadAttention({score}, heads), or "
            f"Attention(scaled_dot({score}, {score}, dim={score}, heads=heads))."
        )
    parts = {"score": (score, Score), "span": (span, Span), "normalizer": (normalizer, Normalizer)}
    for name, (part, kind) in parts.items():
        if isinstance(part, kind) or (part is None and name != "score"):
            continue
        example = "additive(64, 64, dim=64)" if name == "score" else "score"
        for right, (_, required_type) in parts.items():
            if isinstance(part, required_type):
                raise TypeError(
                    f"{type(part).__name__} is a {right}, not a {name}. "
                    f"Use Attention({example}, {right}={type(part).__name__}(…))."
                )
        raise TypeError(
            f"{name} must be a regard.attention.{kind.__name__}, not {type(part).__name__}. "
            "Example: Attention(additive(64, 64, dim=64), span=Causal(), normalizer=Sparsemax())."
        )


_MEMORY_REQUIRED = (
    "Attention projects keys and values itself, once for all queries: "
    "attention(query, attention.build_memory(states, lengths)), or with states for the "
    "values build_memory(states, lengths, values=values). "
    "regard.attention.MultiheadAttention takes (query, key, value) as torch.nn does. "
    "The memory must be a Memory, not {}."
)


# -- multi-head attention with the arguments of `torch.nn.MultiheadAttention` ----------------------


class MultiheadAttention(nn.Module):
    """MultiHead(Q, K, V) = [head_1; …; head_h] W^O, head_i = attend(Q W_i, K W'_i, V W''_i)

    Vaswani et al. 2017, 3.2.2, as `torch.nn.MultiheadAttention` with the batch first and without
    a bias of the keys, which a softmax ignores. `causal`: a query sees no later key.

        >>> attention = MultiheadAttention(512, 8)
        >>> x = torch.randn(2, 5, 512)
        >>> context, weights = attention(x, x, x, need_weights=True)
        >>> context.shape, weights.shape
        (torch.Size([2, 5, 512]), torch.Size([2, 8, 5, 5]))
    """

    def __init__(self, dim: int, heads: int, dropout: float = 0.0, *, causal: bool = False) -> None:
        super().__init__()
        split_dim(dim, heads)
        self.attention = Attention(
            scaled_dot(dim, dim, dim=dim, heads=heads),
            span=Causal() if causal else None,
            to_values=nn.Linear(dim, dim),
            to_context=nn.Linear(dim, dim),
            dropout=dropout,
        )

    def forward(
        self,
        query: Float[Tensor, "B T E"],
        key: Float[Tensor, "B S E"],
        value: Float[Tensor, "B S E"],
        *,
        lengths: Lengths = None,
        mask: Bool[Tensor, "#B #T #S"] | None = None,
        need_weights: bool = False,
        key_padding_mask: None = None,
        attn_mask: None = None,
    ) -> AttentionOutput:
        """Attend from each query to the keys.

        Args:
            lengths: the number of keys of each row that are not padding; None: all.
            mask: True where a query may attend to a key; with a dimension for the batch.
            need_weights: also return the weights, of each head.
        """
        if key_padding_mask is not None or attn_mask is not None:
            raise TypeError(
                "In the masks of torch.nn.MultiheadAttention True means hidden. Use lengths= for "
                "padding, causal=True for the past, or mask=, in which True means visible: "
                "mask=~attn_mask[None], mask=~key_padding_mask[:, None]."
            )
        memory = self.attention.build_memory(key, lengths, values=value)
        return self.attention(query, memory, mask, need_weights=need_weights)

    if TYPE_CHECKING:
        __call__ = forward
