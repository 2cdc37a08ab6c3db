"""Translations with changed attention are the same in PyTorch and in the engine of the viewer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from benchmarks.node_engine import NodeEngine
from regard.batch import pad
from regard.errors import ConfigError, CorpusError
from regard.explain.changes import ChangedModel, Changes, FixedWeights, HeadName, search_changed
from regard.inference.engine import SearchOptions
from regard.inference.forced_decoding import cross_attention_names, watch
from regard.inference.torch_engine import TorchEngine
from regard.models import eval_mode
from regard.tasks.translation.translator import Translator
from regard.text.tokenizer import BOS
from tests.bundles import make_bundle
from tests.live.models import SOURCE, TARGET, live_text, preset_model, random_sources
from tests.tiny_models import TRANSLATORS, tiny_run

EXACT = 2e-5
ATTENTIVE = [name for name in TRANSLATORS if name not in ("sutskever", "cho")]
SELF, CROSS = "decoder.blocks.0.self_attention", "decoder.blocks.1.cross_attention"
ENCODER = "encoder.blocks.0.self_attention"


def row(*weights: float, length: int = len(SOURCE)) -> tuple[float, ...]:
    return (*weights, *[0.0] * (length - len(weights)))


TRANSFORMER_CHANGES = {
    "fixed, one head": Changes(fixed=(FixedWeights(CROSS, 1, row(0.0, 0.25, 0.75), 1),)),
    "self-attention fixed": Changes(fixed=(FixedWeights(SELF, 2, (0.0, 0.5, 0.5)),)),
    "encoder fixed": Changes(fixed=(FixedWeights(ENCODER, 3, row(1.0), 0),)),
    "heads off": Changes(off=(HeadName(CROSS, 0), HeadName(SELF, 1), HeadName(ENCODER, 0))),
    "uniform": Changes(uniform=(SELF, ENCODER)),
    "off before fixed": Changes(
        off=(HeadName(CROSS, 1),), fixed=(FixedWeights(CROSS, 0, row(1.0)),)
    ),
}


def cross_changes(preset: str) -> dict[str, Changes]:
    """Changes of every kind for the last attention to the source."""
    name = cross_attention_names(preset_model(preset))[-1]
    return {
        "hidden": Changes(hidden=(0, 3)),
        "all hidden": Changes(hidden=tuple(range(len(SOURCE)))),
        "temperature": Changes(temperature=0.3),
        "uniform": Changes(uniform=(name,)),
        "uniform and hidden": Changes(uniform=(name,), hidden=(1,)),
        "fixed": Changes(fixed=(FixedWeights(name, 2, row(0.1, 0.2, 0.7)),)),
        "off": Changes(off=(HeadName(name, 0),)),
        "everything": Changes(
            hidden=(2,),
            fixed=(FixedWeights(name, 0, row(0.0, 1.0)), FixedWeights(name, 4, row(1.0))),
            temperature=2.0,
        ),
    }


@torch.inference_mode()
def force(model: Any, changes: Changes) -> tuple[Tensor, dict[str, Tensor]]:
    """Log-probabilities of TARGET from SOURCE step by step, and the weights of all attentions."""
    changed = ChangedModel(model, changes)
    with eval_mode(model), watch(model) as recording:
        state = changed.start(pad([SOURCE]))
        logps = []
        for token in (BOS, *TARGET):
            logits, state = changed.step(torch.tensor([token]), state)
            logps.append(logits[0].log_softmax(dim=-1))
    return torch.stack(logps), {name: recording[name][0] for name in recording.names}


def check(engine: NodeEngine, preset: str, changes: Changes) -> None:
    """Compare a forced decoding, and greedy and beam translations."""
    model = preset_model(preset)
    engine.load(live_text(model, tiny_run(preset)))
    logps, weights = force(model, changes)
    traced = engine.trace(SOURCE, TARGET, changes)
    assert (traced.logps - logps).abs().max() < EXACT * logps.abs().max()
    for name, expected in weights.items():
        assert (traced.attentions[name].weights - expected).abs().max() < EXACT, name
    for size in (1, 4):
        best = search_changed(model, SOURCE[:-1], changes, SearchOptions(size, 1.0))[0]
        (answer,) = (
            engine.greedy([SOURCE], changes)
            if size == 1
            else engine.beam([SOURCE], size, 1.0, changes)
        )
        assert tuple(answer["ids"]) == best.tokens
        assert answer["logps"] == pytest.approx(best.logps, abs=1e-4)


@pytest.mark.parametrize("preset", ["bahdanau", "sparse", "luong-local-p", "transformer"])
@pytest.mark.parametrize("name", cross_changes("bahdanau"))
def test_changes_of_attention_to_the_source(engine: NodeEngine, preset: str, name: str) -> None:
    check(engine, preset, cross_changes(preset)[name])


@pytest.mark.parametrize("name", TRANSFORMER_CHANGES)
def test_changes_of_all_attentions_of_a_transformer(engine: NodeEngine, name: str) -> None:
    check(engine, "transformer", TRANSFORMER_CHANGES[name])


@pytest.mark.parametrize("preset", ATTENTIVE)
def test_a_hidden_position_has_no_weight_in_any_search(engine: NodeEngine, preset: str) -> None:
    changes = Changes(hidden=(1,))
    check(engine, preset, changes)
    _, weights = force(preset_model(preset), changes)
    for name in cross_attention_names(preset_model(preset)):
        assert weights[name][..., 1].abs().max() == 0


def test_without_changes_the_search_is_that_of_the_engine_of_pytorch() -> None:
    model = preset_model("transformer")
    for source in random_sources(3):
        for size in (1, 3):
            options = SearchOptions(size, 0.6)
            (expected,) = TorchEngine(model).search([source[:-1]], options)
            same = search_changed(model, source[:-1], Changes(), options)
            assert [best.tokens for best in same] == [best.tokens for best in expected]


def test_a_change_of_one_step_has_no_effect_on_the_steps_before_it() -> None:
    model = preset_model("bahdanau")
    changes = Changes(
        fixed=(FixedWeights("decoder.attention", 3, row(0.0, 0.0, 0.0, 0.0, 0.0, 1.0)),)
    )
    (plain, _), (changed, weights) = force(model, Changes()), force(model, changes)
    assert torch.equal(changed[:3], plain[:3])
    assert not torch.equal(changed[3], plain[3])
    assert weights["decoder.attention"][0, 3].tolist() == list(changes.fixed[0].weights)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (Changes(uniform=("decoder.other",)), "no attention is named decoder.other"),
        (Changes(off=(HeadName("decoder.attention", 1),)), "decoder.attention has 1 heads"),
        (Changes(hidden=(9,)), "the source has 9 positions"),
        (Changes(temperature=0.0), "must be more than 0"),
        (
            Changes(fixed=(FixedWeights("decoder.attention", 0, (1.0,)),)),
            "attends to 9 positions at step 0, not 1",
        ),
    ],
)
def test_changes_that_do_not_fit_are_refused(
    engine: NodeEngine, changes: Changes, message: str
) -> None:
    model = preset_model("bahdanau")
    with pytest.raises(ConfigError, match=message):
        search_changed(model, SOURCE[:-1], changes, SearchOptions(1, 1.0))
    engine.load(live_text(model, tiny_run("bahdanau")))
    words = message.removeprefix("no ").split(",")[0]
    with pytest.raises(RuntimeError, match=words):
        engine.greedy([SOURCE], changes)


def test_a_translator_translates_with_changes(tmp_path: Path) -> None:
    path = make_bundle("bahdanau", tmp_path / "model")
    translator = Translator.load(path, engine="torch")
    text = "A dog runs."
    unchanged = translator.explain(text, changes=Changes())
    assert unchanged.target.raw == translator.translate([text])[0].text
    assert unchanged.interventions == ()
    name = unchanged.trace.attentions[-1].name
    positions = len(unchanged.source.labels)
    fixed = FixedWeights(name, 1, (1.0, *[0.0] * (positions - 1)))
    changed = translator.explain(text, changes=Changes(hidden=(0,), fixed=(fixed,)))
    weights = changed.attention(name).weights[0]
    assert weights[1].tolist() == list(fixed.weights)  # the trace has the changed weights too
    assert float(weights[0, 0]) == 0.0 and float(weights[2:, 0].sum()) == 0.0
    with pytest.raises(CorpusError, match="is empty"):
        translator.explain(" ", changes=Changes())
