"""The JSON text of a model has its weights, its tokenizers and its attentions."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from regard.attention import Equation, NormalizedWeights, Normalizer
from regard.config.model import VocabularySizes
from regard.errors import ConfigError
from regard.explain.live_model import store_weight, write_live_model
from regard.inference.engine import SearchOptions
from regard.tasks.translation.loading import build_translation_model
from regard.tasks.translation.translator import Translator
from regard.text.tokenizer import SentencePiece
from tests.bundles import LINES, make_bundle
from tests.tiny_models import tiny_run
from tests.unpacked_record import unpacked


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bundle("transformer", tmp_path_factory.mktemp("live") / "model")


def weight(live: dict[str, Any], name: str) -> torch.Tensor:
    """Read a weight as the engine does."""
    tensor = live["tensors"][live["tied"].get(name, name)]
    values = torch.tensor(live["arrays"][tensor["values"]]).float()
    if "scales" not in tensor:
        return values
    return values * torch.tensor(live["arrays"][tensor["scales"]])[:, None]


@pytest.mark.parametrize("precision", ["f32", "f16", "i8"])
def test_every_weight_of_the_model_can_be_read(bundle: Path, precision: Any) -> None:
    live = unpacked(Translator.load(bundle, engine="torch").live_model(precision=precision))
    state = Translator.load(bundle, engine="torch").model.state_dict()
    for name, expected in state.items():
        restored = weight(live, name)
        assert torch.equal(restored, store_weight(expected, precision).restore()), name
        # half of the last bit: relative for f16, of the largest number of a row for i8
        step = {"f32": 0.0, "f16": 2.0**-11, "i8": 0.5 / 127}[precision]
        assert (restored - expected).abs().max() <= (step + 1e-6) * expected.abs().max(), name


def test_tied_weights_are_stored_once(bundle: Path) -> None:
    live = unpacked(Translator.load(bundle, engine="torch").live_model())
    assert live["tied"] == {"embedding.weight": "encoder.embedding.weight"} | {
        "readout.weight": "encoder.embedding.weight"
    }
    assert "readout.weight" not in live["tensors"]


def test_the_header_describes_the_model(bundle: Path) -> None:
    live = unpacked(Translator.load(bundle, engine="torch").live_model())
    assert live["config"] == tiny_run("transformer").model.model_dump(mode="json")
    assert live["sha256"] == hashlib.sha256(b"".join(map(bytes, live["arrays"]))).hexdigest()
    names = [attention["name"] for attention in live["attentions"]]
    assert "decoder.blocks.1.cross_attention" in names
    assert {attention["kind"] for attention in live["attentions"]} == {"encoder", "self", "cross"}
    assert live["alignment_head"]["attention"] in names
    pieces = live["tokenizers"]["source"]["pieces"]
    assert [entry[2] for entry in pieces[:4]] == ["control", "control", "control", "unknown"]
    assert sum(entry[2] == "byte" for entry in pieces) == 256
    assert live["tokenizers"]["target"] is None


def test_the_tag_of_the_target_language_precedes_a_source(tmp_path: Path) -> None:
    path = make_bundle("bahdanau", tmp_path / "model", pairs=(("en", "fr"), ("en", "de")))
    live = unpacked(Translator.load(path, engine="torch").live_model(to="de"))
    (tag,) = live["tokenizers"]["source_tags"]
    assert live["tokenizers"]["source"]["pieces"][tag][0] == ">>de<<"
    with pytest.raises(ConfigError, match="several languages"):
        Translator.load(path, engine="torch").live_model()


def write(model: nn.Module, preset: str = "bahdanau", **options: Any) -> str:
    tokenizer = SentencePiece.train(LINES, size=300)
    config = tiny_run(preset).model.model_dump(mode="json")
    search = SearchOptions(3)
    return write_live_model(model, config, (tokenizer, tokenizer), search, **options)


class Cubed(Normalizer):
    equation = Equation("cubed", "α_s = e_s³ / Σ_j e_j³")

    def forward(self, scores: Any, visible: Any) -> NormalizedWeights:
        raise NotImplementedError


def test_a_model_that_is_too_large_is_refused() -> None:
    model = build_translation_model(tiny_run("bahdanau"), 300)
    with pytest.raises(ConfigError, match=r"the limit is 1,000.*precision \"i8\""):
        write(model, max_bytes=1000)


def test_a_mechanism_of_another_package_is_refused() -> None:
    model = build_translation_model(tiny_run("bahdanau"), 300)
    model.decoder.attention.normalizer = Cubed()
    with pytest.raises(ConfigError, match=r"no code for decoder.attention.normalizer, Cubed"):
        write(model)


def test_a_weight_beyond_half_precision_is_refused() -> None:
    model = build_translation_model(tiny_run("bahdanau"), 300)
    with torch.no_grad():
        model.readout.bias[0] = 1e6
    with pytest.raises(ConfigError, match=r"readout.bias is not finite in f16"):
        write(model)
    write(model, precision="f32")


def test_an_encoder_of_images_is_refused() -> None:
    model = tiny_run("caption-soft").model.build(VocabularySizes(300, 300))
    with pytest.raises(ConfigError, match="ImageEncoder"):
        write(model, "caption-soft")
