"""Configs: presets, run files, overrides and error messages."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from regard.config.describe import describe_run
from regard.config.load import dump_config, load_config, parse_config, presets, validate_config
from regard.config.model import VocabularySizes
from regard.config.run import (
    AdamConfig,
    ConstantConfig,
    InverseSqrtConfig,
    LinearConfig,
    PerformanceConfig,
    ScheduleConfig,
    TrainConfig,
)
from regard.errors import ConfigError
from regard.train.settings import (
    Adam,
    Constant,
    InverseSqrt,
    Linear,
    Performance,
    Schedule,
    TrainerSettings,
)
from tests.config_grammar import MODELS, build, runs
from tests.tiny_models import tiny_run


def error_message(*overrides: str, preset: str = "bahdanau") -> str:
    with pytest.raises(ConfigError) as caught:
        load_config(preset, overrides).model.build(VocabularySizes(20, 30))
    return str(caught.value)


def test_an_override_changes_one_setting() -> None:
    run = load_config("bahdanau", ["model.decoder.dim=7"])
    assert run.model.decoder.dim == 7
    assert run.model.encoder == load_config("bahdanau").model.encoder


def test_an_override_of_the_span_keeps_the_score() -> None:
    decoder = load_config("bahdanau", ["model.decoder.attention.span.kind=last"]).model.decoder
    assert decoder.attention.span.kind == "last"
    assert decoder.attention.score == load_config("bahdanau").model.decoder.attention.score


def test_another_subword_model_keeps_the_other_settings_of_data(tmp_path: Path) -> None:
    run = load_config("translate-big", ["data.subword_model=bpe"])
    assert (run.data.subword_model, run.data.vocabulary) == ("bpe", 32_000)
    path = tmp_path / "run.yaml"
    path.write_text("extends: translate-big\ndata: {subword_model: bpe}\n")
    assert load_config(path).data == run.data


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("model.decodr.dim=3", ["model.decodr is not a setting", '"decoder"']),
        ("model.decoder.attention.scoer.kind=dot", ["attention.scoer", '"score"']),
        ("model.decoder.attention.score.kind=aditive", ['score.kind cannot be "aditive"', '"add']),
        ("model.decoder.dim=many", ["model.decoder.dim must be a whole number", "'many'"]),
        ("data.vocabulary=100001", ["data.vocabulary must be at most 100000"]),
        ("model.decoder.dim=-1", ["model.decoder.dim must be greater than 0"]),
        ("model.decoder.attention.dropout=1", ["attention.dropout must be less than 1"]),
        ("model.encoder.bidirectional=2", ["encoder.bidirectional must be true or false"]),
        ("model.encoder.reverse=true", ["model.encoder.reverse", "bidirectional"]),
        ("data.dedupe=all", ["data.dedupe must be 'none', 'exact' or 'near', not 'all'"]),
        ("data.train=[{files: [a], wieght: 2}]", ["data.train.0.wieght", '"weight"']),
        ("data.train=[{files: [a], weight: heavy}]", ["data.train.0.weight must be a number"]),
        ("train.optimizer.betas=[0.9]", ["train.optimizer.betas.1 is missing"]),
        ("model=3", ["model must be a mapping, not 3"]),
        ("model.decoder", ["a.b=value"]),
        ("model.decoder.dim.more=1", ["dim is a value"]),
        ("modle.embedding_dim=3", ["modle is not a setting", '"model"']),
        ("train.optimizer.rat=3", ['train.optimizer.rat is not a setting. Did you mean "rate"?']),
    ],
)
def test_an_error_names_the_setting_and_the_nearest_name(override: str, words: list[str]) -> None:
    message = error_message(override)
    assert all(word in message for word in words), message


def test_a_model_that_cannot_be_built_is_explained() -> None:
    assert "bilinear" in error_message("model.decoder.attention.score.kind=dot")
    assert "joint vocabulary" in error_message(preset="transformer")
    assert "embedding_dim" in error_message("model.embedding_dim=100", preset="lm-transformer")
    for score in ("heads: 5", "heads: 5, dim: 10"):
        assert "into 5 heads" in error_message(
            f"model.decoder.self_attention.score={{kind: scaled-dot, {score}}}",
            preset="lm-transformer",
        )
    assert "at most 65536" in error_message("model.decoder.dim=1000000000000")
    assert "tie_embeddings" in error_message(
        "model.tie_embeddings=output", "model.embedding_dim=8", preset="luong-dot"
    )


PAST = [
    ("lm-transformer", "model.decoder.self_attention"),
    ("lm-recurrent-attention", "model.decoder.attention"),
    ("lm-lstmn", "model.decoder.attention"),
    ("transformer", "model.decoder.self_attention"),
]


@pytest.mark.parametrize(("preset", "attention"), PAST)
def test_attention_to_a_decoders_past_is_causal(preset: str, attention: str) -> None:
    run = load_config(preset, [f"{attention}={{score: {{kind: scaled-dot}}}}"])
    spans = [use.attention.span.kind for use in run.model.attention_uses()]
    assert "causal" in spans
    for span in ("everywhere", "last", "local-monotone", "local-predictive"):
        message = error_message(f"{attention}.span.kind={span}", preset=preset)
        assert f"{attention}.span.kind must be 'causal', not '{span}'" in message


@pytest.mark.parametrize(
    ("preset", "attention"),
    [
        *PAST,
        ("transformer", "model.encoder.self_attention"),
        ("transformer", "model.decoder.cross_attention"),
        ("han", "model.encoder.pool"),
    ],
)
def test_hard_attention_is_refused_where_no_loss_trains_it(preset: str, attention: str) -> None:
    message = error_message(f"{attention}.normalizer.kind=hard", preset=preset)
    assert f'{attention}.normalizer.kind cannot be "hard". Valid names: softmax' in message


def test_a_learned_query_has_no_position() -> None:
    """With a causal span it would attend to the first word alone."""
    message = error_message("model.encoder.pool.span.kind=causal", preset="han")
    assert 'model.encoder.pool.span.kind cannot be "causal". Valid names: everywhere' in message


@pytest.mark.parametrize("side", ["encoder", "decoder"])
def test_learned_positions_must_suffice_for_the_data(side: str) -> None:
    learned = f"model.{side}.positions=learned", f"model.{side}.max_positions=100"
    load_config("transformer", [*learned, "data.max_length=99"])  # and the end
    message = error_message(*learned, "data.max_length=100", preset="transformer")
    assert f"101 positions, and model.{side} has 100" in message


def test_an_unknown_preset_suggests_the_nearest() -> None:
    assert '"bahdanau"' in error_message(preset="bahdanou")


def test_a_file_extends_a_preset(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text("extends: bahdanau\nmodel: {decoder: {attention: {span: {kind: last}}}}\n")
    expected = load_config("bahdanau", ["model.decoder.attention.span.kind=last"]).model
    assert load_config(path).model == expected


def test_a_part_of_another_kind_keeps_no_old_settings(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text("extends: bahdanau\nmodel: {decoder: {kind: plain, dim: 5}}\n")
    assert load_config(path).model.decoder.kind == "plain"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: &x [1]\nb: *x\n", "aliases"),
        ("a: " + "[" * 40 + "]" * 40, "nested"),
        ("- 1\n", "mapping"),
        ("a: [", "not valid YAML"),
        ("model: {kind: encoder-decoder}\n", "model.encoder is missing"),
        ("model: {}\n", "model.kind is missing"),
        ("#" * 300_000, "at most 262,144 characters"),
        ("a: !!bool maybe\n", "tags"),
        ("a: 2024-13-45\n", "a is not a setting"),  # text: YAML 1.2 has no dates
        ("train: {}\ntrain: {}\n", "not valid YAML: the key 'train' occurs twice"),
    ],
)
def test_a_malicious_or_broken_file_is_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "run.yaml"
    path.write_text(text)
    message = error_message(preset=str(path))
    assert words in message and "run.yaml" in message


def test_a_file_cannot_extend_itself(tmp_path: Path) -> None:
    one, two = tmp_path / "one.yaml", tmp_path / "two.yaml"
    one.write_text(f"extends: {two}\n")
    two.write_text(f"extends: {one}\n")
    assert f"{one} extends {two} extends {one}" in error_message(preset=str(one))


def test_an_unreadable_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_bytes(b"\xff\xfe\x00")
    assert "run.yaml: is not UTF-8" in error_message(preset=str(path))
    assert "neither a preset nor a file" in error_message(preset=str(tmp_path))
    assert "neither a preset nor a file" in error_message(preset="a\0b")
    assert "cannot be read" in error_message(preset="a" * 300)


def test_an_override_that_is_not_yaml_is_text() -> None:
    for text in ("2024-13-45", "a: b: c", "[1"):
        assert load_config("bahdanau", [f"description={text}"]).description == text
    assert "nested" in error_message(f"description={'[' * 2000}{']' * 2000}")


@pytest.mark.parametrize(
    "encoder",
    [
        "{kind: grid, features: 6, rows: 2, columns: 3, dim: 8}",
        "{kind: image, height: 512, width: 512, channels: [4, 4, 4, 4, 4, 4, 4, 4, 4]}",
        "{kind: transformer, dim: 620, hidden_dim: 9, positions: learned, max_positions: 2, "
        "self_attention: {score: {kind: dot}}}",
    ],
)
def test_encoders_of_all_inputs_are_described(encoder: str) -> None:
    run = load_config("bahdanau", [f"model.encoder={encoder}", "data.max_length=1"])
    assert describe_run(run, VocabularySizes(20, 30)).parameters["all"] > 0


@pytest.mark.parametrize("name", MODELS)
def test_every_config_is_described_or_refused(name: str) -> None:
    for run in list(runs(name))[::8]:
        try:
            assert describe_run(run, VocabularySizes(11, 11)).parameters["all"] > 0
        except ConfigError:
            assert build(run) is None


JUNK = [None, True, 0, 1, 3, -1, 10**6, 10**30, 1.5, float("nan"), "", "x", "3", "hard", "learned"]
JUNK += [[], [1], {}, {1: 2}, {"kind": "dot"}, {"kind": [1]}, {"kind": 3}, {"kind": None}]


@pytest.mark.parametrize("name", presets())
def test_damaged_settings_give_no_traceback(name: str) -> None:
    """Any setting replaced by any value: the run is described, or a ConfigError says why not."""
    draw, settings = random.Random(name), tiny_run(name).model_dump(mode="json")
    for path in paths(settings):
        damaged = replace_at(settings, path, draw.choice(JUNK))
        with suppress(ConfigError):
            describe_run(validate_config(damaged, name), VocabularySizes(11, 11))


def paths(settings: Any) -> list[tuple[Any, ...]]:
    if not isinstance(settings, dict):
        return [()]
    return [(), *((key, *rest) for key, value in settings.items() for rest in paths(value))]


def replace_at(settings: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    return settings | {path[0]: replace_at(settings[path[0]], path[1:], value)}


@pytest.mark.parametrize("name", presets())
def test_a_dumped_config_loads_as_the_same_config(tmp_path: Path, name: str) -> None:
    path = tmp_path / "run.yaml"
    path.write_text(dump_config(load_config(name)))
    assert load_config(path) == load_config(name)


@pytest.mark.parametrize(
    ("warmup", "steps", "expected"),
    [(0.125, 8_000, 1_000), (0.125, 1_000, 125), (300, 1_000, 300), (0, 9, 0)],
)
def test_a_warmup_below_one_is_a_share_of_the_steps(
    warmup: float, steps: int, expected: int
) -> None:
    run = load_config("translate-tiny", [f"train.schedule.warmup={warmup}", f"train.steps={steps}"])
    assert run.train.build().schedule.warmup == expected


def test_a_number_of_positions_without_learned_positions_is_refused() -> None:
    setting = "model.encoder.max_positions=512"
    with pytest.raises(ConfigError, match=r"model\.encoder\.max_positions: is the number of learn"):
        load_config("transformer", [setting])
    run = load_config("transformer", [setting, "model.encoder.positions=learned"])
    assert run.model.encoder.max_positions == 512
    old = dump_config(run).replace("positions: learned", "positions: sinusoidal")
    assert parse_config(old, "bundle").model.encoder.max_positions == 512


def test_every_training_setting_reaches_the_trainer() -> None:
    """Settings that differ from all defaults, so that one that is ignored would show."""
    config = TrainConfig(
        steps=70,
        seed=5,
        optimizer=AdamConfig(rate=0.3, betas=(0.5, 0.7), epsilon=0.1, weight_decay=0.2),
        schedule=LinearConfig(warmup=0.1),
        clip_norm=0.3,
        max_loss_rise=2.5,
        ema=0.9,
        average_checkpoints=3,
        metric="nll",
        validate_every=7,
        patience=4,
        save_every=8,
        parallel="fsdp",
        performance=PerformanceConfig(
            precision="bf16", attention="matmul", dropout="plain", loss="plain", allocator="plain"
        ),
    )
    built = config.build()
    assert built == TrainerSettings(
        steps=70,
        optimizer=Adam(0.3, (0.5, 0.7), 0.1, 0.2),
        schedule=Linear(7),
        metric="nll",
        higher_is_better=False,
        seed=5,
        clip=0.3,
        max_loss_rise=2.5,
        ema=0.9,
        average=3,
        validate_every=7,
        patience=4,
        save_every=8,
        parallel="fsdp",
        performance=Performance("bf16", "matmul", "plain", "plain", "plain"),
    )
    # a setting that is new, and the same here as by default, would not be compared
    default = TrainerSettings(1, Adam(1e-3), InverseSqrt(0), "bleu")
    for field in fields(TrainerSettings):
        assert getattr(built, field.name) != getattr(default, field.name), field.name


@pytest.mark.parametrize(
    ("config", "schedule"),
    [
        (ConstantConfig(warmup=3), Constant(3)),
        (InverseSqrtConfig(warmup=0.25), InverseSqrt(25)),
        (LinearConfig(), Linear(0)),
    ],
    ids=str,
)
def test_a_warmup_is_a_number_or_a_share_of_all_steps(
    config: ScheduleConfig, schedule: Schedule
) -> None:
    assert config.build(100) == schedule


@pytest.mark.parametrize("metric", ["bleu", "chrf", "nll", "exact", "perplexity", "accuracy", "f1"])
def test_only_nll_and_perplexity_are_better_if_lower(metric: Any) -> None:
    higher = TrainConfig(metric=metric).build().higher_is_better
    assert higher == (metric not in ("nll", "perplexity"))
