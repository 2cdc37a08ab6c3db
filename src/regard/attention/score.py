"""How well does a key answer a query?

Every score is two projections and a comparison: the query is projected, the keys are projected
(once, and kept in the memory), and the two are compared. Three comparisons occur in the literature
we cover, the inner product, its cosine and the additive network; the names people use (dot,
general, concat, scaled dot) are choices of projection, and are functions at the end of this file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention.equation import Equation, equation
from regard.attention.kernels import additive_scores, exponential
from regard.attention.precision import narrowed
from regard.attention.shared import inner_products, shared


@dataclass(frozen=True, slots=True)
class Units:
    """A score told unit by unit: scale · Σ_d q_d k_d, or with an energy Σ_d v_d tanh(q_d + k_d)."""

    queries: Float[Tensor, "B H T D"]
    keys: Float[Tensor, "B H S D"]
    scale: float = 1.0
    energy: Float[Tensor, "H D"] | None = None


class Score(nn.Module, ABC):
    heads: int
    made_by: Callable[..., Any] | None = None  # the function with its name in the literature

    @property
    def equation(self) -> Equation:
        return equation(self.made_by or type(self))

    @abstractmethod
    def project_query(self, query: Float[Tensor, "B T Q"]) -> Float[Tensor, "B H T D"]: ...

    @abstractmethod
    def project_keys(self, states: Float[Tensor, "B S E"]) -> Float[Tensor, "B H S D"]: ...

    @abstractmethod
    def compare(
        self, query: Float[Tensor, "B H T D"], keys: Float[Tensor, "B H S D"]
    ) -> Float[Tensor, "B H T S"]: ...

    @abstractmethod
    def tell(self, query: Float[Tensor, "B H T D"], keys: Float[Tensor, "B H S D"]) -> Units:
        """What `compare` sums, for who wants to see it."""

    @property
    def inner_scale(self) -> float | None:
        """The factor c if `compare` is exactly c·⟨query, key⟩, so that a kernel may fuse it."""
        return None


class InnerProduct(Score):
    """score(q, k) = c ⟨P q, P' k⟩"""

    def __init__(
        self, to_query: nn.Module, to_keys: nn.Module, *, heads: int = 1, scale: float = 1.0
    ) -> None:
        super().__init__()
        self.to_query, self.to_keys, self.heads, self.scale = to_query, to_keys, heads, scale

    def project_query(self, query: Float[Tensor, "B T Q"]) -> Float[Tensor, "B H T D"]:
        return split_heads(self.to_query(query), self.heads)

    def project_keys(self, states: Float[Tensor, "B S E"]) -> Float[Tensor, "B H S D"]:
        return shared(narrowed(split_heads(self.to_keys(states), self.heads)))

    def compare(
        self, query: Float[Tensor, "B H T D"], keys: Float[Tensor, "B H S D"]
    ) -> Float[Tensor, "B H T S"]:
        return inner_products(self.scale * query, keys)

    def tell(self, query: Float[Tensor, "B H T D"], keys: Float[Tensor, "B H S D"]) -> Units:
        return Units(query, keys, self.scale)

    @property
    def inner_scale(self) -> float | None:
        return self.scale


class Cosine(Score):
    """score(q, k) = β cos(P q, P' k), with one learned strength β = e^b for each head.

    The strength is part of the projected query, so what is compared is an inner product.
    """

    def __init__(self, to_query: nn.Module, to_keys: nn.Module, *, heads: int = 1) -> None:
        super().__init__()
        self.to_query, self.to_keys, self.heads = to_query, to_keys, heads
        # e² ≈ 7.4: with β = 1 the weights of two opposite keys would differ by e² at the most
        self.log_strength = nn.Parameter(torch.full((heads, 1, 1), 2.0))

    def project_query(self, query: Float[Tensor, "B T Q"]) -> Float[Tensor, "B H T D"]:
        unit = F.normalize(split_heads(self.to_query(query), self.heads), dim=-1)
        return self.log_strength.exp() * unit

    def project_keys(self, states: Float[Tensor, "B S E"]) -> Float[Tensor, "B H S D"]:
        return shared(narrowed(F.normalize(split_heads(self.to_keys(states), self.heads), dim=-1)))

    def compare(
        self, query: Float[Tensor, "B H T D"], keys: Float[Tensor, "B H S D"]
    ) -> Float[Tensor, "B H T S"]:
        return inner_products(query, keys)

    def tell(self, query: Float[Tensor, "B H T D"], keys: Float[Tensor, "B H S D"]) -> Units:
        return Units(query, keys)

    @property
    def inner_scale(self) -> float | None:
        return 1.0


