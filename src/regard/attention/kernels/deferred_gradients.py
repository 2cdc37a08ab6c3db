"""One gradient for many uses of one tensor.

A recurrent decoder attends to its memory once for each target word, and multiplies by its weights
as often. The gradient of the keys, values or weights is a sum over all these uses. Computing each
summand, as large as the tensor itself, would cost more than the rest of the backward pass. Instead
the uses of a backward pass store their contributions, and the last one computes a single gradient.

`GradientAccumulator` needs to know how many uses a backward pass will still reach. It relies on two
private functions of torch: `_current_graph_task_id`, which numbers the backward passes, and
`_will_engine_execute_node`, which tells whether a pass reaches a node. Where either is missing,
`defer_gradient` does nothing and plain autograd computes the same gradients.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, TypeAlias, cast
from weakref import ref

import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.autograd.graph import Node
from torch.utils.weak import WeakTensorKeyDictionary

from regard.attention.shapes import Contexts, Keys, Queries, Scores, Values

Contribution: TypeAlias = tuple[Tensor, ...]  # from which one use's part of a gradient is computed
Combine: TypeAlias = Callable[[Tensor, list[Contribution]], Tensor]

_SUPPORTED = all(
    hasattr(torch._C, name) for name in ("_current_graph_task_id", "_will_engine_execute_node")
)


class GradientAccumulator:
    """Collects contributions to the gradient of one tensor, separately for each backward pass."""

    _of: WeakTensorKeyDictionary = WeakTensorKeyDictionary()  # accumulators by their tensors

    def __init__(self) -> None:
        self.uses: list[ref[Node]] = []  # weak, because the nodes refer to the accumulator
        self.passes: dict[int, _BackwardPass] = {}

    @classmethod
    def get(cls, x: Tensor) -> GradientAccumulator | None:
        """The accumulator of x; None if there is none, and in compiled code."""
        if torch.compiler.is_compiling():
            return None
        return cast("GradientAccumulator | None", cls._of.get(x))

    def register(self, output: Tensor) -> Tensor:
        """Count `output` as a use of the tensor, and return it."""
        if output.grad_fn is not None:
            self.uses.append(ref(output.grad_fn))
        return output

    def pending(self, x: Tensor) -> Tensor:
        """The gradient of x so far in this pass, to add to in place."""
        current = self._current_pass()
        if current.sum is None:
            current.sum = torch.zeros_like(x)
        return current.sum

    def add(
        self,
        x: Tensor,
        combine: Combine | None = None,
        key: int = 0,
        contribution: Contribution = (),
    ) -> Tensor | None:
        """Finish one use; return the gradient of x if it was the last use of this pass.

        Contributions with the same `combine` and `key` are combined together, at the end.
        """
        current = self._current_pass()
        if combine is not None:
            current.contributions.setdefault((combine, key), []).append(contribution)
        current.remaining -= 1
        if current.remaining:
            return None
        del self.passes[torch._C._current_graph_task_id()]
        parts = [combine(x, uses) for (combine, _), uses in current.contributions.items()]
        return reduce(torch.add, parts if current.sum is None else [current.sum, *parts])

    def _current_pass(self) -> _BackwardPass:
        number = torch._C._current_graph_task_id()
        if number not in self.passes:
            nodes = [node for use in self.uses if (node := use()) is not None]
            remaining = sum(torch._C._will_engine_execute_node(node) for node in nodes)
            self.passes[number] = _BackwardPass(remaining)
        return self.passes[number]


@dataclass(slots=True)
class _BackwardPass:
    remaining: int  # uses that the pass has not reached yet
    contributions: dict[tuple[Combine, int], list[Contribution]] = field(default_factory=dict)
    sum: Tensor | None = None


def defer_gradient(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """Return x, and accumulate its gradient over all its uses in the functions of this package.

    These are `additive_scores`, `inner_products`, `weighted_sum` and `add_deferred_product`. They
    must be called with this very tensor, not with a view of it. Without gradients it does nothing.
    """
    trains = torch.is_grad_enabled() and x.requires_grad
    if _SUPPORTED and trains and not torch.compiler.is_compiling():
        GradientAccumulator._of[x] = GradientAccumulator()
    return x


def inner_products(queries: Queries, keys: Keys) -> Scores:
    """queries @ keysᵀ"""
    return _product(queries, keys, None, transposed=True)


def weighted_sum(weights: Scores, values: Values) -> Contexts:
    """weights @ values"""
    return _product(weights, values, None, transposed=False)


def add_deferred_product(
    addend: Float[Tensor, "*rows O"], x: Float[Tensor, "B I"], weight: Float[Tensor, "O I"]
) -> Float[Tensor, "B O"]:
    """addend + weight x, of each row"""
    return _product(x.to(weight.dtype), weight, addend, transposed=True)


def _product(matrix: Tensor, x: Tensor, addend: Tensor | None, *, transposed: bool) -> Tensor:
    accumulator = GradientAccumulator.get(x)
    if accumulator is None:
        return _multiply(matrix, x, addend, transposed)
    return accumulator.register(_Product.apply(matrix, x, addend, transposed, accumulator))


def _multiply(matrix: Tensor, x: Tensor, addend: Tensor | None, transposed: bool) -> Tensor:
    right = x.mT if transposed else x
    return matrix @ right if addend is None else torch.addmm(addend, matrix, right)


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        matrix: Tensor,
        x: Tensor,
        addend: Tensor | None,
        transposed: bool,
        accumulator: Any,
    ) -> Tensor:
        ctx.save_for_backward(matrix, x)
        ctx.transposed, ctx.accumulator = transposed, accumulator
        ctx.addend_shape = None if addend is None else addend.shape
        return _multiply(matrix, x, addend, transposed)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        matrix, x = ctx.saved_tensors
        # under autocast the output, and with it `grad`, may be narrower than the inputs
        right = (x if ctx.transposed else x.mT).to(grad.dtype)
        pair = (grad, matrix) if ctx.transposed else (matrix, grad)
        grad_x = ctx.accumulator.add(x, _outer_products, 0, pair)
        grad_addend = None if ctx.addend_shape is None else grad.sum_to_size(ctx.addend_shape)
        return (grad @ right).to(matrix.dtype), grad_x, grad_addend, None, None


def _outer_products(x: Tensor, contributions: list[Contribution]) -> Tensor:
    """Σ_t a_t b_tᵀ over all uses."""
    a, b = (torch.cat(parts, dim=-2) for parts in zip(*contributions, strict=True))
    narrow = min(a.dtype, b.dtype, key=lambda dtype: dtype.itemsize)
    return (a.mT.to(narrow) @ b.to(narrow)).to(x.dtype)
