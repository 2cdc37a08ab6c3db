"""Invariants of attention, for every score × span × normalizer.

By default pairwise: every pair of two parts occurs. `-m exhaustive` runs the other combinations.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from jaxtyping import TypeCheckError

from regard.attention import Attention, AttentionOutput, Memory, SampledPosition, Span, dot
from regard.attention.definition import Attended, AttentionCall, attend
from regard.config.attention import SpanConfig
from regard.config.registry import kinds
from regard.testing import ATTENTION_CHECKS
from tests.conftest import ROOT
from tests.mechanisms import MECHANISMS, NORMALIZERS, PAIRWISE, SCORES, SPANS, E, mechanism

S = 7
LENGTHS = torch.tensor([7, 4, 5])
QUERIES = [(7, 0), (1, 6), (3, 4), (1, 0)]


def reference(
    attention: Attention, query: torch.Tensor, memory: Memory, start: int
) -> AttentionOutput:
    """By definition, without any kernel."""
    kernel, attention.kernel = attention.kernel, "definition"
    try:
        return attention(query, memory, start=start, need_weights=True)
    finally:
        attention.kernel = kernel


def call_of(span: Span, query: torch.Tensor, memory: Memory, start: int) -> AttentionCall:
    """The call of an attention with this span, in one head, without projections."""
    attention = Attention(dot(), span)
    parts = attention.score, span, attention.normalizer, attention.dropout
    return AttentionCall(*parts, query, query[:, None], memory, query.size(1), start)


@pytest.fixture(params=MECHANISMS, scope="module")
def attention(request: pytest.FixtureRequest) -> Attention:
    return mechanism(*request.param)


@pytest.mark.parametrize("check", ATTENTION_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("lengths", [None, LENGTHS], ids=["unpadded", "padded"])
def test_public_invariants(check, attention, lengths):
    """Chunks, distribution, padding, rows and others: what `regard.testing` runs."""
    check(attention, lengths)


@pytest.mark.parametrize("lengths", [None, LENGTHS], ids=["unpadded", "padded"])
def test_invariant_2_kernel_equals_reference(attention, lengths):
    memory = attention.build_memory(torch.randn(3, S, E), lengths)
    for steps, start in QUERIES:
        query = torch.randn(3, steps, E)
        fast = attention(query, memory, start=start)
        slow = reference(attention, query, memory, start)
        torch.testing.assert_close(fast.context, slow.context)
        assert slow.weights is not None and fast.weights is None


@pytest.mark.parametrize("kernel", ["auto", "sdpa", "matmul"])
@pytest.mark.parametrize("lengths", [None, LENGTHS], ids=["unpadded", "padded"])
@pytest.mark.parametrize("size", [S, 20])
def test_invariant_2_gradients_of_fused_kernels_equal_reference(kernel, lengths, size) -> None:
    """7 keys are padded to the width of a vector register, 20 are not."""
    for span in SPANS:
        attention = mechanism("scaled-dot, 2 heads", span, "softmax")
        attention.kernel = kernel
        states = torch.randn(3, size, E, requires_grad=True)
        for steps, start in [(size, 0), (3, 4)]:
            query = torch.randn(3, steps, E, requires_grad=True)
            sides = [query, states, *attention.score.parameters()]
            fast = attention(query, attention.build_memory(states, lengths), start=start).context
            slow = reference(
                attention, query, attention.build_memory(states, lengths), start
            ).context
            torch.testing.assert_close(fast, slow)
            upstream = torch.randn_like(fast)
            got, want = (torch.autograd.grad(x, sides, upstream) for x in (fast, slow))
            for a, b in zip(got, want, strict=True):
                torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("kernel", ["sdpa", "matmul"])
def test_fused_kernels_apply_dropout_only_in_training(kernel) -> None:
    """With values of one everywhere, the context is the sum of the weights that were kept."""
    attention = mechanism("dot", "everywhere", "softmax")
    attention.kernel, attention.dropout.p = kernel, 0.5
    memory = Memory(torch.zeros(2, 1, 256, E), torch.ones(2, 1, 256, E))
    query = torch.randn(2, 500, E)
    torch.testing.assert_close(attention(query, memory).context, torch.ones(2, 500, E))
    kept = attention.train()(query, memory).context
    assert kept.mean().item() == pytest.approx(1, abs=0.01)
    assert kept[..., 0].std().item() == pytest.approx(256**-0.5, rel=0.1)


@pytest.mark.parametrize("lengths", [None, torch.tensor([40, 13, 2])], ids=["unpadded", "padded"])
def test_invariant_2_window_equals_reference(attention, lengths):
    """In a long memory a local span gathers its window; the reference computes all positions."""
    memory = attention.build_memory(torch.randn(3, 40, E), lengths)
    for steps, start in [(1, 0), (2, 11), (1, 39)]:
        query = torch.randn(3, steps, E)
        fast = attention(query, memory, start=start)
        torch.testing.assert_close(fast.context, reference(attention, query, memory, start).context)


POSITIONS = {
    "n": st.integers(1, 9),
    "start": st.integers(0, 30),
    "steps": st.integers(1, 4),
    "reach": st.integers(1, 4),
}


def calls_of_spans(n: int, start: int, steps: int, reach: int) -> Iterator[AttentionCall]:
    memory = Memory(torch.randn(1, 1, 9, E), torch.randn(1, 1, 9, E), torch.tensor([n]))
    query = torch.randn(1, steps, E)
    for spec in SPANS.values():
        if spec.kind == "causal" and start + steps > 9:
            continue  # its memory is its own past, so it ends at the query
        update = {"reach": reach} if spec.kind.startswith("local") else {}
        yield call_of(spec.model_copy(update=update).build(E), query, memory, start)


@given(**POSITIONS)
@settings(max_examples=150, deadline=None)
def test_invariant_3_every_query_sees_a_key(n: int, start: int, steps: int, reach: int) -> None:
    for call in calls_of_spans(n, start, steps, reach):
        visible, _ = call.visibility()
        assert visible is None or visible.any(dim=-1).all()


@given(**POSITIONS)
@settings(max_examples=150, deadline=None)
def test_invariant_3_every_query_sees_a_key_of_its_window(
    n: int, start: int, steps: int, reach: int
) -> None:
    windows = pytest.importorskip("regard.attention.kernels.windows")
    for call in calls_of_spans(n, start, steps, reach):
        if call.span.width is not None:
            windows.attend_in_windows(call, lambda small: attend_if_visible)


def attend_if_visible(call: AttentionCall) -> Attended:
    visible, _ = call.visibility()
    assert visible is not None and visible.any(dim=-1).all()
    return attend(call)


FLEX = """
import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from tests.conftest import ROOT
from tests.mechanisms import SPANS, E, mechanism

