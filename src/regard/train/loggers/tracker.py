"""What services that follow many runs have in common: a run there, and its curves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from regard.train.events import CheckpointSaved, Event, RolledBack, TrainingEnded, TrainingStarted
from regard.train.loggers.event_curves import event_curves


class TrackerLogger(ABC):
    """Shows steps once a checkpoint holds them: none is made again, and shown a second time."""

    def __init__(self) -> None:
        self.waiting: list[tuple[int, dict[str, float]]] = []
        self.shown = -1  # the last step

    def __call__(self, event: Event) -> None:
        match event:
            case TrainingStarted():
                self.describe(event.plan)
            case RolledBack():
                self.waiting.clear()
            case CheckpointSaved():
                self._catch_up()
            case TrainingEnded():
                self._catch_up()
                self.end()
        if values := event_curves(event):
            self.waiting.append((event.step, values))

    def _catch_up(self) -> None:
        for step, values in self.waiting:
            if step > self.shown:  # else it was wrong, as the run went back behind its checkpoint
                self.show(step, values)
        self.shown = max([self.shown, *(step for step, _ in self.waiting)])
        self.waiting.clear()

    @abstractmethod
    def describe(self, plan: dict[str, str]) -> None: ...

    @abstractmethod
    def show(self, step: int, values: dict[str, float]) -> None: ...

    @abstractmethod
    def end(self) -> None: ...


def resumable_id(note: Path, after: int | None) -> str | None:
    """The name that a run which goes on has in the service, if it was noted."""
    return note.read_text("utf-8") if after is not None and note.exists() else None
