"""Attention, by definition:

    scores  = score(query, keys)           scores.py, for example v · tanh(W q + U k)
    scores += bias(t, s)                   spans.py, of few spans, for example −m |t − s|
    visible = sees(t, s, n)                spans.py: may the query at t see key s of n?
    weights = normalizer(scores, visible)  normalizers.py, for example a softmax
    context = weights @ values

`attend` is this definition as code. It computes every call that no kernel computes faster, and the
tests compare every kernel with it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.attention.memory import Memory
from regard.attention.normalizers import Normalizer, SampledPosition
from regard.attention.scores import Score
from regard.attention.shapes import Contexts, Queries, Scores, Visible
from regard.attention.spans import Span


class PositionsOfCall(NamedTuple):
    """Positions of queries and keys, and the number of keys of each row."""

    t: Int[Tensor, "#B #KT 1"]
    s: Int[Tensor, "#B #KT S"]
    n: Int[Tensor, "#B 1 1"] | int


@runtime_checkable
class DropoutModule(Protocol):
    p: float
    training: bool

    def __call__(self, x: Scores) -> Scores: ...


@dataclass(frozen=True, slots=True)
class AttentionCall:
    """The parts of an attention, and what it is called with."""

    score: Score
    span: Span
    normalizer: Normalizer
    dropout: DropoutModule
    states: Float[Tensor, "B KT Q"]  # the queries as the caller passed them
    query: Queries  # the same, projected: B H KT D
    memory: Memory
    steps: int  # T: the queries are K runs of T, each of which begins at `start`
    start: int | Int[Tensor, ""] = 0
    mask: Visible = None  # True: visible, if the span agrees
    need_weights: bool = False
    kernel: str = "auto"
    positions: PositionsOfCall | None = None  # None: all positions of the memory

    def locate(self) -> PositionsOfCall:
        """The positions of the queries, as the span sees them, and of the keys."""
        if self.positions is not None:
            return self.positions
        device, memory = self.states.device, self.memory
        t = (self.start + torch.arange(self.steps, device=device)).view(1, -1, 1)
        t = t.repeat(1, self.states.size(1) // self.steps, 1)
        n = memory.size if memory.lengths is None else memory.lengths.view(-1, 1, 1)
        s = torch.arange(memory.size, device=device).view(1, 1, -1)
        return PositionsOfCall(self.span.centre(self.states, t, n), s, n)

    def visibility(self) -> tuple[Visible, Float[Tensor, "#B 1 #T S"] | None]:
        """Which keys a query sees, None for all, and what multiplies its weights, None for 1."""
        whole = self.memory.lengths is None and self.mask is None and self.positions is None
        if whole and self.span.sees_all(self.start, self.memory.size):
            return None, None
        t, s, n = self.locate()
        visible, prior = self.span.sees(t, s, n).unsqueeze(1), self.span.prior_weights(t, s)
        if self.mask is not None:
            visible = visible & self.mask
        return visible, None if prior is None else prior.unsqueeze(1)

    def bias(self) -> Float[Tensor, "#B #H #T S"] | None:
        """What the span adds to the scores; None: nothing."""
        if not self.span.biased:
            return None
        t, s, _ = self.locate()
        return self.span.bias(t, s)


class Attended(NamedTuple):
    """The context of each head. A kernel returns weights only where they are needed."""

    context: Contexts
    weights: Scores | None = None
    scores: Scores | None = None
    visible: Visible = None
    sampled: SampledPosition | None = None


Attend: TypeAlias = Callable[[AttentionCall], Attended]


def attend(call: AttentionCall) -> Attended:
    """Attention, by definition."""
    keys, values = call.memory.keys, call.memory.values
    (visible, prior), bias = call.visibility(), call.bias()

    scores = call.score(call.query, keys)
    if bias is not None:
        scores = scores + bias
    weights, sampled = call.normalizer(scores, visible)
    if prior is not None:
        weights = weights * prior
    context = call.dropout(weights).to(values.dtype) @ values

    return Attended(context, weights, scores, visible, sampled)
