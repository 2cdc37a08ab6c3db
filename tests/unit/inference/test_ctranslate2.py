"""Invariant 13: CTranslate2 gives the same results for an exported model as the model itself."""

from __future__ import annotations

import random
import sys
from typing import Any

import pytest
import torch

from regard.batch import pad
from regard.config.load import load_config
from regard.config.model import VocabularySizes
from regard.errors import ArtifactError, ConfigError
from regard.hypothesis import Hypothesis
from regard.inference.ctranslate2_engine import CTranslate2Engine
from regard.inference.engine import SamplingOptions, SearchOptions
from regard.inference.torch_engine import TorchEngine
from regard.interop.ctranslate2_export import convert_to_ctranslate2
from regard.models import EncoderDecoder
from regard.text.tokenizer import BOS, EOS

pytest.importorskip("ctranslate2")

WORDS = 23
PIECES = ["<pad>", "<s>", "</s>", "<unk>", *(f"▁{i}" for i in range(4, WORDS))]
VARIANTS = [
    (2, ""),  # post-norm, all embeddings tied, as Vaswani et al.
    (1, "tie_embeddings=output encoder.norm=pre decoder.norm=pre"),
    (4, "tie_embeddings=none encoder.norm=pre decoder.activation=gelu"),
    (4, "decoder.norm=pre encoder.positions=learned decoder.layers=3"),
]


def transformer(heads: int = 2, variant: str = "") -> EncoderDecoder[Any, Any]:
    """Return a small model with weights so large that its outputs vary."""
    settings = ["embedding_dim=16", f"decoder.cross_attention.score.heads={heads}"]
    for side in ("encoder", "decoder"):
        sizes = "dim=16", "hidden_dim=24", "layers=2", f"self_attention.score.heads={heads}"
        settings += [f"{side}.{size}" for size in sizes]
    overrides = [f"model.{setting}" for setting in settings + variant.split()]
    model = load_config("transformer", overrides).model.build(VocabularySizes(WORDS, WORDS)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))  # also norms and biases
        model.readout.weight.mul_(3)
        model.readout.bias[EOS] += 2  # so that some hypotheses end
    return model


def exported(model: EncoderDecoder[Any, Any]) -> CTranslate2Engine:
    files, max_positions = convert_to_ctranslate2(model, PIECES), model.decoder.max_positions
    return CTranslate2Engine(files, workers=1, max_positions=max_positions)


@pytest.mark.parametrize("beam_size", [1, 3])
def test_hypotheses_end_before_the_learned_positions_do(beam_size: int) -> None:
    model = transformer(2, "decoder.positions=learned decoder.max_positions=300")
    with torch.no_grad():
        model.readout.bias[EOS] = -1e4  # no hypothesis ends by itself
    (found,) = exported(model).search([[4] * 250], SearchOptions(beam_size))
    assert {len(hypothesis.tokens) for hypothesis in found} == {299}


def sources(count: int = 5, max_length: int = 16) -> list[list[int]]:
    draws = random.Random(1)
    lengths = [draws.randrange(1, max_length) for _ in range(count)]
    return [[draws.randrange(4, WORDS) for _ in range(n)] for n in lengths]


def assert_same(found: list[list[Hypothesis]], expected: list[list[Hypothesis]]) -> None:
    for torch_found, ct2_found in zip(expected, found, strict=True):
        assert [h.tokens for h in ct2_found] == [h.tokens for h in torch_found]
        for one, other in zip(torch_found, ct2_found, strict=True):
            rounding = 1e-6 * len(one.logps)  # greedy scores are sums, without normalization
            assert other.score == pytest.approx(one.score, abs=1e-5 + rounding)


@pytest.mark.parametrize(("heads", "variant"), VARIANTS)
def test_beam_search_finds_the_same(heads: int, variant: str) -> None:
    model = transformer(heads, variant)
    engine = exported(model)
    for alpha in (0.0, 0.8):
        options = SearchOptions(beam_size=4, length_penalty=alpha)
        expected = TorchEngine(model).search(sources(), options)
        assert_same(engine.search(sources(), options), expected)


@pytest.mark.parametrize(("heads", "variant"), VARIANTS)
def test_greedy_search_finds_the_same(heads: int, variant: str) -> None:
    model, options = transformer(heads, variant), SearchOptions(beam_size=1)
    expected = TorchEngine(model).search(sources(), options)
    assert_same(exported(model).search(sources(), options), expected)


def test_forced_decoding_gives_the_same_probabilities() -> None:
    model, inputs = transformer(), sources(6)
    targets = [source[::-1] for source in inputs]
    forced = exported(model).force(inputs, targets)
    for source, target, logps in zip(inputs, targets, forced, strict=True):
        decoded = model(pad([[*source, EOS]]), torch.tensor([[BOS, *target]]))
        expected = model.readout(decoded.hidden)[0].log_softmax(dim=-1)
        tokens = expected[range(len(logps)), [*target, EOS]].tolist()
        assert logps == pytest.approx(tokens, abs=1e-4)


