"""Every mechanism against the papers' equations: 1e-12 in double, 2e-6 in single precision."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from regard.attention import Attention
from tests.mechanisms import MECHANISMS, E, mechanism
from tests.parity import equations as eq

S, T, START = 9, 3, 2
TOLERANCE = {torch.float64: 1e-12, torch.float32: 2e-6}


def array(x: torch.Tensor) -> np.ndarray:
    return x.detach().double().numpy()


def linear(module: nn.Linear) -> tuple[np.ndarray, np.ndarray]:
    bias = np.zeros(module.out_features) if module.bias is None else array(module.bias)
    return array(module.weight), bias


def scores_by_hand(attention: Attention, kind: str, q: np.ndarray, ks: np.ndarray) -> np.ndarray:
    """H S: the scores of one query and all keys, in every head."""
    score, heads = attention.score, attention.score.heads
    match kind:
        case "dot":
            return np.array([[eq.dot(q, k) for k in ks]])
        case "dot / √d":
            return np.array([[eq.scaled(q, k) for k in ks]])
        case "bilinear":
            return np.array([[eq.general(q, k, array(score.to_keys.weight)) for k in ks]])
        case "perceptron":
            w, b = linear(score.to_keys[0])
            return np.array([[eq.perceptron(q, k, w, b) for k in ks]])
        case "additive":
            (wq, b), (wk, _) = linear(score.to_query), linear(score.to_keys)
            w = np.concatenate([wq, wk], axis=1)
            cut = np.split(np.arange(len(w)), heads)
            v = array(score.energy)
            return np.array(
                [[eq.concat(q, k, w[c], b[c], v[h]) for k in ks] for h, c in enumerate(cut)]
            )
        case "scaled-dot" | "cosine":
            (wq, bq), (wk, bk) = linear(score.to_query), linear(score.to_keys)
            pq = np.split(wq @ q + bq, heads)
            pk = [np.split(wk @ k + bk, heads) for k in ks]
            if kind == "scaled-dot":
                return np.array([[eq.scaled(pq[h], k[h]) for k in pk] for h in range(heads)])
            strength = np.exp(array(score.log_strength)).reshape(-1)
            return np.array(
                [[eq.cosine(pq[h], k[h], strength[h]) for k in pk] for h in range(heads)]
            )
    raise AssertionError(kind)


def by_hand(
    attention: Attention, names: tuple[str, str, str], query: np.ndarray, states: np.ndarray, n: int
) -> np.ndarray:
    """The context of each query of one sentence, from the papers' equations alone."""
    score, span, normalizer = names
    heads = attention.score.heads
    values = states
    if heads > 1:
        w, b = linear(attention.to_values)
        values = states @ w.T + b
    contexts = []
    for t, q in enumerate(query):
        centre, reach = 0.0, 1
        if span == "local-predictive":
            reach = attention.span.reach
            w, v = array(attention.span.predict[0].weight), array(attention.span.predict[2].weight)
            centre = float((n - 1) * eq.sigmoid(v @ np.tanh(w @ q))[0])
        visible = eq.seen(span, START + t, n, reach, centre)
        scores = scores_by_hand(attention, score.split(",")[0], q, states[visible])
        parts = []
        for h in range(heads):
            weights = eq.NORMALIZERS[normalizer](scores[h])
            if span == "local-predictive":
                weights = weights * np.array([eq.gaussian(s, centre, reach) for s in visible])
            parts.append(weights @ np.split(values[visible], heads, axis=1)[h])
        context = np.concatenate(parts)
        if heads > 1:
            w, b = linear(attention.to_context)
            context = w @ context + b
        contexts.append(context)
    return np.array(contexts)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=["fp64", "fp32"])
@pytest.mark.parametrize("names", MECHANISMS)
def test_every_mechanism_equals_its_papers_equations(
    names: tuple[str, str, str], dtype: torch.dtype
):
    attention = mechanism(*names).to(dtype)
    torch.manual_seed(1)
    states, query = torch.randn(2, S, E, dtype=dtype), torch.randn(2, T, E, dtype=dtype)
    lengths = torch.tensor([S, 6])
    recorded = []
    with torch.no_grad():
        fast = attention(query, attention.build_memory(states, lengths), start=START).context
        with attention.record(recorded.append):
            attention(query, attention.build_memory(states, lengths), start=START)
        attention.kernel = "definition"
        literal = attention(query, attention.build_memory(states, lengths), start=START).context
    for row, n in enumerate(lengths.tolist()):
        want = by_hand(attention, names, array(query[row]), array(states[row, :n]), n)
        for got in (fast, recorded[0].context, literal):
            np.testing.assert_allclose(array(got[row]), want, atol=TOLERANCE[dtype], rtol=0)


@pytest.mark.parametrize(  # hard attention has no gradient of its own; REINFORCE estimates one
    "names", [each for each in MECHANISMS if each.values[0][2] != "hard"]
)
def test_gradients_are_right(names: tuple[str, str, str]) -> None:
    attention = mechanism(*names).double()
    torch.manual_seed(2)
    lengths = torch.tensor([5, 3])

    def context(query: torch.Tensor, states: torch.Tensor) -> torch.Tensor:
        return attention(query, attention.build_memory(states, lengths), start=1).context

    query = torch.randn(2, 2, E, dtype=torch.float64, requires_grad=True)
    states = torch.randn(2, 5, E, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(context, (query, states), fast_mode=True)
