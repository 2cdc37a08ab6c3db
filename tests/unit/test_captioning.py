"""Captioning, from a file of captions to a sealed model and its answers; by the command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

import regard
from regard.bundle.bundle import open_bundle
from regard.cli.main import app
from regard.config.load import load_config
from regard.config.run import RunConfig
from regard.data.formats.captions import CaptionedImage, Captions, write_captions
from regard.data.formats.images import encode_png
from regard.errors import ConfigError
from regard.inference.engine import SearchOptions
from regard.tasks.base import task_for
from regard.tasks.captioning.captioner import Captioner
from regard.tasks.captioning.module import CaptioningModule
from regard.tasks.training import RunDirectory, prepare_data, train_run
from regard.text.tokenizer import SentencePiece
from regard.train.distributed import World
from tests.captioned_images import ALL, SMALL, arguments, make_shown

FEW = ["train.steps=8", "train.validate_every=4", "train.save_every=4"]


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_shown(tmp_path_factory.mktemp("scenes"))


def run_of(preset: str, folder: Path, *settings: str) -> RunConfig:
    files = [
        f'data.train=[{{files: ["{folder}/train.jsonl"]}}]',
        f'data.valid={{files: ["{folder}/valid.jsonl"]}}',
    ]
    return load_config(preset, [*ALL, *FEW, *SMALL[preset], *files, *settings])


def taught(run: RunConfig, home: RunDirectory) -> Captioner:
    prepare_data(run, home, lambda progress: None)
    train_run(run, home, World())
    found: Captioner = regard.load(home.model)
    return found


@pytest.mark.parametrize("preset", SMALL)
def test_from_captions_to_a_sealed_model(preset: str, scenes: Path, tmp_path: Path) -> None:
    home = RunDirectory(tmp_path)
    captioner = taught(run_of(preset, scenes), home)
    assert isinstance(captioner, Captioner)
    images = [one.image for one in Captions(f"{scenes}/valid.jsonl").read()]
    assert len(captioner.caption(images)) == 6
    pointer = captioner.known.alignment_head
    assert pointer is not None and pointer.attention.startswith("decoder.")
    scores = json.loads((home.model / "scores.json").read_text())
    assert {"exact", "bleu", "nll"} <= set(scores["values"])
    card = (home.model / "README.md").read_text()
    assert "image-to-text" in card and 'caption(["photo.jpg"])' in card
    measured = task_for(run_of(preset, scenes)).evaluate(
        open_bundle(home.model), Captions(f"{scenes}/valid.jsonl")
    )
    assert measured.values["exact"] == pytest.approx(scores["values"]["exact"])


def test_a_model_that_never_looks_can_be_taught_too(scenes: Path, tmp_path: Path) -> None:
    never = ["model.decoder={kind: plain, dim: 16, cell: lstm}", "train.coverage=0"]
    captioner = taught(run_of("caption-soft", scenes, *never), RunDirectory(tmp_path))
    assert captioner.known.alignment_head is None


def test_captions_are_held_out_by_their_pictures(scenes: Path, tmp_path: Path) -> None:
    run = run_of("caption-soft", scenes, "data.valid=null", "data.held_out=0.2")
    prepared = prepare_data(run, RunDirectory(tmp_path), lambda progress: None)
    task = task_for(run).make_module(run, prepared, SentencePiece.load(tmp_path / "data"))
    assert 10 <= len(task.valid.captions) <= 60  # about a fifth of 150, chosen by their hashes
    assert not task.valid.named
    assert all(isinstance(value, float) for value in task.validate().values.values())


def test_several_captions_of_a_picture_are_all_right(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(encode_png(np.zeros((32, 32, 3), np.uint8)))
    said = [CaptionedImage(f"{tmp_path}/a.png", text) for text in ("a dog", "an owl", " ")]
    write_captions(tmp_path / "valid.jsonl", said)
    write_captions(tmp_path / "train.jsonl", said * 20)
    run = run_of("caption-soft", tmp_path, "data.dedupe=none")
    prepared = prepare_data(run, RunDirectory(tmp_path / "run"), lambda progress: None)
    task = task_for(run).make_module(run, prepared, SentencePiece.load(tmp_path / "run" / "data"))
    assert isinstance(task, CaptioningModule)
    assert task.valid.captions == (("a dog", "an owl"),)


def test_coverage_is_what_the_paper_says(scenes: Path, tmp_path: Path) -> None:
    """λ Σ_s (1 − Σ_t α_ts)², beside the cross-entropy."""
    run = run_of("caption-soft", scenes, "train.coverage=0.5", "model.decoder.dropout=0")
    prepared = prepare_data(run, RunDirectory(tmp_path), lambda progress: None)
    task = task_for(run).make_module(run, prepared, SentencePiece.load(tmp_path / "data"))
    batch = next(task.stream(0, 1).steps(task.stream(0, 1).place(_start(task)))).micros[0].batch
    loss = task(batch)
    readings = task.captioner(task.model)
    assert readings is not None
    assert loss.parts["coverage"] > 0
    torch.testing.assert_close(loss.total.detach(), _smoothed(task, batch) + loss.parts["coverage"])


def _start(task: CaptioningModule) -> dict[str, object]:
    from regard.data.loading.cursor import Cursor

    return task.stream(0, 1).state(Cursor())


def _smoothed(task: CaptioningModule, batch: object) -> torch.Tensor:
    covering, task.covering = task.covering, []
    plain = task(batch).total.detach()
    task.covering = covering
    return plain


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (["train.metric=perplexity"], "judged by exact"),
        (["train.subword_alpha=0.5"], "cannot be cut anew"),
        (["data.train=[]"], "--images FILE"),
        (['data.train=[{files: ["a", "b"]}]'], "one file that names them"),
        (["model.encoder.channels=[8, 8, 8, 8, 8, 8]"], "multiples of 64"),
        (["model.encoder.channels=[8, 6]"], "no multiple"),
    ],
)
def test_what_cannot_be_is_refused(
    settings: list[str], said: str, scenes: Path, tmp_path: Path
) -> None:
    run = run_of("caption-soft", scenes, *settings)
    with pytest.raises(ConfigError, match=said):
        taught(run, RunDirectory(tmp_path))


def test_only_captioners_cover(tmp_path: Path) -> None:
    run = load_config("bahdanau", ["train.coverage=1", 'data.train=[{files: ["a", "b"]}]'])
    with pytest.raises(ConfigError, match=r"train\.coverage"):
        prepare_data(run, RunDirectory(tmp_path), lambda progress: None)


def test_the_command_trains_describes_and_measures(scenes: Path, tmp_path: Path) -> None:
    said = arguments(scenes, "caption-soft", tmp_path, *FEW)
    done = CliRunner().invoke(app, said, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    model, image = str(tmp_path / "model"), f"{scenes}/valid/000000.png"
    (alone,) = regard.load(model).caption([image])
    done = CliRunner().invoke(app, ["caption", model, image], catch_exceptions=False)
    assert done.output == alone.text + "\n"
    many = CliRunner().invoke(app, ["caption", model, image, image], catch_exceptions=False)
    assert many.output == f"{image}\t{alone.text}\n" * 2
    told = CliRunner().invoke(
        app, ["caption", model, image, "--json", "--n-best", "2"], catch_exceptions=False
    )
    best = json.loads(told.output)["captions"]
    assert best[0]["text"] == regard.load(model).caption([image], SearchOptions(2))[0].text
    assert len(best) == 2
    done = CliRunner().invoke(
        app, ["evaluate", model, "--images", f"{scenes}/valid.jsonl"], catch_exceptions=False
    )
    assert done.output.startswith("exact") and "bleu" in done.output
