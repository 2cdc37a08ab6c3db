"""The laws of the one attention, for every score × span × weighing."""

from __future__ import annotations

import itertools
import subprocess
import sys

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.attention import Attention, AttentionOutput, Memory, SpanQuery
from tests.conftest import ROOT
from tests.mechanisms import MECHANISMS, SPANS, WEIGHINGS, E, mechanism

S = 7
LENGTHS = torch.tensor([7, 4, 5])
ASKED = [(7, 0), (1, 6), (3, 4), (1, 0)]


def heard(attention: Attention, query: torch.Tensor, memory: Memory, start: int) -> AttentionOutput:
    looks: list[AttentionOutput] = []
    with attention.record(looks.append):
        attention(query, memory, start=start)
    return looks[0]


@pytest.fixture(params=MECHANISMS, ids=", ".join, scope="module")
def attention(request: pytest.FixtureRequest) -> Attention:
    return mechanism(*request.param)


@pytest.mark.parametrize("lengths", [None, LENGTHS], ids=["unpadded", "padded"])
def test_law_1_chunking_whole_equals_in_pieces(attention, lengths):
    memory = attention.build_memory(torch.randn(3, S, E), lengths)
    query = torch.randn(3, S, E)
    whole = attention(query, memory).context
    for cuts in ([1] * S, [2, 5], [4, 2, 1]):
        starts = itertools.accumulate(cuts, initial=0)
        pieces = [
            attention(piece, memory, start=start).context
            for piece, start in zip(query.split(cuts, dim=1), starts, strict=False)
        ]
        torch.testing.assert_close(torch.cat(pieces, dim=1), whole)


@pytest.mark.parametrize("lengths", [None, LENGTHS], ids=["unpadded", "padded"])
def test_law_2_kernel_fused_equals_reference(attention, lengths):
    memory = attention.build_memory(torch.randn(3, S, E), lengths)
    for steps, start in ASKED:
        query = torch.randn(3, steps, E)
        fast = attention(query, memory, start=start)
        slow = heard(attention, query, memory, start)
        torch.testing.assert_close(fast.context, slow.context)
        assert slow.weights is not None and fast.weights is None


@pytest.mark.parametrize("kernel", ["auto", "sdpa", "matmul"])
@pytest.mark.parametrize("lengths", [None, LENGTHS], ids=["unpadded", "padded"])
@pytest.mark.parametrize("size", [S, 20])
def test_law_2_kernel_every_fused_one_learns_as_the_reference(kernel, lengths, size) -> None:
    """Of 20 keys torch's softmax takes all at once, of 7 they are padded."""
    for span in SPANS:
        attention = mechanism("scaled-dot, 2 heads", span, "softmax")
        attention.kernel = kernel
        states = torch.randn(3, size, E, requires_grad=True)
        for steps, start in [(size, 0), (3, 4)]:
            query = torch.randn(3, steps, E, requires_grad=True)
            sides = [query, states, *attention.score.parameters()]
            fast = attention(query, attention.build_memory(states, lengths), start=start).context
            slow = heard(attention, query, attention.build_memory(states, lengths), start).context
            torch.testing.assert_close(fast, slow)
            upstream = torch.randn_like(fast)
            got, want = (torch.autograd.grad(x, sides, upstream) for x in (fast, slow))
            for a, b in zip(got, want, strict=True):
                torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("kernel", ["sdpa", "matmul"])
def test_fused_kernels_drop_weights_in_training_alone(kernel) -> None:
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
def test_law_2_kernel_a_window_is_enough(attention, lengths):
    """In a long memory a local span gathers its window; the reference looks everywhere."""
    memory = attention.build_memory(torch.randn(3, 40, E), lengths)
    for steps, start in [(1, 0), (2, 11), (1, 39)]:
        query = torch.randn(3, steps, E)
        fast = attention(query, memory, start=start)
        torch.testing.assert_close(fast.context, heard(attention, query, memory, start).context)


@pytest.mark.parametrize("lengths", [None, LENGTHS], ids=["unpadded", "padded"])
def test_law_4_distribution(attention, lengths):
    memory = attention.build_memory(torch.randn(3, S, E), lengths)
    query = torch.randn(3, 4, E)
    weights = heard(attention, query, memory, 0).weights
    view = attention.span.look(SpanQuery(query, memory, start=0, steps=4, allow_window=False))
    assert (weights >= 0).all()
    visible = view.mask(weights)
    if visible is not None:
        assert (weights.masked_select(~visible.expand_as(weights)) == 0).all()
    if view.prior is None:  # else a Gaussian comes after the softmax
        torch.testing.assert_close(weights.sum(-1), torch.ones_like(weights.sum(-1)))


@pytest.mark.parametrize("lengths", [torch.full((3,), S), LENGTHS], ids=["unpadded", "padded"])
def test_law_5_padding_changes_nothing(attention, lengths):
    states, query = torch.randn(3, S, E), torch.randn(3, 2, E)
    more = torch.cat([states, torch.randn(3, 5, E)], dim=1)
    before = attention(query, attention.build_memory(states, lengths), start=1)
    after = attention(query, attention.build_memory(more, lengths), start=1)
    torch.testing.assert_close(before.context, after.context)


