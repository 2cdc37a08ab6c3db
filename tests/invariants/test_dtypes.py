"""Every mechanism and search in every dtype that is accepted."""

from __future__ import annotations

import pytest
import torch

from regard.attention import Attention, LocalPredictive, Memory, additive
from regard.attention.kernels.additive import _scores, additive_scores, exponential
from regard.search import beam, greedy, sample
from tests.mechanisms import MECHANISMS, E, mechanism

TOLERANCE = {torch.bfloat16: 0.1, torch.float16: 0.02, torch.float64: 1e-5}


@pytest.mark.parametrize("dtype", list(TOLERANCE), ids=str)
@pytest.mark.parametrize("names", MECHANISMS)
def test_module_in_other_dtypes(names: tuple[str, str, str], dtype: torch.dtype) -> None:
    """Modules converted to `dtype` run, keep it, and agree with fp32."""
    torch.manual_seed(4)
    states, query = torch.randn(2, 6, E), torch.randn(2, 3, E)
    lengths = torch.tensor([6, 4])
    converted = mechanism(*names).to(dtype)
    exact = mechanism(*names)
    for parameter, rounded in zip(exact.parameters(), converted.parameters(), strict=True):
        parameter.data = rounded.data.float()
    inputs = query.to(dtype), states.to(dtype)
    memory = converted.build_memory(inputs[1], lengths)
    context = converted(inputs[0], memory).context
    assert context.dtype == dtype
    assert context.isfinite().all()
    if names[2] in ("softmax", "uniform"):  # the others may switch to another position
        reference = exact(inputs[0].float(), exact.build_memory(inputs[1].float(), lengths))
        tolerance = TOLERANCE[dtype]
        torch.testing.assert_close(context.float(), reference.context, atol=tolerance, rtol=0.1)


@pytest.mark.parametrize("size", [1.0, 0.01])  # with few and with nearly all positions
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64], ids=str)
def test_sparsemax_weights_sum_to_one(dtype: torch.dtype, size: float) -> None:
    attention = mechanism("dot", "everywhere", "sparsemax")
    memory = attention.build_memory(torch.randn(2, 200, E, dtype=dtype))
    query = size * torch.randn(2, 5, E, dtype=dtype)
    weights = attention(query, memory, need_weights=True).weights
    torch.testing.assert_close(weights.float().sum(-1), torch.ones(2, 1, 5), atol=4e-3, rtol=0)


def test_predicted_window_is_exact_under_autocast() -> None:
    """Positions are computed in fp32: 16 bits cannot tell position 259 from 260."""
    torch.manual_seed(0)
    attention = Attention(additive(E, E, dim=E), span=LocalPredictive(E, reach=1)).eval()
    for parameter in attention.span.parameters():
        parameter.data *= 8
    states, query = torch.randn(1, 260, E), torch.randn(1, 50, E)
    exact = attention(query, attention.build_memory(states), need_weights=True).weights
    with torch.autocast("cpu", torch.bfloat16):
        narrow = attention(query, attention.build_memory(states), need_weights=True).weights
    assert narrow.isfinite().all()
    assert ((exact > 0) == (narrow > 0)).all()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64], ids=str)
def test_searches_accept_logits_of_any_dtype(dtype: torch.dtype) -> None:
    table = torch.randn(9, 9).to(dtype)

    def step(last: torch.Tensor, state: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return table[last], state

    state = torch.zeros(2, 1)
    for found in (
        greedy(step, state, rows=2, bos=1, eos=2, max_length=6),
        sample(step, state, seeds=[1, 2], bos=1, eos=2, max_length=6),
        beam(step, state, rows=2, beam_size=3, bos=1, eos=2, max_length=6)[0],
    ):
        assert all(hypothesis.score <= 0 for hypothesis in found)


def test_additive_scores_of_large_projections_are_exact() -> None:
    """Beyond ±21.3 the exponentials of fp32 overflow; they are computed in fp64 then."""
    query, keys = torch.full((1, 1, 1, 1), 25.0), torch.full((1, 1, 1, 1), -22.0)
    query.requires_grad_()
    energy = torch.ones(1, 1)
    score = additive_scores(exponential(query), exponential(keys), energy)
    assert score.item() == pytest.approx(torch.tanh(torch.tensor(3.0)).item(), abs=1e-6)
    score.sum().backward()
    expected = 1 - torch.tanh(torch.tensor(3.0)).item() ** 2
    assert query.grad.item() == pytest.approx(expected, rel=1e-4)


def test_native_kernel_refuses_shapes_that_do_not_fit() -> None:
    """`additive_scores` has its shapes checked in tests only; `_scores` has them checked always."""
    query, energy = torch.rand(2, 1, 3, 8), torch.ones(1, 8)
    for keys in (torch.rand(2, 1, 4, 6), torch.rand(1, 1, 4, 8), torch.rand(2, 2, 4, 8)):
        with pytest.raises((ValueError, RuntimeError)):
            _scores(query, keys, energy)


@pytest.mark.parametrize("default", [torch.float64, torch.bfloat16], ids=str)
def test_gradients_do_not_depend_on_the_default_dtype(default: torch.dtype) -> None:
    torch.manual_seed(2)
    tensors = [torch.rand(2, 1, 3, 8), torch.rand(2, 1, 4, 8), torch.rand(1, 8)]
    inputs = [tensor.requires_grad_() for tensor in tensors]
    query, keys, energy = inputs  # exponentials: tanh(q + k) = 1 − 2 / (1 + e^2q e^2k)
    hidden = 1 - 2 / (1 + query.unsqueeze(3) * keys.unsqueeze(2))
    defined = torch.einsum("bhtsd,hd->bhts", hidden, energy)
    expected = torch.autograd.grad(defined.square().sum(), inputs)
    torch.set_default_dtype(default)
    try:
        found = torch.autograd.grad(additive_scores(*inputs).square().sum(), inputs)
    finally:
        torch.set_default_dtype(torch.float32)
    torch.testing.assert_close(found, expected)


def test_memory_beyond_padding_is_not_attended_to_by_causal_spans() -> None:
    """The same sentence alone and padded in a batch gives the same context."""
    for name in ("causal", "causal, window 3"):
        attention = mechanism("scaled-dot", name, "softmax")
        states, query = torch.randn(1, 3, E), torch.randn(1, 6, E)
        padded = torch.cat([states, torch.randn(1, 4, E)], dim=1)
        alone = attention(query, attention.build_memory(states)).context
        batched = attention(query, attention.build_memory(padded, torch.tensor([3]))).context
        assert batched.isfinite().all()
        torch.testing.assert_close(alone, batched)


def test_hard_attention_in_a_window_returns_one_sample_per_query() -> None:
    attention = mechanism("dot", "local-monotone", "hard").train()
    memory = Memory(torch.randn(2, 1, 40, E), torch.randn(2, 1, 40, E))
    sampled = attention(torch.randn(2, 3, E), memory).sampled
    assert sampled.logp.shape == sampled.entropy.shape == (2, 1, 3)
