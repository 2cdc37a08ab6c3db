"""Optimizers and learning rate schedules."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True, slots=True)
class Schedule(ABC):
    """Factor of the peak learning rate at each step: linear warmup, then `after`.

    A schedule is a function of the step, so checkpoints do not need its state.
    """

    warmup: int  # steps until the peak

    def factor(self, step: int, last: int) -> float:
        """Return the factor at `step`, counted from 1, of a run of `last` steps."""
        return step / self.warmup if step < self.warmup else self.factor_after_warmup(step, last)

    @abstractmethod
    def factor_after_warmup(self, step: int, last: int) -> float:
        """Return the factor at a `step` after the warmup."""


@dataclass(frozen=True, slots=True)
class Constant(Schedule):
    """η_t = η"""

    def factor_after_warmup(self, step: int, last: int) -> float:
        return 1.0


@dataclass(frozen=True, slots=True)
class InverseSqrt(Schedule):
    """η_t = η √(w/t), independent of the number of steps (Vaswani et al. 2017, 5.3)"""

    def factor_after_warmup(self, step: int, last: int) -> float:
        return (max(1, self.warmup) / step) ** 0.5


@dataclass(frozen=True, slots=True)
class Linear(Schedule):
    """η_t = η (T − t)/(T − w), zero at the end of the run"""

    def factor_after_warmup(self, step: int, last: int) -> float:
        # zero is reached one step after the last, so that the last step has an effect
        return max(0.0, (last + 1 - step) / (last + 1 - self.warmup))


@dataclass(frozen=True, slots=True)
class Adam:
    """m ← β₁m + (1 − β₁)g,  v ← β₂v + (1 − β₂)g²,  θ ← θ − η (m̂/(√v̂ + ε) + λθ)

    Kingma and Ba 2015, with the decoupled weight decay λ of Loshchilov and Hutter 2019.
    """

    rate: float
    betas: tuple[float, float] = (0.9, 0.98)
    epsilon: float = 1e-9
    weight_decay: float = 0.0

    def build(self, parameters: Iterable[nn.Parameter]) -> torch.optim.Optimizer:
        return torch.optim.AdamW(
            parameters,
            lr=self.rate,
            betas=self.betas,
            eps=self.epsilon,
            weight_decay=self.weight_decay,
            fused=True,
        )


def optimizer_state(
    optimizer: torch.optim.Optimizer, names: Mapping[str, nn.Parameter]
) -> dict[str, Tensor]:
    """Return the optimizer's tensors, named `<parameter>.<kind>`."""
    return {
        f"{name}.{kind}": value
        for name, parameter in names.items()
        for kind, value in sorted(optimizer.state[parameter].items())
    }


def allocate_state(optimizer: torch.optim.Optimizer) -> None:
    """Allocate optimizer state so that a checkpoint can be loaded into it."""
    for group in optimizer.param_groups:
        group["lr"] = 0.0  # the trainer sets it before each step
        for parameter in group["params"]:
            parameter.grad = torch.zeros_like(parameter)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    for state in optimizer.state.values():
        state["step"].zero_()