def test_results_do_not_depend_on_batching_and_workers() -> None:
    files = convert_to_ctranslate2(transformer(), PIECES)
    together = CTranslate2Engine(files, workers=2).search(sources(), SearchOptions())
    alone = CTranslate2Engine(files, workers=1)
    assert_same([alone.search([source], SearchOptions())[0] for source in sources()], together)


@pytest.mark.parametrize("beam_size", [1, 4])
@pytest.mark.parametrize("end", [-50.0, -4.0, 0.0])
def test_each_row_has_its_own_limit(beam_size: int, end: float) -> None:
    """Rows of a call share the largest limit; those that reach their own are searched again."""
    model, inputs = transformer(), [*sources(4, 8), *sources(4, 30), *sources(2, 90)]
    with torch.no_grad():
        model.readout.bias[EOS] += end  # few hypotheses end, or none
    engine, options = exported(model), SearchOptions(beam_size)
    assert_same(
        engine.search(inputs, options), [engine.search([each], options)[0] for each in inputs]
    )


def test_an_empty_source_has_an_empty_translation() -> None:
    engine = exported(transformer())
    empty, other = engine.search([[], [5]], SearchOptions(beam_size=2))
    assert [h.tokens for h in empty] == [()]
    assert len(other) == 2
    assert engine.search([], SearchOptions()) == []


def test_long_sources_are_not_truncated() -> None:
    model, long = transformer(), [4 + i % (WORDS - 4) for i in range(1_500)]
    (logps,) = exported(model).force([long], [[5, 6]])
    decoded = model(pad([[*long, EOS]]), torch.tensor([[BOS, 5, 6]]))
    expected = model.readout(decoded.hidden)[0].log_softmax(dim=-1)[range(3), [5, 6, EOS]]
    assert logps == pytest.approx(expected.tolist(), abs=1e-3)


CONSTRAINTS = {
    "min_length": {"min_length": 8},
    "no_repeat_ngram": {"no_repeat_ngram": 2},
    "forbidden": {"forbidden": ((22, 22), (8,), (22, 16))},
    "all": {"min_length": 8, "no_repeat_ngram": 2, "forbidden": ((8,), (22, 16))},
}
PREFIXES = {"without prefixes": [], "with prefixes": [[7, 8, 9], [], [22, 22], [8], [22, 7, 22, 7]]}


@pytest.mark.parametrize("prefixes", PREFIXES.values(), ids=PREFIXES)
@pytest.mark.parametrize("constraints", [{}, *CONSTRAINTS.values()], ids=["none", *CONSTRAINTS])
def test_constrained_greedy_search_finds_the_same(
    constraints: dict[str, Any], prefixes: list[list[int]]
) -> None:
    model, options = transformer(), SearchOptions(beam_size=1, **constraints)
    expected = TorchEngine(model).search(sources(), options, prefixes=prefixes)
    assert_same(exported(model).search(sources(), options, prefixes=prefixes), expected)


@pytest.mark.parametrize("constraints", CONSTRAINTS.values(), ids=CONSTRAINTS)
def test_constrained_beam_search_needs_the_torch_engine(constraints: dict[str, Any]) -> None:
    """CTranslate2 renormalizes probabilities over the allowed tokens, so its beams differ."""
    with pytest.raises(ConfigError, match="--engine torch"):
        exported(transformer()).search([[5]], SearchOptions(beam_size=2, **constraints))


def test_beam_search_with_a_prefix_needs_the_torch_engine() -> None:
    with pytest.raises(ConfigError, match="--engine torch"):
        exported(transformer()).search([[5]], SearchOptions(beam_size=2), prefixes=[[6]])


def test_int8_is_smaller_and_nearly_the_same() -> None:
    model = transformer()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    files = [convert_to_ctranslate2(model, PIECES, quantization=bits) for bits in (None, "int8")]
    for name, tensor in model.state_dict().items():
        assert torch.equal(tensor, before[name])
    exact, rough = (CTranslate2Engine(each, workers=1) for each in files)
    assert len(files[1]["model.bin"]) < len(files[0]["model.bin"])
    inputs = sources()
    one, other = (torch.tensor([sum(x) for x in e.force(inputs, inputs)]) for e in (exact, rough))
    assert torch.corrcoef(torch.stack([one, other]))[0, 1] > 0.99


def test_sampling_needs_the_torch_engine() -> None:
    with pytest.raises(ConfigError, match="--engine torch"):
        exported(transformer()).search([[5]], SearchOptions(sampling=SamplingOptions()))


def test_files_without_a_model_are_an_error() -> None:
    with pytest.raises(ArtifactError, match="regard export"):
        CTranslate2Engine({})


def test_a_missing_library_is_named_with_its_installation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "ctranslate2", None)
    with pytest.raises(ConfigError, match=r"regard\[ctranslate2\]"):
        convert_to_ctranslate2(transformer(), PIECES)
