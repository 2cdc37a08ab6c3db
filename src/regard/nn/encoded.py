"""What an encoder hands to a decoder; a sentence and an image look the same from here."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

Source = TypeVar("Source", contravariant=True)


@dataclass(frozen=True, slots=True)
class Encoded:
    states: Float[Tensor, "B S E"]  # one per word, or one per region of the image
    lengths: Int[Tensor, " B"] | None  # None: nothing is padding
    summary: Float[Tensor, "B E"]  # the whole in one vector

    @staticmethod
    def nothing(rows: int, like: Tensor) -> Encoded:
        """What a language model has read before it speaks."""
        return Encoded(like.new_zeros(rows, 0, 0), None, like.new_zeros(rows, 0))


class Encoder(nn.Module, ABC, Generic[Source]):
    dim: int  # E

    @abstractmethod
    def forward(self, source: Source) -> Encoded: ...

    if TYPE_CHECKING:
        __call__ = forward


def mean_over(x: Float[Tensor, "B S E"], lengths: Int[Tensor, " B"] | None) -> Float[Tensor, "B E"]:
    """The mean of what is not padding."""
    if lengths is None:
        return x.mean(dim=1)
    real = torch.arange(x.size(1), device=x.device) < lengths[:, None]  # B S
    return (x * real[..., None]).sum(dim=1) / lengths[:, None]
