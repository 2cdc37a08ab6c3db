"""What-ifs: each is what a model so changed would say, and the model itself is as it was."""

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
from regard.explain.arrays import Arrays
from regard.explain.interventions import (
    Intervention,
    MaskedNormalizer,
    interventions_to_record,
    run_interventions,
)
from regard.inference.forced_decoding import ForcedDecoding, cross_attention_names, force_decode
from regard.text.tokenizer import BOS, EOS
from tests.tiny_models import tiny

LOOKING = [
    "bahdanau",
    "cho",
    "luong-dot",
    "luong-local-m",
    "luong-local-p",
    "sparse",
    "transformer",
]
SOURCE, TARGET = [4, 5, 6, 7, 8, 9, 10, 4, 5], [6, 7, 10, 4, 9]
WORDS = [[0], [1, 2], [3, 4, 5, 6, 7], [8]]  # the third is as wide as a window of two on each side
CLOSE = {"abs": 1e-5}


class Elsewhere(Normalizer):
    """A look that is told where it may not fall; or, where nothing is told, that is even."""

    def __init__(self, own: Normalizer, hidden: Bool[Tensor, " S"] | None) -> None:
        super().__init__()
        self.own, self.hidden = own, hidden

    def forward(self, scores: Tensor, visible: Tensor | None) -> NormalizedWeights:
        assert visible is not None
        if self.hidden is None:
            even = visible.expand(*scores.shape).float()
            return NormalizedWeights(even / even.sum(dim=-1, keepdim=True))
        sight = (visible & ~self.hidden).expand(scores.size(0), 1, *scores.shape[2:]).clone()
        for row in sight.flatten(0, 2):
            if not row.any():
                row[-1] = True
        return self.own(scores, sight)


def forced(model: Any, source: list[int], pieces: list[int] | None) -> ForcedDecoding:
    """By a copy whose looks do not fall on `pieces`; or, where there are none, are even."""
    hidden = None
    if pieces is not None:
        hidden = torch.tensor([place in pieces for place in range(len(source) + 1)])
    changed = copy.deepcopy(model)
    for name in cross_attention_names(changed):
        attention = changed.get_submodule(name)
        attention.normalizer = Elsewhere(attention.normalizer, hidden)
    return force_decode(changed, [(source, TARGET)])[0]


def of_kind(found: tuple[Intervention, ...], kind: str) -> list[Intervention]:
    return [one for one in found if one.kind == kind]


@pytest.mark.parametrize("name", LOOKING)
def test_hidden_is_a_reading_in_which_no_look_falls_on_the_word(name: str) -> None:
    model = tiny(name).model
    found = of_kind(run_interventions(model, SOURCE, WORDS, TARGET), "hidden")
    assert [one.word for one in found] == [0, 1, 2, 3]
    for one, pieces in zip(found, WORDS, strict=True):
        wanted = forced(model, SOURCE, pieces)
        assert one.logps == pytest.approx(wanted.logps, **CLOSE)
        for weights in wanted.attention.values():
            assert (weights[..., pieces] == 0).all()
            if "local-p" not in name:
                torch.testing.assert_close(weights.sum(-1), torch.ones_like(weights.sum(-1)))


@pytest.mark.parametrize("name", LOOKING)
def test_uniform_is_a_reading_in_which_every_look_is_even(name: str) -> None:
    model = tiny(name).model
    (one,) = of_kind(run_interventions(model, SOURCE, WORDS, TARGET), "uniform")
    wanted = forced(model, SOURCE, None)
    assert one.word is None
    assert one.logps == pytest.approx(wanted.logps, **CLOSE)
    if "local" not in name and name != "cho":
        for weights in wanted.attention.values():
            torch.testing.assert_close(weights, torch.full_like(weights, 1 / 10))


@pytest.mark.parametrize("name", [*LOOKING, "sutskever"])
def test_left_out_is_a_reading_of_the_shorter_source(name: str) -> None:
    model = tiny(name).model
    found = run_interventions(model, SOURCE, WORDS, TARGET)
    if name == "sutskever":
        assert {one.kind for one in found} == {"left out"}
    shorter = [[t for place, t in enumerate(SOURCE) if place not in word] for word in WORDS]
    readings = force_decode(model, [(source, TARGET) for source in shorter], ())
    for one, reading in zip(of_kind(found, "left out"), readings, strict=True):
        assert one.logps == pytest.approx(reading.logps, **CLOSE)


def test_what_is_said_instead_is_the_likeliest_of_all() -> None:
    model = tiny("bahdanau").model
    one = of_kind(run_interventions(model, SOURCE, WORDS, TARGET), "left out")[0]
    with torch.inference_mode():
        hidden = model(pad([[*SOURCE[1:], EOS]]), torch.tensor([[BOS, *TARGET]])).hidden
        best = model.readout(hidden)[0].log_softmax(dim=-1).max(dim=-1)
    assert one.tokens == tuple(best.indices.tolist())
    assert one.token_logps == pytest.approx(best.values.tolist(), **CLOSE)


