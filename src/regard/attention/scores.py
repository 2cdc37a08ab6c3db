"""Scores: how similar a key is to a query.

A score is two projections and a comparison. The query is projected at every call; the keys are
projected once and kept in the memory. There are three comparisons: inner product, cosine and the
additive network. The names of the literature (dot, general, concat, scaled dot) are choices of
projections. The functions at the end of this file build them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention.shapes import Equation, Keys, Queries, Scores

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
    """score(P q, P' k), with projections P and P' that are split into heads."""

    equation: Equation

    def __init__(self, to_query: nn.Module, to_keys: nn.Module, *, heads: int = 1) -> None:
        super().__init__()
        self.to_query, self.to_keys, self.heads = to_query, to_keys, heads

    def __init_subclass__(cls) -> None:
        """Drop inherited `terms` from a subclass that overrides `forward`."""
        super().__init_subclass__()
        if "forward" in cls.__dict__ and "terms" not in cls.__dict__:
            cls.terms = Score.terms  # type: ignore[method-assign]

    def project_query(self, query: Float[Tensor, "B T Q"]) -> Queries:
        return split_heads(self.to_query(query), self.heads)

    def project_keys(self, states: Float[Tensor, "B S E"]) -> Keys:
        return split_heads(self.to_keys(states), self.heads)

    @abstractmethod
    def forward(self, query: Queries, keys: Keys) -> Scores:
        """Compare each projected query with each projected key."""

    if TYPE_CHECKING:
        __call__ = forward

    def terms(self, query: Queries, keys: Keys) -> ScoreTerms | None:
        """What `forward` sums over the dimensions of a head; None if it is not such a sum."""
        return None


class InnerProduct(Score):
    """score(q, k) = c ⟨P q, P' k⟩"""

    def __init__(
        self,
        to_query: nn.Module | None = None,
        to_keys: nn.Module | None = None,
        *,
        heads: int = 1,
        scale: float = 1.0,
        equation: Equation = DOT,
    ) -> None:
        super().__init__(to_query or nn.Identity(), to_keys or nn.Identity(), heads=heads)
        self.scale, self.equation = scale, equation

    def forward(self, query: Queries, keys: Keys) -> Scores:
        return self.scale * (query @ keys.transpose(2, 3))

    def terms(self, query: Queries, keys: Keys) -> ScoreTerms:
        return ScoreTerms(query, keys, self.scale)

    def extra_repr(self) -> str:
        return f"{self.equation.name}, heads={self.heads}, scale={self.scale:.6g}"


class Cosine(Score):
    """score(q, k) = β cos(P q, P' k), with one learned strength β = e^b for each head"""

    equation = COSINE

    def __init__(self, to_query: nn.Module, to_keys: nn.Module, *, heads: int = 1) -> None:
        super().__init__(to_query, to_keys, heads=heads)
        # e² ≈ 7.4: with β = 1 the weights of two opposite keys would differ by e² at most
        self.log_strength = nn.Parameter(torch.full((heads, 1, 1), 2.0))

    def project_query(self, query: Float[Tensor, "B T Q"]) -> Queries:
        return F.normalize(super().project_query(query), dim=-1)

    def project_keys(self, states: Float[Tensor, "B S E"]) -> Keys:
        return F.normalize(super().project_keys(states), dim=-1)

    def forward(self, query: Queries, keys: Keys) -> Scores:
        return self.log_strength.exp() * (query @ keys.transpose(2, 3))

    def terms(self, query: Queries, keys: Keys) -> ScoreTerms:
        return ScoreTerms(self.log_strength.exp() * query, keys)

    def extra_repr(self) -> str:
        return f"cosine, heads={self.heads}"


class Additive(Score):
    """score(q, k) = v · tanh(P q + P' k)"""

    equation = ADDITIVE

    def __init__(
        self, to_query: nn.Module, to_keys: nn.Module, dim: int, *, heads: int = 1
    ) -> None:
        super().__init__(to_query, to_keys, heads=heads)
        self.energy = nn.Parameter(torch.empty(heads, dim // heads))
        nn.init.uniform_(self.energy, -(dim**-0.5), dim**-0.5)

    def forward(self, query: Queries, keys: Keys) -> Scores:
        v, wq, uk = self.energy[:, None, None], query.unsqueeze(3), keys.unsqueeze(2)
        return (v * torch.tanh(wq + uk)).sum(dim=-1)  # H 1 1 D, B H T 1 D, B H 1 S D -> B H T S

    def terms(self, query: Queries, keys: Keys) -> ScoreTerms:
        return ScoreTerms(query, keys, energy=self.energy)

    def extra_repr(self) -> str:
        return f"additive, heads={self.heads}, dim={self.energy.numel()}"


def dot(*, scale: float = 1.0) -> InnerProduct:
    """score(q, k) = c q · k, without projections; scale=dim**-0.5 divides by √dim."""
    return InnerProduct(scale=scale, equation=DOT if scale == 1 else SCALED)


def bilinear(query_dim: int, key_dim: int) -> InnerProduct:
    """score(q, k) = q · W k"""
    return InnerProduct(to_keys=nn.Linear(key_dim, query_dim, bias=False), equation=BILINEAR)


def perceptron(query_dim: int, key_dim: int) -> InnerProduct:
    """score(q, k) = q · tanh(W k + b)"""
    to_keys = nn.Sequential(nn.Linear(key_dim, query_dim), nn.Tanh())
    return InnerProduct(to_keys=to_keys, equation=PERCEPTRON)


def scaled_dot(query_dim: int, key_dim: int, *, dim: int, heads: int = 1) -> InnerProduct:
    """score(q, k) = (W q + b) · W' k / √(dim / heads), in each head

    Without a bias of the keys: it would add the same to all scores of a query.
    """
    head_dim = split_dim(dim, heads)
    to_query, to_keys = nn.Linear(query_dim, dim), nn.Linear(key_dim, dim, bias=False)
    scale = head_dim**-0.5
    return InnerProduct(to_query, to_keys, heads=heads, scale=scale, equation=SCALED_DOT)


def cosine(query_dim: int, key_dim: int, *, dim: int, heads: int = 1) -> Cosine:
    """score(q, k) = β cos(W q, W' k), in each head"""
    split_dim(dim, heads)
    to_query, to_keys = (nn.Linear(width, dim, bias=False) for width in (query_dim, key_dim))
    return Cosine(to_query, to_keys, heads=heads)


def additive(query_dim: int, key_dim: int, *, dim: int, heads: int = 1) -> Additive:
    """score(q, k) = v · tanh(W q + b + U k); Luong's v · tanh(W [q; k]) is the same, W cut in two

    >>> additive(4, 6, dim=8)
    Additive(
      additive, heads=1, dim=8
      (to_query): Linear(in_features=4, out_features=8, bias=True)
      (to_keys): Linear(in_features=6, out_features=8, bias=False)
    )
    """
    split_dim(dim, heads)
    to_query, to_keys = nn.Linear(query_dim, dim), nn.Linear(key_dim, dim, bias=False)
    return Additive(to_query, to_keys, dim, heads=heads)


def split_dim(dim: int, heads: int) -> int:
    """The width of a head."""
    if dim % heads:
        raise ValueError(f"dim={dim} cannot be split into {heads} heads. Choose a divisor of {dim}")
    return dim // heads


def split_heads(x: Float[Tensor, "B S HD"], heads: int) -> Float[Tensor, "B H S D"]:
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def merge_heads(x: Float[Tensor, "B H T D"]) -> Float[Tensor, "B T HD"]:
    return x.transpose(1, 2).flatten(-2)