class Additive(Score):
    """score(q, k) = v · tanh(P q + P' k)

    Since tanh(a + b) = 1 − 2 / (1 + e²ᵃ e²ᵇ), the projections are kept as their exponentials: taken
    once for each query and key, they leave one reciprocal for each pair (see `kernels`).
    """

    def __init__(
        self, to_query: nn.Module, to_keys: nn.Module, dim: int, *, heads: int = 1
    ) -> None:
        super().__init__()
        self.to_query, self.to_keys, self.heads = to_query, to_keys, heads
        self.energy = nn.Parameter(torch.empty(heads, dim // heads))
        nn.init.uniform_(self.energy, -(dim**-0.5), dim**-0.5)

    def project_query(self, query: Float[Tensor, "B T Q"]) -> Float[Tensor, "B H T D"]:
        return split_heads(exponential(self.to_query(query)), self.heads)

    def project_keys(self, states: Float[Tensor, "B S E"]) -> Float[Tensor, "B H S D"]:
        return shared(split_heads(exponential(self.to_keys(states)), self.heads))

    def compare(
        self, query: Float[Tensor, "B H T D"], keys: Float[Tensor, "B H S D"]
    ) -> Float[Tensor, "B H T S"]:
        return additive_scores(query, keys, self.energy)

    def tell(self, query: Float[Tensor, "B H T D"], keys: Float[Tensor, "B H S D"]) -> Units:
        return Units(query.log() / 2, keys.log() / 2, energy=self.energy)


P = ParamSpec("P")
Made = TypeVar("Made", bound=Score)


def _named(make: Callable[P, Made]) -> Callable[P, Made]:
    """Scores that `make` makes know by which name they are known."""

    @wraps(make)
    def made(*sizes: P.args, **more: P.kwargs) -> Made:
        score = make(*sizes, **more)
        score.made_by = made
        return score

    return made


@_named
def dot() -> InnerProduct:
    """score(q, k) = ⟨q, k⟩  (Luong et al. 2015, 3.1, "dot")"""
    return InnerProduct(nn.Identity(), nn.Identity())


@_named
def bilinear(query_dim: int, key_dim: int) -> InnerProduct:
    """score(q, k) = ⟨q, W k⟩  (Luong et al. 2015, 3.1, "general")"""
    return InnerProduct(nn.Identity(), nn.Linear(key_dim, query_dim, bias=False))


@_named
def perceptron(query_dim: int, key_dim: int) -> InnerProduct:
    """score(q, k) = ⟨q, tanh(W k + b)⟩  (Yang et al. 2016, 2.2, eq. 5 and 6)"""
    return InnerProduct(nn.Identity(), nn.Sequential(nn.Linear(key_dim, query_dim), nn.Tanh()))


@_named
def scaled_dot(query_dim: int, key_dim: int, *, dim: int, heads: int = 1) -> InnerProduct:
    """score(q, k) = ⟨W q + b, W' k⟩ / √d, in each head  (Vaswani et al. 2017, 3.2)

    A bias of the keys would add the same to the scores of all of them, which no weighing sees.
    """
    return InnerProduct(
        nn.Linear(query_dim, dim),
        nn.Linear(key_dim, dim, bias=False),
        heads=heads,
        scale=(dim // heads) ** -0.5,
    )


@_named
def cosine(query_dim: int, key_dim: int, *, dim: int, heads: int = 1) -> Cosine:
    """score(q, k) = β cos(W q, W' k), in each head  (Graves et al. 2014, eq. 5 and 6)"""
    return Cosine(
        nn.Linear(query_dim, dim, bias=False), nn.Linear(key_dim, dim, bias=False), heads=heads
    )


@_named
def additive(query_dim: int, key_dim: int, *, dim: int, heads: int = 1) -> Additive:
    """score(q, k) = v · tanh(W q + U k)  (Bahdanau et al. 2015, A.1.2; Luong's "concat")

    Luong's v · tanh(W [q; k]) is the same with W cut in two.
    """
    return Additive(
        nn.Linear(query_dim, dim), nn.Linear(key_dim, dim, bias=False), dim, heads=heads
    )


def split_heads(x: Float[Tensor, "B S HD"], heads: int) -> Float[Tensor, "B H S D"]:
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def merge_heads(x: Float[Tensor, "B H T D"]) -> Float[Tensor, "B T HD"]:
    return x.transpose(1, 2).flatten(-2)
