"""The record of an explanation: its numbers hold together, and nothing is lost in writing."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import Result
from torch import nn
from typer.testing import CliRunner

import regard
from regard.align.links import Links
from regard.attention import Attention
from regard.attention.scores import merge_heads
from regard.batch import pad
from regard.cli.main import app
from regard.config.load import load_config
from regard.errors import ConfigError, CorpusError
from regard.explain.forward_trace import trace_forward
from regard.explain.record import FORMAT
from regard.inference.engine import SearchOptions
from regard.inference.forced_decoding import force_decode
from regard.inference.pipeline import Splitting
from regard.tasks.translation.translator import Translator, build_translation_model
from regard.text.tokenizer import EOS, SentencePiece
from tests.bundles import LINES, sealed
from tests.unpacked_record import unpacked

PRESETS = (
    "transformer",
    "bahdanau",
    "luong-dot",
    "luong-general",
    "luong-local-m",
    "sparse",
    "cho",
)
SOURCE, TARGET = "A man sees two dogs.", "Two cats run away. Go!"


@pytest.fixture(scope="module")
def translators(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Translator]:
    folder = tmp_path_factory.mktemp("sealed")
    presets = (*PRESETS, "luong-local-p", "sutskever")
    return {name: regard.load(sealed(name, folder / name / "model")) for name in presets}


@pytest.mark.parametrize("preset", PRESETS)
def test_the_numbers_of_a_walk_hold_together(translators, preset: str) -> None:
    explanation = translators[preset].explain(SOURCE, TARGET)
    walk = explanation.trace.head_trace
    assert walk is not None
    if walk.energy is None:
        scores = walk.scale * walk.queries @ walk.keys.mT
    else:
        scores = (walk.queries[:, None] + walk.keys).tanh() @ walk.energy
    seen = walk.scores.isfinite()
    torch.testing.assert_close(walk.scores[seen], scores[seen], atol=1e-5, rtol=0)
    torch.testing.assert_close(walk.contexts, walk.weights @ walk.values, atol=1e-6, rtol=0)
    assert (walk.weights[~seen] == 0).all()
    for look in explanation.trace.attentions:
        torch.testing.assert_close(
            look.weights.sum(dim=-1), torch.ones(look.weights.shape[:2]), atol=1e-6, rtol=0
        )


@pytest.mark.parametrize("preset", [*PRESETS, "luong-local-p"])
def test_what_is_walked_through_is_what_the_model_took(translators, preset: str) -> None:
    translator, contexts = translators[preset], []
    name = translator.alignment_head.look
    attention = translator.model.get_submodule(name)
    assert isinstance(attention, Attention)
    source, target = translator.tokenizer.encode([SOURCE, TARGET])
    for head in range(attention.score.heads):
        heard: list[torch.Tensor] = []
        with attention.record(lambda glance, heard=heard: heard.append(glance.context[0])):
            read = trace_forward(
                translator.model,
                pad([[*source, EOS]]),
                target,
                translator.tokenizer.piece,
                attention=name,
                head=head,
            )
        contexts.append(read.head_trace.contexts)
    merged = merge_heads(torch.stack(contexts)[None])[0]
    torch.testing.assert_close(attention.to_context(merged), torch.cat(heard), atol=1e-5, rtol=0)


@pytest.mark.parametrize("preset", [*PRESETS, "luong-local-p", "sutskever"])
def test_a_record_is_a_forced_reading_of_what_was_said(translators, preset: str) -> None:
    translator = translators[preset]
    for source in LINES:
        explanation = translator.explain(source)
        ids = translator.tokenizer.encode([source])[0], explanation.target.pieces.ids
        (read,) = force_decode(translator.model, [ids])
        assert [step.logp for step in explanation.trace.steps] == pytest.approx(
            read.logps, abs=1e-5
        )
        for name, weights in read.attention.items():
            torch.testing.assert_close(
                explanation.look(name).weights, weights, atol=1e-6, rtol=1e-5
            )
        assert explanation.target.raw == translator.translate([source])[0].text


@pytest.mark.parametrize("preset", [*PRESETS, "luong-local-p", "sutskever"])
def test_what_is_written_is_what_was_recorded(translators, preset: str) -> None:
    explanation = translators[preset].explain(SOURCE, TARGET, gold=Links({(0, 0)}))
    told = unpacked(explanation.to_json())
    arrays = told["arrays"]
    assert told["format"] == FORMAT and told["gold"] == [[0, 0]]
    assert told["source"]["text"] == SOURCE and told["target"]["text"] == TARGET
    assert len(told["steps"]) == len(told["target"]["pieces"]) == len(explanation.trace.steps)
    for written, look in zip(told["looks"], explanation.trace.attentions, strict=True):
        weights = arrays[written["weights"]]
        assert np.abs(weights / 65535 - look.weights.numpy()).max() < 1.6e-5
        if preset != "luong-local-p":
            assert (weights.sum(axis=-1, dtype=np.int64) == 65535).all()
    if explanation.trace.head_trace is None:
        assert preset == "sutskever" and told["walk"] is None
        assert arrays[told["summary"]].shape == explanation.summary.shape
        return
    for name in ("queries", "keys", "values", "scores", "weights", "contexts"):
        kept = getattr(explanation.trace.head_trace, name).numpy()
        assert (arrays[told["walk"][name]] == kept).all()


def test_all_attentions_of_a_model_are_told_with_their_equations(translators) -> None:
    looks = translators["transformer"].explain(SOURCE, TARGET).read.looks
    assert {(look.kind, look.layer) for look in looks} == {
        (kind, layer) for kind in ("source", "past", "reading") for layer in (0, 1)
    }
    assert looks[0].score.name == "scaled-dot" and "√d" in looks[0].score.formula
    (look,) = translators["bahdanau"].explain(SOURCE, TARGET).read.looks
    assert (look.score.name, look.span.name, look.normalizer.name) == (
        "additive",
        "everywhere",
        "softmax",
    )


def test_another_head_can_be_walked_through(translators) -> None:
    translator = translators["transformer"]
    walk = translator.explain(
        SOURCE, TARGET, look="decoder.blocks.1.cross_attention", head=1
    ).read.walk
    assert (walk.look, walk.head) == ("decoder.blocks.1.cross_attention", 1)
    with pytest.raises(ConfigError, match="no look 'encoder' while it speaks"):
        translator.explain(SOURCE, look="encoder")
    with pytest.raises(ConfigError, match="head: there are 2, from 0 on, and not 2"):
        translator.explain(SOURCE, look="decoder.blocks.1.cross_attention", head=2)


def test_what_cannot_be_explained_as_one_is_refused(translators) -> None:
    with pytest.raises(CorpusError, match="source: says nothing"):
        translators["transformer"].explain("  ")
    with pytest.raises(CorpusError, match=r"in \d+ stretches.*'A dog runs\.'"):
        translators["transformer"].explain("A dog runs. " * 40)


def test_an_explanation_is_saved_as_its_name_ends(translators, tmp_path: Path) -> None:
    explanation = translators["bahdanau"].explain(SOURCE, TARGET)
    for name in ("x.html", "x.svg", "x.json"):
        explanation.save(tmp_path / name)
    assert "<regard-view>" in (tmp_path / "x.html").read_text("utf-8")
    assert json.loads((tmp_path / "x.json").read_text("utf-8"))["format"] == FORMAT
    assert (tmp_path / "x.svg").read_text("utf-8").startswith("<svg")
    with pytest.raises(ConfigError, match=r"x\.txt: is saved as \.html"):
        explanation.save(tmp_path / "x.txt")
    assert "srcdoc" in explanation._repr_html_()


def test_a_model_that_looks_at_nothing_has_no_matrix_but_a_page(translators) -> None:
    explanation = translators["sutskever"].explain(SOURCE, TARGET)
    with pytest.raises(ConfigError, match="look: the model looks at nothing"):
        explanation.heatmap()
    assert "<regard-view>" in explanation.to_html()


def test_a_matrix_says_which_look_it_shows(translators) -> None:
    explanation = translators["transformer"].explain(SOURCE, TARGET)
    first = explanation.matrix()
    assert first.note.startswith("layer 1 of 2, head 1 of 2, each word as it looked when it was")
    assert first.weights.shape == (len(explanation.target.words), len(explanation.source.words) + 1)
    mean = explanation.matrix("decoder.blocks.1.cross_attention", shift=1, pieces=True)
    assert mean.note == "layer 2 of 2, mean of 2 heads, each word as it looked " + (
        "a step later, when it was read in"
    )
    weights = explanation.look("decoder.blocks.1.cross_attention").weights
    torch.testing.assert_close(mean.weights, weights.mean(dim=0)[1:])


def test_links_by_hand_must_link_words_that_there_are(translators) -> None:
    with pytest.raises(CorpusError, match="gold: links word 9 with 0"):
        translators["bahdanau"].explain(SOURCE, TARGET, gold=Links({(9, 0)}))


def test_the_command_explains_in_the_terminal_and_in_files(tmp_path: Path) -> None:
    one, other = (sealed(name, tmp_path / name / "model") for name in ("bahdanau", "sutskever"))

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(app, ["explain", *arguments])

    shown = run(str(one), "A dog runs.", "--target", "Two cats run.")
    assert shown.exit_code == 0 and "Two cats run." in shown.stdout and "dog" in shown.stdout
    page = tmp_path / "two.html"
    assert run(str(one), str(other), "A dog runs.", "-o", str(page)).exit_code == 0
    assert page.read_text("utf-8").count('<script type="application/json">') == 2
    assert run(str(one)).exit_code == 2
    assert run(str(one), str(other), "A dog runs.").exit_code == 2
    assert run(str(one), "A dog runs.", "--open").exit_code == 2


def test_forty_words_and_all_heads_of_a_base_model_stay_small() -> None:
    torch.manual_seed(0)
    pieces = SentencePiece.train(LINES, size=300)
    model = build_translation_model(load_config("transformer"), pieces.size)
    for parameter in model.parameters():
        if parameter.dim() > 1:
            nn.init.normal_(parameter, std=0.02)  # weights almost even: what packs worst
    translator = Translator(model, pieces, Splitting(50, 100), SearchOptions(1))
    said = pieces.decode(pieces.encode([" ".join(LINES * 3)])[0][:39])
    explanation = translator.explain(said, said)
    assert explanation.attention("decoder.blocks.5.cross_attention").weights.shape == (8, 40, 40)
    assert len(explanation.trace.attentions) == 18
    assert len(explanation.to_json().encode()) <= 800_000
