"""The context of a softmax of inner products, by the kernel that is the fastest for the case.

Both kernels give what the reference in `Attention` gives, and no weights. `sdpa` is torch's own,
which never holds all scores. `matmul` holds them, and wins on a processor where a short memory is
learnt from: torch's backward pass in bf16 takes there ten times as long as its forward pass.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor

from regard.attention.dropout import Dropout
from regard.attention.shared import inner_products, weighted_sum
from regard.attention.span import View

Kernel: TypeAlias = Literal["auto", "sdpa", "matmul"]

LONG = 1024  # keys, from which on torch's kernel is the faster also in its backward pass
LANES = 16  # fp32 numbers that a processor takes at once; torch's softmax crawls on shorter rows


def inner_product_context(
    query: Float[Tensor, "B H T D"],
    keys: Float[Tensor, "B H S D"],
    values: Float[Tensor, "B H S W"],
    view: View,
    *,
    scale: float,
    dropout: Dropout,
    kernel: Kernel,
) -> Float[Tensor, "B H T W"]:
    """softmax(scale ⟨query, keys⟩) values, over what the view lets each query see."""
    if kernel == "auto":
        learns = torch.is_grad_enabled() and query.requires_grad
        short = query.device.type == "cpu" and keys.size(2) < LONG
        kernel = "matmul" if learns and short else "sdpa"
    if kernel == "matmul":
        return _by_matmul(query, keys, values, view, scale, dropout)
    p = dropout.p if dropout.training else 0.0
    return F.scaled_dot_product_attention(
        query, keys, values, view.visible, p, view.causal, scale=scale
    )


def _by_matmul(
    query: Tensor, keys: Tensor, values: Tensor, view: View, scale: float, dropout: Dropout
) -> Tensor:
    narrow, wide = query.dtype, torch.promote_types(query.dtype, torch.float32)
    if narrow != wide and keys.size(2) < 2 * LANES and query.size(2) > 1:
        # products as small as these gain nothing from 16 bits, and the softmax between them loses;
        # one query alone, of many that come one by one, would lose more by converting the memory
        with torch.autocast(query.device.type, enabled=False):
            query, keys, values = query.to(wide), keys.to(wide), values.to(wide)
            return _by_matmul(query, keys, values, view, scale, dropout).to(narrow)
    scores = inner_products(scale * query, keys)
    visible = view.mask(scores)
    if visible is not None:
        scores = scores + _penalty(visible, scores)
    return weighted_sum(dropout(_softmax(scores)), values)


def _penalty(visible: Bool[Tensor, "#B 1 #T S"], scores: Tensor) -> Float[Tensor, "#B 1 #T S"]:
    """0 where a query sees, −∞ where it does not: to add it is faster than to fill by a mask."""
    return scores.new_zeros(visible.shape).masked_fill_(~visible, -torch.inf)


def _softmax(scores: Float[Tensor, "B H T S"]) -> Float[Tensor, "B H T S"]:
    size = scores.size(-1)
    if size >= LANES:
        return scores.softmax(dim=-1)
    return F.pad(scores, (0, LANES - size), value=-torch.inf).softmax(dim=-1)[..., :size]
