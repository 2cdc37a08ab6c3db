"""The journal of a run: one line of JSON for each event, the truth that all else is drawn from.

A run that was killed and goes on has the journal of one that never was, its times aside: what came
after the checkpoint is dropped, and what is told of it again is written once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import fields
from os import truncate
from pathlib import Path
from typing import Any

from regard.errors import ArtifactError, StorageError
from regard.train.events import Event

PLACES = (
    "step_completed",
    "validation_completed",
    "checkpoint_saved",
)  # events whose step says how far the run had come


class JsonlLogger:
    """Writes every event down as it happens; weights are for pictures, and left out."""

    def __init__(self, path: Path, *, after: int | None = None) -> None:
        """Go on from the checkpoint of the step `after`; without one, begin anew."""
        self.path = path
        self.after = -1 if after is None else after
        self.begun = began = False
        self.told: set[str] = set()  # at that step: a run that goes on may tell it again
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        end = 0
        for fact, stop in () if after is None else _lines(path):
            began = began or fact["event"] == "training_started"
            # The last such line is the checkpoint's, also where the run stepped back before it:
            # what then happened a first time is part of its past.
            if fact["event"] in PLACES and fact["step"] <= self.after:
                self.begun, end = began, stop
                if fact["step"] == self.after:
                    self.told.add(fact["event"])
        truncate(path, end)  # one act: a kill leaves the old end or the new one

    def __call__(self, event: Event) -> None:
        name = _name(event)
        if event.step != self.after:
            self.told.clear()
        if name in self.told or (self.begun and name == "training_started"):
            return
        try:
            with self.path.open("ab") as file:  # closed at once: a kill loses no line
                file.write(_line({"event": name} | _facts(event)))
        except OSError as error:
            raise StorageError(
                f"{self.path}: cannot be written ({error}); make room and run it again"
            ) from error
        self.begun = self.begun or name == "training_started"


def read_events(path: Path) -> Iterator[dict[str, Any]]:
    """The events of a run, in the order they happened."""
    return (fact for fact, _ in _lines(path))


def read_steps(path: Path) -> list[dict[str, Any]]:
    """What each step of a run was, those before a stop too: its loss, tokens and seconds."""
    return [fact for fact in read_events(path) if fact["event"] == "step_completed"]


def _lines(path: Path) -> Iterator[tuple[dict[str, Any], int]]:
    """Each line and where it ends in the file; a last line that was torn is none."""
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
                    f"{path}, line {number}: not what was written ({error}); restore the file, or "
                    "move it away to go on without its past"
                ) from error


def _name(event: Event) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(event).__name__).lower()


def _facts(value: Any) -> dict[str, Any]:
    return {
        field.name: getattr(value, field.name)
        for field in fields(value)
        if field.name != "attention"
    }


def _line(fact: dict[str, Any]) -> bytes:
    try:
        text = json.dumps(fact, default=_facts, ensure_ascii=False, allow_nan=False)
    except ValueError:  # JSON knows no infinity; what went wrong is said by the step back
        loose = json.dumps(fact, default=_facts)
        text = json.dumps(json.loads(loose, parse_constant=lambda _: None), ensure_ascii=False)
    return text.encode() + b"\n"
