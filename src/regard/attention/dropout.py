"""Dropout."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxtyping import Float
from torch import Tensor, nn

from regard.attention.choice import DropoutKernel, apply_dropout


class Dropout(nn.Module):
    """y = m x / (1 − p), m ~ Bernoulli(1 − p), in training; else y = x  (Srivastava et al. 2014)

    `kernel`: "bytes" (fast on a CPU), "plain" (torch's own), or "auto".
    """

    def __init__(self, p: float = 0.0, *, kernel: DropoutKernel = "auto") -> None:
        super().__init__()
        self.p: float = p
        self.kernel: DropoutKernel = kernel

    def forward(self, x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        return apply_dropout(x, self.p, self.kernel) if self.training and self.p > 0 else x

    if TYPE_CHECKING:
        __call__ = forward

    def extra_repr(self) -> str:
        return f"p={self.p}"
