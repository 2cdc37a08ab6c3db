"""Memory: the keys and values of a sequence, already projected."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.attention.shapes import Keys, Lengths, Values


@dataclass(frozen=True, slots=True)
class Memory:
    """A source sentence, the regions of an image, or the decoder's own past.

    The batch is the first dimension of every tensor, so any set of rows can be selected. Padding
    is on the right, so a length of at least one describes it.
    """

    keys: Keys
    values: Values
    lengths: Lengths = None

    @property
    def rows(self) -> int:
        return self.keys.size(0)

    @property
    def size(self) -> int:
        return self.keys.size(2)

    def extend(self, more: Memory) -> Memory:
        """Append the positions of `more`."""
        assert self.lengths is None, "only an unpadded memory can grow"
        keys, values = ((self.keys, more.keys), (self.values, more.values))
        return Memory(torch.cat(keys, dim=2), torch.cat(values, dim=2))

    def gather(self, positions: Int[Tensor, "B T W"]) -> Memory:
        """A memory for each of T queries: the W positions selected for it."""
        row = torch.arange(self.rows, device=positions.device)[:, None, None]

        def select(x: Float[Tensor, "B H S D"]) -> Float[Tensor, "BT H W D"]:
            return x[row, :, positions].flatten(0, 1).transpose(1, 2)  # B T W H D -> BT H W D

        return Memory(select(self.keys), select(self.values))
