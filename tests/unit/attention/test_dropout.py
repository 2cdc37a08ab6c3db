"""Dropout by random bytes."""

from __future__ import annotations

import pytest
import torch

from regard.attention import Dropout
from regard.attention.kernels.dropout import byte_dropout


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("p", [0.1, 0.3, 0.5])
def test_p_is_rounded_to_a_byte_and_the_rest_is_scaled(p, dtype) -> None:
    ones = torch.ones(1000, 1001, dtype=dtype)
    y = Dropout(p)(ones)
    rounded = round(256 * p) / 256
    assert (y == 0).double().mean().item() == pytest.approx(rounded, abs=2e-3)
    kept = y[y != 0]
    torch.testing.assert_close(kept, torch.full_like(kept, 1 / (1 - rounded)))


@pytest.mark.parametrize("place", range(8))
def test_each_byte_of_a_draw_is_uniform(place: int) -> None:
    """`random_` without bounds would never set the highest bit of the last byte."""
    y = byte_dropout(torch.ones(8 * 100_000), 0.75).view(-1, 8)[:, place]
    assert (y == 0).double().mean().item() == pytest.approx(0.75, abs=7e-3)


def test_the_gradient_has_the_mask_of_the_forward_pass() -> None:
    x = torch.randn(7, 13, requires_grad=True)
    y = byte_dropout(x, 0.4)
    y.backward(torch.ones_like(y))
    torch.testing.assert_close(x.grad * x.detach(), y.detach())


def test_only_one_byte_per_element_is_saved_for_backward() -> None:
    saved = []
    with torch.autograd.graph.saved_tensors_hooks(lambda x: saved.append(x) or x, lambda x: x):
        byte_dropout(torch.randn(9, 11, requires_grad=True), 0.3)
    assert [(x.dtype, x.numel()) for x in saved] == [(torch.int8, 99)]


@pytest.mark.parametrize("kernel", ["auto", "bytes", "plain"])
def test_eval_mode_and_p_0_return_the_input(kernel) -> None:
    x = torch.randn(5, 5)
    assert Dropout(0.5, kernel=kernel).eval()(x) is x
    assert Dropout(0.0, kernel=kernel)(x) is x


@pytest.mark.parametrize("kernel", ["auto", "bytes", "plain"])
def test_a_seed_makes_it_deterministic(kernel) -> None:
    x, dropout = torch.randn(50, 3), Dropout(0.5, kernel=kernel)
    torch.manual_seed(1)
    first = dropout(x)
    second = dropout(x)
    torch.manual_seed(1)
    assert torch.equal(dropout(x), first)
    assert not torch.equal(first, second)


def test_non_contiguous_and_empty_tensors() -> None:
    x = torch.randn(6, 4, 5).transpose(0, 2)
    y = byte_dropout(x, 0.5)
    assert y.shape == x.shape
    torch.testing.assert_close(y[y != 0], 2 * x[y != 0])
    assert byte_dropout(torch.empty(0, 3), 0.5).shape == (0, 3)
