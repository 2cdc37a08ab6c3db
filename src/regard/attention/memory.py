"""Memory: the keys and values of a sequence, already projected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Int
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
    prepared: Keys | None = None  # what a kernel has computed from the keys, once for all queries

    @property
    def rows(self) -> int:
        return self.keys.size(0)

    @property
    def size(self) -> int:
        return self.keys.size(2)

    def map(self, function: Callable[..., Tensor], *more_memories: Memory) -> Memory:
        """Apply a function to the keys, to the values and to what is prepared."""
        memories = (self, *more_memories)
        prepared = None
        if self.prepared is not None:
            prepared = function(*(memory.prepared for memory in memories))
        return Memory(
            function(*(memory.keys for memory in memories)),
            function(*(memory.values for memory in memories)),
            self.lengths,
            prepared,
        )

    def extend(self, more: Memory) -> Memory:
        """Append the positions of `more`."""
        assert self.lengths is None, "only an unpadded memory can grow"
        return self.map(lambda x, y: torch.cat([x, y], dim=2), more)

    def reserve(self, positions: int) -> Memory:
        """Append positions, to be replaced by `insert`: the size of a compiled loop's state."""
        blank = self.map(lambda x: x.new_zeros(*x.shape[:2], positions, x.size(3)))
        return self.extend(blank)

    def insert(self, position: int | Int[Tensor, ""], new: Memory) -> Memory:
        """Replace one position."""
        there = torch.arange(self.size, device=self.keys.device)[:, None] == position  # S 1
        return self.map(lambda x, y: torch.where(there, y, x), new)

    def without_last(self) -> Memory:
        """All positions but the last."""
        return self.map(lambda x: x[:, :, :-1])


torch.export.register_dataclass(Memory)
