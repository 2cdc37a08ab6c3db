"""Scores: how similar a key is to a query.

A score is two projections and a comparison. The query is projected at every call; the keys are
projected once and kept in the memory. There are three comparisons: inner product, cosine and the
additive network. The names of the literature (dot, general, concat, scaled dot) are choices of
projections. The functions at the end of this file build them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention.equation import Equation
from regard.attention.kernels.additive import additive_scores, exponential
from regard.attention.kernels.deferred_gradients import defer_gradient, inner_products
from regard.attention.kernels.precision import to_compute_dtype
from regard.attention.shapes import Keys, Queries, Scores

DOT = Equation("dot", "score(q, k) = ⟨q, k⟩", 'Luong et al. 2015, 3.1, "dot"')
SCALED = Equation("dot", "score(q, k) = ⟨q, k⟩ / √d", "Vaswani et al. 2017, 3.2.1, eq. 1")
BILINEAR = Equation("bilinear", "score(q, k) = ⟨q, W k⟩", 'Luong et al. 2015, 3.1, "general"')
PERCEPTRON = Equation(
    "perceptron", "score(q, k) = ⟨q, tanh(W k + b)⟩", "Yang et al. 2016, 2.2, eq. 5 and 6"
)
SCALED_DOT = Equation(
    "scaled-dot", "score(q, k) = ⟨W q + b, W' k⟩ / √d, in each head", "Vaswani et al. 2017, 3.2"
)
COSINE = Equation(
    "cosine", "score(q, k) = β cos(W q, W' k), in each head", "Graves et al. 2014, eq. 5 and 6"
)
ADDITIVE = Equation(
    "additive",
    "score(q, k) = v · tanh(W q + U k)",
    'Bahdanau et al. 2015, A.1.2; Luong\'s "concat"',
)


@dataclass(frozen=True, slots=True)
class ScoreTerms:
    """The terms of a score: scale · Σ_d q_d k_d, or with `energy` Σ_d v_d tanh(q_d + k_d)."""

    queries: Queries
    keys: Keys
    scale: float = 1.0
    energy: Float[Tensor, "H D"] | None = None


class Score(nn.Module, ABC):
    heads: int
    equation: Equation

    @abstractmethod
    def project_query(self, query: Float[Tensor, "B T Q"]) -> Queries: ...

    @abstractmethod
    def project_keys(self, states: Float[Tensor, "B S E"]) -> Keys: ...

    @abstractmethod
    def compare(self, query: Queries, keys: Keys) -> Scores: ...

    @abstractmethod
    def terms(self, query: Queries, keys: Keys) -> ScoreTerms:
        """What `compare` sums over the dimensions of a head."""

    @property
    def inner_scale(self) -> float | None:
        """c if `compare` is exactly c·⟨query, key⟩, so that a kernel may fuse it; else None."""
        return None


class InnerProduct(Score):
    """score(q, k) = c ⟨P q, P' k⟩"""

    def __init__(
        self,
        to_query: nn.Module,
        to_keys: nn.Module,
        *,
        heads: int = 1,
        scale: float = 1.0,
        equation: Equation = DOT,
    ) -> None:
        super().__init__()
        self.to_query, self.to_keys, self.heads, self.scale = to_query, to_keys, heads, scale
        self.equation = equation

    def project_query(self, query: Float[Tensor, "B T Q"]) -> Queries:
        return split_heads(self.to_query(query), self.heads)

    def project_keys(self, states: Float[Tensor, "B S E"]) -> Keys:
        return defer_gradient(to_compute_dtype(split_heads(self.to_keys(states), self.heads)))

    def compare(self, query: Queries, keys: Keys) -> Scores:
        return inner_products(self.scale * query, keys)

    def terms(self, query: Queries, keys: Keys) -> ScoreTerms:
        return ScoreTerms(query, keys, self.scale)

    @property
    def inner_scale(self) -> float | None:
        return self.scale


