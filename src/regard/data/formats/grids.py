"""Grids of features: what a backbone of the user's own made of each picture, kept in safetensors.

The backbone runs where and how it likes, once; the model reads what it saw. A file holds as many
grids as one likes, rows × columns × features each, and `features.safetensors#dog-17` names one of
them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.data.formats.images import WHITE, ImageFrame, Pixels, Placement
from regard.errors import CorpusError

CELL = 32  # pixels of a region, where a grid is drawn


@dataclass(frozen=True, slots=True)
class FeatureGrid:
    """The size of grid that a model reads."""

    rows: int
    columns: int
    features: int
    dtype = "float16"  # of what is kept: eleven bits tell features apart well enough

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.rows, self.columns, self.features

    @staticmethod
    def file(name: str) -> str:
        """That holds what is named."""
        return name.partition("#")[0]

    @property
    def size(self) -> tuple[int, int]:
        return self.rows, self.columns

    def shown(self, seen: NDArray[Any]) -> Pixels:
        """A grid shows nothing: white, so large that regions can be told apart."""
        return np.full((self.rows * CELL, self.columns * CELL, 3), WHITE, np.uint8)

    def framed(self, name: str) -> Placement:
        """What is in a grid is told in regions, not in pixels of a picture that nobody knows."""
        return Placement(1.0, 0, 0)

    def read(self, name: str) -> NDArray[Any]:
        path, _, key = name.partition("#")
        if not Path(path).is_file() or not key:
            raise CorpusError(f"{name}: name a grid as file.safetensors#key, and a file that is")
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path, framework="numpy") as file:
                if key not in file.keys():  # noqa: SIM118 — it is no mapping
                    raise CorpusError(f"{path}: holds no grid {key!r}; check the name")
                grid = file.get_tensor(key)
        except (SafetensorError, TypeError, ValueError) as error:
            raise CorpusError(f"{path}: cannot be read ({error}); write it again") from None
        if grid.shape != self.shape or not np.isfinite(grid).all():
            raise CorpusError(
                f"{name}: holds {' × '.join(map(str, grid.shape))} numbers, and the model reads "
                f"{' × '.join(map(str, self.shape))} finite ones (rows, columns, features)"
            )
        kept: NDArray[Any] = grid.clip(-60_000, 60_000).astype(np.float16)
        return kept


ImageInput = ImageFrame | FeatureGrid
"""What a model sees of a picture: itself, or what a backbone made of it."""
