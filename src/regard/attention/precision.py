"""The dtype in which autocast computes matrix products."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor


def compute_dtype(x: Tensor) -> torch.dtype:
    """The dtype in which a matrix product of x is computed."""
    device = x.device.type
    if device == "meta" or not torch.is_autocast_enabled(device):
        return x.dtype
    return torch.get_autocast_dtype(device)


def to_compute_dtype(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """Convert x once, instead of in each of many matrix products."""
    return x.to(compute_dtype(x))
