"""Number arrays in a JSON file: one compressed block, and the type and shape of each array."""

from __future__ import annotations

import base64
import zlib
from typing import Any, Literal

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

WEIGHT_SCALE = 65_535
"""A weight of 1 as u16. Sixteen bits are finer than a screen or printer can show."""

_TYPES = {"u16": "<u2", "f16": "<f2", "f32": "<f4"}


class Arrays:
    def __init__(self) -> None:
        self._headers: list[dict[str, object]] = []
        self._blocks: list[bytes] = []

    def add(self, numbers: Tensor, dtype: Literal["f16", "f32"] = "f32") -> int:
        """Append `numbers` and return their index."""
        return self._append(numbers.detach().cpu().numpy(), dtype)

    def add_weights(self, weights: Float[Tensor, "H T S"]) -> int:
        """Append weights as u16 and return their index."""
        return self._append(_quantize(weights.detach().cpu().double().numpy()), "u16")

    def packed(self) -> dict[str, object]:
        block = zlib.compress(b"".join(self._blocks), 9)
        return {"arrays": self._headers, "data": base64.b64encode(block).decode()}

    def _append(self, numbers: NDArray[Any], dtype: str) -> int:
        self._headers.append({"type": dtype, "shape": list(numbers.shape)})
        self._blocks.append(numbers.astype(_TYPES[dtype]).tobytes())
        return len(self._headers) - 1


def _quantize(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round to multiples of 1/WEIGHT_SCALE. Rows that sum to 1 still sum to exactly WEIGHT_SCALE.

    Each weight is rounded down, and the remaining units go to the weights that lost most.
    """
    exact = weights * WEIGHT_SCALE
    down = np.floor(exact)
    missing = WEIGHT_SCALE - down.sum(axis=-1, keepdims=True)
    rank = np.argsort(np.argsort(down - exact, axis=-1, kind="stable"), axis=-1, kind="stable")
    normalized = np.abs(weights.sum(axis=-1, keepdims=True) - 1) < 1e-3
    return np.where(normalized, down + (rank < missing), np.rint(exact))
