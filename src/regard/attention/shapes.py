"""The tensors of attention, the equations of its parts, and the dtype of matrix products."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

Queries: TypeAlias = Float[Tensor, "B H T D"]
Keys: TypeAlias = Float[Tensor, "B H S D"]
Values: TypeAlias = Float[Tensor, "B H S W"]
Scores: TypeAlias = Float[Tensor, "B H T S"]  # and weights
Contexts: TypeAlias = Float[Tensor, "B H T W"]
Visible: TypeAlias = Bool[Tensor, "#B 1 #T S"] | None  # None: every key is visible
Lengths: TypeAlias = Int[Tensor, " B"] | None  # of each row; None: no padding


# -- the name, formula and reference of a part, for `regard describe` and explanation pages --------


@dataclass(frozen=True, slots=True)
class Equation:
    name: str  # as in a run file
    formula: str
    reference: str = ""


# -- the dtype in which autocast computes matrix products ------------------------------------------


def compute_dtype(x: Tensor) -> torch.dtype:
    """The dtype in which a matrix product of x is computed."""
    device = x.device.type
    if device == "meta" or not torch.is_autocast_enabled(device):
        return x.dtype
    return torch.get_autocast_dtype(device)


def to_compute_dtype(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """Convert x once, instead of in each of many matrix products."""
    return x.to(compute_dtype(x))
