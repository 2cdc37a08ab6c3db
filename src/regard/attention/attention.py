"""Attention: the one definition.

    asked    = project(query)
    scores   = compare(asked, keys)            score   how well does each key answer?
    view     = look(query, memory)             span    which keys may be seen?
    weights  = weigh(scores, view)             weigh   how is the look shared out?
    context  = weights @ values

Self-attention, cross-attention and attention pooling are not classes but ways to call this one:
they differ in where the query comes from and in what is remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.attention.dropout import Dropout
from regard.attention.fused import Kernel, inner_product_context
from regard.attention.memory import Memory
from regard.attention.precision import narrowed
from regard.attention.score import Score, merge_heads, split_heads
from regard.attention.shared import shared, weighted_sum
from regard.attention.span import Everywhere, Question, Span
from regard.attention.weigh import Choice, Softmax, Weighing, hide


@dataclass(frozen=True, slots=True)
class Glance:
    """What one look gave. All but the context and the choice exist only for those who listen."""

    context: Float[Tensor, "N T C"]
    choice: Choice | None = None  # of a hard look
    asked: Float[Tensor, "B H KT D"] | None = None  # the query, projected
    memory: Memory | None = None
    scores: Float[Tensor, "B H KT S"] | None = None  # −∞ where the span lets nothing be seen
    weights: Float[Tensor, "B H KT S"] | None = None


class Attention(nn.Module):
    """c_t = Σ_s α_ts v_s, α_t = weigh(score(q_t, k_s) for every s that the span lets t see)"""

    def __init__(
        self,
        score: Score,
        *,
        span: Span | None = None,
        weighing: Weighing | None = None,
        to_values: nn.Module | None = None,
        to_context: nn.Module | None = None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.score = score
        self.span = span or Everywhere()
        self.weighing = weighing or Softmax()
        self.to_values = to_values or nn.Identity()
        self.to_context = to_context or nn.Identity()
        self.dropout = Dropout(dropout)
        self.kernel: Kernel = "auto"  # of those that fuse
        self.listeners: list[Callable[[Glance], None]] = []

    def remember(
        self, states: Float[Tensor, "B S E"], lengths: Int[Tensor, " B"] | None = None
    ) -> Memory:
        values = shared(narrowed(split_heads(self.to_values(states), self.score.heads)))
        return Memory(self.score.project_keys(states), values, lengths)

    def forward(self, query: Float[Tensor, "N T Q"], memory: Memory, *, start: int = 0) -> Glance:
        """Look at `memory` from each of `query`, the first of which stands at position `start`.

        A memory may have fewer rows than the query: the K hypotheses of a sentence share what was
        read, and stand side by side like K·T queries.
        """
        rows, steps = query.shape[:2]
        query = query.reshape(memory.rows, -1, query.size(-1))  # N T Q -> B KT Q
        asked = self.score.project_query(query)
        heard = bool(self.listeners)
        view = self.span.look(Question(query, memory, start, steps, narrow=not heard))
        if view.positions is not None:  # each query asks a small memory of its own
            memory, asked = memory.near(view.positions), _apart(asked)

        scale, choice, scores, weights = self.score.inner_scale, None, None, None
        visible: Tensor | None = None
        if scale is not None and self.weighing.fusable and view.prior is None and not heard:
            context = inner_product_context(
                asked,
                memory.keys,
                memory.values,
                view,
                scale=scale,
                dropout=self.dropout,
                kernel=self.kernel,
            )
        else:
            scores = self.score.compare(asked, memory.keys)
            visible = view.mask(scores)
            weighed = self.weighing(scores, visible)
            choice = weighed.choice
            weights = weighed.weights if view.prior is None else weighed.weights * view.prior
            context = weighted_sum(self.dropout(weights), memory.values)

        if view.positions is not None:
            context = context.squeeze(2).unflatten(0, query.shape[:2]).transpose(1, 2)
        context = self.to_context(merge_heads(context)).view(rows, steps, -1)
        if not heard:
            return Glance(context, choice)
        assert scores is not None
        glance = Glance(context, choice, asked, memory, hide(scores, visible), weights)
        for listen in self.listeners:
            listen(glance)
        return glance

    if TYPE_CHECKING:
        __call__ = forward

    @contextmanager
    def heard_by(self, listener: Callable[[Glance], None]) -> Iterator[None]:
        """Tell `listener` of every look, its weights with it, for as long as the block lasts."""
        self.listeners.append(listener)
        try:
            yield
        finally:
            self.listeners.remove(listener)


def _apart(asked: Float[Tensor, "B H T D"]) -> Float[Tensor, "BT H 1 D"]:
    """Every query in a row of its own."""
    return asked.transpose(1, 2).flatten(0, 1).unsqueeze(2)
