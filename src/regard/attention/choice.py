"""The kernels, or what they compute if `regard.attention.kernels` has been deleted.

This is the only module that imports them.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from regard.attention.definition import Attend, AttentionCall, attend
from regard.attention.memory import Memory
from regard.attention.scores import Score

AttentionKernel: TypeAlias = Literal["auto", "sdpa", "matmul", "definition"]
DropoutKernel: TypeAlias = Literal["auto", "bytes", "plain"]

try:
    from regard.attention import kernels
except ImportError as missing:
    if missing.name != "regard.attention":  # a kernel that cannot be imported is a bug
        raise
    kernels = None  # type: ignore[assignment]


def choose_kernel(call: AttentionCall) -> Attend:
    """Return the fastest function that computes what `attend` computes of this call."""
    return attend if kernels is None else kernels.choose(call)


def prepare_memory(memory: Memory, score: Score) -> Memory:
    """Compute once what the kernels need of a memory for every query."""
    return memory if kernels is None else kernels.prepare_keys_and_values(memory, score)


def reuse(weight: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """Return a weight that `add_product` uses at every step of a loop."""
    return weight if kernels is None else kernels.share_gradient(weight)


def add_product(
    addend: Float[Tensor, "*rows O"], x: Float[Tensor, "B I"], weight: Float[Tensor, "O I"]
) -> Float[Tensor, "B O"]:
    """addend + W x"""
    if kernels is None:
        return torch.addmm(addend, x.to(weight.dtype), weight.mT)
    return kernels.add_deferred_product(addend, x, weight)


def apply_dropout(
    x: Float[Tensor, "*shape"], p: float, kernel: DropoutKernel
) -> Float[Tensor, "*shape"]:
    """Dropout with probability p."""
    return F.dropout(x, p) if kernels is None else kernels.drop(x, p, kernel)
