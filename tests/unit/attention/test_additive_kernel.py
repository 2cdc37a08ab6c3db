"""The additive kernels: what they compute, when the keys' gradient is settled, what they cost."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor

from regard.attention.kernels import additive as kernels
from regard.attention.kernels.additive import additive_scores, exponential
from regard.attention.kernels.deferred_gradients import (
    GradientAccumulator,
    defer_gradient,
    inner_products,
    weighted_sum,
)

SHAPES = [  # B H T S D
    (2, 1, 5, 7, 32),
    (2, 2, 3, 9, 37),
    (1, 3, 1, 6, 5),
    (2, 1, 4, 1, 100),
    (1, 1, 1, 1, 1),
    (3, 2, 35, 66, 64),
    (1, 1, 33, 34, 531),
]

needs_library = pytest.mark.skipif(
    kernels._native is None, reason="the package was built without a C compiler"
)


@pytest.fixture(params=[pytest.param("native", marks=needs_library), "blocks"])
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "blocks":
        monkeypatch.setattr(kernels, "_native", None)
        monkeypatch.setitem(kernels._BLOCK, "cpu", 2**10)  # many blocks, even of small shapes
    return str(request.param)


def inputs(
    shape: tuple[int, int, int, int, int], dtype: torch.dtype = torch.float32, spread: float = 1.0
) -> tuple[Tensor, Tensor, Tensor]:
    """Pre-activations q and k as a projection leaves them (heads split by a transpose), and v."""
    batch, heads, queries, keys, dim = shape
    torch.manual_seed(sum(shape))
    q = spread * torch.randn(batch, queries, heads, dim, dtype=dtype)
    k = spread * torch.randn(batch, keys, heads, dim, dtype=dtype)
    v = torch.randn(heads, dim, dtype=dtype)
    return (
        q.transpose(1, 2).requires_grad_(),
        k.transpose(1, 2).requires_grad_(),
        v.requires_grad_(),
    )


def tanh_scores(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.einsum("bhtsd,hd->bhts", torch.tanh(q.unsqueeze(3) + k.unsqueeze(2)), v)


def reference_scores(a: Tensor, b: Tensor, v: Tensor) -> Tensor:
    """The definition, given the exponentials a = e^2q and b = e^2k."""
    return tanh_scores(a.log() / 2, b.log() / 2, v)


def assert_close(found: Tensor, true: Tensor, tolerance: float) -> None:
    error = (found.double() - true.double()).abs().max().item()
    assert error <= tolerance * max(true.abs().max().item(), 1e-30), error


@pytest.mark.parametrize("shape", SHAPES)
def test_every_kernel_is_the_materialised_score_and_its_gradient(
    shape: tuple[int, int, int, int, int], kernel: str
) -> None:
    q, k, v = inputs(shape)
    a, b = (exponential(x).detach().requires_grad_() for x in (q, k))
    truth = [x.detach().double().requires_grad_() for x in (a, b, v)]
    scores, expected = additive_scores(a, b, v), reference_scores(*truth)
    # fp32 is to be right relative to the largest score there can be, Σ|v|
    assert_close(scores, expected, 2e-6 * v.abs().sum().item() / expected.abs().max().item())
    upstream = torch.randn(scores.shape)
    scores.backward(upstream)
    expected.backward(upstream.double())
    assert_close(a.grad, truth[0].grad, 2e-6)
    assert_close(b.grad, truth[1].grad, 2e-6)
    size = upstream.abs().sum().item() / truth[2].grad.abs().max().item()
    assert_close(v.grad, truth[2].grad, 2e-6 * max(size, 1.0))


@pytest.mark.parametrize("shape", SHAPES)
def test_blocks_in_double_precision_are_exact(
    shape: tuple[int, int, int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(kernels._BLOCK, "cpu", 2**10)
    q, k, v = inputs(shape, torch.float64)
    upstream = torch.randn(*shape[:4], dtype=torch.float64)
    scores = additive_scores(exponential(q), exponential(k), v)
    expected = tanh_scores(q, k, v)
    assert_close(scores, expected, 1e-12)
    found = torch.autograd.grad(scores, [q, k, v], upstream)
    for ours, true in zip(found, torch.autograd.grad(expected, [q, k, v], upstream), strict=True):
        assert_close(ours, true, 1e-12)


def test_large_projections_are_exact(kernel: str) -> None:
    """Beyond the range of exponentials in fp32 they are computed in fp64."""
    q, k, v = inputs((2, 2, 6, 8, 40), spread=30.0)
    scores = additive_scores(exponential(q), exponential(k), v)
    found = torch.autograd.grad(scores.square().sum(), [q, k, v])
    truth = [x.detach().double().requires_grad_() for x in (q, k, v)]
    expected = tanh_scores(*truth)
    assert_close(scores, expected, 4e-6)
    for ours, true in zip(found, torch.autograd.grad(expected.square().sum(), truth), strict=True):
        assert_close(ours, true, 2e-5)


@pytest.mark.parametrize("value", [-1e30, -30.0, 30.0, 1e30])
def test_extreme_sums_give_plus_or_minus_one(value: float, kernel: str) -> None:
    q, k = (torch.full((1, 1, 1, 20), value, requires_grad=True) for _ in range(2))
    score = additive_scores(exponential(q), exponential(k), torch.full((1, 20), 0.05))
    assert score.item() == pytest.approx(math.copysign(1.0, value), abs=1e-6)
    score.backward()
    assert q.grad is not None and (q.grad == 0).all()
    assert k.grad is not None and (k.grad == 0).all()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_exponentials_of_half_precision_are_single(dtype: torch.dtype) -> None:
    x = torch.linspace(-5, 5, 11)
    assert exponential(x.to(dtype)).dtype == torch.float32
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.equal(exponential(x.to(dtype)), torch.exp(2 * x.to(dtype).float()))


def test_gradcheck_of_shared_and_of_plain_keys() -> None:
    q, k, v = inputs((2, 2, 3, 4, 5), torch.float64, spread=0.5)

    def asked_twice(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        keys = defer_gradient(exponential(k))
        query = exponential(q)
        first = additive_scores(query[:, :, :1], keys, v)
        return torch.cat([first, additive_scores(query[:, :, 1:], keys, v)], dim=2)

    assert torch.autograd.gradcheck(asked_twice, (q, k, v))
    assert torch.autograd.gradcheck(
        lambda q, k, v: additive_scores(exponential(q), exponential(k), v), (q, k, v)
    )


class Asks:
    """A memory asked step by step, each query made from the answer before; and the truth of it."""

    def __init__(
        self,
        score: Callable[[Tensor, Tensor, Tensor], Tensor],
        total: Callable[[Tensor, Tensor], Tensor],
        hold: Callable[[Tensor], Tensor],
    ) -> None:
        self.q, self.k, self.v = inputs((2, 2, 3, 6, 20), torch.float64)
        self.w = torch.randn(2, 20, dtype=torch.float64, requires_grad=True)
        self.leaves = [self.q, self.k, self.v, self.w]
        self.score, self.sum = score, total
        self.keys, self.values = hold(exponential(self.k)), hold(self.k.sin())

    def losses(self) -> list[Tensor]:
        losses, query = [], self.q
        for energy in (self.v, self.w, self.v):  # two attentions over one memory
            weights = self.score(exponential(query), self.keys, energy).softmax(-1)
            query = self.q + self.sum(weights, self.values)
            losses.append(query.sin().sum())
        return losses


@pytest.fixture
def pair(kernel: str) -> tuple[Asks, Asks]:
    return (
        Asks(additive_scores, weighted_sum, defer_gradient),
        Asks(reference_scores, torch.matmul, lambda x: x),
    )


def assert_equal_gradients(pair: tuple[Asks, Asks], take: Callable[[Asks], object]) -> None:
    found, true = (take(asks) for asks in pair)
    torch.testing.assert_close(found, true, rtol=1e-9, atol=1e-11)


def test_many_asks_of_one_memory_add_up(pair: tuple[Asks, Asks]) -> None:
    assert_equal_gradients(pair, lambda a: torch.autograd.grad(sum(a.losses()), a.leaves))


def test_a_retained_graph_can_be_walked_again(pair: tuple[Asks, Asks]) -> None:
    def walk(asks: Asks) -> list[Tensor | None]:
        loss = torch.stack(asks.losses()).sum()
        loss.backward(retain_graph=True)
        loss.backward(retain_graph=True)
        (3 * loss).backward()
        return [leaf.grad for leaf in asks.leaves]

    assert_equal_gradients(pair, walk)


def test_a_pass_that_leaves_the_keys_out_leaves_nothing_behind(pair: tuple[Asks, Asks]) -> None:
    def walk(asks: Asks) -> object:
        loss = torch.stack(asks.losses()).sum()
        partial = torch.autograd.grad(loss, [asks.v], retain_graph=True)
        loss.backward(retain_graph=True, inputs=[asks.w])
        return partial, torch.autograd.grad(loss, asks.leaves), asks.w.grad

    assert_equal_gradients(pair, walk)
    assert GradientAccumulator._of[pair[0].keys].passes == {}
    assert GradientAccumulator._of[pair[0].values].passes == {}


def test_a_pass_that_fails_leaves_nothing_in_the_next(pair: tuple[Asks, Asks]) -> None:
    ours = pair[0]
    loss = torch.stack(ours.losses()).sum()
    hook = ours.q.register_hook(lambda grad: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        loss.backward(retain_graph=True)
    hook.remove()
    for leaf in ours.leaves:
        leaf.grad = None
    assert_equal_gradients(pair, lambda a: torch.autograd.grad(sum(a.losses()), a.leaves))


def test_some_asks_only_can_be_walked(pair: tuple[Asks, Asks]) -> None:
    def walk(asks: Asks) -> object:
        first, second, _ = asks.losses()
        return (
            torch.autograd.grad(first, [asks.q, asks.k, asks.v], retain_graph=True),
            torch.autograd.grad(second, asks.leaves),
        )

    assert_equal_gradients(pair, walk)


def test_the_gradient_of_the_shared_keys_themselves_can_be_asked(pair: tuple[Asks, Asks]) -> None:
    def walk(asks: Asks) -> object:
        asks.keys.retain_grad()
        loss = torch.stack(asks.losses()).sum()
        captured = torch.autograd.grad(loss, [asks.keys, asks.values], retain_graph=True)
        both = torch.autograd.grad(loss, [asks.keys, asks.k, asks.values], retain_graph=True)
        loss.backward()
        return captured, both, asks.keys.grad

    assert_equal_gradients(pair, walk)


def test_keys_may_serve_other_ends_too(pair: tuple[Asks, Asks]) -> None:
    def walk(asks: Asks) -> object:
        loss = sum(asks.losses()) + asks.keys.square().sum() + asks.values.exp().sum()
        loss = loss + asks.score(exponential(asks.q), asks.keys[:, :, 1:4], asks.v).sum()
        return torch.autograd.grad(loss, asks.leaves)

    assert_equal_gradients(pair, walk)


def test_keys_without_gradient_have_no_account(kernel: str) -> None:
    q, k, v = inputs((2, 1, 3, 4, 8))
    with torch.no_grad():
        keys = defer_gradient(exponential(k))
        assert keys not in GradientAccumulator._of
        assert not additive_scores(exponential(q), keys, v).requires_grad
    frozen = defer_gradient(exponential(k.detach()))
    assert frozen not in GradientAccumulator._of
    additive_scores(exponential(q), frozen, v).sum().backward()
    assert q.grad is not None and v.grad is not None


def test_one_tensor_may_be_both_keys_and_values() -> None:
    def run(score: Callable, total: Callable, hold: Callable) -> tuple[Tensor, ...]:
        q, k, v = inputs((2, 1, 3, 4, 8), torch.float64)
        both = hold(exponential(k))
        answers = [total(score(exponential(q), both, v).softmax(-1), both) for _ in range(2)]
        return torch.autograd.grad(sum(answers).sin().sum(), [q, k, v])

    found = run(additive_scores, weighted_sum, defer_gradient)
    torch.testing.assert_close(found, run(reference_scores, torch.matmul, lambda x: x))


def plain_inner_products(queries: Tensor, keys: Tensor) -> Tensor:
    return queries @ keys.mT


def test_many_inner_products_with_one_memory_add_up() -> None:
    def run(score: Callable, total: Callable, hold: Callable) -> tuple[Tensor, ...]:
        torch.manual_seed(0)
        q, k, x = (torch.randn(2, 2, n, 5, dtype=torch.float64) for n in (3, 4, 4))
        leaves = [leaf.requires_grad_() for leaf in (q, k, x)]
        keys, values, state = hold(k * 1), hold(x * 1), q
        for _ in range(3):  # each look decides where the next one is
            state = state + total(score(state, keys).softmax(-1), values)
        return torch.autograd.grad(state.sin().sum(), leaves)

    torch.testing.assert_close(
        run(inner_products, weighted_sum, defer_gradient),
        run(plain_inner_products, torch.matmul, lambda x: x),
    )


@pytest.mark.parametrize(
    ("ours", "plain", "width"),
    [(weighted_sum, torch.matmul, 4), (inner_products, plain_inner_products, 8)],
)
def test_what_is_shared_follows_autocast(ours: Callable, plain: Callable, width: int) -> None:
    def run(ask: Callable, hold: Callable) -> tuple[Tensor, ...]:
        torch.manual_seed(0)
        asked, x = torch.rand(2, 1, 3, width, requires_grad=True), torch.randn(2, 1, 4, 8)
        x.requires_grad_()
        with torch.autocast("cpu", torch.bfloat16):
            answer = ask(asked, hold(x))
        assert answer.dtype == torch.bfloat16
        return torch.autograd.grad(answer.float().square().sum(), [asked, x])

    torch.testing.assert_close(run(ours, defer_gradient), run(plain, lambda x: x))


def test_an_account_dies_with_its_keys() -> None:
    before = len(GradientAccumulator._of)
    q, k, v = inputs((2, 1, 3, 4, 8))
    additive_scores(exponential(q), defer_gradient(exponential(k)), v).sum().backward()
    assert len(GradientAccumulator._of) == before


def test_what_was_asked_for_inference_first_can_still_be_taught(kernel: str) -> None:
    q, k, v = inputs((1, 1, 40, 50, 60), dtype=torch.float64)  # a room of its own: no other is so
    with torch.inference_mode():
        additive_scores(exponential(q), exponential(k), v)
    additive_scores(exponential(q), defer_gradient(exponential(k)), v).sum().backward()
    assert q.grad is not None and q.grad.isfinite().all()


@needs_library
def test_any_number_of_threads_gives_the_same_bits() -> None:
    q, k, v = inputs((3, 2, 35, 66, 64))

    def run() -> list[Tensor]:
        scores = additive_scores(exponential(q), exponential(k), v)
        return [scores, *torch.autograd.grad(scores.square().sum(), [q, k, v])]

    before, threads = run(), torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        assert all(torch.equal(a, b) for a, b in zip(before, run(), strict=True))
    finally:
        torch.set_num_threads(threads)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peaks are read from /proc")
@pytest.mark.parametrize("native", ["1", "0"])
def test_the_product_of_all_pairs_and_units_is_never_held(native: str) -> None:
    """B=4, T=S=256, D=256 makes 268 MB of it; both passes must do with a tenth."""
    program = """
