"""The record of an explanation: its numbers are consistent, and JSON keeps them."""

from __future__ import annotations

import json
from io import StringIO
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import Result
from rich.console import Console
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
from regard.explain.record import FORMAT, Explanation
from regard.inference.engine import SearchOptions, Splitting
from regard.inference.forced_decoding import force_decode
from regard.tasks.language.completer import load_completer
from regard.tasks.translation.loading import build_translation_model
from regard.tasks.translation.translator import Translator
from regard.text.tokenizer import EOS, SentencePiece
from tests.bundles import LINES, make_bundle, make_language_bundle
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
    folder = tmp_path_factory.mktemp("bundles")
    presets = (*PRESETS, "luong-local-p", "sutskever")
    return {name: regard.load(make_bundle(name, folder / name / "model")) for name in presets}


@pytest.mark.parametrize("preset", PRESETS)
def test_head_trace_is_consistent(translators, preset: str) -> None:
    explanation = translators[preset].explain(SOURCE, TARGET)
    trace = explanation.trace.head_trace
    assert trace is not None and trace.terms is not None
    if trace.terms.energy is None:
        scores = trace.terms.scale * trace.terms.queries @ trace.terms.keys.mT
    else:
        scores = (trace.terms.queries[:, None] + trace.terms.keys).tanh() @ trace.terms.energy
    visible = trace.scores.isfinite()
    torch.testing.assert_close(trace.scores[visible], scores[visible], atol=1e-5, rtol=0)
    torch.testing.assert_close(trace.contexts, trace.weights @ trace.values, atol=1e-6, rtol=0)
    assert (trace.weights[~visible] == 0).all()
    for attention in explanation.trace.attentions:
        sums = attention.weights.sum(dim=-1)
        torch.testing.assert_close(sums, torch.ones_like(sums), atol=1e-6, rtol=0)


@pytest.mark.parametrize("preset", [*PRESETS, "luong-local-p"])
def test_traced_contexts_are_the_models_contexts(translators, preset: str) -> None:
    translator, contexts = translators[preset], []
    name = translator.alignment_head.attention
    attention = translator.model.get_submodule(name)
    assert isinstance(attention, Attention)
    source, target = translator.tokenizer.encode([SOURCE, TARGET])
    for head in range(attention.score.heads):
        recorded: list[torch.Tensor] = []
        with attention.record(lambda output, to=recorded: to.append(output.context[0])):
            trace = trace_forward(
                translator.model,
                pad([[*source, EOS]]),
                target,
                translator.tokenizer.piece,
                attention=name,
                head=head,
            )
        contexts.append(trace.head_trace.contexts)
    merged = merge_heads(torch.stack(contexts)[None])[0]
    torch.testing.assert_close(attention.to_context(merged), torch.cat(recorded), atol=1e-5, rtol=0)


@pytest.mark.parametrize("preset", [*PRESETS, "luong-local-p", "sutskever"])
def test_record_is_a_forced_decoding_of_the_target(translators, preset: str) -> None:
    translator = translators[preset]
    for source in LINES:
        explanation = translator.explain(source)
        ids = translator.tokenizer.encode([source])[0], explanation.target.pieces.ids
        (forced,) = force_decode(translator.model, [ids])
        assert [step.logp for step in explanation.trace.steps] == pytest.approx(
            forced.logps, abs=1e-5
        )
        for name, weights in forced.attention.items():
            torch.testing.assert_close(
                explanation.attention(name).weights, weights, atol=1e-6, rtol=1e-5
            )
        assert explanation.target.raw == translator.translate([source])[0].text


@pytest.mark.parametrize("preset", [*PRESETS, "luong-local-p", "sutskever"])
def test_json_keeps_the_recorded_numbers(translators, preset: str) -> None:
    explanation = translators[preset].explain(SOURCE, TARGET, gold=Links({(0, 0)}))
    record = unpacked(explanation.to_json())
    arrays = record["arrays"]
    assert record["format"] == FORMAT and record["gold"] == [[0, 0]]
    assert record["source"]["text"] == SOURCE and record["target"]["text"] == TARGET
    assert len(record["steps"]) == len(record["target"]["pieces"]) == len(explanation.trace.steps)
    for written, attention in zip(record["attentions"], explanation.trace.attentions, strict=True):
        weights = arrays[written["weights"]]
        assert np.abs(weights / 65535 - attention.weights.numpy()).max() < 1.6e-5
        assert written["prior"] == ("gaussian" if preset == "luong-local-p" else None)
        if preset != "luong-local-p":
            assert (weights.sum(axis=-1, dtype=np.int64) == 65535).all()
    if explanation.trace.head_trace is None:
        assert preset == "sutskever" and record["head_trace"] is None
        assert arrays[record["summary"]].shape == explanation.summary.shape
        states = {name: arrays[index] for name, index in record["states"].items()}
        assert states["encoder"].shape[0] == len(record["source"]["pieces"])
        assert states["decoder"].shape[0] == len(record["steps"])
        np.testing.assert_allclose(states["encoder"], explanation.encoder_states, atol=1e-3)
        np.testing.assert_allclose(states["decoder"], explanation.trace.decoder_states, atol=1e-3)
        return
    assert record["states"] is None
    for name in ("queries", "keys", "values", "scores", "weights", "contexts"):
        trace = explanation.trace.head_trace
        expected = getattr(trace if hasattr(trace, name) else trace.terms, name).numpy()
        assert (arrays[record["head_trace"][name]] == expected).all()


