"""The additive score, without a tensor of queries × keys × units.

Computed directly, v · tanh(q + k) needs a hyperbolic tangent for every unit of every pair. But
tanh(q + k) = 1 − 2 / (1 + e²ᵠ e²ᵏ): with the exponentials computed once for each query and key, a
pair costs one reciprocal, which is cheap enough to be recomputed in the backward pass. Two kernels
do so: `additive.c`, compiled when the package is built if there is a compiler (REGARD_NATIVE=0
disables it), and blocks of plain PyTorch elsewhere. Both are behind one operator of torch, with its
gradient and its shapes, so that `torch.compile` and `torch.export` need not trace them.
"""

from __future__ import annotations

import ctypes
import math
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable

from regard.attention.definition import Attended, AttentionCall
from regard.attention.kernels.deferred_gradients import (
    Contribution,
    GradientAccumulator,
    defer_gradient,
)
from regard.attention.kernels.inner_product import normalize_and_sum
from regard.attention.scores import Additive
from regard.attention.shapes import Keys, Queries, Scores

# The largest block of pairs × units that plain PyTorch computes at once. On a CPU it should stay in
# the second-level caches of two cores (4 MiB of fp32); on a GPU it should keep the device busy.
_BLOCK = {"cpu": 2**20}
_DEVICE_BLOCK = 2**24

# e^(4·bound) = max^0.96: below infinity, and far beyond where tanh rounds to 1
_BOUNDS = {
    dtype: 0.24 * math.log(torch.finfo(dtype).max) for dtype in (torch.float32, torch.float64)
}


def prepare_keys(keys: Keys) -> Keys:
    """What the score needs of the keys for every query: their exponentials."""
    return defer_gradient(exponential(keys))


def attend_by_exponentials(call: AttentionCall) -> Attended:
    """`definition.attend` with the additive score."""
    memory, score = call.memory, call.score
    assert isinstance(score, Additive)
    keys = exponential(memory.keys) if memory.prepared is None else memory.prepared
    scores = additive_scores(exponential(call.query), keys, score.energy)
    return normalize_and_sum(call, scores)


