"""The MLflow and Weights & Biases loggers."""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from regard.errors import ConfigError
from regard.train.events import CheckpointSaved, Event
from regard.train.loggers.tracker import MLflowLogger, TrackerLogger, WandbLogger, event_curves
from tests.events import rolled_back, run, step_completed, validation_completed


def test_curves_of_a_step() -> None:
    assert event_curves(step_completed(2)) == {
        "train/loss": 3.0,
        "train/nll": 2.5,
        "train/rate": 2e-3,
        "train/norm": 0.7,
        "train/tokens_per_second": 8000,
    }


def test_curves_of_a_validation() -> None:
    assert event_curves(validation_completed(2, 20.0)) == {
        "valid/bleu": 20.0,
        "valid/chrf": 40.0,
        "valid/nll": 1.5,
    }
    assert event_curves(rolled_back(1, 2)) == {}


@pytest.mark.parametrize(("tracker", "name"), [(MLflowLogger, "mlflow"), (WandbLogger, "wandb")])
def test_a_missing_package_is_named(tracker, name, tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ConfigError, match=rf"pip install 'regard\[{name}\]'"):
        tracker(tmp_path)


class RecordingTracker(TrackerLogger):
    def __init__(self) -> None:
        super().__init__()
        self.steps: list[int] = []

    def describe(self, plan: dict[str, str]) -> None: ...

    def log_values(self, step: int, values: dict[str, float]) -> None:
        self.steps.append(step)

    def end(self) -> None: ...


def logged_steps(*events: Event) -> list[int]:
    tracker = RecordingTracker()
    for event in events:
        tracker(event)
    return tracker.steps


def saved(step: int) -> CheckpointSaved:
    return CheckpointSaved(step, f"checkpoints/{step}", 0.1)


def test_steps_are_logged_once_a_checkpoint_includes_them() -> None:
    assert logged_steps(step_completed(1), step_completed(2)) == []
    assert logged_steps(step_completed(1), step_completed(2), saved(2), step_completed(3)) == [1, 2]
    assert logged_steps(step_completed(1), validation_completed(1, 20.0), saved(1)) == [1, 1]


def test_diverged_steps_are_not_logged() -> None:
    events = [
        saved(1),
        step_completed(2),
        step_completed(3),
        rolled_back(1, 3),
        step_completed(2),
        step_completed(3),
        saved(3),
    ]
    assert logged_steps(step_completed(1), *events) == [1, 2, 3]


def test_a_rollback_past_the_last_checkpoint_logs_no_step_twice() -> None:
    first = [
        step_completed(1),
        saved(1),
        step_completed(2),
        saved(2),
        step_completed(3),
        rolled_back(1, 3),
    ]
    assert logged_steps(*first, step_completed(2), step_completed(3), saved(3)) == [1, 2, 3]


def killed_and_resumed(tracker: type, folder: Path):
    """Log a run of 20 steps that is killed after step 17 and resumes from step 10."""
    first = tracker(folder)
    for event in run(20):
        if event.step <= 17:
            first(event)
    yield first
    second = tracker(folder, after=10)
    for event in run(20, after=10):
        second(event)
    yield second


@pytest.mark.parametrize(
    "store",
    ["file://{}/runs", pytest.param("sqlite:///{}/runs.db", marks=pytest.mark.slow)],
    ids=["files", "database"],  # creating a database takes ten seconds
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")  # MLflow's own
def test_mlflow_logs_no_step_twice(store: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow = pytest.importorskip("mlflow")
    mlflow.set_tracking_uri(store.format(tmp_path))
    for _ in killed_and_resumed(MLflowLogger, tmp_path):
        mlflow.end_run()
    mlflow.flush_async_logging()
    (found,) = mlflow.MlflowClient().search_runs(["0"])
    history = mlflow.MlflowClient().get_metric_history(found.info.run_id, "train/loss")
    assert sorted(point.step for point in history) == list(range(1, 21))
    assert found.data.metrics["valid/bleu"] == 30.0
    assert "transformer" in found.data.tags["model"]


def test_wandb_logs_no_step_twice(tmp_path: Path, monkeypatch) -> None:
    pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    ids = []
    for logger in killed_and_resumed(WandbLogger, tmp_path):
        ids.append(logger.run.id)
        logger.run.finish()
    assert ids[0] == ids[1]
    rows = [
        row
        for path in sorted(tmp_path.glob("wandb/offline-run-*/run-*.wandb"))
        for row in history(path)
    ]
    assert [row["_step"] for row in rows] == list(range(1, 21))
    assert [row["valid/bleu"] for row in rows if "valid/bleu" in row] == [15.0, 30.0]


def history(path: Path) -> Iterator[dict[str, float]]:
    """Yield the rows of an offline run: a LevelDB log of protocol buffers after a 7-byte header."""
    from wandb.proto.wandb_internal_pb2 import Record

    raw, at, record = path.read_bytes(), 7, b""
    while at + 7 <= len(raw):
        block = (1 << 15) - at % (1 << 15)
        if block < 7:  # too small for a record header
            at += block
            continue
        _, size, kind = struct.unpack("<IHB", raw[at : at + 7])
        record += raw[at + 7 : at + 7 + size]
        at += 7 + size
        if kind in (1, 4):  # a full record, or the last fragment of one
            items = Record.FromString(record).history.item
            if items:
                yield {item.nested_key[0]: json.loads(item.value_json) for item in items}
            record = b""
