"""One gradient for many asks of one memory.

A recurrent decoder asks its memory once for each word of the target. The gradients of the keys and
values are then sums over all these asks, and to make each of them, as large as the memory itself,
would cost more than all the rest. So the asks of a backward pass put their shares aside, and the
last of them computes one gradient for all.
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

Share: TypeAlias = tuple[Tensor, ...]  # what one ask knows of the gradient of what it asked
Combine: TypeAlias = Callable[[Tensor, list[Share]], Tensor]


def shared(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """The same keys, values or weights, to be asked many times: one gradient for all asks.

    In a backward pass every `additive_scores`, `inner_products`, `weighted_sum` or `shared_linear`
    of this very tensor but the last puts its share aside, and the last returns the gradient of all.
    """
    if x.requires_grad and not torch.compiler.is_compiling():
        _accounts[x] = Account()
    return x


def inner_products(
    queries: Float[Tensor, "B H T D"], keys: Float[Tensor, "B H S D"]
) -> Float[Tensor, "B H T S"]:
    """queries @ keysᵀ, where the keys may be `shared`."""
    return _product(queries, keys, turned=True)


def weighted_sum(
    weights: Float[Tensor, "B H T S"], values: Float[Tensor, "B H S W"]
) -> Float[Tensor, "B H T W"]:
    """weights @ values, where the values may be `shared`."""
    return _product(weights, values, turned=False)


def _product(asks: Tensor, x: Tensor, *, turned: bool) -> Tensor:
    account = account_of(x)
    if account is None:
        return asks @ (x.mT if turned else x)
    return account.joined_by(_Product.apply(asks, x, turned, account))


def shared_linear(
    x: Float[Tensor, "B I"], weight: Float[Tensor, "O I"], addend: Float[Tensor, "*rows O"]
) -> Float[Tensor, "B O"]:
    """x weightᵀ + addend, where the weight may be `shared`."""
    x, account = x.to(weight.dtype), account_of(weight)
    if account is None:
        return torch.addmm(addend, x, weight.mT)
    return account.joined_by(_SharedLinear.apply(x, weight, addend, account))


def account_of(x: Tensor) -> Account | None:
    """The account of a tensor that was `shared`; None: it was not, or is not the very same one.

    Nor has it one in what is compiled: a compiler sees all asks itself.
    """
    if torch.compiler.is_compiling():
        return None
    return cast("Account | None", _accounts.get(x))


class Account:
    """Who has asked one memory, and what they owe to it in the backward passes under way."""

    def __init__(self) -> None:
        self.asks: list[ref[Node]] = []  # weak, for the asks know the account
        self.passes: dict[int, _Pass] = {}

    def joined_by(self, answer: Tensor) -> Tensor:
        if answer.grad_fn is not None:
            self.asks.append(ref(answer.grad_fn))
        return answer

    def owed(self, x: Tensor) -> Tensor:
        """The gradient of x so far in this pass, for an ask to add to in place."""
        now = self._now()
        if now.sum is None:
            now.sum = torch.zeros_like(x)
        return now.sum

    def settle(
        self, x: Tensor, combine: Combine | None = None, mark: int = 0, share: Share = ()
    ) -> Tensor | None:
        """An ask is done. The gradient of x, if no other ask is to come in this pass.

        It may leave a share: shares of the same mark that `combine` in the same way are combined
        at once, at the end.
        """
        now = self._now()
        if combine is not None:
            now.shares.setdefault((combine, mark), []).append(share)
        now.expected -= 1
        if now.expected:
            return None
        del self.passes[torch._C._current_graph_task_id()]
        parts = [together(x, shares) for (together, _), shares in now.shares.items()]
        return reduce(torch.add, parts if now.sum is None else [now.sum, *parts])

    def _now(self) -> _Pass:
        number = torch._C._current_graph_task_id()
        if number not in self.passes:
            nodes = [node for ask in self.asks if (node := ask()) is not None]
            expected = sum(torch._C._will_engine_execute_node(node) for node in nodes)
            self.passes[number] = _Pass(expected)
        return self.passes[number]


@dataclass(slots=True)
class _Pass:
    """One backward pass: how many asks are still to come, and what the others left."""

    expected: int
    shares: dict[tuple[Combine, int], list[Share]] = field(default_factory=dict)
    sum: Tensor | None = None


_accounts: WeakTensorKeyDictionary = WeakTensorKeyDictionary()


class _Product(torch.autograd.Function):
    """asks @ x, or asks @ xᵀ where x is `turned`."""

    @staticmethod
    def forward(ctx: Any, asks: Tensor, x: Tensor, turned: bool, account: Account) -> Tensor:
        ctx.save_for_backward(asks, x)
        ctx.turned, ctx.account = turned, account
        return asks @ (x.mT if turned else x)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        asks, x = ctx.saved_tensors
        # under autocast the answer, and with it `grad`, may be narrower than what was asked
        back = (x if ctx.turned else x.mT).to(grad.dtype)
        share = (grad, asks) if ctx.turned else (asks, grad)
        to_x = ctx.account.settle(x, _outer_products, 0, share)
        return (grad @ back).to(asks.dtype), to_x, None, None


def _outer_products(x: Tensor, shares: list[Share]) -> Tensor:
    """Σ_t a_t b_tᵀ: of all that was asked, how much it counted for and what came back."""
    counted, came = (torch.cat(parts, dim=2) for parts in zip(*shares, strict=True))
    narrow = min(counted.dtype, came.dtype, key=lambda dtype: dtype.itemsize)
    return (counted.mT.to(narrow) @ came.to(narrow)).to(x.dtype)


class _SharedLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, addend: Tensor, account: Account) -> Tensor:
        ctx.save_for_backward(x, weight)
        ctx.account, ctx.added = account, addend.shape
        return torch.addmm(addend, x, weight.mT)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x, weight = ctx.saved_tensors
        to_weight = ctx.account.settle(weight, _weight_gradient, 0, (x, grad))
        return grad @ weight, to_weight, grad.sum_to_size(ctx.added), None


def _weight_gradient(weight: Tensor, shares: list[Share]) -> Tensor:
    inputs, grads = (torch.cat(parts) for parts in zip(*shares, strict=True))
    return grads.mT @ inputs