def test_law_6_batching_alone_equals_in_a_batch(attention):
    states, query = torch.randn(3, S, E), torch.randn(3, 3, E)
    together = attention(query, attention.build_memory(states, LENGTHS), start=0)
    for row, n in enumerate(LENGTHS.tolist()):
        alone = attention(query[row : row + 1], attention.build_memory(states[row : row + 1, :n]))
        torch.testing.assert_close(alone.context[0], together.context[row])


@pytest.mark.parametrize("lengths", [None, LENGTHS], ids=["unpadded", "padded"])
def test_hypotheses_share_what_was_read(attention, lengths):
    states = torch.randn(3, S, E)
    query = torch.randn(6, 1, E)  # two hypotheses a sentence
    shared = attention(query, attention.build_memory(states, lengths), start=2)
    each = None if lengths is None else lengths.repeat_interleave(2)
    twice = attention.build_memory(states.repeat_interleave(2, 0), each)
    torch.testing.assert_close(shared.context, attention(query, twice, start=2).context)


@given(
    n=st.integers(1, 9),
    start=st.integers(0, 30),
    steps=st.integers(1, 4),
    reach=st.integers(1, 4),
    narrow=st.booleans(),
)
@settings(max_examples=300, deadline=None)
def test_law_3_no_query_is_blind(n: int, start: int, steps: int, reach: int, narrow: bool) -> None:
    memory = Memory(torch.randn(1, 1, 9, E), torch.randn(1, 1, 9, E), torch.tensor([n]))
    query = torch.randn(1, steps, E)
    for spec in SPANS.values():
        if spec.kind == "causal" and start + steps > 9:
            continue  # its memory is its own past: it cannot stand beyond it
        update = {"reach": reach} if spec.kind.startswith("local") else {}
        span = spec.model_copy(update=update).build(E)
        view = span.visibility(
            SpanQuery(query, memory, start=start, steps=steps, allow_window=narrow)
        )
        if view.visible is not None:
            assert view.visible.any(dim=-1).all()


FLEX = """
import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from tests.conftest import ROOT
from tests.mechanisms import SPANS, E, mechanism

torch.set_grad_enabled(False)
S, lengths = 7, torch.tensor([7, 4, 5])
for name, spec in SPANS.items():
    if spec.kind == "local-predictive":  # no predicate over positions: it asks the query
        continue
    attention = mechanism("scaled-dot, 2 heads", name, "softmax")
    query, states = torch.randn(3, S, E), torch.randn(3, S, E)
    memory = attention.build_memory(states, lengths)
    def sees(b, h, t, s):
        return attention.span.sees(t, s, lengths[b])
    block = create_block_mask(sees, 3, None, S, S, device="cpu")
    asked = attention.score.project_query(query)
    heads = flex_attention(
        asked, memory.keys, memory.values, block_mask=block, scale=attention.score.inner_scale
    )
    context = attention.to_context(heads.transpose(1, 2).flatten(-2))
    torch.testing.assert_close(context, attention(query, memory).context)
    print(name)
"""


def test_law_2_kernel_one_predicate_drives_a_block_sparse_kernel() -> None:
    """In a process of its own: flex_attention cannot be traced under the shape checker."""
    done = subprocess.run([sys.executable, "-c", FLEX], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.split("\n")[:-1] == [n for n in SPANS if n != "local-predictive"], (
        done.stderr
    )


def test_a_memory_that_grows_is_the_memory_of_the_whole() -> None:
    attention = mechanism("additive", "causal", "softmax")
    states = torch.randn(3, S, E)
    grown = attention.build_memory(states[:, :3]).extend(attention.build_memory(states[:, 3:]))
    whole = attention.build_memory(states)
    torch.testing.assert_close(grown.keys, whole.keys)
    torch.testing.assert_close(grown.values, whole.values)


def test_hard_attention_samples_in_training_and_says_how_likely_it_was() -> None:
    attention = mechanism("additive", "everywhere", "hard")
    attention.normalizer.expected = 0.0
    memory = attention.build_memory(3 * torch.randn(1, S, E))
    query = torch.randn(1, 1, E).expand(1, 4000, E)
    soft = mechanism("additive", "everywhere", "softmax")
    p = heard(soft, query[:, :1], memory, 0).weights[0, 0, 0]
    attention.train()
    glance = heard(attention, query, memory, 0)
    often = glance.weights[0, 0].mean(dim=0)
    torch.testing.assert_close(often, p, atol=0.03, rtol=0)
    chosen = glance.weights[0, 0].argmax(-1)
    torch.testing.assert_close(glance.sampled.logp[0, 0], p.log()[chosen])
    torch.testing.assert_close(glance.sampled.entropy[0, 0, 0], -(p * p.log()).sum())
    attention.eval()
    assert heard(attention, query[:, :1], memory, 0).weights[0, 0, 0].argmax() == p.argmax()


def test_weighings_are_all_tried() -> None:
    assert set(WEIGHINGS) == {"softmax", "hard", "sparsemax", "uniform"}
