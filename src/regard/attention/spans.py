"""Spans: which keys a query may attend to.

A span is one predicate, `sees(t, s, n)`: may the query at position t see the key at position s of
n? It is written once, in index arithmetic, and serves as a mask and as the mask function of a
block-sparse kernel. A span of at most `width` positions also returns where they begin, so that a
kernel can compute only these. Every query sees at least one key.

A span may also add a bias to the scores, such as ALiBi's distance between query and key.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import nullcontext
from typing import ClassVar, Literal, TypeAlias

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.attention.shapes import Equation

Count: TypeAlias = Tensor | int  # the number of keys n, of each row or of all


class Span(nn.Module, ABC):
    equation: ClassVar[Equation]
    prior: ClassVar[Literal["gaussian"] | None] = None  # what multiplies the normalized weights
    positional: ClassVar[bool] = True  # whether it depends on the position of the query
    causal: ClassVar[bool] = False  # whether no query sees a later key
    biased: ClassVar[bool] = False  # whether `bias` is added to the scores
    reads_summary: ClassVar[bool] = False  # whether the last state must be the whole source
    width: int | None = None  # the most positions that a query sees; None: no bound

    @abstractmethod
    def sees(self, t: Tensor, s: Tensor, n: Count) -> Tensor:
        """Whether the query at t may attend to key s of n, for tensors of positions."""

    def sees_all(self, start: int | Tensor, size: int) -> bool:
        """Whether all queries from `start` on see all of an unpadded memory."""
        return False

    def centre(
        self, query: Float[Tensor, "B KT Q"], t: Int[Tensor, "1 KT 1"], n: Count
    ) -> Float[Tensor, "#B KT 1"] | Int[Tensor, "1 KT 1"]:
        """The position that stands for t: by default the query's own."""
        return t

    def prior_weights(self, t: Tensor, s: Tensor) -> Tensor | None:
        """What multiplies the weights after normalization; None: nothing."""
        return None

    def bias(self, t: Tensor, s: Tensor) -> Tensor:
        """What is added to the scores, "#B #H #T S", for positions t "#B #T 1" and s "#B 1 S"."""
        raise NotImplementedError(f"{type(self).__name__} has no bias")

    def first(self, t: Tensor, n: Count) -> Tensor:
        """The leftmost position that the query at t may see; it may be negative."""
        raise NotImplementedError(f"{type(self).__name__} has no width")


class Everywhere(Span):
    equation = Equation("everywhere", "every s", 'Luong et al. 2015, 3.1, "global"')
    positional = False

    def sees(self, t: Tensor, s: Tensor, n: Count) -> Tensor:
        return s < n

    def sees_all(self, start: int | Tensor, size: int) -> bool:
        return True


class Causal(Span):
    """The present and the past, at most `window` positions of it.

    Beyond the end of a padded memory the window stays at its last positions.
    """

    equation = Equation("causal", "t − window < s ≤ t", "Vaswani et al. 2017, 3.2.3")
    causal = True

    def __init__(self, window: int | None = None) -> None:
        super().__init__()
        self.width = window

    def sees(self, t: Tensor, s: Tensor, n: Count) -> Tensor:
        last = t.clamp(max=n - 1)
        return s <= last if self.width is None else (s <= last) & (s > last - self.width)

    def sees_all(self, start: int | Tensor, size: int) -> bool:
        return self.width is None and not isinstance(start, Tensor) and start + 1 >= size

    def first(self, t: Tensor, n: Count) -> Tensor:
        assert self.width is not None
        return t.clamp(max=n - 1) - self.width + 1


class Last(Span):
    """The bottleneck of the plain encoder–decoder: one vector for the whole source.

    Modules that build a memory put the encoder's summary at the last position (`source_memory`):
    there, the backward half of a bidirectional encoder has read the last word only.
    """

    equation = Equation("last", "s = n − 1, where h_{n−1} is the summary", "Cho et al. 2014, 2.2")
    positional = False
    reads_summary = True
    width = 1

    def sees(self, t: Tensor, s: Tensor, n: Count) -> Tensor:
        return s == n - 1

    def first(self, t: Tensor, n: Count) -> Tensor:
        return torch.zeros_like(t) + (n - 1)


class LocalMonotone(Span):
    """A window around t; beyond the end of the source, around its last position."""

    equation = Equation("local-monotone", "|s − t| ≤ reach", 'Luong et al. 2015, 3.2, "local-m"')

    def __init__(self, reach: int) -> None:
        super().__init__()
        self.reach, self.width = reach, 2 * reach + 1

    def sees(self, t: Tensor, s: Tensor, n: Count) -> Tensor:
        return ((s - t.clamp(max=n - 1)).abs() <= self.reach) & (s < n)

    def first(self, t: Tensor, n: Count) -> Tensor:
        return t.clamp(max=n - 1) - self.reach

    def extra_repr(self) -> str:
        return f"reach={self.reach}"


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
        self.reach, self.width = reach, 2 * reach + 1
        self.predict = nn.Sequential(
            nn.Linear(query_dim, query_dim, bias=False),
            nn.Tanh(),
            nn.Linear(query_dim, 1, bias=False),
        )

    def centre(
        self, query: Float[Tensor, "B KT Q"], t: Int[Tensor, "1 KT 1"], n: Count
    ) -> Float[Tensor, "B KT 1"]:
        device = query.device.type
        wide = nullcontext() if device == "meta" else torch.autocast(device, enabled=False)
        with wide:  # 16 bits cannot count to 300
            logits = self.predict(query.to(self.predict.get_parameter("0.weight").dtype))
        exact = logits.to(torch.promote_types(logits.dtype, torch.float32))
        return (n - 1) * torch.sigmoid(exact)

    def sees(self, t: Tensor, s: Tensor, n: Count) -> Tensor:
        return ((s - t).abs() <= self.reach) & (s < n)

    def prior_weights(self, t: Tensor, s: Tensor) -> Tensor:
        return torch.exp(-2 * ((s - t) / self.reach) ** 2)

    def first(self, t: Tensor, n: Count) -> Tensor:
        return (t.detach() - self.reach).ceil().long()

    def extra_repr(self) -> str:
        return f"reach={self.reach}"
