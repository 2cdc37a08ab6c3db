"""The log of a run: one JSON object per line for each event.

Except for times, a resumed run has the log of an uninterrupted one: events after the checkpoint are
dropped, and those that are emitted again are written once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import fields
from os import truncate
from pathlib import Path
from typing import Any, TypedDict, cast

from regard.errors import ArtifactError, StorageError
from regard.train.events import Event

PROGRESS_EVENTS = ("step_completed", "validation_completed", "checkpoint_saved")
"""Events whose step is the progress of the run."""


class EventRecord(TypedDict):
    """What all lines have. The fields of the event follow."""

    event: str
    step: int


class StepRecord(EventRecord):
    """The line of a `StepCompleted`. Numbers that are not finite are None."""

    epoch: int
    loss: float | None
    parts: dict[str, float | None]
    rate: float
    norm: float | None
    tokens: int
    seconds: float
    waited: float


class JsonlLogger:
    """Writes each event as a line of JSON. Attention weights are omitted.

    Args:
        resume_step: step of the checkpoint that the run resumes from. None: start a new log.
    """

    def __init__(self, path: Path, *, resume_step: int | None = None) -> None:
        self.path = path
        self.resume_step = -1 if resume_step is None else resume_step
        self.started = started = False
        self.written: set[str] = set()  # at step `resume_step`: a resumed run emits them again
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        end = 0
        for record, stop in () if resume_step is None else _lines(path):
            started = started or record["event"] == "training_started"
            # The last such line belongs to the checkpoint, also if the run was rolled back before
            # it: the steps before the rollback are part of the log.
            if record["event"] in PROGRESS_EVENTS and record["step"] <= self.resume_step:
                self.started, end = started, stop
                if record["step"] == self.resume_step:
                    self.written.add(record["event"])
        truncate(path, end)  # atomic: a killed process leaves the old end or the new one

    def __call__(self, event: Event) -> None:
        name = _name(event)
        if event.step != self.resume_step:
            self.written.clear()
        if name in self.written or (self.started and name == "training_started"):
            return
        try:
            with self.path.open("ab") as file:  # closed at once, so that no line is lost
                file.write(_line({"event": name} | _fields(event)))
        except OSError as error:
            raise StorageError(
                f"{self.path}: cannot be written ({error}). Check that its directory exists and "
                "that the disk has space, then run the same command again."
            ) from error
        self.started = self.started or name == "training_started"


def read_events(path: Path) -> Iterator[EventRecord]:
    """Yield the events of a run in order."""
    return (record for record, _ in _lines(path))


def read_steps(path: Path) -> list[StepRecord]:
    """Return the `step_completed` events of a run, with loss, tokens and seconds."""
    return [
        cast("StepRecord", record)
        for record in read_events(path)
        if record["event"] == "step_completed"
    ]


def _lines(path: Path) -> Iterator[tuple[EventRecord, int]]:
    """Yield each record and the offset of its end. An incomplete last line is skipped."""
    end = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            end += len(line)
            if not line.endswith(b"\n"):
                return
            try:
                yield json.loads(line), end
            except ValueError as error:
                raise ArtifactError(
                    f"{path}, line {number}: damaged ({error}). Restore the file, or move it away "
                    "to resume with a new log."
                ) from error


def _name(event: Event) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(event).__name__).lower()


def _fields(value: Any) -> dict[str, object]:
    return {
        field.name: getattr(value, field.name)
        for field in fields(value)
        if field.name != "attention"
    }


def _line(record: dict[str, object]) -> bytes:
    try:
        text = json.dumps(record, default=_fields, ensure_ascii=False, allow_nan=False)
    except ValueError:  # JSON has no NaN or infinity; they become null
        loose = json.dumps(record, default=_fields)
        text = json.dumps(json.loads(loose, parse_constant=lambda _: None), ensure_ascii=False)
    return text.encode() + b"\n"
