"""Base class of loggers for experiment trackers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from regard.train.events import CheckpointSaved, Event, RolledBack, TrainingEnded, TrainingStarted
from regard.train.loggers.event_curves import event_curves


class TrackerLogger(ABC):
    """Logs the values of steps once a checkpoint includes them, so that no step is logged twice."""

    def __init__(self) -> None:
        self.pending: list[tuple[int, dict[str, float]]] = []
        self.last_logged = -1

    def __call__(self, event: Event) -> None:
        match event:
            case TrainingStarted():
                self.describe(event.plan)
            case RolledBack():
                self.pending.clear()
            case CheckpointSaved():
                self._log_pending()
            case TrainingEnded():
                self._log_pending()
                self.end()
        if values := event_curves(event):
            self.pending.append((event.step, values))

    def _log_pending(self) -> None:
        for step, values in self.pending:
            if step > self.last_logged:  # else the run was rolled back past its last checkpoint
                self.log_values(step, values)
        self.last_logged = max([self.last_logged, *(step for step, _ in self.pending)])
        self.pending.clear()

    @abstractmethod
    def describe(self, plan: dict[str, str]) -> None:
        """Attach the plan of the run."""

    @abstractmethod
    def log_values(self, step: int, values: dict[str, float]) -> None:
        """Log the values of a step."""

    @abstractmethod
    def end(self) -> None:
        """Close the run."""


def resumable_id(id_file: Path, resume_step: int | None) -> str | None:
    """Return the tracker's id of the run that resumes, if it has one."""
    return id_file.read_text("utf-8") if resume_step is not None and id_file.exists() else None
