"""Embeddings of tokens and positions, and the readout to the vocabulary."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, TypeAlias

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.errors import CorpusError


class Embedding(nn.Embedding):
    """y = c E_w, c = std √dim  (Vaswani et al. 2017, 3.4, with std = 1)

    The rows of the table have about unit length, so that it can also be the readout. The outputs
    have the standard deviation `std`.
    """

    def __init__(self, vocabulary: int, dim: int, *, std: float = 1.0) -> None:
        super().__init__(vocabulary, dim)
        self.scale = std * dim**0.5
        nn.init.normal_(self.weight, std=dim**-0.5)

    def forward(self, ids: Int[Tensor, "*B"]) -> Float[Tensor, "*B E"]:
        return super().forward(ids) * self.scale


class Positions(nn.Module, ABC):
    max_positions: int | None = None  # None: no bound

    @abstractmethod
    def forward(self, start: int, inputs: Float[Tensor, "B T E"]) -> Float[Tensor, "T E"]:
        """Vectors for the positions of `inputs`, counted from `start`."""

    if TYPE_CHECKING:
        __call__ = forward


class Sinusoids(Positions):
    """p_t = [sin(t ω); cos(t ω)], ω_i = 10000^(−2i/dim)  (Vaswani et al. 2017, 3.5)

    The paper interleaves sines and cosines, a permutation of these. The code of its authors,
    tensor2tensor, and Marian use ω_i = 10000^(−2i/(dim − 2)), so that the last rate is 1/10000:
    `inclusive`.
    """

    def __init__(self, *, inclusive: bool = False) -> None:
        super().__init__()
        self.inclusive = inclusive

    def forward(self, start: int, inputs: Float[Tensor, "B T E"]) -> Float[Tensor, "T E"]:
        length, dim = inputs.shape[1:]
        # In 32 bits, entries of position 512 err by 4e-5. Some devices lack 64 bits.
        t = torch.arange(start, start + length, device="cpu", dtype=torch.float64)
        divisor = max(1, dim - 2) if self.inclusive else dim
        rates = 10_000 ** (-torch.arange(0, dim, 2, device="cpu", dtype=torch.float64) / divisor)
        angles = t[:, None] * rates
        return torch.cat([angles.sin(), angles.cos()], dim=-1).to(inputs.device, inputs.dtype)


class LearnedPositions(Positions):
    """p_t = P[t], for t below `max_positions`  (Gehring et al. 2017, 3.1)"""

    def __init__(self, max_positions: int, dim: int) -> None:
        super().__init__()
        self.max_positions = max_positions
        self.table = nn.Embedding(max_positions, dim)
        nn.init.normal_(self.table.weight, std=dim**-0.5)

    def forward(self, start: int, inputs: Float[Tensor, "B T E"]) -> Float[Tensor, "T E"]:
        end, limit = start + inputs.size(1), self.table.num_embeddings
        if end > limit:
            raise CorpusError(
                f"A text of {end} tokens is too long for the {limit} learned positions of the "
                "model. Shorten or split it."
            )
        return self.table.weight[start:end]


# -- the deep output of a decoder ------------------------------------------------------------------
# From its state, the previous word and the context.


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
