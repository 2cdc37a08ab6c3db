"""Attention: the one definition.

    scores   = compare(project_query(query), keys)     scores.py: similarity of query and key
    visible  = span.visibility(query, memory)          spans.py: which keys a query may attend to
    weights  = normalizer(scores, visible)             normalizers.py: a distribution over keys
    context  = weights @ values

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
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention.kernels.deferred_gradients import defer_gradient, weighted_sum
from regard.attention.kernels.dropout import Dropout
from regard.attention.kernels.inner_product import Kernel, inner_product_context
from regard.attention.kernels.precision import to_compute_dtype
from regard.attention.memory import Memory
from regard.attention.normalizers import Normalizer, SampledPosition, Softmax, mask_scores
from regard.attention.scores import Score, merge_heads, split_heads
from regard.attention.shapes import Lengths
from regard.attention.spans import Everywhere, Span, SpanQuery


@dataclass(frozen=True, slots=True)
class AttentionOutput:
    """Result of one attention call. The last four fields are set only while recording."""

    context: Float[Tensor, "N T C"]
    sampled: SampledPosition | None = None  # hard attention only
    projected_query: Float[Tensor, "B H KT D"] | None = None
    memory: Memory | None = None
    scores: Float[Tensor, "B H KT S"] | None = None  # −∞ where a key is not visible
    weights: Float[Tensor, "B H KT S"] | None = None


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
    """

    def __init__(
        self,
        score: Score,
        *,
        span: Span | None = None,
        normalizer: Normalizer | None = None,
        to_values: nn.Module | None = None,
        to_context: nn.Module | None = None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.score = score
        self.span = span or Everywhere()
        self.normalizer = normalizer or Softmax()
        self.to_values = to_values or nn.Identity()
        self.to_context = to_context or nn.Identity()
        self.dropout = Dropout(dropout)
        self.kernel: Kernel = "auto"  # used where score and normalizer can be fused

    def build_memory(self, states: Float[Tensor, "B S E"], lengths: Lengths = None) -> Memory:
        """Project `states` to keys and values."""
        values = to_compute_dtype(split_heads(self.to_values(states), self.score.heads))
        return Memory(self.score.project_keys(states), defer_gradient(values), lengths)

    def forward(
        self,
        query: Float[Tensor, "N T Q"],
        memory: Memory,
        *,
        start: int = 0,
        need_weights: bool = False,
    ) -> AttentionOutput:
        """Attend to `memory` from each query.

        Args:
            query: N = B·K rows. The K hypotheses of a sentence share its row of the memory and are
                treated as K·T queries.
            start: position of the first query in its sequence.
            need_weights: also return scores and weights. Slower: no fused kernel is used.
        """
        rows, steps = query.shape[:2]
        query = query.reshape(memory.rows, -1, query.size(-1))  # N T Q -> B KT Q
        normalizer = _active(_normalizers).get(self, self.normalizer)
        recorders = _active(_recorders).get(self, ())
        need_weights = need_weights or bool(recorders) or normalizer is not self.normalizer

        projected = self.score.project_query(query)
        seen = self.span.visibility(SpanQuery(query, memory, start, steps, not need_weights))
        if seen.positions is not None:  # each query gets a small memory of its own
            memory = memory.gather(seen.positions)
            projected = projected.transpose(1, 2).flatten(0, 1).unsqueeze(2)  # B H T D -> BT H 1 D

        scale = self.score.inner_scale
        sampled, scores, weights = None, None, None
        if scale is not None and normalizer.fusable and seen.prior is None and not need_weights:
            context = inner_product_context(
                projected, memory, seen, scale=scale, dropout=self.dropout, kernel=self.kernel
            )
        else:
            scores = self.score.compare(projected, memory.keys)
            visible = seen.mask(scores)
            normalized = normalizer(scores, visible)
            sampled, weights = normalized.sampled, normalized.weights
            if seen.prior is not None:
                weights = weights * seen.prior
            # the additive score is computed in at least fp32
            kept = self.dropout(weights).to(memory.values.dtype)
            context = weighted_sum(kept, memory.values)

        if seen.positions is not None:
            context = context.squeeze(2).unflatten(0, query.shape[:2]).transpose(1, 2)
            sampled = sampled and sampled.unflatten(query.shape[:2])
        context = self.to_context(merge_heads(context)).view(rows, steps, -1)
        if not need_weights:
            return AttentionOutput(context, sampled)
        assert scores is not None
        scores = mask_scores(scores, visible)
        output = AttentionOutput(context, sampled, projected, memory, scores, weights)
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
