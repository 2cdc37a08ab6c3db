"""The torch engine: results of the search, independent of batching, in the order of the sources."""

from __future__ import annotations

import copy
import random
from dataclasses import replace
from itertools import pairwise, product

import pytest
import torch
import xxhash
from torch import nn

from regard.batch import Tokens
from regard.config.model import VocabularySizes
from regard.errors import ConfigError, CorpusError
from regard.hypothesis import Hypothesis
from regard.inference.engine import SamplingOptions, SearchOptions, mix_seed
from regard.inference.forced_decoding import force_decode
from regard.inference.torch_engine import TorchEngine
from regard.models import EncoderDecoder
from regard.search import beam, greedy
from regard.text.tokenizer import BOS, EOS
from tests.tiny_models import TRANSLATORS, VOCABULARY, tiny, tiny_run

SAMPLING = SearchOptions(2, sampling=SamplingOptions())
FEW = ["bahdanau", "luong-local-p", "transformer"]


def varied_model(name: str) -> EncoderDecoder:
    """Return a model whose outputs vary; untrained models repeat one token."""
    model = copy.deepcopy(tiny(name).model)
    with torch.no_grad():
        model.readout.weight.mul_(10)
    return model


def random_sources(count: int, max_length: int = 20) -> list[list[int]]:
    draws = random.Random(1)
    lengths = [draws.randrange(max_length + 1) for _ in range(count - 1)]
    return [[draws.randrange(4, VOCABULARY) for _ in range(n)] for n in [*lengths, 0]]


def assert_same(found: list[Hypothesis], expected: list[Hypothesis]) -> None:
    assert [h.tokens for h in found] == [h.tokens for h in expected]
    assert [h.score for h in found] == pytest.approx([h.score for h in expected], abs=1e-4)


@pytest.mark.parametrize("name", FEW)
def test_a_source_alone_has_the_same_result_as_in_a_batch(name: str) -> None:
    engine, options = TorchEngine(varied_model(name)), SearchOptions(3)
    sources = [[4, 5, 6], [], [5] * 6]
    for source, together in zip(sources, engine.search(sources, options), strict=True):
        assert_same(together, engine.search([source], options)[0])


@pytest.mark.slow
@pytest.mark.parametrize("beam_size", [1, 3])
@pytest.mark.parametrize("name", TRANSLATORS)
def test_results_do_not_depend_on_budget_and_order(name: str, beam_size: int) -> None:
    engine, options = TorchEngine(varied_model(name)), SearchOptions(beam_size)
    sources = random_sources(12)
    together = engine.search(sources, options)
    small = TorchEngine(engine.model, budget=300).search(sources[::-1], options)[::-1]
    for source, in_large, in_small in zip(sources, together, small, strict=True):
        (alone,) = engine.search([source], options)
        assert_same(in_large, alone)
        assert_same(in_small, alone)


@pytest.mark.parametrize("options", [SearchOptions(3), SAMPLING], ids=["beam", "sampling"])
@pytest.mark.parametrize("name", ["bahdanau", "transformer"])
def test_fixed_batches_give_the_same_bits_for_every_number_of_threads(
    name: str, options: SearchOptions
) -> None:
    engine, sources = TorchEngine(varied_model(name), fixed_batches=True), random_sources(12)
    results, threads = [], torch.get_num_threads()
    for count in (1, 2, 3):
        torch.set_num_threads(count)
        results.append(engine.search(sources, options))
    torch.set_num_threads(threads)
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("invariant", [False, True])
@pytest.mark.parametrize("options", [SearchOptions(1), SearchOptions(3), SAMPLING], ids=str)
def test_hypotheses_end_before_the_learned_positions_do(
    options: SearchOptions, invariant: bool
) -> None:
    model = learned_positions(20)
    with torch.no_grad():
        model.readout.bias[EOS] = -1e4  # no hypothesis ends by itself
    engine, source = TorchEngine(model, invariant=invariant), [4] * 19
    (found,) = engine.search([source], options)
    assert {len(hypothesis.tokens) for hypothesis in found} == {19}
    force_decode(model, [(source, hypothesis.tokens) for hypothesis in found])
    with pytest.raises(ConfigError, match="prefix, min_length: 19 tokens"):
        engine.search([source], options, prefixes=[[5] * 19])
    with pytest.raises(CorpusError, match="21 tokens is too long for the 20 learned positions"):
        engine.search([[4] * 20], options)


def learned_positions(count: int) -> EncoderDecoder:
    settings = [
        f"model.{side}.{setting}"
        for side in ("encoder", "decoder")
        for setting in ("positions=learned", f"max_positions={count}")
    ]
    run = tiny_run("transformer", (*settings, f"data.max_length={count - 1}"))
    return run.model.build(VocabularySizes(VOCABULARY, VOCABULARY))