import re, torch
from regard.attention.kernels.additive import additive_scores, exponential
from regard.attention.kernels.deferred_gradients import defer_gradient
def step(rows):
    q, k = (torch.randn(4, 1, rows, 256, requires_grad=True) for _ in "qk")
    v = torch.randn(1, 256, requires_grad=True)
    additive_scores(exponential(q), defer_gradient(exponential(k)), v).square().sum().backward()
def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) * 1024
step(8)
before = peak()
step(256)
print(peak() - before)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "REGARD_NATIVE": native},
        capture_output=True,
        text=True,
        check=True,
    )
    assert 0 < int(done.stdout) < 27e6


@needs_library
@pytest.mark.parametrize(
    ("query", "keys", "energy"),
    [
        ((2, 1, 3, 8), (2, 1, 4, 6), (1, 8)),  # another width
        ((2, 1, 3, 8), (1, 1, 4, 8), (1, 8)),  # fewer rows
        ((2, 2, 3, 8), (2, 1, 4, 8), (2, 8)),  # fewer heads
        ((2, 1, 3, 8), (2, 1, 4, 8), (1, 6)),  # fewer energies
        ((2, 2, 3, 8), (2, 2, 4, 8), (1, 8)),
    ],
)
def test_shapes_that_do_not_fit_never_reach_the_library(
    monkeypatch: pytest.MonkeyPatch, query, keys, energy
) -> None:
    class Library:
        def regard_additive_scores(self, *arguments) -> None:
            pytest.fail("called with shapes that do not fit")

    monkeypatch.setattr(kernels, "_native", Library())
    with pytest.raises((ValueError, TypeError)):
        kernels._scores(torch.rand(query), torch.rand(keys), torch.rand(energy))


