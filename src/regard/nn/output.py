"""The deep output of a decoder: from its state, the previous word and the context."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, TypeAlias

import torch
from jaxtyping import Float
from torch import Tensor, nn

Vectors: TypeAlias = Float[Tensor, "N T _"]


class DeepOutput(nn.Module, ABC):
    dim: int

    @abstractmethod
    def forward(self, state: Vectors, embedded: Vectors, context: Vectors) -> Vectors: ...

    if TYPE_CHECKING:
        __call__ = forward


class MaxoutOutput(DeepOutput):
    """o_j = max(õ_{2j−1}, õ_{2j}), õ = W [s; y; c]  (Bahdanau et al. 2015, A.2.2)"""

    def __init__(self, state_dim: int, input_dim: int, context_dim: int, dim: int) -> None:
        super().__init__()
        self.dim, self.mix = dim, nn.Linear(state_dim + input_dim + context_dim, 2 * dim)

    def forward(self, state: Vectors, embedded: Vectors, context: Vectors) -> Vectors:
        mixed = self.mix(torch.cat([state, embedded, context], dim=-1))
        return mixed.unflatten(-1, (-1, 2)).amax(dim=-1)


class TanhOutput(DeepOutput):
    """o = tanh(W [s; y; c])  (Sennrich et al. 2017, 2)"""

    def __init__(self, state_dim: int, input_dim: int, context_dim: int, dim: int) -> None:
        super().__init__()
        self.dim, self.mix = dim, nn.Linear(state_dim + input_dim + context_dim, dim)

    def forward(self, state: Vectors, embedded: Vectors, context: Vectors) -> Vectors:
        return torch.tanh(self.mix(torch.cat([state, embedded, context], dim=-1)))


class SumOutput(DeepOutput):
    """o = y + W s + U c  (Xu et al. 2015, eq. 7)"""

    def __init__(self, state_dim: int, input_dim: int, context_dim: int) -> None:
        super().__init__()
        self.dim, self.mix = input_dim, nn.Linear(state_dim + context_dim, input_dim)

    def forward(self, state: Vectors, embedded: Vectors, context: Vectors) -> Vectors:
        return embedded + self.mix(torch.cat([state, context], dim=-1))