def test_results_are_in_the_order_of_the_sources() -> None:
    engine, options = TorchEngine(varied_model("bahdanau")), SearchOptions(1)
    sources = [[4, 5, 6], [7] * 12, [], [5] * 6]  # of two maximum lengths
    forward, reverse = engine.search(sources, options), engine.search(sources[::-1], options)[::-1]
    assert len({best.tokens for (best,) in forward}) > 1
    for one, other in zip(forward, reverse, strict=True):
        assert_same(one, other)


@pytest.mark.parametrize("name", ["bahdanau", "transformer"])
def test_results_are_those_of_beam_and_greedy_search(name: str) -> None:
    model = varied_model(name)
    source = [4, 5, 6, 7]
    tokens = Tokens(torch.tensor([[*source, EOS]]))
    options = {"rows": 1, "bos": BOS, "eos": EOS, "max_length": 2 * 8 + 10}
    wide = beam(model.step, model.start(tokens), beam_size=3, length_penalty=0.6, **options)
    assert_same(
        TorchEngine(model).search([source], SearchOptions(3, length_penalty=0.6))[0], wide[0]
    )
    (one,) = greedy(model.step, model.start(tokens), **options)
    for penalty in (0.0, 0.6):
        expected = replace(one, score=one.score / len(one.logps) ** penalty)
        found = TorchEngine(model).search([source], SearchOptions(1, penalty))[0]
        assert_same(found, [expected])


def test_an_empty_source_has_hypotheses() -> None:
    (found,) = TorchEngine(varied_model("transformer")).search([[]], SearchOptions(2))
    assert len(found) == 2


def test_no_sources_have_no_results() -> None:
    assert TorchEngine(varied_model("bahdanau")).search([], SearchOptions()) == []


class RecordingEncoder(nn.Module):
    """An encoder that records the shapes of its batches and asserts eval mode."""

    def __init__(self, encoder: nn.Module) -> None:
        super().__init__()
        self.encoder, self.shapes = encoder, []

    def forward(self, source: Tokens):
        assert not self.training and not self.encoder.training
        self.shapes.append(tuple(source.ids.shape))
        return self.encoder(source)


def test_batches_stay_within_the_budget_and_pad_little() -> None:
    model = varied_model("bahdanau")
    model.encoder = RecordingEncoder(model.encoder)
    TorchEngine(model, budget=400).search(random_sources(20), SearchOptions(2))
    assert sum(rows for rows, _ in model.encoder.shapes) == 20
    widths = [width for _, width in model.encoder.shapes]
    assert widths == sorted(widths, reverse=True)
    for rows, width in model.encoder.shapes:
        assert rows * 2 * 2 * width <= 400


def test_a_source_larger_than_the_budget_has_its_own_batch() -> None:
    model = varied_model("bahdanau")
    model.encoder = RecordingEncoder(model.encoder)
    TorchEngine(model, budget=1).search([[5] * 9, [6] * 9], SearchOptions(2))
    assert model.encoder.shapes == [(1, 10), (1, 10)]


@pytest.mark.parametrize("name", FEW)
def test_search_restores_training_mode(name: str) -> None:
    model = varied_model(name)
    model.train()
    model.encoder.eval()  # a frozen part stays in eval mode
    modes = {part: module.training for part, module in model.named_modules()}
    TorchEngine(model).search([[4, 5]], SearchOptions(2))
    assert {part: module.training for part, module in model.named_modules()} == modes
    hidden = model(Tokens(torch.tensor([[4, 5, EOS]])), torch.tensor([[BOS, 6, 7]])).hidden
    model.readout(hidden).logsumexp(-1).sum().backward()
    assert model.readout.weight.grad is not None


def test_search_runs_in_eval_mode() -> None:
    model = varied_model("transformer")
    model.encoder = RecordingEncoder(model.encoder)
    model.train()
    TorchEngine(model).search([[4, 5]], SearchOptions(2))
    assert model.encoder.shapes
    assert model.encoder.training


def test_a_failed_search_restores_training_mode() -> None:
    model = varied_model("transformer").train()
    with pytest.raises(IndexError):
        TorchEngine(model).search([[VOCABULARY]], SearchOptions())
    assert all(module.training for module in model.modules())


def assert_same_bits(name: str, beam_size: int) -> None:
    engine = TorchEngine(varied_model(name), invariant=True)
    sources, options = random_sources(12), SearchOptions(beam_size)
    for source, together in zip(sources, engine.search(sources, options), strict=True):
        assert engine.search([source], options)[0] == together


@pytest.mark.parametrize("beam_size", [1, 3])
@pytest.mark.parametrize("name", ["bahdanau", "luong-general", "transformer"])
def test_invariant_results_do_not_differ_by_a_bit(name: str, beam_size: int) -> None:
    assert_same_bits(name, beam_size)


