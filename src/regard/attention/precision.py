"""The precision that autocast gives to matrix products, for what is to be converted only once."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor


def product_dtype(x: Tensor) -> torch.dtype:
    """In which a matrix product of x is computed."""
    device = x.device.type
    if device == "meta" or not torch.is_autocast_enabled(device):  # shapes have no precision
        return x.dtype
    return torch.get_autocast_dtype(device)


def narrowed(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """x as a matrix product would have it: converted here, and not in each of many products."""
    return x.to(product_dtype(x))
