"""A model with separate vocabularies of source and target, trained here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from regard.bundle.bundle import bundle_tokenizers, open_bundle
from regard.config.load import load_config
from regard.data.formats.corpus import open_corpus
from regard.data.preparation.prepare import PreparationSettings, prepare_corpora
from regard.data.preparation.runner import InProcessRunner, ProcessRunner
from regard.errors import ArtifactError, ConfigError
from regard.tasks.training import RunDirectory, prepare_data
from regard.tasks.translation.exchange import export_bundle, export_huggingface, import_pretrained
from regard.tasks.translation.translator import Translator
from tests.command import run_cli
from tests.multilingual import settings, write_texts
from tests.toy_corpus import TRANSFORMER

SOURCES = ["one two three", "five", "four six", "two two one"]
TARGETS = ["eins zwei drei", "fünf", "vier sechs", "zwei zwei eins"]
SEPARATE = (
    *("--set", "data.vocabulary=280", "--set", "data.target_vocabulary=280"),
    *("--set", "model.tie_embeddings=output"),
)


def _arguments(folder: Path, out: Path, *options: str, preset: str = TRANSFORMER) -> list[str]:
    files = [str(folder / f"{name}.{side}") for name in ("train", "valid") for side in ("en", "de")]
    return [
        *("train", "--preset", preset, "--source", files[0], "--target", files[1]),
        *("--valid", *files[2:], "--out", str(out), "--threads", "1", *options),
    ]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunDirectory:
    folder = tmp_path_factory.mktemp("separate")
    write_texts(folder, "train", 300)
    write_texts(folder, "valid", 6)
    directory = RunDirectory(folder / "run")
    sampling = ("--set", "train.subword_alpha=0.3", "--set", "train.guided_alignment=null")
    run_cli(_arguments(folder, directory.path, *settings(150), *SEPARATE, *sampling))
    return directory


def test_each_side_has_its_own_pieces_and_the_model_learns(run: RunDirectory) -> None:
    source, target = bundle_tokenizers(open_bundle(run.model))
    assert (source.size, target.size) == (280, 280)
    known = ["".join(map(each.piece, range(each.size))) for each in (source, target)]
    assert "ü" not in known[0] and "ü" in known[1]
    translator = Translator.load(run.model)
    results = translator.translate(SOURCES, alignments=True)
    assert [result.text for result in results] == TARGETS
    assert results[0].alignment is not None
    assert sorted(results[0].alignment.links) == [(0, 0), (1, 1), (2, 2)]
    alone = translator.translate(SOURCES, alignments=True, align_with="attention")
    assert alone[0].alignment is not None and alone[0].alignment.source.word_texts[1] == "two"


def test_exports_have_both_vocabularies(run: RunDirectory, tmp_path: Path) -> None:
    parity = export_bundle(run.model, None, SOURCES)
    assert parity.same == 1
    fast = Translator.load(run.model, engine="ctranslate2").translate(SOURCES)
    assert [result.text for result in fast] == TARGETS
    export_huggingface(run.model, tmp_path / "marian")
    import_pretrained(tmp_path / "marian", tmp_path / "imported")
    again = Translator.load(tmp_path / "imported").translate(SOURCES, beam_size=1)
    assert [result.text for result in again] == TARGETS


def test_fine_tuning_keeps_both_vocabularies(run: RunDirectory, tmp_path: Path) -> None:
    folder, out = run.path.parent, tmp_path / "tuned"
    arguments = _arguments(folder, out, "--from", str(run.model))
    del arguments[1:3]  # --preset
    steps = ("--set", "train.steps=2", "--set", "train.validate_every=2")
    run_cli([*arguments, *steps])
    tuned = bundle_tokenizers(open_bundle(RunDirectory(out).model))
    first = bundle_tokenizers(open_bundle(run.model))
    assert [each.fingerprint for each in tuned] == [each.fingerprint for each in first]


def test_prepared_data_are_the_same_in_processes(run: RunDirectory, tmp_path: Path) -> None:
    folder = run.path.parent
    corpus = open_corpus(str(folder / "train.en"), str(folder / "train.de"), name="train")
    chosen = PreparationSettings(vocabulary=278, target_vocabulary=280, held_out=0.1)
    contents = []
    for name, runner in (("one", InProcessRunner()), ("two", ProcessRunner(2))):
        with runner:
            prepare_corpora([corpus], str(tmp_path / name), chosen, runner)
        files = sorted(path for path in (tmp_path / name).iterdir() if path.is_file())
        contents.append({path.name: path.read_bytes() for path in files})
    assert contents[0] == contents[1]
    assert "target_tokenizer.model" in contents[0]
    manifest = json.loads(contents[0]["manifest.json"])
    assert (manifest["vocabulary"], manifest["target_vocabulary"]) == (278, 280)


def test_other_vocabularies_are_refused(run: RunDirectory) -> None:
    folder = run.path.parent
    joint = ("--set", "data.target_vocabulary=null", "--set", "model.tie_embeddings=output")
    with pytest.raises(ArtifactError, match=r"data.target_vocabulary was 280 and is None"):
        run_cli(_arguments(folder, run.path, *settings(160), *SEPARATE, *joint))


def test_combinations_without_a_meaning_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"Set model.tie_embeddings to output"):
        load_config(TRANSFORMER, ["data.target_vocabulary=300"])
    with pytest.raises(ConfigError, match=r"data.tokenizer names"):
        load_config("bahdanau", ["data.target_vocabulary=300", "data.tokenizer=elsewhere"])
    with pytest.raises(ConfigError, match="no vocabulary is trained"):
        PreparationSettings(target_vocabulary=300, tokenizer="elsewhere")
    (tmp_path / "text").write_text("one\n")
    data = f'data.train=[{{"files": ["{tmp_path}/text"]}}]'
    with pytest.raises(ConfigError, match="only translation models"):
        prepare_data(
            load_config("lm-transformer", [data, "data.target_vocabulary=300"]),
            RunDirectory(tmp_path / "run"),
            lambda progress: None,
        )