def test_record_has_all_attentions_with_their_equations(translators) -> None:
    attentions = translators["transformer"].explain(SOURCE, TARGET).trace.attentions
    assert {(each.kind, each.layer) for each in attentions} == {
        (kind, layer) for kind in ("cross", "self", "encoder") for layer in (0, 1)
    }
    assert attentions[0].score.name == "scaled-dot" and "√d" in attentions[0].score.formula
    (only,) = translators["bahdanau"].explain(SOURCE, TARGET).trace.attentions
    names = (only.score.name, only.span.name, only.normalizer.name)
    assert names == ("additive", "everywhere", "softmax")


def test_any_decoder_head_can_be_traced(translators) -> None:
    translator = translators["transformer"]
    name = "decoder.blocks.1.cross_attention"
    trace = translator.explain(SOURCE, TARGET, attention=name, head=1).trace.head_trace
    assert (trace.attention, trace.head) == (name, 1)
    with pytest.raises(ConfigError, match=f"^attention: .*'encoder'.*{name}"):
        translator.explain(SOURCE, attention="encoder")
    with pytest.raises(ConfigError, match=f"^head: {name} has the heads 1 to 2 .* Head 3 "):
        translator.explain(SOURCE, attention=name, head=2)


def test_source_must_be_one_segment(translators) -> None:
    with pytest.raises(CorpusError, match=r"^source: "):
        translators["transformer"].explain("  ")
    with pytest.raises(CorpusError, match=r"^source: .*\d+ .*'A dog runs\.'"):
        translators["transformer"].explain("A dog runs. " * 40)


def test_suffix_selects_the_saved_format(translators, tmp_path: Path) -> None:
    explanation = translators["bahdanau"].explain(SOURCE, TARGET)
    for name in ("x.html", "x.svg", "x.json"):
        explanation.save(tmp_path / name)
    assert "<regard-view>" in (tmp_path / "x.html").read_text("utf-8")
    assert json.loads((tmp_path / "x.json").read_text("utf-8"))["format"] == FORMAT
    assert (tmp_path / "x.svg").read_text("utf-8").startswith("<svg")
    with pytest.raises(ConfigError, match=r"x\.txt: .*\.html"):
        explanation.save(tmp_path / "x.txt")
    assert "srcdoc" in explanation._repr_html_()


def test_model_without_attention_has_a_page_but_no_matrix(translators) -> None:
    explanation = translators["sutskever"].explain(SOURCE, TARGET)
    with pytest.raises(ConfigError, match=r"^attention: .* no attention"):
        explanation.heatmap()
    assert "<regard-view>" in explanation.to_html()


@pytest.mark.parametrize("draw", ["attention", "coverage", "matrix", "heatmap"])
def test_a_name_or_head_that_is_missing_is_refused_with_those_there_are(
    translators, draw: str
) -> None:
    explanation = translators["transformer"].explain(SOURCE, TARGET)
    names = [record.name for record in explanation.trace.attentions]
    with pytest.raises(ConfigError, match=r"no attention is named foo\. Recorded: ") as refusal:
        getattr(explanation, draw)("foo", 0)
    assert all(name in str(refusal.value) for name in names)
    for head in (-1, 9):
        with pytest.raises(ConfigError, match=f"in Python from 0.. Head {head + 1} does not exist"):
            getattr(explanation, draw)(names[-1], head)


def test_the_representation_of_an_explanation_is_one_line(translators) -> None:
    text = repr(translators["bahdanau"].explain(SOURCE, TARGET))
    assert text.startswith(f"Explanation({SOURCE!r} → {TARGET!r}, attention: ")
    assert len(text.splitlines()) == 1


def test_matrix_note_identifies_the_attention(translators) -> None:
    explanation = translators["transformer"].explain(SOURCE, TARGET)
    default = explanation.matrix()
    assert default.note == "layer 1 of 2, head 1 of 2, at output; pieces joined to words"
    words = len(explanation.target.words), len(explanation.source.words) + 1
    assert default.weights.shape == words
    mean = explanation.matrix("decoder.blocks.1.cross_attention", shift=1, pieces=True)
    assert mean.note == "layer 2 of 2, mean of 2 heads, at next input (shifted by one)"
    weights = explanation.attention("decoder.blocks.1.cross_attention").weights
    torch.testing.assert_close(mean.weights, weights.mean(dim=0)[1:])


