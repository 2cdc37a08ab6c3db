"""The context of a softmax of inner products, by the faster of two kernels.

Both compute what `Attention` computes step by step, and return no weights. `sdpa` is torch's own
and never holds all scores. `matmul` holds them; it is faster when training on a CPU with a short
memory, where torch's backward pass in bf16 takes ten times as long as its forward pass.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor

from regard.attention.kernels.deferred_gradients import inner_products, weighted_sum
from regard.attention.kernels.dropout import Dropout
from regard.attention.memory import Memory
from regard.attention.shapes import Contexts, Queries, Scores
from regard.attention.spans import Visibility

Kernel: TypeAlias = Literal["auto", "sdpa", "matmul"]

LONG = 1024  # keys, from which on torch's kernel is also faster in its backward pass
LANES = 16  # fp32 numbers in a vector register; torch's softmax is slow on shorter rows


def inner_product_context(
    query: Queries,
    memory: Memory,
    visibility: Visibility,
    *,
    scale: float,
    dropout: Dropout,
    kernel: Kernel,
) -> Contexts:
    """softmax(scale ⟨query, keys⟩) values, over the visible keys."""
    keys, values = memory.keys, memory.values
    if kernel == "auto":
        trains = torch.is_grad_enabled() and query.requires_grad
        short = query.device.type == "cpu" and keys.size(2) < LONG
        kernel = "matmul" if trains and short else "sdpa"
    if kernel == "matmul":
        return _by_matmul(query, keys, values, visibility, scale, dropout)
    p = dropout.p if dropout.training else 0.0
    return F.scaled_dot_product_attention(
        query, keys, values, visibility.visible, p, visibility.causal, scale=scale
    )


def _by_matmul(
    query: Tensor,
    keys: Tensor,
    values: Tensor,
    visibility: Visibility,
    scale: float,
    dropout: Dropout,
) -> Tensor:
    narrow, wide = query.dtype, torch.promote_types(query.dtype, torch.float32)
    if narrow != wide and keys.size(2) < 2 * LANES and query.size(2) > 1:
        # Products this small gain nothing from 16 bits, and the softmax between them loses. A
        # single query, one of many that come one by one, would lose more by converting the memory.
        with torch.autocast(query.device.type, enabled=False):
            query, keys, values = query.to(wide), keys.to(wide), values.to(wide)
            return _by_matmul(query, keys, values, visibility, scale, dropout).to(narrow)
    scores = inner_products(scale * query, keys)
    visible = visibility.mask(scores)
    if visible is not None:
        scores = scores + _penalty(visible, scores)
    return weighted_sum(dropout(_softmax(scores)), values)


def _penalty(visible: Bool[Tensor, "#B 1 #T S"], scores: Tensor) -> Float[Tensor, "#B 1 #T S"]:
    """0 where a key is visible, −∞ elsewhere; adding it is faster than filling by a mask."""
    return scores.new_zeros(visible.shape).masked_fill_(~visible, -torch.inf)


def _softmax(scores: Scores) -> Scores:
    size = scores.size(-1)
    if size >= LANES:
        return scores.softmax(dim=-1)
    return F.pad(scores, (0, LANES - size), value=-torch.inf).softmax(dim=-1)[..., :size]
