"""Inputs of models: sequences padded on the right, with their lengths; images; documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token ids, one sequence per row."""

    ids: Int[Tensor, "B S"]
    lengths: Int[Tensor, " B"] | None = None  # None: no padding

    def to(self, device: torch.device) -> Tokens:
        lengths = None if self.lengths is None else self.lengths.to(device)
        return Tokens(self.ids.to(device), lengths)


torch.export.register_dataclass(Tokens)


def pad(rows: Sequence[Sequence[int]], *, multiple: int = 1) -> Tokens:
    """Pad rows of ids with zeros to the longest row, rounded up to a multiple of `multiple`."""
    lengths = torch.tensor([len(row) for row in rows])
    width = -(-int(lengths.max()) // multiple) * multiple
    return Tokens(torch.tensor([[*row, *[0] * (width - len(row))] for row in rows]), lengths)


@dataclass(frozen=True, slots=True)
class Batch:
    """Source and target sequences; row i of `target` belongs to row i of `source`."""

    source: Tokens
    target: Tokens

    def to(self, device: torch.device) -> Batch:
        return Batch(self.source.to(device), self.target.to(device))


@dataclass(frozen=True, slots=True)
class Images:
    """RGB images with values in [0, 1], one per row."""

    pixels: Float[Tensor, "B 3 Y X"]

    @property
    def rows(self) -> int:
        return len(self.pixels)

    def to(self, device: torch.device) -> Images:
        return Images(self.pixels.to(device))


torch.export.register_dataclass(Images)


@dataclass(frozen=True, slots=True)
class Grids:
    """Feature grids of an external image backbone, one image per row."""

    features: Float[Tensor, "B y x F"]

    @property
    def rows(self) -> int:
        return len(self.features)

    def to(self, device: torch.device) -> Grids:
        return Grids(self.features.to(device))


torch.export.register_dataclass(Grids)


@dataclass(frozen=True, slots=True)
class Documents:
    """The sentences of all documents, concatenated, and the number of sentences per document."""

    sentences: Tokens
    counts: Int[Tensor, " B"]


torch.export.register_dataclass(Documents)
