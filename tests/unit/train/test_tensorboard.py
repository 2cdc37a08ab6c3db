"""The TensorBoard logger."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tensorboard")

from PIL import Image
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from regard.errors import ConfigError
from regard.train.loggers.tensorboard import TensorBoardLogger, pixel_heatmap
from tests.events import OUTPUT_PIECES, SOURCE_PIECES, rolled_back, run, scores, step_completed


def load(folder: Path) -> EventAccumulator:
    everything = dict.fromkeys(("scalars", "images", "tensors"), 0)
    return EventAccumulator(str(folder), size_guidance=everything).Reload()


def steps(folder: Path, curve: str) -> list[int]:
    return [point.step for point in load(folder).Scalars(curve)]


@pytest.fixture
def board(tmp_path: Path) -> Path:
    logger = TensorBoardLogger(tmp_path)
    for event in run(20):
        logger(event)
    return tmp_path


def test_all_values_of_a_run_are_curves(board: Path) -> None:
    train = ["loss", "nll", "norm", "rate", "tokens_per_second"]
    valid = ["bleu", "chrf", "nll"]
    assert sorted(load(board).Tags()["scalars"]) == [
        *(f"train/{name}" for name in train),
        *(f"valid/{name}" for name in valid),
    ]
    assert steps(board, "train/loss") == list(range(1, 21))
    assert [point.value for point in load(board).Scalars("valid/bleu")] == [15.0, 30.0]
    assert load(board).Scalars("train/tokens_per_second")[0].value == 8000


def test_each_validation_adds_sample_texts(board: Path) -> None:
    first, last = load(board).Tensors("sample 1/text_summary")
    assert (first.step, last.step) == (10, 20)
    (text,) = last.tensor_proto.string_val
    assert "    output     ein Hund schläft\n" in text.decode()


def test_each_validation_adds_attention_heatmaps(board: Path) -> None:
    first, last = load(board).Images("sample 1/decoder.attention 0")
    assert (first.step, last.step) == (10, 20)
    drawn = np.asarray(Image.open(io.BytesIO(last.encoded_image_string)).convert("RGB"))
    weights = scores(30.0, 20).samples[0].attention[0].weights.numpy()
    assert np.array_equal(
        drawn, pixel_heatmap(weights, row_labels=OUTPUT_PIECES, column_labels=SOURCE_PIECES)
    )
    assert first.encoded_image_string != last.encoded_image_string


def test_a_resumed_run_has_no_step_twice(tmp_path: Path) -> None:
    killed = TensorBoardLogger(tmp_path)
    for event in run(20):
        if event.step <= 17:
            killed(event)
    killed.writer.close()
    logger = TensorBoardLogger(tmp_path, resume_step=10)
    for event in run(20, after=10):
        logger(event)
    assert steps(tmp_path, "train/loss") == list(range(1, 21))
    assert steps(tmp_path, "valid/bleu") == [10, 20]


def test_diverged_steps_are_hidden_after_a_rollback(tmp_path: Path) -> None:
    logger = TensorBoardLogger(tmp_path)
    for event in [
        *map(step_completed, range(1, 8)),
        rolled_back(5, 7),
        step_completed(6, 1.0),
        step_completed(7, 1.0),
    ]:
        logger(event)
    logger.writer.close()
    points = load(tmp_path).Scalars("train/loss")
    assert [point.step for point in points] == [1, 2, 3, 4, 5, 6, 7]
    assert [point.value for point in points] == [3.0] * 5 + [1.0] * 2


def test_a_new_run_hides_the_old_one(board: Path) -> None:
    logger = TensorBoardLogger(board)
    logger(step_completed(1))
    logger.writer.close()
    assert steps(board, "train/loss") == [1]


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard.writer", None)
    with pytest.raises(ConfigError, match=r"pip install 'regard\[tensorboard\]'"):
        TensorBoardLogger(tmp_path)
