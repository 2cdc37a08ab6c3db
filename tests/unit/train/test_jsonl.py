"""The JSON Lines log of a run, also after kills and rollbacks."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from regard.errors import ArtifactError, StorageError
from regard.train.events import CheckpointSaved, Event, TrainingEnded
from regard.train.loggers.jsonl import JsonlLogger, read_events
from tests.events import rolled_back, run, step_completed, validation_completed


def log(logger: JsonlLogger, *events: Event) -> None:
    for event in events:
        logger(event)


def without_times(path: Path) -> list[dict]:
    times = ("seconds", "waited")
    return [{k: v for k, v in record.items() if k not in times} for record in read_events(path)]


@pytest.fixture
def complete(tmp_path: Path) -> Path:
    path = tmp_path / "complete" / "log.jsonl"
    log(JsonlLogger(path), *run(30))
    return path


def test_each_event_is_a_line(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log(JsonlLogger(path), step_completed(1), validation_completed(1, 20.0), rolled_back(0, 1))
    one, two, three = map(json.loads, path.read_text("utf-8").splitlines())
    assert one["event"] == "step_completed" and one["step"] == 1 and one["parts"] == {"nll": 2.5}
    assert two["event"] == "validation_completed" and two["scores"]["values"]["bleu"] == 20.0
    assert three["event"] == "rolled_back" and three["diverged_at"] == 1
    assert list(read_events(path)) == [one, two, three]


def test_samples_are_logged_without_attention_weights(complete: Path) -> None:
    validation = next(e for e in read_events(complete) if e["event"] == "validation_completed")
    (sample,) = validation["scores"]["samples"]
    assert "attention" not in sample
    assert sample["output"] == "ein Hund schläft"
    assert "schläft" in complete.read_text("utf-8")


@pytest.mark.parametrize("killed", [0, 1, 9, 10, 11, 17, 20, 29, 30])
@pytest.mark.parametrize("torn", [0, 7])
def test_a_killed_and_resumed_run_has_the_log_of_an_uninterrupted_one(
    tmp_path: Path, complete: Path, killed: int, torn: int
) -> None:
    path = tmp_path / "log.jsonl"
    log(JsonlLogger(path), *(event for event in run(30) if event.step <= killed))
    if torn:
        with path.open("r+b") as file:
            file.truncate(path.stat().st_size - torn)
    after = killed // 10 * 10
    saved = CheckpointSaved(after, f"checkpoints/{after}", 0.0)  # its line may be incomplete
    log(JsonlLogger(path, resume_step=after), saved, *run(30, after=after))
    assert without_times(path) == without_times(complete)


def rolled_back_run(after: int | None = None) -> Iterator[Event]:
    """A run that diverges at step 14 and goes back to 10, as only later checkpoints record."""
    if after is None or after < 20:
        yield from (event for event in run(30, after=after) if event.step <= 14)
        yield rolled_back(10, 14)
        yield from (event for event in run(30, after=10) if event.step > 10)
    else:
        yield from run(30, after=after)


@pytest.mark.parametrize("count", range(1, 43, 3))
def test_a_run_that_was_rolled_back_and_killed(tmp_path: Path, count: int) -> None:
    log(JsonlLogger(tmp_path / "complete"), *rolled_back_run())
    path = tmp_path / "log.jsonl"
    emitted = list(rolled_back_run())[:count]
    log(JsonlLogger(path), *emitted)
    after = [event.step for event in emitted if type(event) is CheckpointSaved][-1]
    log(JsonlLogger(path, resume_step=after), *rolled_back_run(after))
    assert without_times(path) == without_times(tmp_path / "complete")


def test_a_run_without_a_checkpoint_starts_a_new_log(tmp_path: Path, complete: Path) -> None:
    path = tmp_path / "log.jsonl"
    log(JsonlLogger(path), step_completed(1), step_completed(2))
    log(JsonlLogger(path), *run(30))
    assert without_times(path) == without_times(complete)


def test_a_resumed_run_drops_the_end_of_the_interrupted_one(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    saved = CheckpointSaved(2, "checkpoints/2", 0.1)
    log(
        JsonlLogger(path),
        step_completed(1),
        step_completed(2),
        saved,
        TrainingEnded(2, "interrupted", 0, None),
    )
    log(JsonlLogger(path, resume_step=2), step_completed(3))
    assert [record["event"] for record in read_events(path)] == [
        "step_completed",
        "step_completed",
        "checkpoint_saved",
        "step_completed",
    ]


def test_a_step_repeated_after_a_rollback_is_logged_again(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log(
        JsonlLogger(path),
        step_completed(1),
        step_completed(2),
        CheckpointSaved(2, "checkpoints/2", 0.1),
    )
    log(
        JsonlLogger(path, resume_step=2),
        step_completed(3),
        rolled_back(1, 3),
        step_completed(2),
        step_completed(3),
    )
    assert [record["step"] for record in read_events(path)] == [1, 2, 2, 3, 1, 2, 3]


def test_a_run_resumes_without_its_log(tmp_path: Path) -> None:
    log(JsonlLogger(tmp_path / "log.jsonl", resume_step=20), *run(30, after=20))
    assert next(read_events(tmp_path / "log.jsonl"))["event"] == "training_started"


def test_nan_and_infinity_become_null(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log(JsonlLogger(path), step_completed(1, math.nan), step_completed(2, math.inf))
    assert [record["loss"] for record in read_events(path)] == [None, None]
    assert [record["norm"] for record in read_events(path)] == [0.7, 0.7]


def test_a_damaged_line_is_named(complete: Path) -> None:
    lines = complete.read_bytes().splitlines(keepends=True)
    complete.write_bytes(b"".join([*lines[:2], b"rubbish\n", *lines[3:]]))
    with pytest.raises(ArtifactError, match=r"log\.jsonl, line 3"):
        list(read_events(complete))


def test_a_full_disk_error_names_the_file(tmp_path: Path, monkeypatch) -> None:
    logger = JsonlLogger(tmp_path / "log.jsonl")
    monkeypatch.setattr(logger, "path", Path("/dev/full"))
    with pytest.raises(StorageError, match="/dev/full"):
        logger(step_completed(1))
