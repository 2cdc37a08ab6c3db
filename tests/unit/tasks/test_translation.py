"""`regard train` with a translation model: from two text files to a model bundle."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from regard.bundle.bundle import MANIFEST, RUN, SCORES, WEIGHTS, open_bundle
from regard.bundle.parts import load_weights
from regard.config.data import DataConfig
from regard.config.load import load_config
from regard.data.loading.shards import PreparedData
from regard.errors import ArtifactError, ConfigError
from regard.evaluate.scores import score_corpus
from regard.tasks.training import RunDirectory
from regard.tasks.translation.pairs import Pairs, held_out_pairs
from regard.tasks.translation.task import TranslationModule
from regard.tasks.translation.translator import Translator
from regard.text.tokenizer import SentencePiece
from regard.train.loggers.jsonl import read_events
from tests.command import run_cli
from tests.plain_sizes import characters
from tests.toy_corpus import RECURRENT, TRANSFORMER, Toy, make_toy


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Toy:
    return make_toy(tmp_path_factory.mktemp("toy"))


@pytest.fixture(scope="module")
def trained(toy: Toy) -> RunDirectory:
    """A run of forty steps."""
    directory = toy.run_directory("trained")
    output = run_cli(
        toy.arguments(TRANSFORMER, directory, "train.steps=40", "train.validate_every=20")
    )
    assert output.splitlines()[-1] == str(directory.model)
    return directory


def test_a_bundle_has_all_files_and_scores(trained: RunDirectory) -> None:
    bundle = open_bundle(trained.model)
    others = {"splitting.json", "alignment.json", "aligner.safetensors", "quality.json"}
    others |= {"data.json", "README.md"}
    assert set(bundle.names) == {RUN, SCORES, WEIGHTS, "tokenizer.model", "tokenizer.json", *others}
    scores = json.loads(bundle.read(SCORES))
    assert scores["signatures"]["bleu"].startswith("nrefs:1|case:mixed|eff:no|tok:13a")
    assert load_config(trained.model / RUN) == load_config(trained.path / RUN)


def test_the_score_of_training_is_that_of_the_bundle(trained: RunDirectory, toy: Toy) -> None:
    """Search, text processing and metric are the same, so the scores are equal."""
    sources = (toy.folder / "valid.a").read_text().splitlines()
    outputs = [result.text for result in Translator.load(trained.model).translate(sources)]
    measured = score_corpus(outputs, (toy.folder / "valid.b").read_text().splitlines())
    saved = json.loads(open_bundle(trained.model).read(SCORES))["values"]
    assert measured.values == {name: saved[name] for name in measured.values}


def test_the_log_has_every_step_and_every_validation(trained: RunDirectory) -> None:
    events = list(read_events(trained.log))
    assert [e["step"] for e in events if e["event"] == "step_completed"] == list(range(1, 41))
    validated = [e for e in events if e["event"] == "validation_completed"]
    assert [e["step"] for e in validated] == [20, 40]
    sample = validated[0]["scores"]["samples"][0]
    assert sample["source"].split()[::-1] == sample["reference"].split()


def test_validation_samples_have_attention(trained: RunDirectory, toy: Toy) -> None:
    run, tokenizer = load_config(trained.path / RUN), SentencePiece.load(trained.data)
    valid = Pairs(("one two", "three"), ("two one", "three"))
    module = TranslationModule(run, PreparedData.open(str(trained.data)), tokenizer, valid).eval()
    with torch.no_grad():
        sample = module.validate().samples[0]
    attention = sample.attention[0]
    assert attention.name == "decoder.blocks.0.cross_attention"
    assert attention.weights.shape == (len(sample.output_pieces), len(sample.source_pieces))
    torch.testing.assert_close(attention.weights.sum(dim=1), torch.ones(attention.weights.size(0)))


def test_fine_tuning_starts_from_the_bundle_and_keeps_its_vocabulary(
    trained: RunDirectory, toy: Toy
) -> None:
    files = [str(toy.folder / name) for name in ("valid.a", "valid.b", "train.a", "train.b")]
    mine = RunDirectory(toy.folder / "mine")
    run_cli(
        [
            *("train", "--from", str(trained.model), "--source", files[0], "--target", files[1]),
            *("--mix", files[2], files[3], "--valid", files[0], files[1]),
            *("--out", str(mine.path), "--threads", "1", "--set", "train.steps=3"),
        ]
    )
    old, new = (SentencePiece.load(place.model) for place in (trained, mine))
    assert old.fingerprint == new.fingerprint
    run = load_config(mine.model / RUN)
    before, after = (load_file(place.model / WEIGHTS) for place in (trained, mine))
    assert before.keys() == after.keys()
    moved = max((after[name] - before[name]).abs().max().item() for name in before)
    assert 0 < moved <= 3 * run.train.optimizer.rate * 1.01  # Adam moves a weight by the rate
    assert run.train.optimizer.rate == load_config(trained.model / RUN).train.optimizer.rate / 5
    as_much_text = characters(files[:2]) / characters(files[2:])
    assert run.data.train[1].weight == pytest.approx(as_much_text)


def test_a_recurrent_model_is_trained_with_the_same_command(toy: Toy) -> None:
    directory = toy.run_directory("recurrent")
    run_cli(toy.arguments(RECURRENT, directory, "train.steps=2"))
    assert "decoder.attention.score.to_keys.weight" in load_weights(open_bundle(directory.model))


def test_without_validation_files_pairs_are_held_out(toy: Toy) -> None:
    directory = RunDirectory(toy.folder / "held")
    arguments = toy.arguments(TRANSFORMER, directory, "train.steps=1", "data.held_out=0.05")
    at = arguments.index("--valid")
    run_cli(arguments[:at] + arguments[at + 3 :])
    pairs = held_out_pairs(PreparedData.open(str(directory.data)), DataConfig())
    assert 5 <= len(pairs.sources) <= 40
    assert all(s.split()[::-1] == t.split() for s, t in zip(*_sides(pairs), strict=True))


def test_too_few_pairs_to_hold_out_are_an_error(toy: Toy, tmp_path: Path) -> None:
    for side in ("a", "b"):
        lines = (toy.folder / f"train.{side}").read_text().splitlines(keepends=True)
        (tmp_path / f"train.{side}").write_text("".join(lines[:20]))
    arguments = Toy(tmp_path).arguments(TRANSFORMER, RunDirectory(tmp_path / "run"))
    at = arguments.index("--valid")
    with pytest.raises(ConfigError, match=r"data\.held_out: .* 0\.01 .*--valid"):
        run_cli(arguments[:at] + arguments[at + 3 :])
    for side in ("a", "b"):
        (tmp_path / f"valid.{side}").write_text("")
    with pytest.raises(ConfigError, match=r"data\.valid: has no pairs"):
        run_cli(Toy(tmp_path).arguments(TRANSFORMER, RunDirectory(tmp_path / "empty")))


def test_long_validation_pairs_are_left_out_and_counted(trained: RunDirectory) -> None:
    run, tokenizer = load_config(trained.path / RUN), SentencePiece.load(trained.data)
    prepared, long = PreparedData.open(str(trained.data)), "one " * (run.data.max_length + 1)
    valid = Pairs(("one", long, "three", "four"), ("one", "two", long, "four"))
    module = TranslationModule(run, prepared, tokenizer, valid)
    assert module.valid == Pairs(("one", "four"), ("one", "four"))
    assert "2 validation pairs, 2 longer than data.max_length left out" in module.facts["data"]
    with pytest.raises(ConfigError, match=r"data\.valid: all 1 pairs have more than"):
        TranslationModule(run, prepared, tokenizer, Pairs((long,), ("one",)))
    with pytest.raises(ConfigError, match=r"data\.valid: .*data\.max_length"):
        TranslationModule(run, prepared, tokenizer, Pairs((long,), (long,)))


def test_a_changed_validation_set_is_noticed_on_resume(toy: Toy) -> None:
    directory = toy.run_directory("other-valid")
    run_cli(toy.arguments(TRANSFORMER, directory, "train.steps=20"))
    arguments = toy.arguments(TRANSFORMER, directory, "train.steps=20")
    for name in ("valid.a", "valid.b"):
        changed = toy.folder / f"other-{name}"
        changed.write_text("one two\n" + (toy.folder / name).read_text())
        arguments[arguments.index(str(toy.folder / name))] = str(changed)
    with pytest.raises(ArtifactError, match=r"data\.valid was .* and is .*--accept-changes"):
        run_cli(arguments)
    run_cli([*arguments, "--accept-changes"])


def _sides(pairs: Pairs) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return pairs.sources, pairs.targets


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("train.optimizer.rat=1", r"train\.optimizer\.rat\b.*\brate\b"),
        ("train.schedule.kind=lineer", r"train\.schedule\.kind\b.*lineer.*\blinear\b"),
        ("train.steps=0", r"train\.steps\b.*greater than 0"),
        ("data.vocabulery=9", r"data\.vocabulery\b.*\bvocabulary"),
    ],
)
def test_a_wrong_setting_is_named_with_the_nearest_name(
    toy: Toy, settings: str, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        run_cli(toy.arguments(TRANSFORMER, RunDirectory(toy.folder / "none"), settings))


def test_a_run_without_corpora_is_an_error(toy: Toy) -> None:
    with pytest.raises(ConfigError, match=r"data\.train.*--source"):
        run_cli(["train", "--preset", TRANSFORMER, "--out", str(toy.folder / "none")])


def test_a_model_that_does_not_translate_is_refused(toy: Toy) -> None:
    directory = toy.run_directory("language")
    files = [str(toy.folder / name) for name in ("train.a", "train.b")]
    with pytest.raises(ConfigError, match=r"data\.train: a language model"):
        run_cli(
            [
                *("train", "--preset", "lm-transformer", "--source", files[0]),
                *("--target", files[1], "--out", str(directory.path)),
            ]
        )


def test_a_damaged_bundle_is_refused(trained: RunDirectory, tmp_path: Path) -> None:
    for name in (WEIGHTS, RUN, "tokenizer.model", MANIFEST):
        copy = tmp_path / name
        copy.mkdir()
        for file in trained.model.iterdir():
            data = bytearray(file.read_bytes())
            if file.name == name:
                data[len(data) // 2] ^= 4
            (copy / file.name).write_bytes(data)
        with pytest.raises(ArtifactError, match=str(copy)):
            open_bundle(copy)
    with pytest.raises(ArtifactError, match="not a model"):
        open_bundle(tmp_path)
