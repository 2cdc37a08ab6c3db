"""Fine-tuning with one command: vocabularies are kept, scores before and after are reported."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

from regard.bundle.bundle import RUN, bundle_tokenizers, open_bundle
from regard.bundle.parts import load_weights
from regard.config.data import DataConfig
from regard.config.load import load_config
from regard.data.formats.corpus import open_corpus
from regard.data.loading.shards import PreparedData, load_tokenizers
from regard.data.preparation.prepare import PreparationSettings, prepare_corpora
from regard.data.preparation.runner import InProcessRunner
from regard.errors import FAILED_CHECK
from regard.tasks.translation.exchange import import_pretrained
from regard.tasks.translation.pairs import held_out_pairs
from regard.tasks.translation.translator import Translator
from tests.command import run_cli, run_main
from tests.marian_models import WORDS, random_config, write_marian, write_marian_mt
from tests.plain_sizes import characters

pytest.importorskip("transformers")


@dataclass(frozen=True)
class Corpus:
    """A folder with new and general pairs: words and their reversal."""

    folder: Path

    def files(self, name: str) -> tuple[str, str]:
        return str(self.folder / f"{name}.en"), str(self.folder / f"{name}.de")

    def command(self, model: Path, out: Path, *options: str) -> list[str]:
        source, target = self.files("mine")
        return [
            *("train", "--from", str(model), "--source", source, "--target", target),
            *("--valid", *self.files("valid"), "--general", *self.files("general")),
            *("--out", str(out), "--threads", "1", "--set", "train.batch_tokens=256"),
            *("--set", "train.steps=4", "--set", "train.validate_every=2"),
            *("--set", "data.aligner=false", "--set", "search.beam_size=1", *options),
        ]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("corpus")
    draw = random.Random(3)
    for name, count in (("mine", 120), ("valid", 12), ("general", 12), ("old", 60)):
        lines = [draw.choices(WORDS, k=draw.randint(2, 6)) for _ in range(count)]
        for side, step in (("en", 1), ("de", -1)):
            text = "".join(f"{' '.join(line[::step])}\n" for line in lines)
            (folder / f"{name}.{side}").write_text(text, "utf-8")
    return Corpus(folder)


def make_bundle(folder: Path, kind: str) -> Path:
    """Write the bundle of a random MarianMT or Bergamot model.

    `joint` has one list of pieces and two SentencePiece models, as OPUS-MT has; `separate` has two
    lists, `ssru` one SentencePiece model.
    """
    theirs = folder / "theirs"
    if kind == "ssru":
        write_marian(theirs)
    else:
        write_marian_mt(theirs, random_config(2) | {"separate": kind == "separate"}, 2)
    (theirs / "README.md").write_text("---\nlicense: cc-by-4.0\n---\n")
    import_pretrained(theirs, folder / "model")
    return folder / "model"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bundle(tmp_path_factory.mktemp("bundle"), "ssru")


@pytest.mark.parametrize("kind", ["joint", "separate", "ssru"])
def test_an_imported_model_is_fine_tuned_and_compared(
    kind: str, corpus: Corpus, tmp_path: Path
) -> None:
    imported, out = make_bundle(tmp_path, kind), tmp_path / "mine"
    done = run_main(corpus.command(imported, out, "--mix", *corpus.files("old")))
    assert done.status == 0, done.stderr
    old, new = (open_bundle(path) for path in (imported, out / "model"))
    for before, after in zip(bundle_tokenizers(old), bundle_tokenizers(new), strict=True):
        assert before.fingerprint == after.fingerprint
    run = load_config(out / "model" / RUN)
    mine, old_texts = (characters(corpus.files(name)) for name in ("mine", "old"))
    assert [part.weight for part in run.data.train] == [1, mine / old_texts]  # as much old text
    assert (run.data.source_language, run.data.target_language) == ("en", "de")
    assert 'license: "cc-by-4.0"' in new.text("README.md")
    weights, tuned = load_weights(old), load_weights(new)
    assert weights.keys() == tuned.keys()
    changed = [name for name in weights if not torch.equal(weights[name], tuned[name])]
    assert len(changed) > len(weights) / 2
    assert all((weights[name] - tuned[name]).abs().max() < 0.01 for name in weights)
    changes = json.loads((out / "comparison.json").read_text())
    assert [(each["name"], each["sentences"]) for each in changes] == [
        ("validation", 12),
        ("general", 12),
    ]
    for row in ("validation", "general", "before", "after", "95 %"):
        assert row in done.stderr
    assert Translator.load(out / "model").translate(["green house"])[0].text is not None


def test_prepared_data_have_the_tokenizers_of_both_sides(corpus: Corpus, tmp_path: Path) -> None:
    model, data = make_bundle(tmp_path, "separate"), str(tmp_path / "data")
    texts = open_corpus(*corpus.files("mine"))

    def prepare(tokenizer: str | None) -> PreparedData:
        settings = PreparationSettings(vocabulary=300, tokenizer=tokenizer, held_out=0.1)
        return prepare_corpora([texts], data, settings, InProcessRunner())

    prepared = prepare(str(model))
    source, target = load_tokenizers(data)
    assert source.fingerprint != target.fingerprint
    assert (prepared.vocabulary, prepared.target_vocabulary) == (source.size, target.size)
    pairs = held_out_pairs(prepared, DataConfig())
    opened = prepared.shards("valid")[0].open()
    for i, (one, other) in enumerate(zip(pairs.sources, pairs.targets, strict=True)):
        assert opened.pair(i)[0].tolist() == source.encode([one])[0]
        assert opened.pair(i)[1].tolist() == target.encode([other])[0]
    assert len(pairs.sources) > 2
    prepared = prepare(None)  # trains one tokenizer for both
    assert prepared.vocabulary == prepared.target_vocabulary
    source, target = load_tokenizers(data)
    assert source is target


def test_an_interrupted_fine_tuning_resumes_exactly(
    bundle: Path, corpus: Corpus, tmp_path: Path
) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    run_cli(corpus.command(bundle, whole))
    first = corpus.command(bundle, parts)
    first[first.index("train.steps=4")] = "train.steps=2"
    run_cli(first)  # ends as an interruption after two steps does
    run_cli(corpus.command(bundle, parts, "--accept-changes"))
    one, other = (load_weights(open_bundle(path / "model")) for path in (whole, parts))
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_a_gate_fails_if_the_model_forgets(bundle: Path, corpus: Corpus, tmp_path: Path) -> None:
    command = corpus.command(bundle, tmp_path / "out", "--gate")
    done = run_main([*command, "chrf=50"])  # a gain that no model reaches in four steps
    assert done.status == FAILED_CHECK
    assert "general fails: chrf" in done.stderr
    assert (tmp_path / "out" / "model").is_dir()
    assert run_main([*command, "chrf=-100"]).status == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--gate", "bleu=-1"), "--gate needs --general"),
        (("--general", "a", "b", "--gate", "ter=1"), "ter is not measured"),
        (("--general", "a", "b", "--gate", "bleu"), "bleu=-0.3"),
        (("--test", "a", "b", "--test-file", "c"), "--test-file"),
    ],
)
def test_mistakes_are_named_before_any_work(
    options: tuple[str, ...], message: str, bundle: Path, corpus: Corpus, tmp_path: Path
) -> None:
    source, target = corpus.files("mine")
    command = ["train", "--from", str(bundle), "--source", source, "--target", target]
    done = run_main([*command, "--out", str(tmp_path / "out"), *options])
    assert done.status == 2
    assert message in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_test_set_needs_a_model_to_compare_with(corpus: Corpus, tmp_path: Path) -> None:
    source, target = corpus.files("mine")
    command = ["train", "--preset", "translate-tiny", "--source", source, "--target", target]
    done = run_main([*command, "--out", str(tmp_path / "out"), "--general", source, target])
    assert done.status == 2
    assert "--from MODEL" in done.stderr
