"""AdamW and the schedules of the learning rate, against their equations in NumPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import nn

from regard.train.settings import (
    Adam,
    Constant,
    InverseSqrt,
    Linear,
    Schedule,
    allocate_state,
    optimizer_state,
)

SETTINGS = [
    Adam(rate=0.01),
    Adam(rate=0.3),
    Adam(rate=0.01, betas=(0.5, 0.98)),
    Adam(rate=0.01, betas=(0.9, 0.6)),
    Adam(rate=0.01, betas=(0.0, 0.999)),
    Adam(rate=0.01, epsilon=0.1),
    Adam(rate=0.01, weight_decay=0.5),
]


def adamw(adam: Adam, start: np.ndarray, gradients: np.ndarray, rates: list[float]) -> np.ndarray:
    """Loshchilov and Hutter 2019, algorithm 2."""
    weights, first, second = start.copy(), np.zeros_like(start), np.zeros_like(start)
    beta1, beta2 = adam.betas
    for t, (gradient, rate) in enumerate(zip(gradients, rates, strict=True), 1):
        first = beta1 * first + (1 - beta1) * gradient
        second = beta2 * second + (1 - beta2) * gradient**2
        unbiased = first / (1 - beta1**t), second / (1 - beta2**t)
        update = unbiased[0] / (np.sqrt(unbiased[1]) + adam.epsilon)
        weights = weights - rate * (update + adam.weight_decay * weights)
    return weights


@pytest.mark.parametrize("allocated", [False, True], ids=["new", "allocated"])
@pytest.mark.parametrize("adam", SETTINGS, ids=str)
def test_adam_makes_the_steps_of_its_equation(adam: Adam, allocated: bool) -> None:
    """`allocate_state` makes room for a checkpoint, and must not change the first steps."""
    draws = np.random.default_rng(0)
    start, gradients = draws.normal(size=(3, 4)), draws.normal(size=(6, 3, 4))
    rates = [adam.rate * factor for factor in (0.5, 1.0, 1.0, 0.7, 0.2, 0.1)]
    parameter = nn.Parameter(torch.tensor(start))
    optimizer = adam.build([parameter])
    if allocated:
        allocate_state(optimizer)
        np.testing.assert_array_equal(parameter.detach().numpy(), start)
        assert parameter.grad is None
        state = optimizer_state(optimizer, {"weight": parameter})
        assert sorted(state) == ["weight.exp_avg", "weight.exp_avg_sq", "weight.step"]
        assert not any(tensor.any() for tensor in state.values())
        assert [group["lr"] for group in optimizer.param_groups] == [0.0]
    else:
        assert [group["lr"] for group in optimizer.param_groups] == [adam.rate]
    for step, (gradient, rate) in enumerate(zip(gradients, rates, strict=True), 1):
        optimizer.param_groups[0]["lr"] = rate
        parameter.grad = torch.tensor(gradient)
        optimizer.step()
        expected = adamw(adam, start, gradients[:step], rates[:step])
        np.testing.assert_allclose(parameter.detach().numpy(), expected, rtol=1e-9)


def test_the_default_settings_are_those_of_the_transformer() -> None:
    """Vaswani et al. 2017, 5.3."""
    assert Adam(1.0) == Adam(1.0, betas=(0.9, 0.98), epsilon=1e-9, weight_decay=0.0)


@pytest.mark.parametrize("warmup", [0, 1, 2, 10])
@pytest.mark.parametrize("last", [10, 11, 100])
@pytest.mark.parametrize("kind", [Constant, InverseSqrt, Linear])
def test_a_schedule_has_the_values_of_its_equation(
    kind: type[Schedule], warmup: int, last: int
) -> None:
    schedule = kind(warmup)
    for step in range(1, last + 1):
        if step < warmup:
            expected = step / warmup
        elif kind is Constant:
            expected = 1.0
        elif kind is InverseSqrt:
            expected = math.sqrt(max(warmup, 1) / step)
        else:
            expected = 1 - (step - warmup) / (last - warmup + 1)
        assert schedule.factor(step, last) == pytest.approx(expected, rel=1e-12), step


def test_the_factor_rises_to_one_and_the_linear_one_ends_at_zero() -> None:
    for schedule in (Constant(10), InverseSqrt(10), Linear(10)):
        factors = [schedule.factor(step, 100) for step in range(1, 101)]
        assert max(factors) == factors[9] == 1.0
        assert factors[:10] == sorted(factors[:10]) and factors[9:] == sorted(factors[9:])[::-1]
        assert min(factors) > 0
    assert Linear(10).factor(101, 100) == Linear(10).factor(1_000, 100) == 0.0
