"""MLflow and Weights & Biases."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from regard.errors import ConfigError
from regard.train.events import (
    CheckpointSaved,
    Event,
    RolledBack,
    StepCompleted,
    TrainingEnded,
    TrainingStarted,
    ValidationCompleted,
)

# -- events as named values, for services that draw curves -----------------------------------------


def event_curves(event: Event) -> dict[str, float]:
    """Return the values of an event by the name of their curve; empty if it has none."""
    match event:
        case StepCompleted():
            return {
                "train/loss": event.loss,
                **{f"train/{name}": value for name, value in event.parts.items()},
                "train/rate": event.rate,
                "train/norm": event.norm,
                "train/tokens_per_second": event.tokens / event.seconds,
            }
        case ValidationCompleted():
            return {f"valid/{name}": value for name, value in event.scores.values.items()}
    return {}


# -- tracker ---------------------------------------------------------------------------------------


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


# -- MLflow, configured by its own variables (MLFLOW_TRACKING_URI, MLFLOW_EXPERIMENT_NAME …) -------


class MLflowLogger(TrackerLogger):
    """Logs to an MLflow run, whose id is kept in `folder`.

    Args:
        resume_step: step of the checkpoint that the run resumes from. None: start a new MLflow run.
    """

    def __init__(self, folder: Path, *, resume_step: int | None = None) -> None:
        super().__init__()
        try:
            import mlflow
        except ImportError as error:
            raise ConfigError(
                f"mlflow cannot be imported ({error}). Run: pip install 'regard[mlflow]'"
            ) from error
        id_file = folder / "mlflow.run"
        self.mlflow, self.run = mlflow, mlflow.start_run(resumable_id(id_file, resume_step))
        id_file.write_text(self.run.info.run_id, "utf-8")

    def describe(self, plan: dict[str, str]) -> None:
        self.mlflow.set_tags(plan)

    def log_values(self, step: int, values: dict[str, float]) -> None:
        # a thread of MLflow sends them, so training does not wait for the network
        self.mlflow.log_metrics(values, step=step, synchronous=False)

    def end(self) -> None:
        self.mlflow.end_run()


# -- Weights & Biases, configured by its own variables (WANDB_PROJECT …) and `wandb login` ---------


class WandbLogger(TrackerLogger):
    """Logs to a Weights & Biases run, whose id is kept in `folder`.

    Args:
        resume_step: step of the checkpoint that the run resumes from. None: start a new W&B run.
    """

    def __init__(self, folder: Path, *, resume_step: int | None = None) -> None:
        super().__init__()
        try:
            import wandb
        except ImportError as error:
            raise ConfigError(
                f"wandb cannot be imported ({error}). Run: pip install 'regard[wandb]'"
            ) from error
        id_file = folder / "wandb.run"
        self.run = wandb.init(dir=folder, id=resumable_id(id_file, resume_step), resume="allow")
        id_file.write_text(self.run.id, "utf-8")

    def describe(self, plan: dict[str, str]) -> None:
        self.run.config.update(plan, allow_val_change=True)

    def log_values(self, step: int, values: dict[str, float]) -> None:
        self.run.log(values, step=step)

    def end(self) -> None:
        self.run.finish()
