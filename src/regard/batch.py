"""What models read: sequences that are padded on the right and know their lengths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Tokens:
    """A sentence in each row."""

    ids: Int[Tensor, "B S"]
    lengths: Int[Tensor, " B"] | None = None  # None: nothing is padding

    def to(self, device: torch.device) -> Tokens:
        lengths = None if self.lengths is None else self.lengths.to(device)
        return Tokens(self.ids.to(device), lengths)


def pad(rows: Sequence[Sequence[int]], *, multiple: int = 1) -> Tokens:
    """Rows of ids as wide as the longest, or as the next `multiple`; zeros fill them up."""
    lengths = torch.tensor([len(row) for row in rows])
    width = -(-int(lengths.max()) // multiple) * multiple
    return Tokens(torch.tensor([[*row, *[0] * (width - len(row))] for row in rows]), lengths)


@dataclass(frozen=True, slots=True)
class Batch:
    """Sentences and their translations, row by row."""

    source: Tokens
    target: Tokens

    def to(self, device: torch.device) -> Batch:
        return Batch(self.source.to(device), self.target.to(device))


@dataclass(frozen=True, slots=True)
class Images:
    """A picture in each row, its channels in [0, 1]."""

    pixels: Float[Tensor, "B 3 Y X"]

    @property
    def rows(self) -> int:
        return len(self.pixels)

    def to(self, device: torch.device) -> Images:
        return Images(self.pixels.to(device))


@dataclass(frozen=True, slots=True)
class Grids:
    """A picture in each row, as a backbone of the user's own saw it."""

    features: Float[Tensor, "B y x F"]

    @property
    def rows(self) -> int:
        return len(self.features)

    def to(self, device: torch.device) -> Grids:
        return Grids(self.features.to(device))


@dataclass(frozen=True, slots=True)
class Documents:
    """The sentences of all documents, one after the other, and how many each document has."""

    sentences: Tokens
    counts: Int[Tensor, " B"]