torch.set_grad_enabled(False)
S, lengths = 7, torch.tensor([7, 4, 5])
for name, spec in SPANS.items():
    if spec.kind == "local-predictive":  # depends on the query, not on positions alone
        continue
    attention = mechanism("scaled-dot, 2 heads", name, "softmax")
    query, states = torch.randn(3, S, E), torch.randn(3, S, E)
    memory = attention.build_memory(states, lengths)
    def sees(b, h, t, s):
        return attention.span.sees(t, s, lengths[b])
    block = create_block_mask(sees, 3, None, S, S, device="cpu")
    projected = attention.score.project_query(query)
    heads = flex_attention(
        projected, memory.keys, memory.values, block_mask=block, scale=attention.score.scale
    )
    context = attention.to_context(heads.transpose(1, 2).flatten(-2))
    torch.testing.assert_close(context, attention(query, memory).context)
    print(name)
"""


def test_invariant_2_predicate_drives_a_block_sparse_kernel() -> None:
    """In a separate process: flex_attention cannot be traced under the shape checker."""
    done = subprocess.run([sys.executable, "-c", FLEX], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.split("\n")[:-1] == [n for n in SPANS if n != "local-predictive"], (
        done.stderr
    )


def test_extending_a_memory_equals_building_it_at_once() -> None:
    attention = mechanism("additive", "causal", "softmax")
    states = torch.randn(3, S, E)
    grown = attention.build_memory(states[:, :3]).extend(attention.build_memory(states[:, 3:]))
    whole = attention.build_memory(states)
    torch.testing.assert_close(grown.keys, whole.keys)
    torch.testing.assert_close(grown.values, whole.values)


def test_hard_attention_samples_in_training_and_returns_log_probabilities() -> None:
    attention = mechanism("additive", "everywhere", "hard")
    attention.normalizer.expected = 0.0
    memory = attention.build_memory(3 * torch.randn(1, S, E))
    query = torch.randn(1, 1, E).expand(1, 4000, E)
    soft = mechanism("additive", "everywhere", "softmax")
    p = reference(soft, query[:, :1], memory, 0).weights[0, 0, 0]
    attention.train()
    output = reference(attention, query, memory, 0)
    frequency = output.weights[0, 0].mean(dim=0)
    torch.testing.assert_close(frequency, p, atol=0.03, rtol=0)
    chosen = output.weights[0, 0].argmax(-1)
    torch.testing.assert_close(output.sampled.logp[0, 0], p.log()[chosen])
    torch.testing.assert_close(output.sampled.entropy[0, 0, 0], -(p * p.log()).sum())
    attention.eval()
    assert reference(attention, query[:, :1], memory, 0).weights[0, 0, 0].argmax() == p.argmax()


def test_all_spans_are_covered() -> None:
    assert set(kinds(SpanConfig)) == {span.kind for span in SPANS.values()}


def test_pairwise_combinations_cover_every_pair() -> None:
    for axes in ((0, 1), (0, 2), (1, 2)):
        pairs = {tuple(each[axis] for axis in axes) for each in PAIRWISE}
        parts = [(SCORES, SPANS, NORMALIZERS)[axis] for axis in axes]
        assert pairs == set(itertools.product(*parts))


def test_invariant_15_threads_record_only_their_own_calls() -> None:
    """Eight threads record one attention at once; each gets what it gets alone."""
    attention = mechanism("additive", "everywhere", "softmax")
    memory = attention.build_memory(torch.randn(1, S, E))
    queries = [torch.randn(1, 3, E) for _ in range(8)]
    barrier = threading.Barrier(8)

    def run(query: torch.Tensor) -> list[torch.Tensor]:
        outputs: list[AttentionOutput] = []
        with attention.record(outputs.append):
            barrier.wait()
            for _ in range(20):
                attention(query, memory)
        return [output.weights for output in outputs]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(run, queries))
    for query, recorded in zip(queries, found, strict=True):
        expected = attention(query, memory, need_weights=True).weights
        assert len(recorded) == 20
        assert all(torch.equal(weights, expected) for weights in recorded)
    assert attention(queries[0], memory).weights is None


def test_sampled_positions_have_checked_shapes() -> None:
    with pytest.raises(TypeCheckError):
        SampledPosition(torch.zeros(2), torch.zeros(2))
