"""The engine of the viewer computes what PyTorch computes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest
import torch
from torch import Tensor

from benchmarks.node_engine import EngineTrace, NodeEngine, random_model, rounded
from regard.batch import pad
from regard.config.run import RunConfig
from regard.errors import ConfigError
from regard.explain.beam_tree import build_beam_tree
from regard.explain.forward_trace import ForwardTrace, trace_forward
from regard.explain.live_model import Precision
from regard.hypothesis import Hypothesis
from regard.inference.engine import SearchOptions, max_target_length
from regard.inference.torch_engine import TorchEngine
from regard.models import EncoderDecoder, eval_mode
from regard.text.tokenizer import BOS
from tests.config_grammar import MODELS, runs
from tests.live.models import (
    SOURCE,
    TARGET,
    live_text,
    preset_model,
    random_sources,
    tokenizer,
)
from tests.tiny_models import TRANSLATORS, tiny_run

EXACT = 2e-5  # of single precision, in another order of summation


def largest_difference(some: Tensor, same: Tensor) -> float:
    """The largest difference, relative to numbers above 1; infinite numbers must be equal."""
    assert some.shape == same.shape
    assert torch.equal(some.isinf(), same.isinf())
    some, same = (x.masked_fill(same.isinf(), 0.0) for x in (some, same))
    return float((some - same).abs().max() / same.abs().max().clamp(min=1.0))


@torch.inference_mode()
def forced_logps(model: EncoderDecoder, source: list[int], target: list[int]) -> Tensor:
    with eval_mode(model):
        hidden = model(pad([source]), torch.tensor([[BOS, *target]])).hidden
        return model.readout(hidden)[0].log_softmax(dim=-1)


def compare(model: EncoderDecoder, traced: EngineTrace, expected: ForwardTrace) -> float:
    """The largest difference of all numbers of a forced decoding of SOURCE and TARGET."""
    differences = [
        largest_difference(traced.logps, forced_logps(model, SOURCE, TARGET)),
        largest_difference(traced.decoder_states, expected.decoder_states),
    ]
    assert list(traced.attentions) == [record.name for record in expected.attentions]
    for record in expected.attentions:
        numbers = traced.attentions[record.name]
        differences += [
            largest_difference(numbers.weights, record.weights),
            largest_difference(numbers.scores, record.scores),
            largest_difference(numbers.norms, record.norms),
        ]
    head = expected.head_trace
    assert (head is None) == (traced.head is None)
    if head is not None and traced.head is not None:
        assert (traced.head.attention, traced.head.head) == (head.attention, head.head)
        assert head.terms is not None
        assert traced.head.scale == pytest.approx(head.terms.scale)
        pairs = [(getattr(traced.head, name), getattr(head, name)) for name in HEAD_TABLES]
        pairs += [(traced.head.queries, head.terms.queries), (traced.head.keys, head.terms.keys)]
        assert (head.terms.energy is None) == (traced.head.energy is None)
        if head.terms.energy is not None and traced.head.energy is not None:
            pairs.append((traced.head.energy, head.terms.energy))
        differences += [largest_difference(*pair) for pair in pairs]
    return max(differences)


HEAD_TABLES = ("scores", "weights", "values", "contexts")


def forward_trace(model: EncoderDecoder) -> ForwardTrace:
    return trace_forward(model, pad([SOURCE]), TARGET, tokenizer().piece)


@pytest.mark.parametrize("preset", TRANSLATORS)
def test_all_numbers_of_a_forced_decoding(engine: NodeEngine, preset: str) -> None:
    model = preset_model(preset)
    engine.load(live_text(model, tiny_run(preset)))
    traced = engine.trace(SOURCE, TARGET)
    assert compare(model, traced, forward_trace(model)) < EXACT
    with torch.inference_mode():
        encoded = model.encoder(pad([SOURCE]))
    assert largest_difference(traced.encoder_states, encoded.states[0]) < EXACT
    assert largest_difference(traced.summary, encoded.summary[0]) < EXACT


@pytest.mark.parametrize("preset", ["bahdanau", "translate-tiny"])
@pytest.mark.parametrize("precision", ["f16", "i8"])
def test_smaller_weights_are_those_of_the_rounded_model(
    engine: NodeEngine, preset: str, precision: Precision
) -> None:
    model = preset_model(preset)
    engine.load(live_text(model, tiny_run(preset), precision))
    same = rounded(model, precision)
    assert compare(same, engine.trace(SOURCE, TARGET), forward_trace(same)) < EXACT


@pytest.mark.parametrize("preset", TRANSLATORS)
def test_greedy_and_beam_translations(engine: NodeEngine, preset: str) -> None:
    model, sources = preset_model(preset), random_sources(4)
    engine.load(live_text(model, tiny_run(preset)))
    search = TorchEngine(model)
    for size, answers in ((1, engine.greedy(sources)), (5, engine.beam(sources, 5))):
        expected = search.search([ids[:-1] for ids in sources], SearchOptions(size, 1.0))
        assert [tuple(answer["ids"]) for answer in answers] == [best[0].tokens for best in expected]
        for answer, (best, *_) in zip(answers, expected, strict=True):
            assert answer["logps"] == pytest.approx(best.logps, abs=1e-4)
        assert len({best[0].logps[0] for best in expected}) > 1  # the numbers vary


@pytest.mark.parametrize("preset", ["bahdanau", "transformer", "luong-local-p"])
@pytest.mark.parametrize(("size", "length_penalty"), [(1, 0.0), (3, 0.6), (8, 2.0)])
def test_the_tree_of_a_beam_search(
    engine: NodeEngine, preset: str, size: int, length_penalty: float
) -> None:
    model = preset_model(preset)
    engine.load(live_text(model, tiny_run(preset)))
    for source in random_sources(4, seed=1, longest=6):
        (answer,) = engine.beam([source], size, length_penalty)
        hypotheses, tree = build_beam_tree(
            model,
            pad([source]),
            beam_size=size,
            length_penalty=length_penalty,
            max_length=max_target_length(len(source)),
        )
        assert_same_tree(answer, tree.to_record(tokenizer().piece), hypotheses[0])


def assert_same_tree(answer: dict[str, Any], expected: dict[str, Any], best: Hypothesis) -> None:
    tree = answer["tree"]
    for name in ("parents", "pieces", "status", "best"):
        assert list(tree[name]) == list(expected[name]), name
    for name in ("beam_size", "length_penalty", "logps", "totals"):
        assert tree[name] == pytest.approx(expected[name], abs=1e-3), name
    assert tuple(answer["ids"]) == best.tokens
    assert answer["total"] == pytest.approx(sum(best.logps), abs=1e-3)


# -- every setting ---------------------------------------------------------------------------------


KINDS = [
    name
    for name in MODELS
    if name.startswith("encoder-decoder") and "image" not in name and "grid" not in name
]


def check_settings(engine: NodeEngine, runs_of_kind: Iterator[RunConfig]) -> None:
    """Compare a model of each run that reads sentences and whose dimensions fit."""
    tested = 0
    for run in runs_of_kind:
        if run.model.reads != "sentences":
            continue
        try:
            model = random_model(run, tokenizer().size, seed=0)
        except ConfigError:
            continue
        engine.load(live_text(model, run))
        difference = compare(model, engine.trace(SOURCE, TARGET), forward_trace(model))
        assert difference < EXACT, run.model
        tested += 1
    assert tested


@pytest.mark.parametrize("name", KINDS)
def test_some_combinations_of_all_settings(engine: NodeEngine, name: str) -> None:
    check_settings(engine, islice(runs(name), 2, None, 6))


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_pairwise_combinations_of_all_settings(engine: NodeEngine, name: str) -> None:
    check_settings(engine, runs(name))
