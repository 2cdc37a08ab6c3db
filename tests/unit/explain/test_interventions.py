"""Interventions equal forced decodings of a changed model, and leave the model unchanged."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from jaxtyping import Bool
from torch import Tensor

from regard.attention import (
    AttentionOutput,
    NormalizedWeights,
    Normalizer,
    Softmax,
    Sparsemax,
    Uniform,
)
from regard.attention.attention import _normalizers, _recorders
from regard.batch import pad
from regard.explain.forward_trace import Arrays
from regard.explain.interventions import (
    Intervention,
    MaskedNormalizer,
    interventions_to_record,
    run_interventions,
)
from regard.inference.forced_decoding import ForcedDecoding, cross_attention_names, force_decode
from regard.text.tokenizer import BOS, EOS
from tests.tiny_models import tiny

ATTENTIVE = [
    "bahdanau",
    "cho",
    "luong-dot",
    "luong-local-m",
    "luong-local-p",
    "sparse",
    "transformer",
]
SOURCE, TARGET = [4, 5, 6, 7, 8, 9, 10, 4, 5], [6, 7, 10, 4, 9]
WORDS = [[0], [1, 2], [3, 4, 5, 6, 7], [8]]  # the third fills a local window
CLOSE = {"abs": 1e-5}


class ReferenceNormalizer(Normalizer):
    """Masks the given positions; without any, uniform over the visible positions."""

    def __init__(self, normalizer: Normalizer, masked: Bool[Tensor, " S"] | None) -> None:
        super().__init__()
        self.normalizer, self.masked = normalizer, masked

    def forward(self, scores: Tensor, visible: Tensor | None) -> NormalizedWeights:
        assert visible is not None
        if self.masked is None:
            ones = visible.expand(*scores.shape).float()
            return NormalizedWeights(ones / ones.sum(dim=-1, keepdim=True))
        remaining = (visible & ~self.masked).expand(scores.size(0), 1, *scores.shape[2:]).clone()
        for row in remaining.flatten(0, 2):
            if not row.any():
                row[-1] = True
        return self.normalizer(scores, remaining)


def forced(model: Any, source: list[int], pieces: list[int] | None) -> ForcedDecoding:
    """Force-decode with a copy that masks `pieces` or, for None, has uniform cross-attention."""
    masked = None
    if pieces is not None:
        masked = torch.tensor([position in pieces for position in range(len(source) + 1)])
    changed = copy.deepcopy(model)
    for name in cross_attention_names(changed):
        attention = changed.get_submodule(name)
        attention.normalizer = ReferenceNormalizer(attention.normalizer, masked)
    return force_decode(changed, [(source, TARGET)])[0]


def of_kind(interventions: tuple[Intervention, ...], kind: str) -> list[Intervention]:
    return [each for each in interventions if each.kind == kind]


@pytest.mark.parametrize("name", ATTENTIVE)
def test_masked_gives_the_word_no_cross_attention(name: str) -> None:
    model = tiny(name).model
    masked = of_kind(run_interventions(model, SOURCE, WORDS, TARGET), "masked")
    assert [each.word for each in masked] == [0, 1, 2, 3]
    for intervention, pieces in zip(masked, WORDS, strict=True):
        expected = forced(model, SOURCE, pieces)
        assert intervention.logps == pytest.approx(expected.logps, **CLOSE)
        for weights in expected.attention.values():
            assert (weights[..., pieces] == 0).all()
            if "local-p" not in name:
                torch.testing.assert_close(weights.sum(-1), torch.ones_like(weights.sum(-1)))


@pytest.mark.parametrize("name", ATTENTIVE)
def test_uniform_spreads_cross_attention_evenly(name: str) -> None:
    model = tiny(name).model
    (uniform,) = of_kind(run_interventions(model, SOURCE, WORDS, TARGET), "uniform")
    expected = forced(model, SOURCE, None)
    assert uniform.word is None
    assert uniform.logps == pytest.approx(expected.logps, **CLOSE)
    if "local" not in name and name != "cho":
        for weights in expected.attention.values():
            torch.testing.assert_close(weights, torch.full_like(weights, 1 / 10))


@pytest.mark.parametrize("name", [*ATTENTIVE, "sutskever"])
def test_removed_is_a_forced_decoding_of_the_shorter_source(name: str) -> None:
    model = tiny(name).model
    interventions = run_interventions(model, SOURCE, WORDS, TARGET)
    if name == "sutskever":
        assert {each.kind for each in interventions} == {"removed"}
    shorter = [[t for i, t in enumerate(SOURCE) if i not in word] for word in WORDS]
    decodings = force_decode(model, [(source, TARGET) for source in shorter], ())
    for removed, decoding in zip(of_kind(interventions, "removed"), decodings, strict=True):
        assert removed.logps == pytest.approx(decoding.logps, **CLOSE)


def test_tokens_are_the_most_likely_ones() -> None:
    model = tiny("bahdanau").model
    removed = of_kind(run_interventions(model, SOURCE, WORDS, TARGET), "removed")[0]
    with torch.inference_mode():
        hidden = model(pad([[*SOURCE[1:], EOS]]), torch.tensor([[BOS, *TARGET]])).hidden
        best = model.readout(hidden)[0].log_softmax(dim=-1).max(dim=-1)
    assert removed.tokens == tuple(best.indices.tolist())
    assert removed.token_logps == pytest.approx(best.values.tolist(), **CLOSE)


@pytest.mark.parametrize("name", ["bahdanau", "luong-local-p", "transformer"])
def test_interventions_leave_model_and_recorders_unchanged(name: str) -> None:
    model = copy.deepcopy(tiny(name).model).train()
    parts = dict(model.named_modules())
    weights = {key: value.clone() for key, value in model.state_dict().items()}
    before = force_decode(model, [(SOURCE, TARGET)])[0]
    outputs: list[AttentionOutput] = []
    with model.get_submodule(cross_attention_names(model)[0]).record(outputs.append):
        run_interventions(model, SOURCE, WORDS, TARGET)
    assert {output.context.size(0) for output in outputs} == {1, len(WORDS)}
    assert dict(model.named_modules()) == parts
    assert all(module.training for module in model.modules())
    assert not _recorders.get()
    assert not _normalizers.get()
    for key, value in model.state_dict().items():
        assert torch.equal(value, weights[key])
    after = force_decode(model, [(SOURCE, TARGET)])[0]
    assert after.logps == before.logps
    assert all(
        torch.equal(after.attention[name], before.attention[name]) for name in before.attention
    )


@pytest.mark.parametrize("name", ["luong-local-p", "sutskever", "transformer"])
def test_source_may_have_one_word_or_none(name: str) -> None:
    model = tiny(name).model
    attentive = bool(cross_attention_names(model))
    one = run_interventions(model, [4, 5], [[0, 1]], [])
    kinds = ["uniform", "masked", "removed"] if attentive else ["removed"]
    assert [each.kind for each in one] == kinds
    with_empty_word = run_interventions(model, [4], [[0], []], TARGET)
    for each in (*one, *with_empty_word):
        assert all(torch.tensor(each.logps).isfinite())
    none = run_interventions(model, [], [], TARGET)
    assert [each.kind for each in none] == (["uniform"] if attentive else [])


def test_batches_of_bounded_size_give_the_same_result(monkeypatch) -> None:
    model = tiny("transformer").model
    at_once = run_interventions(model, SOURCE, WORDS, TARGET)
    monkeypatch.setattr("regard.explain.interventions.BUDGET", 15)
    for one, other in zip(run_interventions(model, SOURCE, WORDS, TARGET), at_once, strict=True):
        assert (one.kind, one.word, one.tokens) == (other.kind, other.word, other.tokens)
        assert one.logps == pytest.approx(other.logps, **CLOSE)


def test_uniform_normalizer_gives_visible_positions_one_weight() -> None:
    scores = torch.randn(2, 3, 2, 4)
    torch.testing.assert_close(Uniform()(scores, None).weights, torch.full_like(scores, 1 / 4))
    visible = torch.tensor([[True, False, True, False], [False, False, False, True]])[None, None]
    weights = Uniform()(scores, visible).weights
    assert weights[1, 2].tolist() == [[0.5, 0.0, 0.5, 0.0], [0.0, 0.0, 0.0, 1.0]]


@pytest.mark.parametrize("normalizer", [Softmax(), Sparsemax()])
def test_masked_positions_have_no_weight_and_a_fully_masked_query_attends_to_eos(
    normalizer: Normalizer,
) -> None:
    scores = torch.randn(1, 2, 6, 4)  # two hypotheses of three steps
    masked = torch.tensor([[True, False, False, False], [False, True, True, False]])
    weights = MaskedNormalizer(masked, normalizer)(scores, None).weights
    torch.testing.assert_close(weights.sum(-1), torch.ones(1, 2, 6))
    assert (weights[:, :, :3, 0] == 0).all()
    assert (weights[:, :, 3:, 1:3] == 0).all()
    window = torch.tensor([[True, True, False, False]] * 3 + [[False, True, True, False]] * 3)
    weights = MaskedNormalizer(masked, normalizer)(scores, window[None, None]).weights
    assert (weights[:, :, :3, 1] == 1).all()
    assert (weights[:, :, 3:, -1] == 1).all()


def test_json_has_pieces_instead_of_tokens() -> None:
    interventions = run_interventions(tiny("bahdanau").model, SOURCE, WORDS, TARGET)
    arrays = Arrays()
    record = interventions_to_record(interventions, arrays, str)
    assert record["kinds"] == ["uniform", *["masked"] * 4, *["removed"] * 4]
    assert record["words"] == [None, 0, 1, 2, 3, 0, 1, 2, 3]
    assert record["tokens"][1] == [str(token) for token in interventions[1].tokens]
    assert [header["shape"] for header in arrays.packed()["arrays"]] == [[9, 6], [9, 6]]
    interventions_to_record((), arrays, str)
    assert arrays.packed()["arrays"][-1]["shape"] == [0, 0]