class Cosine(InnerProduct):
    """score(q, k) = β cos(P q, P' k), with one learned strength β = e^b for each head.

    The strength is part of the projected query, so the comparison is an inner product.
    """

    def __init__(self, to_query: nn.Module, to_keys: nn.Module, *, heads: int = 1) -> None:
        super().__init__(to_query, to_keys, heads=heads, equation=COSINE)
        # e² ≈ 7.4: with β = 1 the weights of two opposite keys would differ by e² at most
        self.log_strength = nn.Parameter(torch.full((heads, 1, 1), 2.0))

    def project_query(self, query: Float[Tensor, "B T Q"]) -> Queries:
        return self.log_strength.exp() * F.normalize(super().project_query(query), dim=-1)

    def project_keys(self, states: Float[Tensor, "B S E"]) -> Keys:
        keys = F.normalize(split_heads(self.to_keys(states), self.heads), dim=-1)
        return defer_gradient(to_compute_dtype(keys))


class Additive(Score):
    """score(q, k) = v · tanh(P q + P' k)

    Since tanh(a + b) = 1 − 2 / (1 + e²ᵃ e²ᵇ), the projections are stored as their exponentials:
    computed once for each query and key, they leave one reciprocal for each pair (see `kernels`).
    """

    equation = ADDITIVE

    def __init__(
        self, to_query: nn.Module, to_keys: nn.Module, dim: int, *, heads: int = 1
    ) -> None:
        super().__init__()
        self.to_query, self.to_keys, self.heads = to_query, to_keys, heads
        self.energy = nn.Parameter(torch.empty(heads, dim // heads))
        nn.init.uniform_(self.energy, -(dim**-0.5), dim**-0.5)

    def project_query(self, query: Float[Tensor, "B T Q"]) -> Queries:
        return split_heads(exponential(self.to_query(query)), self.heads)

    def project_keys(self, states: Float[Tensor, "B S E"]) -> Keys:
        return defer_gradient(split_heads(exponential(self.to_keys(states)), self.heads))

    def compare(self, query: Queries, keys: Keys) -> Scores:
        return additive_scores(query, keys, self.energy)

    def terms(self, query: Queries, keys: Keys) -> ScoreTerms:
        return ScoreTerms(query.log() / 2, keys.log() / 2, energy=self.energy)


def dot(dim: int | None = None) -> InnerProduct:
    """Without projections; with `dim`, divided by √dim."""
    scale, equation = (1.0, DOT) if dim is None else (dim**-0.5, SCALED)
    return InnerProduct(nn.Identity(), nn.Identity(), scale=scale, equation=equation)


def bilinear(query_dim: int, key_dim: int) -> InnerProduct:
    to_keys = nn.Linear(key_dim, query_dim, bias=False)
    return InnerProduct(nn.Identity(), to_keys, equation=BILINEAR)


def perceptron(query_dim: int, key_dim: int) -> InnerProduct:
    to_keys = nn.Sequential(nn.Linear(key_dim, query_dim), nn.Tanh())
    return InnerProduct(nn.Identity(), to_keys, equation=PERCEPTRON)


def scaled_dot(query_dim: int, key_dim: int, *, dim: int, heads: int = 1) -> InnerProduct:
    """Without a bias of the keys: it would add the same to all scores of a query."""
    to_query, to_keys = nn.Linear(query_dim, dim), nn.Linear(key_dim, dim, bias=False)
    scale = (dim // heads) ** -0.5
    return InnerProduct(to_query, to_keys, heads=heads, scale=scale, equation=SCALED_DOT)


def cosine(query_dim: int, key_dim: int, *, dim: int, heads: int = 1) -> Cosine:
    to_query, to_keys = (nn.Linear(width, dim, bias=False) for width in (query_dim, key_dim))
    return Cosine(to_query, to_keys, heads=heads)


def additive(query_dim: int, key_dim: int, *, dim: int, heads: int = 1) -> Additive:
    """Luong's v · tanh(W [q; k]) is the same with W cut in two."""
    to_query, to_keys = nn.Linear(query_dim, dim), nn.Linear(key_dim, dim, bias=False)
    return Additive(to_query, to_keys, dim, heads=heads)


def split_heads(x: Float[Tensor, "B S HD"], heads: int) -> Float[Tensor, "B H S D"]:
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def merge_heads(x: Float[Tensor, "B H T D"]) -> Float[Tensor, "B T HD"]:
    return x.transpose(1, 2).flatten(-2)
