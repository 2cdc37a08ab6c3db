"""How well does a key answer a query?

Every score is two projections and a comparison: the query is projected, the keys are projected
(once, and kept in the memory), and the two are compared. Three comparisons occur in the literature
we cover, the inner product, its cosine and the additive network; the names people use (dot,
general, concat, scaled dot) are choices of projection, and are functions at the end of this file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention.kernels import additive_scores, exponential
from regard.attention.shared import shared


class Score(nn.Module, ABC):
    heads: int

    @abstractmethod
    def project_query(self, query: Float[Tensor, "B T Q"]) -> Float[Tensor, "B H T D"]: ...

    @abstractmethod
    def project_keys(self, states: Float[Tensor, "B S E"]) -> Float[Tensor, "B H S D"]: ...

    @abstractmethod
    def compare(
        self, query: Float[Tensor, "B H T D"], keys: Float[Tensor, "B H S D"]
    ) -> Float[Tensor, "B H T S"]: ...

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
        return split_heads(self.to_keys(states), self.heads)

    def compare(
        self, query: Float[Tensor, "B H T D"], keys: Float[Tensor, "B H S D"]
    ) -> Float[Tensor, "B H T S"]:
        return (self.scale * query) @ keys.mT

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
        return F.normalize(split_heads(self.to_keys(states), self.heads), dim=-1)

    def compare(
        self, query: Float[Tensor, "B H T D"], keys: Float[Tensor, "B H S D"]
    ) -> Float[Tensor, "B H T S"]:
        return query @ keys.mT

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


def dot() -> InnerProduct:
    """score(q, k) = ⟨q, k⟩  (Luong et al. 2015, 3.1, "dot")"""
    return InnerProduct(nn.Identity(), nn.Identity())


def bilinear(query_dim: int, key_dim: int) -> InnerProduct:
    """score(q, k) = ⟨q, W k⟩  (Luong et al. 2015, 3.1, "general")"""
    return InnerProduct(nn.Identity(), nn.Linear(key_dim, query_dim, bias=False))


def perceptron(query_dim: int, key_dim: int) -> InnerProduct:
    """score(q, k) = ⟨q, tanh(W k + b)⟩  (Yang et al. 2016, 2.2, eq. 5 and 6)"""
    return InnerProduct(nn.Identity(), nn.Sequential(nn.Linear(key_dim, query_dim), nn.Tanh()))


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


def cosine(query_dim: int, key_dim: int, *, dim: int, heads: int = 1) -> Cosine:
    """score(q, k) = β cos(W q, W' k), in each head  (Graves et al. 2014, eq. 5 and 6)"""
    return Cosine(
        nn.Linear(query_dim, dim, bias=False), nn.Linear(key_dim, dim, bias=False), heads=heads
    )


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