@pytest.mark.parametrize("name", ["bahdanau", "luong-local-p", "transformer"])
def test_afterwards_the_model_is_as_before_and_so_is_who_listens(name: str) -> None:
    model = copy.deepcopy(tiny(name).model).train()
    parts = dict(model.named_modules())
    weights = {key: value.clone() for key, value in model.state_dict().items()}
    before = force_decode(model, [(SOURCE, TARGET)])[0]
    heard: list[AttentionOutput] = []
    with model.get_submodule(cross_attention_names(model)[0]).record(heard.append):
        run_interventions(model, SOURCE, WORDS, TARGET)
    assert {output.context.size(0) for output in heard} == {1, len(WORDS)}
    assert dict(model.named_modules()) == parts
    assert all(module.training for module in model.modules())
    assert not _recorders.get()
    assert not _normalizers.get()
    for key, value in model.state_dict().items():
        assert torch.equal(value, weights[key])
    after = force_decode(model, [(SOURCE, TARGET)])[0]
    assert after.logps == before.logps
    assert all(
        torch.equal(after.attention[look], before.attention[look]) for look in before.attention
    )


@pytest.mark.parametrize("name", ["luong-local-p", "sutskever", "transformer"])
def test_a_source_of_one_word_or_none_can_be_asked_too(name: str) -> None:
    model = tiny(name).model
    looks = bool(cross_attention_names(model))
    one = run_interventions(model, [4, 5], [[0, 1]], [])
    assert [x.kind for x in one] == (["uniform", "hidden"] if looks else []) + ["left out"]
    for what in (
        *one,
        *run_interventions(model, [4], [[0], []], TARGET),
    ):  # a word may have no piece
        assert all(torch.tensor(what.logps).isfinite())
    assert [x.kind for x in run_interventions(model, [], [], TARGET)] == (
        ["uniform"] if looks else []
    )


def test_many_words_are_read_in_batches_of_a_bounded_size(monkeypatch) -> None:
    model = tiny("transformer").model
    at_once = run_interventions(model, SOURCE, WORDS, TARGET)
    monkeypatch.setattr("regard.explain.interventions.BUDGET", 15)
    for one, other in zip(run_interventions(model, SOURCE, WORDS, TARGET), at_once, strict=True):
        assert (one.kind, one.word, one.tokens) == (other.kind, other.word, other.tokens)
        assert one.logps == pytest.approx(other.logps, **CLOSE)


def test_an_even_look_has_one_weight_for_all_that_is_seen() -> None:
    scores = torch.randn(2, 3, 2, 4)
    torch.testing.assert_close(Uniform()(scores, None).weights, torch.full_like(scores, 1 / 4))
    visible = torch.tensor([[True, False, True, False], [False, False, False, True]])[None, None]
    weights = Uniform()(scores, visible).weights
    assert weights[1, 2].tolist() == [[0.5, 0.0, 0.5, 0.0], [0.0, 0.0, 0.0, 1.0]]


@pytest.mark.parametrize("own", [Softmax(), Sparsemax()])
def test_what_is_hidden_has_no_weight_and_who_would_be_blind_sees_the_end(own: Normalizer) -> None:
    scores = torch.randn(1, 2, 6, 4)  # two hypotheses of three steps
    hidden = torch.tensor([[True, False, False, False], [False, True, True, False]])
    weights = MaskedNormalizer(hidden, own)(scores, None).weights
    torch.testing.assert_close(weights.sum(-1), torch.ones(1, 2, 6))
    assert (weights[:, :, :3, 0] == 0).all()
    assert (weights[:, :, 3:, 1:3] == 0).all()
    window = torch.tensor([[True, True, False, False]] * 3 + [[False, True, True, False]] * 3)
    weights = MaskedNormalizer(hidden, own)(scores, window[None, None]).weights
    assert (weights[:, :, :3, 1] == 1).all()
    assert (weights[:, :, 3:, -1] == 1).all()


def test_what_ifs_are_written_with_their_pieces() -> None:
    found = run_interventions(tiny("bahdanau").model, SOURCE, WORDS, TARGET)
    arrays = Arrays()
    told = interventions_to_record(found, arrays, str)
    assert told["kinds"] == ["uniform", *["hidden"] * 4, *["left out"] * 4]
    assert told["words"] == [None, 0, 1, 2, 3, 0, 1, 2, 3]
    assert told["says"][1] == [str(token) for token in found[1].tokens]
    assert [kind["shape"] for kind in arrays.packed()["arrays"]] == [[9, 6], [9, 6]]
    interventions_to_record((), arrays, str)
    assert arrays.packed()["arrays"][-1]["shape"] == [0, 0]
