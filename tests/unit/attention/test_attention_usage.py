"""What somebody who knows `torch.nn` types first: it works, or the error says how."""

from __future__ import annotations

import doctest
import importlib
import json
import subprocess
import sys

import pytest
import torch
from torch import nn

from regard.attention import (
    Additive,
    Attention,
    Cosine,
    InnerProduct,
    LocalMonotone,
    MultiheadAttention,
    Score,
    additive,
    cosine,
    dot,
)
from regard.attention.kernels.deferred_gradients import GradientAccumulator
from tests.conftest import ROOT
from tests.tiny_models import PRESETS, target, tiny

E, H = 16, 4


@pytest.fixture
def pair() -> tuple[MultiheadAttention, nn.MultiheadAttention]:
    """Ours and torch's, with the same weights."""
    ours, theirs = MultiheadAttention(E, H), nn.MultiheadAttention(E, H, batch_first=True)
    attention = ours.attention
    maps = [attention.score.to_query, attention.score.to_keys, attention.to_values]
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([each.weight for each in maps]))
        no_bias = torch.zeros(E)  # a softmax ignores a bias of the keys
        theirs.in_proj_bias.copy_(torch.cat([maps[0].bias, no_bias, maps[2].bias]))
        theirs.out_proj.load_state_dict(attention.to_context.state_dict())
    return ours.eval(), theirs.eval()


def test_heads_of_query_key_and_value_equal_torch(pair) -> None:
    ours, theirs = pair
    query, key, value = torch.randn(2, 3, E), torch.randn(2, 5, E), torch.randn(2, 5, E)
    context, weights = ours(query, key, value, need_weights=True)
    expected, expected_weights = theirs(query, key, value, average_attn_weights=False)
    torch.testing.assert_close(context, expected, atol=1e-6, rtol=0)
    torch.testing.assert_close(weights, expected_weights, atol=1e-6, rtol=0)
    torch.testing.assert_close(ours(query, key, value).context, expected, atol=1e-6, rtol=0)


def test_masks_and_lengths_equal_torch(pair) -> None:
    ours, theirs = pair
    x, lengths = torch.randn(2, 5, E), torch.tensor([5, 3])
    hidden = torch.ones(5, 5, dtype=torch.bool).triu(1)
    padding = torch.arange(5) >= lengths[:, None]
    expected, _ = theirs(x, x, x, attn_mask=hidden, key_padding_mask=padding)
    found = ours(x, x, x, mask=~hidden[None], lengths=lengths)
    torch.testing.assert_close(found.context, expected, atol=1e-6, rtol=0)
    found = ours(x, x, x, mask=~hidden[None] & ~padding[:, None], need_weights=True)
    torch.testing.assert_close(found.context, expected, atol=1e-6, rtol=0)


def test_a_mask_applies_to_every_kernel_and_span() -> None:
    """A hidden key changes nothing, whatever the score, the span and the kernel."""
    mask = torch.ones(1, 1, 40, dtype=torch.bool)
    mask[..., 3] = False
    states = torch.randn(2, 40, E)
    changed = states.clone()
    changed[:, 3] += 1
    for score in (additive(E, E, dim=E), cosine(E, E, dim=E, heads=2), dot()):
        for span in (None, LocalMonotone(2)):
            for kernel in ("auto", "definition"):
                attention = Attention(score, span).eval()
                attention.kernel = kernel
                query = torch.randn(2, 3, E)
                first, second = (
                    attention(query, attention.build_memory(x), mask, start=2).context
                    for x in (states, changed)
                )
                torch.testing.assert_close(first, second)


