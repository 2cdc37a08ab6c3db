"""What trains is what is bundled; a refusal changes nothing, and its advice works."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from regard.config.data import DataConfig
from regard.config.load import load_config
from regard.data.filters import Limits
from regard.data.formats.corpus import open_corpus
from regard.data.loading.shards import load_tokenizers
from regard.data.preparation.prepare import PreparationSettings, prepare_corpora
from regard.data.preparation.runner import InProcessRunner
from regard.errors import ArtifactError
from regard.inference.forced_decoding import force_decode
from regard.tasks.training import RunDirectory, train_run
from regard.tasks.translation.translator import Translator
from regard.text.tagged_tokenizer import joint_fingerprint
from regard.text.tokenizer import SentencePiece
from regard.train.distributed import World
from regard.train.events import Event, StepCompleted
from tests.command import Finished, run_main
from tests.toy_corpus import make_toy

SETTINGS = (
    *("data.vocabulary=290", "data.aligner=false", "train.guided_alignment=null"),
    *("model.embedding_dim=16", "model.encoder.dim=16", "model.decoder.dim=16"),
    *("train.batch_tokens=256", "train.validate_every=2", "train.save_every=1"),
    "search.beam_size=1",
)


@dataclass(frozen=True)
class Trained:
    """A folder with a corpus and a run of four steps."""

    folder: Path

    @property
    def run(self) -> RunDirectory:
        return RunDirectory(self.folder / "run")

    def settings(self, *changes: str) -> list[str]:
        files = {
            name: json.dumps([str(self.folder / f"{name}.{side}") for side in "ab"])
            for name in ("train", "more", "valid")
        }
        corpora = (
            f'data.train=[{{"files": {files["train"]}}}, {{"files": {files["more"]}}}]',
            f"data.valid.files={files['valid']}",
        )
        return [*corpora, *SETTINGS, *changes]

    def train(self, *changes: str, options: tuple[str, ...] = ()) -> Finished:
        assignments = [
            word for each in self.settings("train.steps=4", *changes) for word in ("--set", each)
        ]
        preset = ["--preset", "translate-rnn-tiny", "--threads", "1"]
        return run_main(["train", *preset, "--out", str(self.run.path), *assignments, *options])

    def snapshot(self) -> dict[str, str]:
        return {
            str(path.relative_to(self.folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in self.folder.rglob("*")
            if path.is_file()
        }


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    folder = tmp_path_factory.mktemp("trained")
    make_toy(folder)
    shutil.rmtree(folder / "prepared")
    for name in ("train.a", "train.b"):
        lines = (folder / name).read_text().splitlines(keepends=True)
        (folder / name).write_text("".join(lines[:60]))
        (folder / name.replace("train", "more")).write_text("".join(lines[60:80]))
    for side in "ab":  # of the same size, with other words
        for name in ("train", "valid"):
            text = (folder / f"{name}.{side}").read_text().replace("one", "two")
            (folder / f"other-{name}.{side}").write_text(text)
    SentencePiece.train((folder / "train.a").read_text().splitlines(), size=280).save(
        folder / "pieces"
    )
    toy = Trained(folder)
    done = toy.train()
    assert done.status == 0, done.stderr
    return toy


def corpus(name: str, setting: str = "") -> str:
    return f'{{"files": ["{{0}}/{name}.a", "{{0}}/{name}.b"]{setting}}}'


OTHER_TRAIN = (("other-train", ""), ("valid", ""), ("train", ', "weight": 2'))
CHANGES = {
    "train": [
        f"data.train=[{corpus(name, setting)}, {corpus('more')}]" for name, setting in OTHER_TRAIN
    ],
    "valid": [f"data.valid=[{corpus('other-valid')}]", f"data.valid=[{corpus('train')}]"],
    "held_out": ["data.held_out=0.3"],
    "vocabulary": ["data.vocabulary=285"],
    "target_vocabulary": ["data.target_vocabulary=280; model.tie_embeddings=output"],
    "subword_model": ["data.subword_model=bpe"],
    "max_length": ["data.max_length=9"],
    "dedupe": ["data.dedupe=none"],
    "max_punctuation": ["data.max_punctuation=0.3"],
    "tokenizer": ["data.tokenizer={0}/pieces"],
    "mix_corpora": ["data.mix_corpora=true"],
    "aligner": ["data.aligner=true"],
    "source_language": ["data.source_language=xx"],
    "target_language": ["data.target_language=xx"],
}
"""Changes of each data setting; {0} is the folder."""
HARMLESS = {"held_out", "aligner", "source_language", "target_language"}


def test_every_data_setting_is_changed_here() -> None:
    assert CHANGES.keys() == DataConfig.model_fields.keys()


CHANGES_OF_TRAINING = {
    "seed": ["train.seed=5"],
    "batch_tokens": ["train.batch_tokens=200"],
    "rate": ["train.optimizer.rate=0.5"],
}


@pytest.mark.parametrize("setting", [*CHANGES, *CHANGES_OF_TRAINING])
def test_a_refused_resume_changes_nothing_and_its_advice_works(
    setting: str, trained: Trained, tmp_path: Path
) -> None:
    for number, change in enumerate((CHANGES | CHANGES_OF_TRAINING)[setting]):
        toy = Trained(tmp_path / str(number))
        shutil.copytree(trained.folder, toy.folder)
        (toy.run.path / "data" / "notes.txt").write_text("mine")
        before = toy.snapshot()
        changed = change.replace("{0}", str(toy.folder)).split("; ")
        done = toy.train(*changed)
        if done.status == 0:
            assert setting in HARMLESS, done.stderr
            continue
        assert done.status == 2 and toy.snapshot() == before, done.stderr
        if "--accept-changes" in done.stderr:
            accepted = toy.train(*changed, options=("--accept-changes",))
            assert accepted.status == 0, accepted.stderr
        else:
            assert "Restore the original data" in done.stderr
            assert toy.train("train.save_every=2").status == 0
        assert (toy.run.path / "data" / "notes.txt").read_text() == "mine"


def test_an_edited_run_file_is_not_replaced(trained: Trained, tmp_path: Path) -> None:
    toy = Trained(tmp_path / "copy")
    shutil.copytree(trained.folder, toy.folder)
    with toy.run.config.open("a") as file:
        file.write("# the best one so far\n")
    before = toy.snapshot()
    done = toy.train()
    assert done.status == 2 and "has been edited" in done.stderr
    assert toy.snapshot() == before
    toy.run.config.rename(tmp_path / "mine.yaml")
    arguments = ["train", str(tmp_path / "mine.yaml"), "--out", str(toy.run.path), "--threads", "1"]
    assert run_main(arguments).status == 0


def test_no_file_of_a_run_is_emptied_before_it_is_written(trained: Trained, tmp_path: Path) -> None:
    """A process that is killed at any time leaves the old file or the new one."""
    toy = Trained(tmp_path / "copy")
    shutil.copytree(trained.folder, toy.folder)
    before, emptied = toy.snapshot(), list[str]()
    watched = [str(toy.folder)]

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        opened = event == "open" and watched and str(arguments[0]).startswith(watched[0])
        if opened and arguments[2] & os.O_TRUNC and Path(arguments[0]).is_file():
            emptied.append(arguments[0])

    sys.addaudithook(watch)  # which nothing can remove
    try:
        done = toy.train("train.steps=6", options=("--accept-changes",))
    finally:
        watched.clear()
    assert done.status == 0, done.stderr
    after = toy.snapshot()
    for name in ("run/run.yaml", "run/log.jsonl"):
        assert after[name] != before[name]
    assert not emptied


def test_a_model_that_the_user_put_in_a_run_is_not_replaced(
    trained: Trained, tmp_path: Path
) -> None:
    toy = Trained(tmp_path / "copy")
    shutil.copytree(trained.folder, toy.folder)
    (toy.run.model / "weights.safetensors").write_bytes(b"another model")
    before = toy.snapshot()
    assert toy.train().status == 2 and toy.snapshot() == before


def test_another_command_cannot_replace_the_data_of_a_run_that_trains(
    trained: Trained, tmp_path: Path
) -> None:
    toy = Trained(tmp_path / "copy")
    shutil.copytree(trained.folder, toy.folder)
    shutil.rmtree(toy.run.path / "checkpoints")
    files = [str(toy.folder / f"other-train.{side}") for side in "ab"]
    options = ["--dedupe", "none", "--vocabulary", "285", "--out"]
    command = [sys.executable, "-m", "regard", "prepare", *files, *options]
    assert subprocess.run([*command, str(tmp_path / "new")], capture_output=True).returncode == 0
    command.append(str(toy.run.data))
    statuses = []

    def prepare_again(event: Event) -> None:
        if isinstance(event, StepCompleted) and event.step == 1:
            statuses.append(subprocess.run(command, capture_output=True).returncode)

    run = load_config("translate-rnn-tiny", toy.settings("train.steps=4"))
    with toy.run.lock():
        train_run(run, toy.run, World(), loggers=[prepare_again])
    assert statuses in ([2], [74])
    translator = Translator.load(toy.run.model, engine="torch")
    assert translator.tokenizer.fingerprint == joint_fingerprint(
        *load_tokenizers(str(toy.run.data))
    )
    sides = [(toy.folder / f"valid.{side}").read_text().splitlines() for side in "ab"]
    pairs = zip(*(translator.tokenizer.encode(lines) for lines in sides), strict=True)
    logps = [p for each in force_decode(translator.model, list(pairs), ()) for p in each.logps]
    scores = json.loads((toy.run.model / "scores.json").read_text())
    assert -sum(logps) / len(logps) == pytest.approx(scores["values"]["nll"], abs=0.02)


def test_a_model_is_not_saved_with_another_tokenizer(trained: Trained, tmp_path: Path) -> None:
    toy = Trained(tmp_path / "copy")
    shutil.copytree(trained.folder, toy.folder)
    shutil.rmtree(toy.run.path / "checkpoints")
    before = (toy.run.model / "manifest.json").read_bytes()

    def replace_tokenizer(event: Event) -> None:
        if isinstance(event, StepCompleted):
            shutil.copytree(toy.folder / "pieces", toy.run.data, dirs_exist_ok=True)

    run = load_config("translate-rnn-tiny", toy.settings("train.steps=4"))
    with pytest.raises(ArtifactError, match="replaced by another command"):
        train_run(run, toy.run, World(), loggers=[replace_tokenizer])
    assert (toy.run.model / "manifest.json").read_bytes() == before


@pytest.mark.parametrize(("stop_at", "best"), [(1, 1), (3, 2)])
def test_an_interrupted_run_is_finished_with_its_best_weights(
    stop_at: int, best: int, trained: Trained, tmp_path: Path
) -> None:
    toy = Trained(tmp_path / "copy")
    shutil.copytree(trained.folder, toy.folder)
    for name in ("checkpoints", "weights", "model"):
        shutil.rmtree(toy.run.path / name)
    last = [0]

    def count(event: Event) -> None:
        last[0] = event.step

    run = load_config("translate-rnn-tiny", toy.settings("train.steps=4"))
    outcome = train_run(
        run, toy.run, World(), loggers=[count], should_stop=lambda: last[0] >= stop_at - 1
    )
    assert not outcome.complete and not toy.run.model.exists()
    done = run_main(["train", "--finish", "--out", str(toy.run.path)])  # with other threads
    assert done.status == 0, done.stderr
    assert json.loads((toy.run.model / "scores.json").read_text())["step"] <= outcome.step
    Translator.load(toy.run.model, engine="torch").translate(["one two"])
    resumed = toy.train()
    assert resumed.status == 0, resumed.stderr
    assert toy.run.last_step == 4


def test_a_run_without_a_checkpoint_cannot_be_finished(tmp_path: Path) -> None:
    done = run_main(["train", "--finish", "--out", str(tmp_path / "none")])
    assert done.status == 2 and "no checkpoint" in done.stderr
    assert not (tmp_path / "none").exists()
    done = run_main(["train", "--finish", "--preset", "translate-tiny"])
    assert done.status == 2 and "has no effect with --finish" in done.stderr


def test_pairs_of_every_length_up_to_the_limit_are_kept_and_drops_are_named(
    tmp_path: Path,
) -> None:
    """A hidden limit of 4,096 bytes used to drop pairs that `max_length` allows."""
    lengths = [1, 10, 100, 1_000, 3_000, 6_000]
    for side, word in (("a", "one"), ("b", "two")):
        text = "".join(f"{word} " * length + f"{length}\n" for length in lengths)
        (tmp_path / f"long.{side}").write_text(text + "\n")
    files = [str(tmp_path / f"long.{side}") for side in "ab"]
    arguments = ["prepare", *files, "--valid", *files, "--vocabulary", "270", "--max-length"]
    for limit, kept in ((65_533, 6), (20, 1)):
        out = tmp_path / f"out-{limit}"
        done = run_main([*arguments, str(limit), "--out", str(out)])
        rows = json.loads((out / "manifest.json").read_text())["rows"]
        counts = [rows["dropped"], rows["valid dropped"]]
        assert all(rows["read"] - sum(dropped.values()) >= kept for dropped in counts)
        assert rows["train"] == rows["read"] - sum(rows["dropped"].values())
        for split, dropped in zip(("train", "valid"), counts, strict=True):
            for reason, count in dropped.items():
                assert not count or f"{reason}: {count}" in done.stdout.decode(), split
        assert (limit > 20) == (counts[0].get("too many pieces", 0) == 0)


def test_no_filter_limits_the_length(tmp_path: Path) -> None:
    """All that limits the length of a pair is `max_length`, whatever other settings there are."""
    for side in "ab":
        (tmp_path / f"x.{side}").write_text(f"{side} word " * 5_000 + "\n" + "a b c\n" * 3)
    files = [str(tmp_path / f"x.{side}") for side in "ab"]
    settings = PreparationSettings(
        vocabulary=270, limits=Limits(), dedupe="none", max_length=65_533
    )
    prepared = prepare_corpora(
        [open_corpus(*files, name="train")], str(tmp_path / "out"), settings, InProcessRunner()
    )
    assert sum(prepared.dropped.values()) == 3 == prepared.dropped["identical"]