@pytest.mark.parametrize("suffix", ["", ".svg", ".png", ".html", ".json"])
def test_every_output_shows_the_selected_head(translators, tmp_path: Path, suffix: str) -> None:
    """The alignment head, which is shown by default, is head 0 of the first cross-attention."""
    if suffix == ".png":
        pytest.importorskip("cairosvg")
    translator, outputs = translators["transformer"], []
    attentions = [each.name for each in translator.explain(SOURCE, TARGET).trace.attentions]
    decoders = [name for name in attentions if name.startswith("decoder")]
    decoders.remove(translator.alignment_head.attention)
    for attention, head in [(None, None), (None, 1), *product(decoders, [None, 1])]:
        explanation = translator.explain(SOURCE, TARGET, attention=attention, head=head)
        outputs.append(output_of(explanation, tmp_path / f"out{suffix}"))
        if attention is not None or head is not None:
            traced = explanation.trace.head_trace
            assert traced is not None and traced.head == (head or 0)
            expected = explanation.matrix(traced.attention, traced.head).weights
            torch.testing.assert_close(explanation.matrix().weights, expected)
            assert f"head {traced.head + 1} of 2" in explanation.matrix().note
    assert len(set(outputs)) == len(outputs)


def output_of(explanation: Explanation, path: Path) -> bytes:
    if path.suffix:
        explanation.save(path)
        return path.read_bytes()
    console = Console(record=True, width=200, file=StringIO())
    console.print(explanation)
    return console.export_text().encode()


@pytest.mark.parametrize("suffix", ["", ".svg", ".json"])
def test_language_models_show_the_selected_head(tmp_path: Path, suffix: str) -> None:
    completer = load_completer(make_language_bundle(tmp_path / "model"))
    outputs = [
        output_of(completer.explain("A dog", " runs.", **selected), tmp_path / f"out{suffix}")
        for selected in ({}, {"head": 1}, {"attention": "decoder.blocks.0.self_attention"})
    ]
    assert len(set(outputs)) == 3


def test_a_head_of_a_model_without_attention_is_refused(translators) -> None:
    with pytest.raises(ConfigError, match="no attention"):
        translators["sutskever"].explain(SOURCE, TARGET, head=1)


def test_gold_links_must_be_within_the_texts(translators) -> None:
    with pytest.raises(CorpusError, match=r"^gold: .*9.*0"):
        translators["bahdanau"].explain(SOURCE, TARGET, gold=Links({(9, 0)}))


def test_command_prints_a_matrix_or_writes_files(tmp_path: Path) -> None:
    first, second = (
        make_bundle(name, tmp_path / name / "model") for name in ("bahdanau", "sutskever")
    )

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(app, ["explain", *arguments])

    shown = run(str(first), "A dog runs.", "--target", "Two cats run.")
    assert shown.exit_code == 0 and "Two cats run." in shown.stdout and "dog" in shown.stdout
    page = tmp_path / "two.html"
    assert run(str(first), str(second), "A dog runs.", "-o", str(page)).exit_code == 0
    text = page.read_text("utf-8")
    assert (
        text.count('{"format":"regard.explain/2"') == text.count('{"format":"regard.live/1"') == 2
    )
    assert run(str(first)).exit_code == 2
    assert run(str(first), str(second), "A dog runs.").exit_code == 2
    assert run(str(first), "A dog runs.", "--open").exit_code == 2


@pytest.mark.parametrize("suffix", [".html", ".json", ".svg", ".png"])
def test_a_text_with_a_lone_surrogate_can_be_saved(
    translators, tmp_path: Path, suffix: str
) -> None:
    """Bytes of an argument that are not UTF-8 become surrogates."""
    path = tmp_path / f"page{suffix}"
    translators["transformer"].explain("A \udc80 dog.", "A \udc80.").save(path)
    if suffix == ".json":
        assert json.loads(path.read_text("utf-8"))["source"]["text"] == "A \udc80 dog."


def test_an_explanation_replaces_no_image_and_needs_a_known_suffix(tmp_path: Path) -> None:
    image = tmp_path / "image.png"
    image.write_bytes(b"image")
    for out, cause in ((image, "input"), (tmp_path / "page.pdf", "suffix")):
        done = CliRunner().invoke(app, ["explain", "model", str(image), "-o", str(out)])
        assert done.exit_code == 2 and cause in done.output
    assert image.read_bytes() == b"image"


def test_record_of_forty_words_of_a_base_model_is_small() -> None:
    torch.manual_seed(0)
    pieces = SentencePiece.train(LINES, size=300)
    model = build_translation_model(load_config("transformer"), pieces.size)
    for parameter in model.parameters():
        if parameter.dim() > 1:
            nn.init.normal_(parameter, std=0.02)  # nearly uniform weights compress worst
    translator = Translator(model, pieces, Splitting(50, 100), SearchOptions(1))
    text = pieces.decode(pieces.encode([" ".join(LINES * 3)])[0][:39])
    explanation = translator.explain(text, text)
    assert explanation.attention("decoder.blocks.5.cross_attention").weights.shape == (8, 40, 40)
    assert len(explanation.trace.attentions) == 18
    assert len(explanation.to_json().encode()) <= 800_000
