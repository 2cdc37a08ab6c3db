"""Forced attention: replaced weights are those that were asked for, and nothing else changes."""

from __future__ import annotations

import pytest
import torch

from regard.attention import Softmax, Uniform, replace_normalizers
from regard.inference.forced_decoding import (
    cross_attention_names,
    force_decode,
    get_attention,
    watch,
)
from regard.inference.threads import map_batches
from regard.studies.measures.forced_attention import (
    AblatedHead,
    GivenWeights,
    ShuffledNormalizer,
    all_attentions,
    replace_cross_attention,
    target_logps,
    weights_of_links,
)
from tests.tiny_models import tiny

PAIRS = [([4, 5, 6, 7, 8], [6, 7, 10]), ([9, 4], [4, 9, 8, 5]), ([5, 5, 6], [7])]
ATTENTIVE = ["bahdanau", "luong-dot", "luong-local-p", "sparse", "transformer"]


def test_shuffled_weights_are_a_permutation_of_the_visible_ones() -> None:
    scores = torch.randn(2, 3, 4, 6)
    visible = torch.arange(6) < torch.tensor([6, 4]).view(2, 1, 1, 1)
    own = Softmax()(scores, visible).weights
    shuffled = ShuffledNormalizer(Softmax(), seed=1)(scores, visible).weights
    assert not torch.equal(own, shuffled)
    assert torch.equal(own.sort(dim=-1).values, shuffled.sort(dim=-1).values)
    assert not shuffled[1, :, :, 4:].any()
    again = ShuffledNormalizer(Softmax(), seed=1)(scores, visible).weights
    assert torch.equal(shuffled, again)
    assert torch.equal(
        ShuffledNormalizer(Softmax())(scores, None).weights.sort(dim=-1).values,
        Softmax()(scores, None).weights.sort(dim=-1).values,
    )


def test_given_weights_come_in_the_order_of_the_steps() -> None:
    weights = torch.zeros(1, 3, 4)
    weights[0, 0, 2] = weights[0, 2, 1] = 1.0
    given = weights.sum(dim=-1) > 0
    scores = torch.randn(1, 2, 3, 4)
    own = Softmax()(scores, None).weights
    at_once = GivenWeights(weights, given, Softmax())(scores, None).weights
    stepwise = GivenWeights(weights, given, Softmax())
    steps = [stepwise(scores[:, :, t : t + 1], None).weights for t in range(3)]
    assert torch.equal(at_once, torch.cat(steps, dim=2))
    assert torch.equal(at_once[:, :, 1], own[:, :, 1])  # nothing is given
    assert torch.equal(at_once[0, 0, [0, 2]], weights[0, [0, 2]])
    hidden = torch.tensor([True, True, False, True]).view(1, 1, 1, 4)
    outside = GivenWeights(weights, given, Softmax())(scores, hidden).weights
    assert torch.equal(outside[:, :, 0], Softmax()(scores, hidden).weights[:, :, 0])


@pytest.mark.parametrize("preset", ATTENTIVE)
def test_without_a_replacement_the_log_probabilities_are_those_of_the_model(preset: str) -> None:
    model = tiny(preset).model
    expected = [each.logps for each in force_decode(model, PAIRS, ())]
    for found, logps in zip(target_logps(model, PAIRS), expected, strict=True):
        assert found == pytest.approx(logps, abs=1e-5)


@pytest.mark.parametrize("preset", ATTENTIVE)
def test_links_are_the_weights_of_their_steps(preset: str) -> None:
    model = tiny(preset).model
    links = [[(2, 0), (3, 0), (1, 2)], [(0, 3)], []]
    rows = [2, 1, 0]
    (name, *_) = cross_attention_names(model)
    with (
        replace_normalizers(weights_of_links(model, PAIRS, links, rows)),
        watch(model, [name]) as recording,
    ):
        force_decode(model, [PAIRS[row] for row in rows], ())
    weights = recording[name]  # B H T S
    everywhere = get_attention(model, name).span.prior is None
    if everywhere:
        assert weights[2, 0, 0].tolist() == pytest.approx([0, 0, 0.5, 0.5, 0, 0], abs=1e-6)
        assert weights[2, 0, 2].argmax() == 1 and weights[1, 0, 3].argmax() == 0
    changed = target_logps(model, PAIRS, lambda rows: weights_of_links(model, PAIRS, links, rows))
    own = target_logps(model, PAIRS)
    assert changed[0] != pytest.approx(own[0], abs=1e-7)
    assert changed[2] == pytest.approx(own[2], abs=1e-5)  # it has no links


def test_an_ablated_head_adds_nothing_to_the_context() -> None:
    model = tiny("transformer").model
    attentions = all_attentions(model)
    assert set(cross_attention_names(model)) < set(attentions)
    (name, *_) = cross_attention_names(model)
    attention = attentions[name]
    with (
        replace_normalizers({attention: AblatedHead(1, attention.normalizer)}),
        watch(model, [name]) as recording,
    ):
        force_decode(model, PAIRS[:1], ())
    assert not recording[name][:, 1].any()
    assert recording[name][:, 0].sum(dim=-1).allclose(torch.ones(()))


def test_the_threads_of_a_search_use_the_replaced_normalizers() -> None:
    model = tiny("bahdanau").model

    def logps(pair: int) -> tuple[float, ...]:
        return force_decode(model, [PAIRS[pair]], ())[0].logps

    own = map_batches(logps, [0, 1, 2], workers=2)
    with replace_normalizers(replace_cross_attention(model, lambda _: Uniform())):
        alone = [logps(pair) for pair in range(3)]
        threaded = map_batches(logps, [0, 1, 2], workers=2)
    assert threaded == alone
    assert threaded != own
