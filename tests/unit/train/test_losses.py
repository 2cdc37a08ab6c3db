"""Losses, and cross-entropy in chunks."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from regard.attention import SampledPosition
from regard.batch import Tokens
from regard.nn.interfaces import Decoded
from regard.train import losses as chunks
from regard.train.losses import (
    CoverageLoss,
    CrossEntropy,
    Reinforce,
    _ChunkedCrossEntropy,
    cross_entropy,
)
from tests.tiny_models import target, tiny

E, V = 8, 11
LENGTHS = torch.tensor([5, 2, 4])


def readout(*, bias: bool = True, dtype: torch.dtype = torch.float32) -> nn.Linear:
    return nn.Linear(E, V, bias=bias, dtype=dtype)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("at_once", [1 << 20, 3 * V])
def test_chunked_cross_entropy_is_torch_s_cross_entropy(
    monkeypatch, bias, smoothing, at_once
) -> None:
    monkeypatch.setattr(chunks, "LOGITS_AT_ONCE", at_once)
    layer = readout(bias=bias)
    hidden = torch.randn(13, E, requires_grad=True)
    ids = torch.randint(0, V, (13,))
    expected = F.cross_entropy(layer(hidden), ids, reduction="sum", label_smoothing=smoothing)
    parameters = [hidden, *layer.parameters()]
    want = torch.autograd.grad(expected, parameters)
    total, logps = cross_entropy(hidden, layer, ids, smoothing)
    torch.testing.assert_close(total, expected)
    torch.testing.assert_close(logps, layer(hidden).log_softmax(-1).gather(1, ids[:, None])[:, 0])
    for got, grad in zip(torch.autograd.grad(3 * total, parameters), want, strict=True):
        torch.testing.assert_close(got, 3 * grad)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_unchunked_cross_entropy_is_torch_s_cross_entropy(smoothing) -> None:
    layer = readout()
    hidden = torch.randn(13, E, requires_grad=True)
    ids = torch.randint(0, V, (13,))
    want = F.cross_entropy(layer(hidden), ids, reduction="sum", label_smoothing=smoothing)
    got, logps = cross_entropy(hidden, layer, ids, smoothing, chunked=False)
    torch.testing.assert_close(got, want)
    torch.testing.assert_close(logps, cross_entropy(hidden, layer, ids, smoothing)[1])
    parameters = [hidden, *layer.parameters()]
    for a, b in zip(*(torch.autograd.grad(x, parameters) for x in (got, want)), strict=True):
        torch.testing.assert_close(a, b)


@pytest.mark.parametrize("chunked", [True, False])
def test_under_autocast_sums_are_in_fp32(monkeypatch, chunked) -> None:
    """4,000 rows in 400 chunks: a sum in bf16 would lose the gradient of the weights."""
    rows, dim, words = 4000, 32, 50
    monkeypatch.setattr(chunks, "LOGITS_AT_ONCE", 10 * words)
    layer = nn.Linear(dim, words)
    hidden = torch.randn(rows, dim, requires_grad=True)
    ids = torch.randint(0, words, (rows,))
    parameters = [hidden, *layer.parameters()]
    expected = F.cross_entropy(layer(hidden), ids, reduction="sum", label_smoothing=0.1)
    want = torch.autograd.grad(expected, parameters)
    with torch.autocast("cpu", torch.bfloat16):
        total, logps = cross_entropy(hidden, layer, ids, 0.1, chunked=chunked)
    assert total.dtype == logps.dtype == torch.float32
    torch.testing.assert_close(total, expected, rtol=1e-4, atol=0)
    for got, grad in zip(torch.autograd.grad(total, parameters), want, strict=True):
        assert got.dtype == torch.float32
        assert (got - grad).norm() < 0.01 * grad.norm()


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_modules_in_half_precision(dtype, smoothing) -> None:
    layer = readout(dtype=dtype)
    hidden = torch.randn(13, E, dtype=dtype, requires_grad=True)
    ids = torch.randint(0, V, (13,))
    parameters = [hidden, *layer.parameters()]
    logits = F.linear(*(x.float() for x in parameters))
    expected = F.cross_entropy(logits, ids, reduction="sum", label_smoothing=smoothing)
    want = torch.autograd.grad(expected, parameters)
    total, logps = cross_entropy(hidden, layer, ids, smoothing)
    assert total.dtype == logps.dtype == torch.float32
    torch.testing.assert_close(total, expected, rtol=1e-2, atol=0)
    for got, grad in zip(torch.autograd.grad(total, parameters), want, strict=True):
        assert got.dtype == dtype
        torch.testing.assert_close(got, grad, rtol=0.1, atol=0.1)


@pytest.mark.parametrize("trained", [("bias",), ("weight",), ("hidden",), ("hidden", "bias")])
def test_frozen_inputs(trained: tuple[str, ...]) -> None:
    layer, hidden, ids = readout(), torch.randn(13, E), torch.randint(0, V, (13,))
    tensors = {"hidden": hidden, "weight": layer.weight, "bias": layer.bias}
    for name, tensor in tensors.items():
        tensor.requires_grad_(name in trained)
    parameters = [tensors[name] for name in trained]
    expected = F.cross_entropy(layer(hidden), ids, reduction="sum", label_smoothing=0.1)
    total = cross_entropy(hidden, layer, ids, 0.1)[0]
    for a, b in zip(*(torch.autograd.grad(x, parameters) for x in (total, expected)), strict=True):
        torch.testing.assert_close(a, b)


def test_gradcheck_in_double_precision() -> None:
    layer = readout(dtype=torch.float64)
    hidden = torch.randn(4, E, dtype=torch.float64, requires_grad=True)
    ids = torch.randint(0, V, (4,))

    def total(hidden: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return _ChunkedCrossEntropy.apply(hidden, weight, bias, ids, 0.1, True)[0]

    assert torch.autograd.gradcheck(total, (hidden, layer.weight, layer.bias))


def test_no_gradients_under_no_grad() -> None:
    with torch.no_grad():
        total, _ = cross_entropy(torch.randn(4, E), readout(), torch.randint(0, V, (4,)), 0.0)
    assert not total.requires_grad


def test_all_logits_are_never_in_memory_at_once(monkeypatch) -> None:
    largest = 0
    linear = nn.functional.linear

    def recorded_linear(x, w, b=None):
        nonlocal largest
        out = linear(x, w, b)
        largest = max(largest, out.numel())
        return out

    monkeypatch.setattr(chunks, "LOGITS_AT_ONCE", 4 * V)
    monkeypatch.setattr(nn.functional, "linear", recorded_linear)
    cross_entropy(torch.randn(100, E, requires_grad=True), readout(), torch.zeros(100).long(), 0.1)
    assert largest == 4 * V


def test_a_loss_is_a_sum_without_padding() -> None:
    layer = readout()
    hidden, ids = torch.randn(3, 5, E), torch.randint(0, V, (3, 5))
    loss = CrossEntropy(0.1)(Decoded(hidden), layer, Tokens(ids, LENGTHS))
    assert loss.count == 11
    single = [
        CrossEntropy(0.1)(Decoded(hidden[i : i + 1, :n]), layer, Tokens(ids[i : i + 1, :n]))
        for i, n in enumerate(LENGTHS.tolist())
    ]
    torch.testing.assert_close(loss.total, sum(one.total for one in single))
    torch.testing.assert_close(loss.parts["nll"], sum(one.parts["nll"] for one in single))


@pytest.mark.parametrize(
    ("options", "weights"), [({}, (1.0, 0.01)), ({"reward": 0.5, "entropy": 0.02}, (0.5, 0.02))]
)
def test_reinforce_gradients(options, weights) -> None:
    """Xu et al. 2015, eq. 12: the gradient of log p(s) is −λ (R − b), of the entropy −μ."""
    layer = readout()
    hidden, ids = torch.randn(3, 5, E), torch.randint(0, V, (3, 5))
    logp = torch.randn(3, 5, requires_grad=True)
    entropy = torch.rand(3, 5, requires_grad=True)
    reinforce = Reinforce(**options)
    reinforce.baseline.fill_(-2.0)
    loss = reinforce(Decoded(hidden, SampledPosition(logp, entropy)), layer, Tokens(ids, LENGTHS))
    loss.total.backward()
    logps = layer(hidden).log_softmax(-1).gather(-1, ids[..., None])[..., 0]
    real = torch.arange(5) < LENGTHS[:, None]
    torch.testing.assert_close(loss.parts["nll"], -(logps * real).sum())
    reward = (logps * real).sum(1) / LENGTHS
    baseline = 0.9 * -2.0 + 0.1 * reward.mean()
    torch.testing.assert_close(reinforce.baseline, baseline.detach())
    torch.testing.assert_close(
        logp.grad, -weights[0] * (reward - baseline)[:, None].detach() * real
    )
    torch.testing.assert_close(entropy.grad, -weights[1] * real.float())


def test_reinforce_updates_its_baseline_in_training_only() -> None:
    reinforce = Reinforce().eval()
    sampled = SampledPosition(torch.zeros(3, 5), torch.zeros(3, 5))
    ids = torch.randint(0, V, (3, 5))
    reinforce(Decoded(torch.randn(3, 5, E), sampled), readout(), Tokens(ids))
    assert reinforce.baseline == 0


def test_coverage_loss() -> None:
    """Xu et al. 2015, eq. 14: λ Σ_s (1 − Σ_t α_ts)², over the steps that are not padding."""
    small = tiny("caption-soft")
    source, words = small.source([1, 1, 1]), target(3, 5)
    regularizer = CoverageLoss(small.model.decoder.attention, strength=0.3)
    with regularizer.recording():
        small.model(source, words)
    got = regularizer.loss(Tokens(words, LENGTHS))
    outputs = []
    with small.model.decoder.attention.record(outputs.append):
        small.model(source, words)
    weights = torch.cat([output.weights for output in outputs], dim=2)[:, 0]  # B T S
    want = sum(
        0.3 * ((1 - weights[row, :n].sum(dim=0)) ** 2).sum() for row, n in enumerate(LENGTHS)
    )
    torch.testing.assert_close(got, want)
    got.backward()
    assert small.model.decoder.attention.score.energy.grad.abs().sum() > 0
    small.model.zero_grad()
