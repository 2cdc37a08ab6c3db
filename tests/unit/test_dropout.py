"""Dropout by bytes: who stays, by how much it grows, and what is learnt through it."""

from __future__ import annotations

import pytest
import torch

from regard.attention import Dropout
from regard.attention.kernels.dropout import byte_dropout


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("p", [0.1, 0.3, 0.5])
def test_the_share_that_goes_is_p_rounded_to_a_byte_and_the_rest_makes_up_for_it(p, dtype) -> None:
    ones = torch.ones(1000, 1001, dtype=dtype)
    y = Dropout(p)(ones)
    rounded = round(256 * p) / 256
    assert (y == 0).double().mean().item() == pytest.approx(rounded, abs=2e-3)
    kept = y[y != 0]
    torch.testing.assert_close(kept, torch.full_like(kept, 1 / (1 - rounded)))


@pytest.mark.parametrize("place", range(8))
def test_each_byte_of_a_draw_is_uniform(place: int) -> None:
    """`random_` without bounds would leave the highest bit of the last byte alone."""
    y = byte_dropout(torch.ones(8 * 100_000), 0.75).view(-1, 8)[:, place]
    assert (y == 0).double().mean().item() == pytest.approx(0.75, abs=7e-3)


def test_the_gradient_goes_where_the_value_went() -> None:
    x = torch.randn(7, 13, requires_grad=True)
    y = byte_dropout(x, 0.4)
    y.backward(torch.ones_like(y))
    torch.testing.assert_close(x.grad * x.detach(), y.detach())


def test_it_keeps_a_byte_for_each_element_and_nothing_else() -> None:
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(lambda x: kept.append(x) or x, lambda x: x):
        byte_dropout(torch.randn(9, 11, requires_grad=True), 0.3)
    assert [(x.dtype, x.numel()) for x in kept] == [(torch.int8, 99)]


@pytest.mark.parametrize("kernel", ["auto", "bytes", "plain"])
def test_nothing_changes_where_nothing_is_learnt_or_dropped(kernel) -> None:
    x = torch.randn(5, 5)
    assert Dropout(0.5, kernel=kernel).eval()(x) is x
    assert Dropout(0.0, kernel=kernel)(x) is x


@pytest.mark.parametrize("kernel", ["auto", "bytes", "plain"])
def test_a_seed_fixes_it(kernel) -> None:
    x, dropout = torch.randn(50, 3), Dropout(0.5, kernel=kernel)
    torch.manual_seed(1)
    first = dropout(x)
    second = dropout(x)
    torch.manual_seed(1)
    assert torch.equal(dropout(x), first)
    assert not torch.equal(first, second)


def test_what_is_not_laid_out_in_rows_is_dropped_as_well() -> None:
    x = torch.randn(6, 4, 5).transpose(0, 2)
    y = byte_dropout(x, 0.5)
    assert y.shape == x.shape
    torch.testing.assert_close(y[y != 0], 2 * x[y != 0])
    assert byte_dropout(torch.empty(0, 3), 0.5).shape == (0, 3)
