"""The torch engine: what it finds is the search's own, in any batch and in the order asked."""

from __future__ import annotations

import copy
import random

import pytest
import torch
from torch import nn

from regard.batch import Tokens
from regard.inference.engine import SamplingOptions, SearchOptions
from regard.inference.torch_engine import TorchEngine
from regard.models import EncoderDecoder
from regard.search import Hypothesis, beam, greedy
from regard.text.tokenizer import BOS, EOS
from tests.tiny_models import TRANSLATORS, VOCABULARY, tiny

FEW = ["bahdanau", "luong-local-p", "transformer"]


def lively(name: str) -> EncoderDecoder:
    """A model whose choices differ: untrained ones say the same thing for ever."""
    model = copy.deepcopy(tiny(name).model)
    with torch.no_grad():
        model.readout.weight.mul_(10)
    return model


def sources(count: int, longest: int = 20) -> list[list[int]]:
    draws = random.Random(1)
    lengths = [draws.randrange(longest + 1) for _ in range(count - 1)]
    return [[draws.randrange(4, VOCABULARY) for _ in range(n)] for n in [*lengths, 0]]


def assert_same(found: list[Hypothesis], wanted: list[Hypothesis]) -> None:
    assert [h.tokens for h in found] == [h.tokens for h in wanted]
    assert [h.score for h in found] == pytest.approx([h.score for h in wanted], abs=1e-4)


@pytest.mark.parametrize("name", FEW)
def test_law_6_batching_a_sentence_alone_is_answered_as_in_a_batch(name: str) -> None:
    engine, how = TorchEngine(lively(name)), SearchOptions(3)
    asked = [[4, 5, 6], [], [5] * 6]
    for source, together in zip(asked, engine.search(asked, how), strict=True):
        assert_same(together, engine.search([source], how)[0])


@pytest.mark.slow
@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("name", TRANSLATORS)
def test_law_6_batching_whatever_the_budget_and_the_order(name: str, width: int) -> None:
    engine, how = TorchEngine(lively(name)), SearchOptions(width)
    asked = sources(12)
    together = engine.search(asked, how)
    small = TorchEngine(engine.model, budget=300).search(asked[::-1], SearchOptions(width))[::-1]
    for source, in_large, in_small in zip(asked, together, small, strict=True):
        (alone,) = engine.search([source], how)
        assert_same(in_large, alone)
        assert_same(in_small, alone)


def test_answers_come_in_the_order_asked() -> None:
    engine, how = TorchEngine(lively("bahdanau")), SearchOptions(1)
    asked = [[4, 5, 6], [7] * 12, [], [5] * 6]  # of two limits
    forwards, backwards = engine.search(asked, how), engine.search(asked[::-1], how)[::-1]
    assert len({best.tokens for (best,) in forwards}) > 1
    for one, other in zip(forwards, backwards, strict=True):
        assert_same(one, other)


@pytest.mark.parametrize("name", ["bahdanau", "transformer"])
def test_what_is_found_is_what_the_search_finds(name: str) -> None:
    model = lively(name)
    source = [4, 5, 6, 7]
    marked = Tokens(torch.tensor([[*source, EOS]]))
    marks = {"rows": 1, "bos": BOS, "eos": EOS, "max_length": 2 * 8 + 10}
    wide = beam(model.step, model.start(marked), beam_size=3, length_penalty=0.6, **marks)
    assert_same(
        TorchEngine(model).search([source], SearchOptions(3, length_penalty=0.6))[0], wide[0]
    )
    one = greedy(model.step, model.start(marked), **marks)
    assert_same(TorchEngine(model).search([source], SearchOptions(1))[0], one)


def test_an_empty_source_is_answered() -> None:
    (found,) = TorchEngine(lively("transformer")).search([[]], SearchOptions(2))
    assert len(found) == 2


def test_where_nothing_is_asked_nothing_is_found() -> None:
    assert TorchEngine(lively("bahdanau")).search([], SearchOptions()) == []


