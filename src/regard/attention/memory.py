"""What can be looked at: the keys and values of a sequence, already projected."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Memory:
    """A source sentence, the regions of an image, or the decoder's own past.

    The batch comes first in every tensor, so that any set of rows can be taken out.
    Padding stands on the right: a length, at least one, says all there is to say about it.
    """

    keys: Float[Tensor, "B H S D"]
    values: Float[Tensor, "B H S W"]
    lengths: Int[Tensor, " B"] | None = None  # None: nothing is padding

    @property
    def rows(self) -> int:
        return self.keys.size(0)

    @property
    def size(self) -> int:
        return self.keys.size(2)

    def extend(self, more: Memory) -> Memory:
        """The same past, with `more` said after it."""
        assert self.lengths is None, "only an unpadded past can grow"
        return Memory(
            torch.cat([self.keys, more.keys], dim=2), torch.cat([self.values, more.values], dim=2)
        )

    def near(self, positions: Int[Tensor, "B T W"]) -> Memory:
        """For each of T queries a memory of its own: what stands at its W positions."""
        row = torch.arange(self.rows, device=positions.device)[:, None, None]

        def take(x: Float[Tensor, "B H S D"]) -> Float[Tensor, "BT H W D"]:
            return x[row, :, positions].flatten(0, 1).transpose(1, 2)  # B T W H D -> BT H W D

        return Memory(take(self.keys), take(self.values))
