"""Reading a run: presets, files, overrides, and errors that name the path and the nearest name."""

from __future__ import annotations

from pathlib import Path

import pytest

from regard.config.load import dump_config, load_config, presets
from regard.config.model import VocabularySizes
from regard.errors import ConfigError


def refused(*overrides: str, preset: str = "bahdanau") -> str:
    with pytest.raises(ConfigError) as caught:
        load_config(preset, overrides).model.build(VocabularySizes(20, 30))
    return str(caught.value)


def test_an_override_changes_one_setting() -> None:
    run = load_config("bahdanau", ["model.decoder.dim=7"])
    assert run.model.decoder.dim == 7
    assert run.model.encoder == load_config("bahdanau").model.encoder


def test_one_word_makes_the_bottleneck() -> None:
    run = load_config("bahdanau", ["model.decoder.attention.span.kind=last"])
    assert run.model.decoder.attention.span.kind == "last"
    assert (
        run.model.decoder.attention.score == load_config("bahdanau").model.decoder.attention.score
    )


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("model.decodr.dim=3", ["model.decodr: no such setting", "'decoder'"]),
        ("model.decoder.attention.scoer.kind=dot", ["attention.scoer", "'score'"]),
        ("model.decoder.attention.score.kind=aditive", ["score.kind: no 'aditive'", "'additive'"]),
        ("model.decoder.dim=many", ["model.decoder.dim", "integer", "'many'"]),
        ("data.vocabulary=100001", ["data.vocabulary", "less than or equal to 100000"]),
        ("model.decoder.dim=-1", ["model.decoder.dim", "greater than 0"]),
        ("model.decoder.attention.dropout=1", ["attention.dropout", "less than 1"]),
        ("model.decoder", ["a.b=value"]),
        ("model.decoder.dim.more=1", ["dim holds a value"]),
        ("modle.embedding=3", ["modle: no such setting", "'model'"]),
    ],
)
def test_a_mistake_is_answered_with_its_path_and_the_nearest_name(override, words) -> None:
    message = refused(override)
    assert all(word in message for word in words), message


def test_what_cannot_be_built_says_why_and_what_to_do() -> None:
    assert "bilinear" in refused("model.decoder.attention.score.kind=dot")
    assert "joint vocabulary" in refused(preset="transformer")
    assert "as wide as the model" in refused("model.embedding_dim=100", preset="lm-transformer")
    assert "by 5 heads" in refused(
        "model.decoder.self_attention.score.heads=5", preset="lm-transformer"
    )
    assert "make them equal" in refused(
        "model.tie_embeddings=output", "model.embedding_dim=8", preset="luong-dot"
    )


def test_an_unknown_preset_is_answered_with_the_nearest() -> None:
    assert "'bahdanau'" in refused(preset="bahdanou")


def test_a_file_extends_a_preset_and_comes_on_top(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text("extends: bahdanau\nmodel: {decoder: {attention: {span: {kind: last}}}}\n")
    want = load_config("bahdanau", ["model.decoder.attention.span.kind=last"]).model
    assert load_config(path).model == want


def test_where_the_kind_changes_nothing_of_the_old_part_stays(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text("extends: bahdanau\nmodel: {decoder: {kind: plain, dim: 5}}\n")
    assert load_config(path).model.decoder.kind == "plain"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: &x [1]\nb: *x\n", "aliases"),
        ("a: " + "[" * 40 + "]" * 40, "nested"),
        ("- 1\n", "mapping"),
        ("a: [", "not YAML"),
        ("model: {kind: encoder-decoder}\n", "model.encoder: is missing"),
        ("model: {}\n", "say which `kind`"),
        ("#" * 300_000, "larger than"),
    ],
)
def test_a_hostile_or_broken_file_is_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "run.yaml"
    path.write_text(text)
    message = refused(preset=str(path))
    assert words in message and "run.yaml" in message


@pytest.mark.parametrize("name", presets())
def test_a_written_run_reads_back_the_same(tmp_path: Path, name: str) -> None:
    path = tmp_path / "run.yaml"
    path.write_text(dump_config(load_config(name)))
    assert load_config(path) == load_config(name)
