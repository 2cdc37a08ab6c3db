"""Spans: which keys a query may attend to.

A span over positions is one predicate, `sees(t, s, n)`: may the query at position t see the key at
position s of n? It is written once, in index arithmetic, and serves as a mask and as the mask
function of a block-sparse kernel. A span of at most `width` positions also returns where they
begin, so that only these are computed and the cost of a step does not depend on the length of the
source. Every query sees at least one key.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import ClassVar, Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.attention.equation import Equation
from regard.attention.memory import Memory
from regard.attention.shapes import Scores, Visible


@dataclass(frozen=True, slots=True)
class SpanQuery:
    """Queries and the memory they attend to: K runs of `steps` queries, each from `start` on.

    `allow_window`: the visibility may cover only the positions within reach.
    """

    query: Float[Tensor, "B KT Q"]
    memory: Memory
    start: int
    steps: int
    allow_window: bool

    @property
    def positions(self) -> Int[Tensor, "1 KT 1"]:
        t = torch.arange(self.start, self.start + self.steps, device=self.query.device)
        return t.repeat(self.query.size(1) // self.steps).view(1, -1, 1)

    def window_fits(self, width: int) -> bool:
        """Whether the windows of all queries together are smaller than the memory."""
        return self.allow_window and width * self.query.size(1) < self.memory.size


@dataclass(frozen=True, slots=True)
class Visibility:
    """What each query sees of all S positions, or of the W that `positions` selects for it.

    In the second case every query is a row of its own with its own memory: B T S -> BT 1 W.
    """

    visible: Visible = None  # None: everything
    prior: Float[Tensor, "B 1 T S"] | None = None  # multiplies the weights (Luong 2015, eq. 10)
    positions: Int[Tensor, "rows queries W"] | None = None
    causal: bool = False  # the lower triangle, for which kernels need no mask

    def mask(self, scores: Scores) -> Visible:
        if not self.causal:
            return self.visible
        full = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device)
        return full.tril()[None, None]


class Span(nn.Module, ABC):
    equation: ClassVar[Equation]
    prior: ClassVar[Literal["gaussian"] | None] = None  # what multiplies the normalized weights
    reads_summary: ClassVar[bool] = False  # whether the last state must be the whole source

    @abstractmethod
    def visibility(self, query: SpanQuery) -> Visibility: ...


class IndexSpan(Span):
    width: int | None = None  # the most positions that a query sees; None: no bound

    @abstractmethod
    def sees(self, t: Tensor, s: Tensor, n: Tensor) -> Tensor: ...

    def first(self, t: Tensor, n: Tensor) -> Tensor:
        """The leftmost position that the query at t may see; it may be negative."""
        raise NotImplementedError(f"{type(self).__name__} has no width")

    def visibility(self, query: SpanQuery) -> Visibility:
        memory, t = query.memory, query.positions
        n = _lengths(memory)
        if self.width is not None and query.window_fits(self.width):
            return _window(self.first(t, n), self.width, memory, lambda s: self.sees(t, s, n))
        return Visibility(self.sees(t, _all_positions(memory), n).unsqueeze(1))


class Everywhere(IndexSpan):
    equation = Equation("everywhere", "every s", 'Luong et al. 2015, 3.1, "global"')

    def sees(self, t: Tensor, s: Tensor, n: Tensor) -> Tensor:
        return s < n

    def visibility(self, query: SpanQuery) -> Visibility:
        return Visibility() if query.memory.lengths is None else super().visibility(query)


class Causal(IndexSpan):
    """The present and the past, at most `window` positions of it.

    Beyond the end of a padded memory the window stays at its last positions.
    """

    equation = Equation("causal", "t − window < s ≤ t", "Vaswani et al. 2017, 3.2.3")

    def __init__(self, window: int | None = None) -> None:
        super().__init__()
        self.width = window

    def sees(self, t: Tensor, s: Tensor, n: Tensor) -> Tensor:
        last = torch.minimum(t, n - 1)
        return s <= last if self.width is None else (s <= last) & (s > last - self.width)

    def first(self, t: Tensor, n: Tensor) -> Tensor:
        assert self.width is not None
        return torch.minimum(t, n - 1) - self.width + 1

    def visibility(self, query: SpanQuery) -> Visibility:
        start, queries, size = query.start, query.query.size(1), query.memory.size
        if self.width is not None or query.memory.lengths is not None:
            return super().visibility(query)
        if start + 1 >= size:
            return Visibility()  # the first query already sees the whole memory
        if start == 0 and queries == query.steps == size:
            return Visibility(causal=True)
        return super().visibility(query)


class Last(IndexSpan):
    """The bottleneck of the plain encoder–decoder: one vector for the whole source.

    Modules that build a memory put the encoder's summary at the last position (`source_memory`):
    there, the backward half of a bidirectional encoder has read the last word only.
    """

    equation = Equation("last", "s = n − 1, where h_{n−1} is the summary", "Cho et al. 2014, 2.2")
    reads_summary = True
    width = 1

    def sees(self, t: Tensor, s: Tensor, n: Tensor) -> Tensor:
        return s == n - 1

    def first(self, t: Tensor, n: Tensor) -> Tensor:
        return (n - 1).expand(-1, t.size(1), -1)


class LocalMonotone(IndexSpan):
    """A window around t; beyond the end of the source, around its last position."""

    equation = Equation("local-monotone", "|s − t| ≤ reach", 'Luong et al. 2015, 3.2, "local-m"')

    def __init__(self, reach: int) -> None:
        super().__init__()
        self.reach, self.width = reach, 2 * reach + 1

    def sees(self, t: Tensor, s: Tensor, n: Tensor) -> Tensor:
        return ((s - torch.minimum(t, n - 1)).abs() <= self.reach) & (s < n)

    def first(self, t: Tensor, n: Tensor) -> Tensor:
        return torch.minimum(t, n - 1) - self.reach


class LocalPredictive(Span):
    """A window around a predicted position p, with a Gaussian of deviation reach/2 around it.

    The Gaussian multiplies the weights after the softmax, as in the paper, so they no longer sum
    to 1. Positions count from 0, hence n − 1.
    """

    equation = Equation(
        "local-predictive",
        "|s − p| ≤ reach, p = (n − 1) σ(v · tanh(W q)); weights × exp(−2 (s − p)² / reach²)",
        'Luong et al. 2015, 3.2, "local-p", eq. 9 and 10',
    )
    prior = "gaussian"

    def __init__(self, query_dim: int, reach: int) -> None:
        super().__init__()
        assert reach >= 1, f"a window must reach at least one position, not {reach}"
        self.reach = reach
        self.predict = nn.Sequential(
            nn.Linear(query_dim, query_dim, bias=False),
            nn.Tanh(),
            nn.Linear(query_dim, 1, bias=False),
        )

    def visibility(self, query: SpanQuery) -> Visibility:
        memory = query.memory
        n = _lengths(memory)
        device = query.query.device.type
        wide = nullcontext() if device == "meta" else torch.autocast(device, enabled=False)
        with wide:  # 16 bits cannot count to 300
            logits = self.predict(query.query.to(next(self.parameters()).dtype))
        exact = logits.to(torch.promote_types(logits.dtype, torch.float32))
        centre = (n - 1) * torch.sigmoid(exact)  # B KT 1

        def near(s: Tensor) -> Tensor:
            return ((s - centre).abs() <= self.reach) & (s < n)

        def gaussian(s: Tensor) -> Tensor:
            return torch.exp(-2 * ((s - centre) / self.reach) ** 2)

        width = 2 * self.reach + 1
        if query.window_fits(width):
            first = (centre.detach() - self.reach).ceil().long()
            return _window(first, width, memory, near, gaussian)
        s = _all_positions(memory)
        return Visibility(near(s).unsqueeze(1), gaussian(s).unsqueeze(1))


def _window(
    first: Int[Tensor, "#B KT 1"],
    width: int,
    memory: Memory,
    sees: Callable[[Tensor], Tensor],
    prior: Callable[[Tensor], Tensor] | None = None,
) -> Visibility:
    """Visibility of the `width` positions from `first` on; they may exceed the memory's ends."""
    s = (first + torch.arange(width, device=first.device)).expand(memory.rows, -1, -1)  # B KT W
    visible = sees(s) & (s >= 0) & (s < memory.size)

    def per_query(x: Tensor) -> Tensor:
        return x.flatten(0, 1)[:, None, None]  # B KT W -> BKT 1 1 W

    prior_weights = None if prior is None else per_query(prior(s))
    return Visibility(per_query(visible), prior_weights, s.clamp(0, memory.size - 1))


def _all_positions(memory: Memory) -> Int[Tensor, "1 1 S"]:
    return torch.arange(memory.size, device=memory.keys.device).view(1, 1, -1)


def _lengths(memory: Memory) -> Int[Tensor, "#B 1 1"]:
    if memory.lengths is None:
        return torch.full((1, 1, 1), memory.size, device=memory.keys.device)
    return memory.lengths.view(-1, 1, 1)
