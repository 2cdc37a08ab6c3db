"""Where may a query look?

A span over positions is one predicate, `sees(t, s, n)`: may the query at position t see the key at
position s of n? It is written once, in plain index arithmetic, and serves both as a mask (broadcast
over ranges) and as the mask function of a block-sparse kernel. A span that sees no more than
`width` positions also says where they begin, so that only these need be looked at and a step costs
the same whatever the length of the source. Every query sees at least one key.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from regard.attention.equation import Equation, equation
from regard.attention.memory import Memory


@dataclass(frozen=True, slots=True)
class Question:
    """Queries before a memory: K runs of `steps`, each from position `start` on.

    With `narrow` the view may be given for the few positions in reach alone.
    """

    query: Float[Tensor, "B KT Q"]
    memory: Memory
    start: int
    steps: int
    narrow: bool

    @property
    def times(self) -> Int[Tensor, "1 KT 1"]:
        """Where each query stands."""
        t = torch.arange(self.start, self.start + self.steps, device=self.query.device)
        return t.repeat(self.query.size(1) // self.steps).view(1, -1, 1)

    def fits(self, width: int) -> bool:
        """A window will do: those of all queries together hold fewer positions than the memory."""
        return self.narrow and width * self.query.size(1) < self.memory.size


@dataclass(frozen=True, slots=True)
class View:
    """What each query sees of all S positions; or, where `positions` picks W for each, of those.

    Then every query stands in a row of its own, before a memory of its own: B T S -> BT 1 W.
    """

    visible: Bool[Tensor, "#B 1 #T S"] | None = None  # None: everything
    prior: Float[Tensor, "B 1 T S"] | None = None  # multiplies the weights (Luong 2015, eq. 10)
    positions: Int[Tensor, "rows queries W"] | None = None
    causal: bool = False  # what is visible is the lower triangle: a kernel needs no mask for that

    def mask(self, scores: Float[Tensor, "B H T S"]) -> Bool[Tensor, "#B 1 #T S"] | None:
        if not self.causal:
            return self.visible
        return torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()[
            None, None
        ]


class Span(nn.Module, ABC):
    @property
    def equation(self) -> Equation:
        return equation(type(self))

    @abstractmethod
    def look(self, question: Question) -> View:
        """What each query sees of the memory."""


class IndexSpan(Span):
    width: int | None = None  # no query sees more positions than this; None: it may see them all

    @abstractmethod
    def sees(self, t: Tensor, s: Tensor, n: Tensor) -> Tensor: ...

    def first(self, t: Tensor, n: Tensor) -> Tensor:
        """The leftmost position in reach of the query at t, maybe before the beginning."""
        raise NotImplementedError(f"{type(self).__name__} has no width")

    def look(self, question: Question) -> View:
        memory, t = question.memory, question.times
        n = _lengths(memory)
        if self.width is not None and question.fits(self.width):
            return _window(self.first(t, n), self.width, memory, lambda s: self.sees(t, s, n))
        return View(self.sees(t, _everything(memory), n).unsqueeze(1))


class Everywhere(IndexSpan):
    """every s  (Luong et al. 2015, 3.1, "global")"""

    def sees(self, t: Tensor, s: Tensor, n: Tensor) -> Tensor:
        return s < n

    def look(self, question: Question) -> View:
        return View() if question.memory.lengths is None else super().look(question)


class Causal(IndexSpan):
    """t − window < s ≤ t  (Vaswani et al. 2017, 3.2.3)

    The past and the present, no further back than `window` positions if one is given. Padding
    stands on the right, where a real query never looks: n does not matter.
    """

    def __init__(self, window: int | None = None) -> None:
        super().__init__()
        self.width = window

    def sees(self, t: Tensor, s: Tensor, n: Tensor) -> Tensor:
        return s <= t if self.width is None else (s <= t) & (s > t - self.width)

    def first(self, t: Tensor, n: Tensor) -> Tensor:
        assert self.width is not None
        return t - self.width + 1

    def look(self, question: Question) -> View:
        start, queries, size = question.start, question.query.size(1), question.memory.size
        if self.width is None and start + 1 >= size:
            return View()  # even the first of these queries has everything before it
        if self.width is None and start == 0 and queries == question.steps == size:
            return View(causal=True)
        return super().look(question)


class Last(IndexSpan):
    """s = n − 1: the bottleneck of the plain encoder–decoder  (Cho et al. 2014, 2.2)"""

    width = 1

    def sees(self, t: Tensor, s: Tensor, n: Tensor) -> Tensor:
        return s == n - 1

    def first(self, t: Tensor, n: Tensor) -> Tensor:
        return (n - 1).expand(-1, t.size(1), -1)


class LocalMonotone(IndexSpan):
    """|s − t| ≤ reach  (Luong et al. 2015, 3.2, "local-m")

    Beyond the end of the source the window stays on its last position.
    """

    def __init__(self, reach: int) -> None:
        super().__init__()
        self.reach, self.width = reach, 2 * reach + 1

    def sees(self, t: Tensor, s: Tensor, n: Tensor) -> Tensor:
        return ((s - torch.minimum(t, n - 1)).abs() <= self.reach) & (s < n)

    def first(self, t: Tensor, n: Tensor) -> Tensor:
        return torch.minimum(t, n - 1) - self.reach


class LocalPredictive(Span):
    """|s − p| ≤ reach, p = (n − 1) σ(v · tanh(W q)); weights × exp(−2 (s − p)² / reach²)

    Luong et al. 2015, 3.2, "local-p", eq. 9 and 10, with their deviation of half the reach. The
    weights are no longer a distribution: the Gaussian comes after the softmax, as in the paper.
    Positions count from 0, hence n − 1.
    """

    def __init__(self, query_dim: int, reach: int) -> None:
        super().__init__()
        assert reach >= 1, f"a window must reach at least one position, not {reach}"
        self.reach = reach
        self.predict = nn.Sequential(
            nn.Linear(query_dim, query_dim, bias=False),
            nn.Tanh(),
            nn.Linear(query_dim, 1, bias=False),
        )

    def look(self, question: Question) -> View:
        memory = question.memory
        n = _lengths(memory)
        centre = (n - 1) * torch.sigmoid(self.predict(question.query))  # B KT 1

        def near(s: Tensor) -> Tensor:
            return ((s - centre).abs() <= self.reach) & (s < n)

        def gaussian(s: Tensor) -> Tensor:
            return torch.exp(-2 * ((s - centre) / self.reach) ** 2)

        width = 2 * self.reach + 1
        if question.fits(width):
            first = (centre.detach() - self.reach).ceil().long()
            return _window(first, width, memory, near, gaussian)
        s = _everything(memory)
        return View(near(s).unsqueeze(1), gaussian(s).unsqueeze(1))


def _window(
    first: Int[Tensor, "#B KT 1"],
    width: int,
    memory: Memory,
    sees: Callable[[Tensor], Tensor],
    prior: Callable[[Tensor], Tensor] | None = None,
) -> View:
    """The view of `width` positions from `first` on, which may stick out at either end."""
    s = (first + torch.arange(width, device=first.device)).expand(memory.rows, -1, -1)  # B KT W
    visible = sees(s) & (s >= 0) & (s < memory.size)

    def apart(x: Tensor) -> Tensor:
        return x.flatten(0, 1)[:, None, None]  # B KT W -> BKT 1 1 W

    return View(
        apart(visible),
        apart(prior(s)) if prior is not None else None,
        s.clamp(0, memory.size - 1),
    )


def _everything(memory: Memory) -> Int[Tensor, "1 1 S"]:
    return torch.arange(memory.size, device=memory.keys.device).view(1, 1, -1)


def _lengths(memory: Memory) -> Int[Tensor, "#B 1 1"]:
    if memory.lengths is None:
        return torch.full((1, 1, 1), memory.size, device=memory.keys.device)
    return memory.lengths.view(-1, 1, 1)