MISTAKES = {
    "Attention(512, 8)": "MultiheadAttention(512, heads)",
    "Attention(Causal())": "Causal is a span, not a score. Use Attention(additive(64, 64, dim=64)",
    "Attention(dot(), Sparsemax())": "Use Attention(score, normalizer=Sparsemax(…))",
    "Attention('additive')": "score must be a regard.attention.Score, not str",
    "Attention(dot())(x, x)": "attention.build_memory(states, lengths)",
    "Attention(dot())(x, x, x)": "MultiheadAttention takes (query, key, value)",
    "MultiheadAttention(512, 7)": "cannot be split into 7 heads",
    "scaled_dot(16, 16, dim=16, heads=5)": "Choose a divisor of 16",
    "MultiheadAttention(16, 4)(x, x, x, attn_mask=x)": "mask=~attn_mask",
    "dot(64)": "positional",
}
PROGRAM = """
import json, sys, torch
from regard.attention import *
x, messages = torch.randn(1, 3, 16), {}
for mistake in json.loads(sys.argv[1]):
    try:
        eval(mistake)
    except (TypeError, ValueError) as error:
        messages[mistake] = str(error)
print(json.dumps(messages))
"""


@pytest.fixture(scope="module")
def messages() -> dict[str, str]:
    """The error of each mistake, in a process without the shape checker of the tests."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(list(MISTAKES))],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_an_error_says_how(mistake: str, messages: dict[str, str]) -> None:
    assert MISTAKES[mistake] in messages[mistake]


def test_a_repr_shows_heads_and_scale() -> None:
    shown = repr(MultiheadAttention(16, 4))
    assert "scaled-dot, heads=4, scale=0.5" in shown
    assert "in_features=16, out_features=16" in shown
    assert "additive, heads=2, dim=6" in repr(additive(4, 4, dim=6, heads=2))
    assert "dot, heads=1, scale=1" in repr(dot())
    assert "cosine, heads=2" in repr(cosine(4, 4, dim=4, heads=2))


def test_a_dot_product_is_scaled_only_on_demand() -> None:
    query, keys = torch.randn(1, 1, 2, 64), torch.randn(1, 1, 3, 64)
    torch.testing.assert_close(dot()(query, keys), query @ keys.mT)
    torch.testing.assert_close(dot(scale=64**-0.5)(query, keys), query @ keys.mT / 8)


@pytest.mark.parametrize("name", ["attention", "scores"])
def test_examples_of_docstrings_run(name: str) -> None:
    module = importlib.import_module(f"regard.attention.{name}")
    found = doctest.testmod(module, extraglobs={"torch": torch, "additive": additive})
    assert found.attempted > 0 and found.failed == 0


def squared_distance(base: type[Score]) -> type[Score]:
    """A score of one's own, −‖q − k‖², as a subclass of one that has a kernel and terms."""

    class SquaredDistance(base):  # type: ignore[valid-type, misc]
        def forward(self, query, keys):
            return -(query.unsqueeze(3) - keys.unsqueeze(2)).square().sum(dim=-1)

    return SquaredDistance


@pytest.mark.parametrize("base", [InnerProduct, Cosine, Additive])
def test_a_score_of_ones_own_inherits_no_kernel_and_no_terms(base: type[Score]) -> None:
    arguments = (8,) if base is Additive else ()
    score = squared_distance(base)(nn.Linear(4, 8), nn.Linear(6, 8), *arguments)
    attention = Attention(score)
    query, states = torch.randn(2, 3, 4), torch.randn(2, 5, 6)
    memory = attention.build_memory(states)
    expected = score(score.project_query(query), memory.keys).softmax(dim=-1) @ memory.values
    torch.testing.assert_close(attention(query, memory).context, expected[:, 0])
    assert score.terms(score.project_query(query), memory.keys) is None


@pytest.mark.parametrize("guard", [torch.no_grad, torch.inference_mode])
@pytest.mark.parametrize("name", PRESETS)
def test_nothing_is_prepared_for_gradients_where_none_is_needed(name, guard, monkeypatch) -> None:
    accumulators: list[GradientAccumulator] = []
    monkeypatch.setattr(GradientAccumulator, "__init__", lambda self: accumulators.append(self))
    small = tiny(name)
    with guard():
        source = small.source([5, 3])
        small.hidden(source, target(2, 4))
        if small.kind != "classifier":
            small.model.step(target(2, 1)[:, 0], small.model.start(source))
    assert accumulators == []