class Witness(nn.Module):
    """An encoder that remembers how much it was given at once, and that it was not in training."""

    def __init__(self, encoder: nn.Module) -> None:
        super().__init__()
        self.encoder, self.seen = encoder, []

    def forward(self, source: Tokens):
        assert not self.training and not self.encoder.training
        self.seen.append(tuple(source.ids.shape))
        return self.encoder(source)


def test_a_batch_keeps_to_its_budget_and_pads_little() -> None:
    model = lively("bahdanau")
    model.encoder = Witness(model.encoder)
    TorchEngine(model, budget=400).search(sources(20), SearchOptions(2))
    assert sum(rows for rows, _ in model.encoder.seen) == 20
    widths = [width for _, width in model.encoder.seen]
    assert widths == sorted(widths, reverse=True)
    for rows, width in model.encoder.seen:
        assert rows * 2 * 2 * width <= 400


def test_a_sentence_larger_than_the_budget_stands_alone() -> None:
    model = lively("bahdanau")
    model.encoder = Witness(model.encoder)
    TorchEngine(model, budget=1).search([[5] * 9, [6] * 9], SearchOptions(2))
    assert model.encoder.seen == [(1, 10), (1, 10)]


@pytest.mark.parametrize("name", FEW)
def test_training_goes_on_as_if_nothing_had_been_said(name: str) -> None:
    model = lively(name)
    model.train()
    model.encoder.eval()  # frozen: it must stay as it is
    modes = {part: module.training for part, module in model.named_modules()}
    TorchEngine(model).search([[4, 5]], SearchOptions(2))
    assert {part: module.training for part, module in model.named_modules()} == modes
    hidden = model(Tokens(torch.tensor([[4, 5, EOS]])), torch.tensor([[BOS, 6, 7]])).hidden
    model.readout(hidden).logsumexp(-1).sum().backward()
    assert model.readout.weight.grad is not None


def test_dropout_is_off_while_it_searches() -> None:
    model = lively("transformer")
    model.encoder = Witness(model.encoder)
    model.train()
    TorchEngine(model).search([[4, 5]], SearchOptions(2))
    assert model.encoder.seen and model.encoder.training


def test_a_model_in_training_stays_so_if_the_search_fails() -> None:
    model = lively("transformer").train()
    with pytest.raises(IndexError):
        TorchEngine(model).search([[VOCABULARY]], SearchOptions())
    assert all(module.training for module in model.modules())


def same_bits(name: str, width: int) -> None:
    engine, how = TorchEngine(lively(name), invariant=True), SearchOptions(width)
    asked = sources(12)
    for source, together in zip(asked, engine.search(asked, how), strict=True):
        assert engine.search([source], how)[0] == together


@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("name", ["bahdanau", "luong-general", "transformer"])
def test_where_asked_a_neighbour_changes_not_a_bit(name: str, width: int) -> None:
    same_bits(name, width)


@pytest.mark.slow
@pytest.mark.parametrize("width", [1, 4, 5])
@pytest.mark.parametrize("name", sorted({*TRANSLATORS} - {"luong-local-p"}))
def test_this_holds_for_every_model_but_one(name: str, width: int) -> None:
    """local-p makes a few single numbers a row; the last ones torch computes in another way."""
    same_bits(name, width)


def test_what_is_drawn_for_a_sentence_does_not_depend_on_the_batches() -> None:
    model, how = lively("bahdanau"), SearchOptions(2, sampling=SamplingOptions(seed=3, top_k=5))
    asked = sources(8)
    drawn = TorchEngine(model).search(asked, how)
    for one, other in zip(drawn, TorchEngine(model, budget=100).search(asked, how), strict=True):
        assert_same(one, other)
    assert drawn != TorchEngine(model).search(
        asked, SearchOptions(2, sampling=SamplingOptions(seed=4, top_k=5))
    )
