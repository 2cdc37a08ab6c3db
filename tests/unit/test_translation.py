"""From two files of sentences to a sealed model, by the command that a user types."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from regard.bundle.bundle import MANIFEST, RUN, SCORES, WEIGHTS, open_bundle
from regard.config.load import load_config
from regard.data.loading.shards import PreparedData
from regard.errors import ArtifactError, ConfigError
from regard.evaluate.scores import score_corpus
from regard.tasks.training import RunDirectory
from regard.tasks.translation.module import Pairs, TranslationModule, held_out_pairs
from regard.tasks.translation.translator import load_translator
from regard.text.tokenizer import SentencePiece
from regard.train.loggers.jsonl import read_events
from tests.command import run_cli
from tests.toy_corpus import RECURRENT, TRANSFORMER, Toy, make_toy


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Toy:
    return make_toy(tmp_path_factory.mktemp("toy"))


@pytest.fixture(scope="module")
def home(toy: Toy) -> RunDirectory:
    """A run of forty steps."""
    home = toy.home("trained")
    said = run_cli(toy.arguments(TRANSFORMER, home, "train.steps=40", "train.validate_every=20"))
    assert said.splitlines()[-1] == str(home.model)
    return home


def test_a_sealed_model_has_all_that_it_needs_and_says_how_good_it_is(home: RunDirectory) -> None:
    bundle = open_bundle(home.model)
    known = {"splitting.json", "alignment.json", "quality.json", "data.json", "README.md"}
    assert set(bundle.names) == {RUN, SCORES, WEIGHTS, "tokenizer.model", "tokenizer.json", *known}
    scores = json.loads(bundle.read(SCORES))
    assert scores["signatures"]["bleu"].startswith("nrefs:1|case:mixed|eff:no|tok:13a")
    assert load_config(home.model / RUN) == load_config(home.path / RUN)


def test_the_score_of_training_is_the_score_found_afterwards(home: RunDirectory, toy: Toy) -> None:
    """The same search, the same text, the same measure: to the last digit."""
    sources = (toy.folder / "valid.a").read_text().splitlines()
    outputs = [found.text for found in load_translator(home.model).translate(sources)]
    measured = score_corpus(outputs, (toy.folder / "valid.b").read_text().splitlines())
    trained = json.loads(open_bundle(home.model).read(SCORES))["values"]
    assert measured.values == {name: trained[name] for name in measured.values}


def test_the_journal_tells_of_every_step_and_every_validation(home: RunDirectory) -> None:
    events = list(read_events(home.log))
    assert [e["step"] for e in events if e["event"] == "step_completed"] == list(range(1, 41))
    validated = [e for e in events if e["event"] == "validation_completed"]
    assert [e["step"] for e in validated] == [20, 40]
    sample = validated[0]["scores"]["samples"][0]
    assert sample["source"].split()[::-1] == sample["reference"].split()


def test_validation_shows_where_the_model_looked(home: RunDirectory, toy: Toy) -> None:
    run, tokenizer = load_config(home.path / RUN), SentencePiece.load(home.data)
    valid = Pairs(("one two", "three"), ("two one", "three"))
    task = TranslationModule(run, PreparedData.open(str(home.data)), tokenizer, valid).eval()
    with torch.no_grad():
        sample = task.validate().samples[0]
    look = sample.attention[0]
    assert look.name == "decoder.blocks.0.cross_attention"
    assert look.weights.shape == (len(sample.output_pieces), len(sample.source_pieces))
    torch.testing.assert_close(look.weights.sum(dim=1), torch.ones(look.weights.size(0)))


def test_fine_tuning_keeps_the_vocabulary_and_begins_with_what_was_learnt(
    home: RunDirectory, toy: Toy
) -> None:
    files = [str(toy.folder / name) for name in ("valid.a", "valid.b", "train.a", "train.b")]
    mine = RunDirectory(toy.folder / "mine")
    run_cli(
        [
            *("train", "--from", str(home.model), "--source", files[0], "--target", files[1]),
            *("--mix", files[2], files[3], "--valid", files[0], files[1]),
            *("--out", str(mine.path), "--threads", "1", "--set", "train.steps=3"),
        ]
    )
    first = next(e for e in read_events(mine.log) if e["event"] == "step_completed")
    last = [e for e in read_events(home.log) if e["event"] == "step_completed"][-1]
    assert first["loss"] < last["loss"] + 0.5
    old, new = (SentencePiece.load(place.model) for place in (home, mine))
    assert old.fingerprint == new.fingerprint
    run = load_config(mine.model / RUN)
    assert run.train.optimizer.rate == load_config(home.model / RUN).train.optimizer.rate / 5
    assert run.data.train[1].weight == pytest.approx(8 / 400)  # as many old pairs as new


def test_a_recurrent_model_is_trained_by_the_same_command(toy: Toy) -> None:
    home = toy.home("recurrent")
    run_cli(toy.arguments(RECURRENT, home, "train.steps=2"))
    assert "decoder.attention.score.to_keys.weight" in open_bundle(home.model).weights()


def test_without_validation_files_a_share_is_held_out(toy: Toy) -> None:
    home = RunDirectory(toy.folder / "held")
    arguments = toy.arguments(TRANSFORMER, home, "train.steps=1", "data.held_out=0.05")
    at = arguments.index("--valid")
    run_cli(arguments[:at] + arguments[at + 3 :])
    prepared, tokenizer = PreparedData.open(str(home.data)), SentencePiece.load(home.data)
    pairs = held_out_pairs(prepared, tokenizer)
    assert 5 <= len(pairs.sources) <= 40
    assert all(s.split()[::-1] == t.split() for s, t in zip(*_sides(pairs), strict=True))


def _sides(pairs: Pairs) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return pairs.sources, pairs.targets


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("train.optimizer.rat=1", r"train\.optimizer\.rat: no such setting; did you mean 'rate'"),
        (
            "train.schedule.kind=lineer",
            r"train\.schedule\.kind: no 'lineer'; did you mean 'linear'",
        ),
        ("train.steps=0", r"train\.steps: .*greater than 0"),
        ("data.vocabulery=9", r"data\.vocabulery: no such setting; did you mean 'vocabulary'"),
    ],
)
def test_a_typo_is_answered_with_its_place_and_the_nearest_name(
    toy: Toy, settings: str, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        run_cli(toy.arguments(TRANSFORMER, RunDirectory(toy.folder / "none"), settings))


def test_a_run_without_corpora_says_how_to_name_them(toy: Toy) -> None:
    with pytest.raises(ConfigError, match=r"data\.train: names no corpus; say --source"):
        run_cli(["train", "--preset", TRANSFORMER, "--out", str(toy.folder / "none")])


def test_a_model_that_does_not_translate_is_refused(toy: Toy) -> None:
    home = toy.home("language")
    files = [str(toy.folder / name) for name in ("train.a", "train.b")]
    with pytest.raises(ConfigError, match="model: does not read and say sentences"):
        run_cli(
            [
                *("train", "--preset", "lm-transformer", "--source", files[0]),
                *("--target", files[1], "--out", str(home.path)),
            ]
        )


def test_a_damaged_bundle_is_refused_before_it_is_used(home: RunDirectory, tmp_path: Path) -> None:
    for name in (WEIGHTS, RUN, "tokenizer.model", MANIFEST):
        copy = tmp_path / name
        copy.mkdir()
        for file in home.model.iterdir():
            data = bytearray(file.read_bytes())
            if file.name == name:
                data[len(data) // 2] ^= 4
            (copy / file.name).write_bytes(data)
        with pytest.raises(ArtifactError, match=str(copy)):
            open_bundle(copy)
    with pytest.raises(ArtifactError, match="not a model"):
        open_bundle(tmp_path)
