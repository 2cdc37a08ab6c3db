"""MLflow and Weights & Biases: what they are given of a run, where they are installed."""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from regard.errors import ConfigError
from regard.train.events import CheckpointSaved, Event
from regard.train.loggers.event_curves import event_curves
from regard.train.loggers.mlflow import MLflowLogger
from regard.train.loggers.tracker import TrackerLogger
from regard.train.loggers.wandb import WandbLogger
from tests.events import back, run, stepped, validated


def test_a_step_gives_the_curves_of_training() -> None:
    assert event_curves(stepped(2)) == {
        "train/loss": 3.0,
        "train/nll": 2.5,
        "train/rate": 2e-3,
        "train/norm": 0.7,
        "train/tokens_per_second": 8000,
    }


def test_a_validation_gives_the_curves_of_its_scores() -> None:
    assert event_curves(validated(2, 20.0)) == {
        "valid/bleu": 20.0,
        "valid/chrf": 40.0,
        "valid/nll": 1.5,
    }
    assert event_curves(back(1, 2)) == {}


@pytest.mark.parametrize(("tracker", "name"), [(MLflowLogger, "mlflow"), (WandbLogger, "wandb")])
def test_where_one_is_missing_its_package_is_named(tracker, name, tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ConfigError, match=rf"pip install 'regard\[{name}\]'"):
        tracker(tmp_path)


class Shown(TrackerLogger):
    def __init__(self) -> None:
        super().__init__()
        self.steps: list[int] = []

    def describe(self, plan: dict[str, str]) -> None: ...

    def show(self, step: int, values: dict[str, float]) -> None:
        self.steps.append(step)

    def end(self) -> None: ...


def shown(*events: Event) -> list[int]:
    tracker = Shown()
    for event in events:
        tracker(event)
    return tracker.steps


def saved(step: int) -> CheckpointSaved:
    return CheckpointSaved(step, f"checkpoints/{step}", 0.1)


def test_steps_are_shown_once_a_checkpoint_holds_them() -> None:
    assert shown(stepped(1), stepped(2)) == []
    assert shown(stepped(1), stepped(2), saved(2), stepped(3)) == [1, 2]
    assert shown(stepped(1), validated(1, 20.0), saved(1)) == [1, 1]


def test_what_went_wrong_is_never_shown() -> None:
    again = [saved(1), stepped(2), stepped(3), back(1, 3), stepped(2), stepped(3), saved(3)]
    assert shown(stepped(1), *again) == [1, 2, 3]


def test_a_run_that_goes_behind_its_checkpoint_shows_no_step_twice() -> None:
    first = [stepped(1), saved(1), stepped(2), saved(2), stepped(3), back(1, 3)]
    assert shown(*first, stepped(2), stepped(3), saved(3)) == [1, 2, 3]


def killed_and_gone_on(tracker: type, folder: Path):
    """A run of 20 steps, killed after the 17th, that went on from the 10th."""
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
    ids=["files", "database"],  # a new database takes ten seconds to lay out
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")  # MLflow's own
def test_mlflow_shows_a_run_and_no_step_twice(store: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow = pytest.importorskip("mlflow")
    mlflow.set_tracking_uri(store.format(tmp_path))
    for _ in killed_and_gone_on(MLflowLogger, tmp_path):
        mlflow.end_run()
    mlflow.flush_async_logging()
    (found,) = mlflow.MlflowClient().search_runs(["0"])
    history = mlflow.MlflowClient().get_metric_history(found.info.run_id, "train/loss")
    assert sorted(point.step for point in history) == list(range(1, 21))
    assert found.data.metrics["valid/bleu"] == 30.0
    assert "transformer" in found.data.tags["model"]


def test_wandb_shows_a_run_and_no_step_twice(tmp_path: Path, monkeypatch) -> None:
    pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    ids = []
    for observer in killed_and_gone_on(WandbLogger, tmp_path):
        ids.append(observer.run.id)
        observer.run.finish()
    assert ids[0] == ids[1]
    told = [
        row
        for path in sorted(tmp_path.glob("wandb/offline-run-*/run-*.wandb"))
        for row in history(path)
    ]
    assert [row["_step"] for row in told] == list(range(1, 21))
    assert [row["valid/bleu"] for row in told if "valid/bleu" in row] == [15.0, 30.0]


def history(path: Path) -> Iterator[dict[str, float]]:
    """What an offline run holds: a LevelDB log of protocol buffers, after seven bytes of header."""
    from wandb.proto.wandb_internal_pb2 import Record

    raw, at, held = path.read_bytes(), 7, b""
    while at + 7 <= len(raw):
        block = (1 << 15) - at % (1 << 15)
        if block < 7:  # too little room for a record
            at += block
            continue
        _, size, kind = struct.unpack("<IHB", raw[at : at + 7])
        held += raw[at + 7 : at + 7 + size]
        at += 7 + size
        if kind in (1, 4):  # a whole record, or the last piece of one
            items = Record.FromString(held).history.item
            if items:
                yield {item.nested_key[0]: json.loads(item.value_json) for item in items}
            held = b""
