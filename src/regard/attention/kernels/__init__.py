"""Faster computations of what `definition.py` defines, and the function that chooses among them.

The folder may be deleted: `choice.py` then uses the definition alone. Every kernel is equal to it
by test. What a kernel keeps for the gradient is kept only where a gradient is needed.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from regard.attention.definition import Attend, AttentionCall, attend
from regard.attention.kernels import additive, inner_product, windows
from regard.attention.kernels.deferred_gradients import add_deferred_product as add_deferred_product
from regard.attention.kernels.deferred_gradients import defer_gradient
from regard.attention.kernels.dropout import byte_dropout
from regard.attention.memory import Memory
from regard.attention.normalizers import Softmax
from regard.attention.scores import Additive, Cosine, InnerProduct, Score
from regard.attention.shapes import to_compute_dtype


def choose(call: AttentionCall) -> Attend:
    """Return the fastest function that computes what `attend` computes of this call.

    The classes are compared exactly: a subclass may compute something else.
    """
    if call.kernel == "definition":
        return attend
    if not torch.compiler.is_compiling() and windows.fit(call):
        return partial(windows.attend_in_windows, choose=choose)
    if call.span.biased:
        return attend
    if type(call.score) is Additive:
        return additive.attend_by_exponentials
    if type(call.score) in (InnerProduct, Cosine):
        return _choose_for_inner_product(call)
    return attend


def _choose_for_inner_product(call: AttentionCall) -> Attend:
    compiling = torch.compiler.is_compiling()
    trains = torch.is_grad_enabled() and call.query.requires_grad
    if call.need_weights or type(call.normalizer) is not Softmax or call.span.prior is not None:
        return inner_product.attend_by_products if trains and not compiling else attend
    short = call.query.device.type == "cpu" and call.memory.size < inner_product.LONG
    if call.kernel == "matmul" or (call.kernel == "auto" and not compiling and trains and short):
        return inner_product.attend_by_matmul
    return inner_product.attend_by_sdpa


def prepare_keys_and_values(memory: Memory, score: Score) -> Memory:
    """Compute once what the kernels need of a memory for every query."""
    values = share_gradient(memory.values)
    if type(score) is Additive:
        return replace(memory, values=values, prepared=additive.prepare_keys(memory.keys))
    return replace(memory, keys=share_gradient(memory.keys), values=values)


def share_gradient(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """Return x in the dtype of matrix products, with one gradient for all its uses."""
    if torch.compiler.is_compiling():
        return x
    return defer_gradient(to_compute_dtype(x.view_as(x)))  # a view: parameters outlive a pass


def drop(x: Float[Tensor, "*shape"], p: float, kernel: str) -> Float[Tensor, "*shape"]:
    """Dropout: by bytes on a CPU, unless torch compiles its own."""
    fast = kernel == "auto" and x.device.type == "cpu" and not torch.compiler.is_compiling()
    return byte_dropout(x, p) if fast or kernel == "bytes" else F.dropout(x, p)
