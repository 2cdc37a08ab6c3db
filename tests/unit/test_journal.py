"""The journal of a run: whole after any death, and told once."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from regard.errors import ArtifactError, StorageError
from regard.train.events import CheckpointSaved, Event, TrainingEnded
from regard.train.loggers.jsonl import JsonlLogger, read_events
from tests.events import back, run, stepped, validated


def tell(journal: JsonlLogger, *events: Event) -> None:
    for event in events:
        journal(event)


def timeless(path: Path) -> list[dict]:
    times = ("seconds", "waited")
    return [{key: fact[key] for key in fact if key not in times} for fact in read_events(path)]


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    path = tmp_path / "whole" / "log.jsonl"
    tell(JsonlLogger(path), *run(30))
    return path


def test_an_event_is_a_line(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    tell(JsonlLogger(path), stepped(1), validated(1, 20.0), back(0, 1))
    one, two, three = map(json.loads, path.read_text("utf-8").splitlines())
    assert one["event"] == "step_completed" and one["step"] == 1 and one["parts"] == {"nll": 2.5}
    assert two["event"] == "validation_completed" and two["scores"]["values"]["bleu"] == 20.0
    assert three["event"] == "rolled_back" and three["wrong"] == 1
    assert list(read_events(path)) == [one, two, three]


def test_weights_are_left_out_and_words_are_not(whole: Path) -> None:
    (sample,) = next(
        fact for fact in read_events(whole) if fact["event"] == "validation_completed"
    )["scores"]["samples"]
    assert "looks" not in sample
    assert sample["output"] == "ein Hund schläft"
    assert "schläft" in whole.read_text("utf-8")


@pytest.mark.parametrize("killed", [0, 1, 9, 10, 11, 17, 20, 29, 30])
@pytest.mark.parametrize("torn", [0, 7])
def test_a_run_that_was_killed_has_the_journal_of_one_that_was_not(
    tmp_path: Path, whole: Path, killed: int, torn: int
) -> None:
    path = tmp_path / "log.jsonl"
    tell(JsonlLogger(path), *(event for event in run(30) if event.step <= killed))
    if torn:
        with path.open("r+b") as file:
            file.truncate(path.stat().st_size - torn)
    after = killed // 10 * 10
    saved = CheckpointSaved(
        after, f"checkpoints/{after}", 0.0
    )  # told again, should its line have been torn
    tell(JsonlLogger(path, after=after), saved, *run(30, after=after))
    assert timeless(path) == timeless(whole)


def stepping_back(after: int | None = None) -> Iterator[Event]:
    """A run that goes wrong at step 14 and steps back to 10, which only later checkpoints know."""
    if after is None or after < 20:
        yield from (event for event in run(30, after=after) if event.step <= 14)
        yield back(10, 14)
        yield from (event for event in run(30, after=10) if event.step > 10)
    else:
        yield from run(30, after=after)


@pytest.mark.parametrize("told", range(1, 43, 3))
def test_a_run_that_stepped_back_and_was_killed_too(tmp_path: Path, told: int) -> None:
    tell(JsonlLogger(tmp_path / "whole"), *stepping_back())
    path = tmp_path / "log.jsonl"
    seen = list(stepping_back())[:told]
    tell(JsonlLogger(path), *seen)
    after = [event.step for event in seen if type(event) is CheckpointSaved][-1]
    tell(JsonlLogger(path, after=after), *stepping_back(after))
    assert timeless(path) == timeless(tmp_path / "whole")


def test_a_run_without_a_checkpoint_begins_anew(tmp_path: Path, whole: Path) -> None:
    path = tmp_path / "log.jsonl"
    tell(JsonlLogger(path), stepped(1), stepped(2))
    tell(JsonlLogger(path), *run(30))
    assert timeless(path) == timeless(whole)


def test_that_a_run_was_interrupted_is_forgotten_when_it_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    saved = CheckpointSaved(2, "checkpoints/2", 0.1)
    tell(JsonlLogger(path), stepped(1), stepped(2), saved, TrainingEnded(2, "interrupted", 0, None))
    tell(JsonlLogger(path, after=2), stepped(3))
    assert [fact["event"] for fact in read_events(path)] == [
        "step_completed",
        "step_completed",
        "checkpoint_saved",
        "step_completed",
    ]


def test_a_step_made_again_after_a_later_step_back_is_told_again(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    tell(JsonlLogger(path), stepped(1), stepped(2), CheckpointSaved(2, "checkpoints/2", 0.1))
    tell(JsonlLogger(path, after=2), stepped(3), back(1, 3), stepped(2), stepped(3))
    assert [fact["step"] for fact in read_events(path)] == [1, 2, 2, 3, 1, 2, 3]


def test_a_run_may_go_on_where_its_journal_is_lost(tmp_path: Path) -> None:
    tell(JsonlLogger(tmp_path / "log.jsonl", after=20), *run(30, after=20))
    assert next(read_events(tmp_path / "log.jsonl"))["event"] == "training_started"


def test_what_is_no_number_is_null(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    tell(JsonlLogger(path), stepped(1, math.nan), stepped(2, math.inf))
    assert [fact["loss"] for fact in read_events(path)] == [None, None]
    assert [fact["norm"] for fact in read_events(path)] == [0.7, 0.7]


def test_a_damaged_line_is_named(whole: Path) -> None:
    lines = whole.read_bytes().splitlines(keepends=True)
    whole.write_bytes(b"".join([*lines[:2], b"rubbish\n", *lines[3:]]))
    with pytest.raises(ArtifactError, match=r"log\.jsonl, line 3"):
        list(read_events(whole))


def test_a_full_disk_is_an_error_that_names_the_file(tmp_path: Path, monkeypatch) -> None:
    journal = JsonlLogger(tmp_path / "log.jsonl")
    monkeypatch.setattr(journal, "path", Path("/dev/full"))
    with pytest.raises(StorageError, match="/dev/full: cannot be written"):
        journal(stepped(1))