def exponential(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """e²ˣ in at least fp32, such that the product of two results is finite.

    That bounds x to ±21.3 in fp32. On a CPU larger values are computed in fp64, which bounds x to
    ±170. Beyond the bound x is clamped, and its gradient is zero.
    """
    x = x.to(torch.promote_types(x.dtype, torch.float32))
    if x.dtype == torch.float32 and x.device.type == "cpu" and not torch.compiler.is_compiling():
        largest = x.detach().abs().amax() if x.numel() else x.new_zeros(())
        x = x.double() if largest > _BOUNDS[x.dtype] else x
    return x.clamp(-_BOUNDS[x.dtype], _BOUNDS[x.dtype]).mul_(2).exp_()


def additive_scores(query: Queries, keys: Keys, energy: Float[Tensor, "H D"]) -> Scores:
    """Σ_d v_d (1 − 2 / (1 + query_td keys_sd)), without the five-dimensional tensor."""
    if query.dtype != keys.dtype:  # one of them exceeded the range of fp32
        query, keys = query.double(), keys.double()
    energy = energy.to(query.dtype)
    if torch.compiler.is_compiling():
        return _scores_operator(query, keys, energy)
    if not torch.is_grad_enabled():
        return _scores(query, keys, energy)  # an operator costs as much as a small step
    accumulator = GradientAccumulator.get(keys)
    if accumulator is not None:
        scores: Tensor = _DeferredScores.apply(query, keys, energy, accumulator)
        return accumulator.register(scores)
    return _scores_operator(query, keys, energy)


class _DeferredScores(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, query: Tensor, keys: Tensor, energy: Tensor, accumulator: Any) -> Tensor:
        ctx.save_for_backward(query, keys, energy)
        ctx.accumulator = accumulator
        return _scores(query, keys, energy)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        query, keys, energy = ctx.saved_tensors
        if not _native_supports(query, keys):
            pending = ctx.accumulator.pending(keys)
            query_gradient, energy_gradient = _blockwise(query, keys, energy, grad, pending)
            return query_gradient, ctx.accumulator.add(keys), energy_gradient, None
        query_gradient, energy_gradient = _gradient(query, keys, energy, grad)
        contribution, key = (query, energy, grad), energy.data_ptr()  # two energies may share keys
        keys_gradient = ctx.accumulator.add(keys, _keys_gradient, key, contribution)
        return query_gradient, keys_gradient, energy_gradient, None


def _keys_gradient(keys: Tensor, contributions: list[Contribution]) -> Tensor:
    queries, energies, grads = zip(*contributions, strict=True)
    grad = torch.cat([g.mT for g in grads], dim=3)
    return _gradient(keys, torch.cat(queries, dim=2), energies[0], grad)[0]


def _scores(query: Tensor, keys: Tensor, energy: Tensor) -> Tensor:
    if not _native_supports(query, keys):
        return _blockwise_scores(query, keys, energy)
    scores = query.new_empty(*query.shape[:3], keys.size(2))
    _call_native("scores", query, keys, energy, scores)
    return scores


def _gradient(near: Tensor, far: Tensor, energy: Tensor, grad: Tensor) -> tuple[Tensor, Tensor]:
    """Gradients of `near` and the energy, given the gradient of the scores (B H near far).

    Exchange the two sides for the gradient of the other one.
    """
    near_gradient = near.new_empty(near.shape)
    energy_gradient = near.new_empty(near.size(0), *energy.shape)
    _call_native("gradient", near, far, energy, grad, near_gradient, energy_gradient)
    return near_gradient, energy_gradient.sum(0)


def _gradients(
    query: Tensor, keys: Tensor, energy: Tensor, grad: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients of query, keys and energy."""
    if _native_supports(query, keys):
        keys_gradient = _keys_gradient(keys, [(query, energy, grad)])
        query_gradient, energy_gradient = _gradient(query, keys, energy, grad)
    else:
        keys_gradient = keys.new_zeros(keys.shape)
        query_gradient, energy_gradient = _blockwise(query, keys, energy, grad, keys_gradient)
    return query_gradient, keys_gradient, energy_gradient


_scores_operator = torch.library.custom_op(
    "regard::additive_scores",
    _scores,
    mutates_args=(),
    schema="(Tensor query, Tensor keys, Tensor energy) -> Tensor",
)
_gradients_operator = torch.library.custom_op(
    "regard::additive_gradients",
    _gradients,
    mutates_args=(),
    schema="(Tensor query, Tensor keys, Tensor energy, Tensor grad) -> (Tensor, Tensor, Tensor)",
)


@_scores_operator.register_fake
def _(query: Tensor, keys: Tensor, energy: Tensor) -> Tensor:
    return query.new_empty(*query.shape[:3], keys.size(2))


@_gradients_operator.register_fake
def _(query: Tensor, keys: Tensor, energy: Tensor, grad: Tensor) -> tuple[Tensor, ...]:
    return query.new_empty(query.shape), keys.new_empty(keys.shape), energy.new_empty(energy.shape)


def _save_inputs(ctx: Any, inputs: tuple[Tensor, ...], output: Tensor) -> None:
    ctx.save_for_backward(*inputs)


def _backward(ctx: Any, grad: Tensor) -> tuple[Tensor, ...]:
    return _gradients_operator(*ctx.saved_tensors, grad)


_scores_operator.register_autograd(_backward, setup_context=_save_inputs)


def _blockwise_scores(query: Tensor, keys: Tensor, energy: Tensor) -> Tensor:
    scores = query.new_empty(*query.shape[:3], keys.size(2))
    for b, h, t, s in _blocks(query, keys):
        r = _reciprocal(query[b, h, t], keys[b, h, s])
        torch.sub(energy[h].sum(), r @ energy[h], alpha=2, out=scores[b, h, t, s])
    return scores


def _blockwise(
    query: Tensor, keys: Tensor, energy: Tensor, grad: Tensor, keys_gradient: Tensor
) -> tuple[Tensor, Tensor]:
    """Gradients of query and energy, and the keys' added to `keys_gradient`, in one pass.

    The passes dominate the cost. With r = 1 / (1 + ab): 2v Σ_s g r² b for a query a, 2v Σ_t g r² a
    for a key b, and Σ_ts g (1 − 2r) for v.
    """
    query_gradient = query.new_zeros(query.shape)
    energy_gradient = grad.sum((0, 2, 3)).unsqueeze(-1).repeat(1, query.size(-1))
    scale = 2 * energy.unsqueeze(1)  # H 1 D
    for b, h, t, s in _blocks(query, keys):
        r, g = _reciprocal(query[b, h, t], keys[b, h, s]), grad[b, h, t, s]  # b t s d, b t s
        energy_gradient[h].sub_((g.unsqueeze(-2) @ r).sum((0, 1, 2)), alpha=2)
        gr = r.square_().mul_(g.unsqueeze(-1))
        near = (scale[h] * query[b, h, t]).unsqueeze(2)  # b t 1 d
        if near.size(1) == 1:
            keys_gradient[b, h, s].addcmul_(gr[:, 0], near[:, 0])
        else:
            keys_gradient[b, h, s] += (gr * near).sum(1)
        query_gradient[b, h, t] += scale[h] * gr.mul_(keys[b, h, s].unsqueeze(1)).sum(2)
    return query_gradient, energy_gradient


def _reciprocal(near: Tensor, far: Tensor) -> Tensor:
    """1 / (1 + near far), in a workspace that the next call overwrites."""
    near, far = near.unsqueeze(-2), far.unsqueeze(-3)
    return torch.addcmul(near.new_ones(()), near, far, out=_workspace.take(near, far)).reciprocal_()


class _Workspace(threading.local):
    """Each thread's buffers for its blocks on a CPU.

    Allocating a block for every call would fragment memory: a long target wastes hundreds of
    megabytes in holes that are too small for the next block.
    """

    def __init__(self) -> None:
        self.buffers: dict[torch.dtype, Tensor] = {}

    def take(self, near: Tensor, far: Tensor) -> Tensor | None:
        if near.device.type != "cpu":
            return None  # a GPU's allocator caches blocks itself, in the order of its streams
        shape = torch.broadcast_shapes(near.shape, far.shape)
        buffer = self.buffers.get(near.dtype)
        if buffer is None or buffer.numel() < shape.numel():
            with torch.inference_mode(False):  # training uses the buffer too
                buffer = self.buffers[near.dtype] = torch.empty(shape.numel(), dtype=near.dtype)
        return buffer[: shape.numel()].view(shape)


_workspace = _Workspace()


def _blocks(near: Tensor, far: Tensor) -> Iterator[tuple[slice, int, slice, slice]]:
    """The blocks of B H near far that are computed at once."""
    batch, heads, nears, dim = near.shape
    size = _BLOCK.get(near.device.type, _DEVICE_BLOCK) // dim
    f = min(far.size(2), max(1, size))
    n = min(nears, max(1, size // f))
    b = min(batch, max(1, size // (f * n)))
    for i in range(0, batch, b):
        for h in range(heads):
            for j in range(0, nears, n):
                for k in range(0, far.size(2), f):
                    yield slice(i, i + b), h, slice(j, j + n), slice(k, k + f)


def _load() -> ctypes.CDLL | None:
    """The compiled `additive.c`; None if the package was built without it."""
    path = Path(__file__).with_name("libadditive.so")
    if os.environ.get("REGARD_NATIVE") == "0" or not path.exists():
        return None
    try:
        library = ctypes.CDLL(str(path))
    except OSError:  # built for another platform
        return None
    pointer, number = ctypes.c_void_p, ctypes.c_int64
    library.regard_additive_scores.argtypes = [pointer] * 7 + [number]
    library.regard_additive_gradient.argtypes = [pointer] * 9 + [number]
    return library


_native: Any = _load()


def _native_supports(*sides: Tensor) -> bool:
    return _native is not None and all(
        x.dtype == torch.float32 and x.device.type == "cpu" and x.stride(-1) == 1 for x in sides
    )


def _call_native(name: str, near: Tensor, far: Tensor, *tensors: Tensor) -> None:
    """Call a function of `additive.c`, which does not check shapes itself."""
    (batch, heads, nears, dim), fars = near.shape, far.size(2)
    energy, *rest = (x.contiguous() for x in tensors)
    if far.shape != (batch, heads, fars, dim) or energy.shape != (heads, dim):
        raise ValueError(f"shapes {near.shape}, {far.shape}, {energy.shape} do not fit together")
    sides = [near.data_ptr(), _int64s(near.stride()[:3]), far.data_ptr(), _int64s(far.stride()[:3])]
    pointers = [x.data_ptr() for x in (energy, *rest)]
    shape = _int64s((batch, heads, nears, fars, dim))
    function = getattr(_native, f"regard_additive_{name}")
    function(*sides, *pointers, shape, torch.get_num_threads())


def _int64s(numbers: Sequence[int]) -> ctypes.Array[ctypes.c_int64]:
    return (ctypes.c_int64 * len(numbers))(*numbers)
