"""Feature grids of an external image backbone, stored in safetensors files.

The backbone runs once, outside regard; the model reads its features. A file holds any number of
grids of shape rows × columns × features. `features.safetensors#dog-17` names one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.data.formats.images import WHITE, ImageFrame, Pixels, Placement
from regard.errors import CorpusError

CELL = 32  # pixels of a region when a grid is displayed


@dataclass(frozen=True, slots=True)
class FeatureGrid:
    """The shape of the feature grids that a model reads."""

    rows: int
    columns: int
    features: int
    dtype = "float16"  # of prepared grids; eleven bits of precision suffice

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.rows, self.columns, self.features

    @staticmethod
    def file(name: str) -> str:
        """Return the path of the file that contains the named grid."""
        return name.partition("#")[0]

    @property
    def size(self) -> tuple[int, int]:
        return self.rows, self.columns

    def to_display(self, features: NDArray[Any]) -> Pixels:
        """Return a white image with CELL × CELL pixels per region: features cannot be displayed."""
        return np.full((self.rows * CELL, self.columns * CELL, 3), WHITE, np.uint8)

    def placement_of(self, name: str) -> Placement:
        """Return the identity: boxes of feature grids are given in regions."""
        return Placement(1.0, 0, 0)

    def read(self, name: str) -> NDArray[Any]:
        """Read the grid `file.safetensors#key` as float16."""
        path, _, key = name.partition("#")
        if not key:
            raise CorpusError(f"{name}: not the name of a grid. Use file.safetensors#key.")
        if not Path(path).is_file():
            raise CorpusError(f"{name}: no such file. Check the path before #.")
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path, framework="numpy") as file:
                if key not in file.keys():  # noqa: SIM118 — not a mapping
                    raise CorpusError(f"{path}: contains no grid {key!r}. Check the name after #.")
                grid = file.get_tensor(key)
        except (SafetensorError, TypeError, ValueError) as error:
            raise CorpusError(f"{path}: cannot be read ({error}). Write the file again.") from None
        expected = " × ".join(map(str, self.shape))
        if grid.shape != self.shape:
            raise CorpusError(
                f"{name}: the shape is {' × '.join(map(str, grid.shape))}, but the model expects "
                f"{expected} (rows × columns × features)."
            )
        if not np.isfinite(grid).all():
            raise CorpusError(f"{name}: contains values that are not finite.")
        features: NDArray[Any] = grid.clip(-60_000, 60_000).astype(np.float16)
        return features


ImageInput = ImageFrame | FeatureGrid
"""The image input of a model: pixels, or the features of an external backbone."""
