"""The parts of Transformer blocks against their equations."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from regard.nn.embedding import Sinusoids
from regard.nn.transformer import ACTIVATION, SSRU, BlockShape
from tests.parity import equations as eq


def test_an_ssru_is_its_equation() -> None:
    torch.manual_seed(0)
    unit, x = SSRU(6).double(), torch.randn(2, 5, 6, dtype=torch.float64)
    found, last = unit(x, None)
    for row in range(2):
        weights = (unit.forget.weight, unit.forget.bias, unit.input.weight)
        expected = eq.ssru(x[row].numpy(), *(w.detach().numpy() for w in weights))
        np.testing.assert_allclose(found[row].detach().numpy(), expected, atol=1e-12)
        np.testing.assert_allclose(last[row].detach().relu().numpy(), expected[-1], atol=1e-12)


@pytest.mark.parametrize("name", ACTIVATION)
def test_an_activation_is_its_equation(name: str) -> None:
    x = torch.linspace(-6, 6, 50, dtype=torch.float64)
    found = ACTIVATION[name]()(x)  # type: ignore[index]
    np.testing.assert_allclose(found.numpy(), eq.ACTIVATIONS[name](x.numpy()), atol=1e-12)


@pytest.mark.parametrize(("inclusive", "divisor"), [(False, 16), (True, 14)])
def test_sinusoids_are_exact_at_every_position(inclusive: bool, divisor: int) -> None:
    found = Sinusoids(inclusive=inclusive)(4_000, torch.zeros(1, 3, 16))
    expected = [eq.sinusoids(position, 16, divisor) for position in (4_000, 4_001, 4_002)]
    np.testing.assert_allclose(found.numpy(), expected, atol=1e-7)  # 32 bits err by 2e-4


def test_all_norms_of_a_block_use_its_eps() -> None:
    shape = BlockShape(4, 8, norm="pre", norm_eps=1e-3)
    assert shape.residual().norm.eps == 1e-3
    assert shape.final_norm().eps == 1e-3