@pytest.mark.slow
@pytest.mark.parametrize("beam_size", [1, 4, 5])
@pytest.mark.parametrize("name", sorted({*TRANSLATORS} - {"luong-local-p"}))
def test_all_models_but_local_p_are_invariant(name: str, beam_size: int) -> None:
    """local-p computes a few single numbers per row, and torch the last of them in another way."""
    assert_same_bits(name, beam_size)


# sampling


def test_draws_do_not_depend_on_the_batches() -> None:
    model = varied_model("bahdanau")
    sources = random_sources(8)

    def draw(seed: int, budget: int = 1 << 14) -> list[list[Hypothesis]]:
        options = SearchOptions(2, sampling=SamplingOptions(seed, top_k=5))
        return TorchEngine(model, budget=budget).search(sources, options)

    for one, other in zip(draw(3), draw(3, budget=100), strict=True):
        assert_same(one, other)
    assert draw(3) != draw(4)


def test_draws_depend_on_text_segment_and_offset() -> None:
    engine, source = TorchEngine(varied_model("bahdanau")), [4, 5, 6]

    def draw(position: tuple[int, int], offset: int = 0) -> tuple[int, ...]:
        options = SearchOptions(1, sampling=SamplingOptions(3, temperature=9.0, offset=offset))
        ((found,),) = engine.search([source], options, positions=[position])
        return found.tokens

    assert draw((1000, 0)) == draw((0, 0), offset=1000)
    assert len({draw((0, 0)), draw((1000, 0)), draw((0, 1)), draw((1, 0))}) == 4


def test_draws_of_one_source_differ() -> None:
    options = SearchOptions(4, sampling=SamplingOptions(temperature=9.0))
    (found,) = TorchEngine(varied_model("bahdanau")).search([[4, 5, 6]], options)
    assert len({hypothesis.tokens for hypothesis in found}) == 4


def test_seeds_are_the_same_in_every_process_and_do_not_collide() -> None:
    assert mix_seed(1, 2, 3) == xxhash.xxh3_64_intdigest(b"1,2,3")
    seeds = {mix_seed(*parts) for parts in product(range(-1, 20), repeat=3)}
    assert len(seeds) == 21**3


# constraints


@pytest.mark.parametrize("beam_size", [1, 3])
@pytest.mark.parametrize("name", ["bahdanau", "transformer"])
def test_constraints_are_those_of_the_search(name: str, beam_size: int) -> None:
    model, sources = varied_model(name), random_sources(6)
    forbidden, prefixes = ((4, 5), (6,)), [[7, 8], [], [9], [7, 8], [], [10, 10, 10]]
    options = SearchOptions(beam_size, 0.6, None, 4, 2, forbidden)
    results = TorchEngine(model).search(sources, options, prefixes=prefixes)
    for source, prefix, found in zip(sources, prefixes, results, strict=True):
        (alone,) = TorchEngine(model).search([source], options, prefixes=[prefix])
        assert_same(found, alone)
        for hypothesis in found:
            tokens = hypothesis.tokens
            assert list(tokens[: len(prefix)]) == prefix
            rest = tokens[len(prefix) :]
            assert 6 not in rest
            assert (4, 5) not in list(pairwise(tokens))[len(prefix) :]
            assert len(tokens) >= 4
            new = list(pairwise(tokens))[max(0, len(prefix) - 1) :]
            assert len(set(new)) == len(new)
            (forced,) = force_decode(model, [(source, tokens)])
            known = forced.logps[: len(hypothesis.logps)]
            assert hypothesis.logps == pytest.approx(known, abs=1e-4)


def test_constrained_greedy_search_takes_the_best_allowed_token() -> None:
    model = varied_model("bahdanau")
    ((free,),) = TorchEngine(model).search([[4, 5, 6]], SearchOptions(1))
    options = SearchOptions(1, forbidden=((free.tokens[0],),))
    ((found,),) = TorchEngine(model).search([[4, 5, 6]], options)
    logits, _ = model.step(torch.tensor([BOS]), model.start(Tokens(torch.tensor([[4, 5, 6, EOS]]))))
    first, second = logits[0].topk(2).indices.tolist()
    assert free.tokens[0] == first
    assert (*found.tokens, EOS)[0] == second


def test_sampling_obeys_constraints() -> None:
    options = SearchOptions(3, sampling=SamplingOptions(), forbidden=((4,), (5,)))
    engine = TorchEngine(varied_model("bahdanau"))
    ((*found,),) = engine.search([[4, 5, 6]], options, prefixes=[[4, 7]])
    for hypothesis in found:
        assert hypothesis.tokens[:2] == (4, 7)
        assert not {4, 5} & set(hypothesis.tokens[2:])