SANITIZED = """
#include "additive.c"
#include <stdlib.h>

static float *floats(int64_t count)
{
    float *x = malloc((size_t)count * sizeof(float)); /* exact, so that any read beyond it shows */
    for (int64_t i = 0; i < count; i++)
        x[i] = 0.01f + (float)(i % 7);
    return x;
}

int main(void)
{
    const int64_t shapes[][5] = {SHAPES};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const int64_t *n = shapes[i], B = n[0], H = n[1], T = n[2], S = n[3], D = n[4];
        const int64_t near[] = {T * H * D, D, H * D}, far[] = {S * H * D, D, H * D};
        float *q = floats(B * T * H * D), *k = floats(B * S * H * D), *v = floats(H * D);
        float *scores = floats(B * H * T * S), *dq = floats(B * H * T * D), *dv = floats(B * H * D);
        regard_additive_scores(q, near, k, far, v, scores, n, 1);
        regard_additive_gradient(q, near, k, far, v, scores, dq, dv, n, 1);
        free(q), free(k), free(v), free(scores), free(dq), free(dv);
    }
    return 0;
}
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc and its sanitizers")
def test_the_library_stays_within_its_tensors(tmp_path: Path) -> None:
    """Compiled with AddressSanitizer and UndefinedBehaviorSanitizer, over many shapes."""
    shapes = [*SHAPES, *((2, 2, 5, 6, dim) for dim in range(1, 140)), (1, 1, 0, 3, 4)]
    rows = ", ".join("{" + ", ".join(map(str, shape)) + "}" for shape in shapes)
    program, source = tmp_path / "sanitized", tmp_path / "sanitized.c"
    source.write_text(SANITIZED.replace("{SHAPES}", f"{{{rows}}}"))
    flags = ["-O1", "-g", "-std=gnu11", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    folder = Path(kernels.__file__).parent
    subprocess.run(["gcc", *flags, "-I", folder, source, "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
