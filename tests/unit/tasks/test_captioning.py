"""The captioning task, from captioned images to a model bundle and its captions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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
from regard.data.loading.loader import Cursor
from regard.errors import ConfigError
from regard.inference.engine import SearchOptions
from regard.tasks.base import task_for
from regard.tasks.captioning.captioner import Captioner, load_captioner
from regard.tasks.captioning.task import CaptioningModule
from regard.tasks.training import RunDirectory, prepare_data, train_run
from regard.text.tokenizer import SentencePiece
from regard.train.distributed import World
from tests.captioned_images import ALL, SMALL, arguments, write_images

FEW = ["train.steps=8", "train.validate_every=4", "train.save_every=4"]


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_images(tmp_path_factory.mktemp("scenes"))


def run_of(preset: str, folder: Path, *settings: str) -> RunConfig:
    files = [
        f'data.train=[{{files: ["{folder}/train.jsonl"]}}]',
        f'data.valid={{files: ["{folder}/valid.jsonl"]}}',
    ]
    return load_config(preset, [*ALL, *FEW, *SMALL[preset], *files, *settings])


def train(run: RunConfig, directory: RunDirectory) -> Captioner:
    prepare_data(run, directory, lambda progress: None)
    train_run(run, directory, World())
    return load_captioner(directory.model)


@pytest.mark.parametrize("preset", SMALL)
def test_training_saves_a_model_bundle(preset: str, scenes: Path, tmp_path: Path) -> None:
    directory = RunDirectory(tmp_path)
    captioner = train(run_of(preset, scenes), directory)
    assert isinstance(regard.load(directory.model), Captioner)
    images = [one.image for one in Captions(f"{scenes}/valid.jsonl").read()]
    assert len(captioner.caption(images)) == 6
    head = captioner.settings.alignment_head
    assert head is not None and head.attention.startswith("decoder.")
    scores = json.loads((directory.model / "scores.json").read_text())
    assert {"exact", "bleu", "nll"} <= set(scores["values"])
    card = (directory.model / "README.md").read_text()
    assert "image-to-text" in card and 'caption(["photo.jpg"])' in card
    measured = task_for(run_of(preset, scenes)).evaluate(
        open_bundle(directory.model), Captions(f"{scenes}/valid.jsonl")
    )
    assert measured.values["exact"] == pytest.approx(scores["values"]["exact"])


def test_a_model_without_attention_can_be_trained(scenes: Path, tmp_path: Path) -> None:
    plain = ["model.decoder={kind: plain, dim: 16, cell: lstm}", "train.coverage=0"]
    captioner = train(run_of("caption-soft", scenes, *plain), RunDirectory(tmp_path))
    assert captioner.settings.alignment_head is None


def test_captions_are_held_out_by_image(scenes: Path, tmp_path: Path) -> None:
    run = run_of("caption-soft", scenes, "data.valid=null", "data.held_out=0.2")
    prepared = prepare_data(run, RunDirectory(tmp_path), lambda progress: None)
    module = task_for(run).make_module(run, prepared, SentencePiece.load(tmp_path / "data"))
    assert 10 <= len(module.valid.captions) <= 60  # about a fifth of 150, selected by hash
    assert not module.valid.named
    assert all(isinstance(value, float) for value in module.validate().values.values())


def test_an_image_may_have_several_references(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(encode_png(np.zeros((32, 32, 3), np.uint8)))
    captions = [CaptionedImage(f"{tmp_path}/a.png", text) for text in ("a dog", "an owl", " ")]
    write_captions(tmp_path / "valid.jsonl", captions)
    write_captions(tmp_path / "train.jsonl", captions * 20)
    run = run_of("caption-soft", tmp_path, "data.dedupe=none")
    prepared = prepare_data(run, RunDirectory(tmp_path / "run"), lambda progress: None)
    module = task_for(run).make_module(run, prepared, SentencePiece.load(tmp_path / "run" / "data"))
    assert isinstance(module, CaptioningModule)
    assert module.valid.captions == (("a dog", "an owl"),)


def test_coverage_is_added_to_the_cross_entropy(scenes: Path, tmp_path: Path) -> None:
    run = run_of("caption-soft", scenes, "train.coverage=0.5", "model.decoder.dropout=0")
    prepared = prepare_data(run, RunDirectory(tmp_path), lambda progress: None)
    module = task_for(run).make_module(run, prepared, SentencePiece.load(tmp_path / "data"))
    batch = next(module.stream(0, 1).steps(Cursor())).micro_batches[0].batch
    loss = module(batch)
    assert loss.parts["coverage"] > 0
    torch.testing.assert_close(
        loss.total.detach(), _without_coverage(module, batch) + loss.parts["coverage"]
    )


def _without_coverage(module: CaptioningModule, batch: Any) -> torch.Tensor:
    coverage, module.coverage = module.coverage, []
    total = module(batch).total.detach()
    module.coverage = coverage
    return total


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["train.metric=perplexity"], "train.metric: perplexity .*exact"),
        (["train.subword_alpha=0.5"], "train.subword_alpha"),
        (["data.train=[]"], "--images FILE"),
        (['data.train=[{files: ["a", "b"]}]'], "one file of image names"),
        (["model.encoder.channels=[8, 8, 8, 8, 8, 8]"], "multiples of 64"),
        (["model.encoder.channels=[8, 6]"], "multiple of 4"),
    ],
)
def test_invalid_settings_are_refused(
    settings: list[str], message: str, scenes: Path, tmp_path: Path
) -> None:
    run = run_of("caption-soft", scenes, *settings)
    with pytest.raises(ConfigError, match=message):
        train(run, RunDirectory(tmp_path))


def test_coverage_is_refused_for_translation(tmp_path: Path) -> None:
    run = load_config("bahdanau", ["train.coverage=1", 'data.train=[{files: ["a", "b"]}]'])
    with pytest.raises(ConfigError, match=r"train\.coverage"):
        prepare_data(run, RunDirectory(tmp_path), lambda progress: None)


def test_the_command_trains_describes_and_measures(scenes: Path, tmp_path: Path) -> None:
    command = arguments(scenes, "caption-soft", tmp_path, *FEW)
    done = CliRunner().invoke(app, command, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    model, image = str(tmp_path / "model"), f"{scenes}/valid/000000.png"
    (single,) = load_captioner(model).caption([image])
    done = CliRunner().invoke(app, ["caption", model, image], catch_exceptions=False)
    assert done.output == single.text + "\n"
    many = CliRunner().invoke(app, ["caption", model, image, image], catch_exceptions=False)
    assert many.output == f"{image}\t{single.text}\n" * 2
    result = CliRunner().invoke(
        app, ["caption", model, image, "--json", "--n-best", "2"], catch_exceptions=False
    )
    best = json.loads(result.output)["captions"]
    assert best[0]["text"] == load_captioner(model).caption([image], SearchOptions(2))[0].text
    assert len(best) == 2
    done = CliRunner().invoke(
        app, ["evaluate", model, "--images", f"{scenes}/valid.jsonl"], catch_exceptions=False
    )
    assert done.output.startswith("exact") and "bleu" in done.output
