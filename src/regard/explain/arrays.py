"""Numbers in bulk for a JSON file: one compressed block, and what stands where in it."""

from __future__ import annotations

import base64
import zlib
from typing import Any, Literal

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

WHOLE = 65_535
"""What a weight of one is written as: sixteen bits are finer than any screen or printer shows."""

_TYPES = {"u16": "<u2", "f16": "<f2", "f32": "<f4"}


class Arrays:
    def __init__(self) -> None:
        self._kinds: list[dict[str, Any]] = []
        self._blocks: list[bytes] = []

    def add(self, numbers: Tensor, kind: Literal["f16", "f32"] = "f32") -> int:
        """The place of `numbers` among all."""
        return self._keep(numbers.detach().cpu().numpy(), kind)

    def add_weights(self, weights: Float[Tensor, "H T S"]) -> int:
        return self._keep(_shares(weights.detach().cpu().double().numpy()), "u16")

    def packed(self) -> dict[str, Any]:
        block = zlib.compress(b"".join(self._blocks), 9)
        return {"arrays": self._kinds, "data": base64.b64encode(block).decode()}

    def _keep(self, numbers: NDArray[Any], kind: str) -> int:
        self._kinds.append({"type": kind, "shape": list(numbers.shape)})
        self._blocks.append(numbers.astype(_TYPES[kind]).tobytes())
        return len(self._kinds) - 1


def _shares(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """In parts of WHOLE; a row that is a distribution still is one, to the last part.

    Each weight is rounded down, and the parts left over go to those that lost most.
    """
    exact = weights * WHOLE
    down = np.floor(exact)
    left = WHOLE - down.sum(axis=-1, keepdims=True)
    rank = np.argsort(np.argsort(down - exact, axis=-1, kind="stable"), axis=-1, kind="stable")
    whole = np.abs(weights.sum(axis=-1, keepdims=True) - 1) < 1e-3
    return np.where(whole, down + (rank < left), np.rint(exact))
