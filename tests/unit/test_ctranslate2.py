"""Law 13, export: what CTranslate2 says of an exported model is what the model itself says."""

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
from regard.inference.ctranslate2_engine import CTranslate2Engine
from regard.inference.engine import SamplingOptions, SearchOptions
from regard.inference.torch_engine import TorchEngine
from regard.interop.ctranslate2_export import convert_to_ctranslate2
from regard.models import EncoderDecoder
from regard.search import Hypothesis
from regard.text.tokenizer import BOS, EOS

pytest.importorskip("ctranslate2")

WORDS = 23
PIECES = ["<pad>", "<s>", "</s>", "<unk>", *(f"▁{i}" for i in range(4, WORDS))]
VARIANTS = [
    (2, ""),  # normed after, all tied, as Vaswani et al.
    (1, "tie_embeddings=output encoder.norm=pre decoder.norm=pre"),
    (4, "tie_embeddings=none encoder.norm=pre decoder.activation=gelu"),
    (4, "decoder.norm=pre encoder.positions=learned decoder.layers=3"),
]


def transformer(heads: int = 2, variant: str = "") -> EncoderDecoder[Any, Any]:
    """A small one, whose weights are so large that its choices differ."""
    settings = ["embedding_dim=16", f"decoder.cross_attention.score.heads={heads}"]
    for side in ("encoder", "decoder"):
        sizes = "dim=16", "hidden_dim=24", "layers=2", f"own.score.heads={heads}"
        settings += [f"{side}.{size}" for size in sizes]
    overrides = [f"model.{setting}" for setting in settings + variant.split()]
    model = load_config("transformer", overrides).model.build(VocabularySizes(WORDS, WORDS)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))  # norms and biases too
        model.readout.weight.mul_(3)
        model.readout.bias[EOS] += 2  # some come to an end
    return model


def exported(model: EncoderDecoder[Any, Any]) -> CTranslate2Engine:
    return CTranslate2Engine(convert_to_ctranslate2(model, PIECES), workers=1)


def sources(count: int = 5, longest: int = 16) -> list[list[int]]:
    draws = random.Random(1)
    lengths = [draws.randrange(1, longest) for _ in range(count)]
    return [[draws.randrange(4, WORDS) for _ in range(n)] for n in lengths]


def assert_same(found: list[list[Hypothesis]], wanted: list[list[Hypothesis]]) -> None:
    for ours, theirs in zip(wanted, found, strict=True):
        assert [h.tokens for h in theirs] == [h.tokens for h in ours]
        for one, other in zip(ours, theirs, strict=True):
            rounding = 1e-6 * len(one.logps)  # of a sum that nothing divides
            assert other.score == pytest.approx(one.score, abs=1e-5 + rounding)


@pytest.mark.parametrize(("heads", "variant"), VARIANTS)
def test_law_13_export_a_beam_finds_what_ours_finds(
    heads: int,
    variant: str,
) -> None:
    model = transformer(heads, variant)
    engine = exported(model)
    for alpha in (0.0, 0.8):
        how = SearchOptions(beam_size=4, length_penalty=alpha)
        assert_same(engine.search(sources(), how), TorchEngine(model).search(sources(), how))


@pytest.mark.parametrize(("heads", "variant"), VARIANTS)
def test_law_13_export_the_likeliest_words_are_ours(
    heads: int,
    variant: str,
) -> None:
    model, how = transformer(heads, variant), SearchOptions(beam_size=1)
    engine = exported(model)
    assert_same(engine.search(sources(), how), TorchEngine(model).search(sources(), how))


def test_a_forced_reading_gives_our_probabilities() -> None:
    model, read = transformer(), sources(6)
    said = [source[::-1] for source in read]
    forced = exported(model).force(read, said)
    for source, target, logps in zip(read, said, forced, strict=True):
        decoded = model(pad([[*source, EOS]]), torch.tensor([[BOS, *target]]))
        wanted = model.readout(decoded.hidden)[0].log_softmax(dim=-1)
        assert logps == pytest.approx(wanted[range(len(logps)), [*target, EOS]].tolist(), abs=1e-4)


def test_a_sentence_alone_is_answered_as_in_a_batch_whatever_the_workers() -> None:
    files = convert_to_ctranslate2(transformer(), PIECES)
    together = CTranslate2Engine(files, workers=2).search(sources(), SearchOptions())
    alone = CTranslate2Engine(files, workers=1)
    assert_same([alone.search([source], SearchOptions())[0] for source in sources()], together)


def test_nothing_is_said_to_an_empty_source() -> None:
    engine = exported(transformer())
    nothing, something = engine.search([[], [5]], SearchOptions(beam_size=2))
    assert [h.tokens for h in nothing] == [()]
    assert len(something) == 2
    assert engine.search([], SearchOptions()) == []


def test_of_a_long_source_nothing_is_cut_off() -> None:
    model, long = transformer(), [4 + i % (WORDS - 4) for i in range(1_500)]
    (logps,) = exported(model).force([long], [[5, 6]])
    decoded = model(pad([[*long, EOS]]), torch.tensor([[BOS, 5, 6]]))
    wanted = model.readout(decoded.hidden)[0].log_softmax(dim=-1)[range(3), [5, 6, EOS]]
    assert logps == pytest.approx(wanted.tolist(), abs=1e-3)


def test_in_eight_bits_it_is_smaller_and_nearly_the_same() -> None:
    model = transformer()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    files = [convert_to_ctranslate2(model, PIECES, quantization=bits) for bits in (None, "int8")]
    for name, tensor in model.state_dict().items():
        assert torch.equal(tensor, before[name])
    exact, rough = (CTranslate2Engine(each, workers=1) for each in files)
    assert len(files[1]["model.bin"]) < len(files[0]["model.bin"])
    read = sources()
    one, other = (torch.tensor([sum(x) for x in e.force(read, read)]) for e in (exact, rough))
    assert torch.corrcoef(torch.stack([one, other]))[0, 1] > 0.99


def test_it_does_not_draw() -> None:
    with pytest.raises(ConfigError, match="torch engine"):
        exported(transformer()).search([[5]], SearchOptions(sampling=SamplingOptions()))


def test_what_holds_no_model_is_refused() -> None:
    with pytest.raises(ArtifactError, match="regard export"):
        CTranslate2Engine({})


def test_without_the_library_it_is_said_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "ctranslate2", None)
    with pytest.raises(ConfigError, match=r"regard\[ctranslate2\]"):
        convert_to_ctranslate2(transformer(), PIECES)
